package metrics

// totals are the points of [Other]. Counters among them go on from one gathering to the
// next; gauges begin again.
type totals struct {
	values map[totalKey]*total
	order  []totalKey
}

type totalKey struct {
	metric *Metric
	label  string
}

type total struct {
	value float64
	now   bool // has been added to in this gathering
}

func newTotals() totals { return totals{values: make(map[totalKey]*total)} }

// begin starts a gathering.
func (t *totals) begin() {
	for key, v := range t.values {
		v.now = false
		if key.metric.Kind == Gauge {
			v.value = 0
		}
	}
}

func (t *totals) add(m *Metric, label string, v float64) {
	key := totalKey{m, label}
	x := t.values[key]
	if x == nil {
		x = new(total)
		t.values[key] = x
		t.order = append(t.order, key)
	}
	x.value += v
	x.now = true
}

// appendTo appends the points: all counters there have ever been, and the gauges of now.
func (t *totals) appendTo(points []Point) []Point {
	for _, key := range t.order {
		if x := t.values[key]; x.now || key.metric.Kind == Counter {
			points = append(points, Point{key.metric, Other, key.label, x.value})
		}
	}
	return points
}
