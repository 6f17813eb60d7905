package report

import (
	"math"
	"slices"
	"strings"

	"github.com/switchgear-go/switchgear/sim/sweep"
)

// A column is one figure of a sweep.
type column struct {
	name, field string // as a person reads it, and as a program does
	unit        string
	about       string
	of          func(*sweep.Row) *sweep.Spread
}

var columns = []column{
	{"trip delay", "trip_delay", "s", "from the beginning of the fault until a breaker first opened", func(r *sweep.Row) *sweep.Spread { return &r.TripDelay }},
	{"reached", "reached", "calls", "calls that were sent to the dependency in the fault", func(r *sweep.Row) *sweep.Spread { return &r.Reached }},
	{"share", "share", "%", "the same, of all calls in the fault", func(r *sweep.Row) *sweep.Spread { return &r.Share }},
	{"mean latency", "mean", "s", "of a call in the fault, refused ones included", func(r *sweep.Row) *sweep.Spread { return &r.Mean }},
	{"p99 latency", "p99", "s", "of a call in the fault", func(r *sweep.Row) *sweep.Spread { return &r.P99 }},
	{"rounds", "rounds", "rounds", "half-open periods that began in the fault", func(r *sweep.Row) *sweep.Spread { return &r.Rounds }},
	{"recovery lag", "recovery_lag", "s", "from the end of the fault until a breaker was closed again", func(r *sweep.Row) *sweep.Spread { return &r.RecoveryLag }},
	{"false trips", "false_trips", "trips", "times a breaker opened while nothing was wrong", func(r *sweep.Row) *sweep.Spread { return &r.FalseTrips }},
	{"good refused", "good_refused", "calls", "calls refused outside the fault", func(r *sweep.Row) *sweep.Spread { return &r.GoodRefused }},
}

// A shape is how the numbers of one column are written: all in one unit and with
// as many digits after the point, so that they can be compared at a glance.
type shape struct {
	unit   string
	factor float64
	places int
}

func (c *column) shape(t *sweep.Table) shape {
	most := 0.0
	for i := range t.Rows {
		if s := c.of(&t.Rows[i]); s.N > 0 {
			most = max(most, math.Abs(s.Mean), math.Abs(s.P95))
		}
	}
	if c.unit == "s" && most > 0 && most < 0.9995 {
		return shape{"ms", 1e3, decimals(most * 1e3)}
	}
	return shape{c.unit, 1, decimals(most)}
}

// spread writes a figure as "mean [p5–p95]". Where it exists in some of the runs
// only, their number follows.
func (f shape) spread(s *sweep.Spread, runs int) string {
	if s.N == 0 {
		return none
	}
	text := fixed(s.Mean*f.factor, f.places) + " [" + fixed(s.P5*f.factor, f.places) + "–" + fixed(s.P95*f.factor, f.places) + "]"
	if s.N < runs {
		text += " in " + count(s.N)
	}
	return text
}

// valueOf returns the value of a key in a row.
func valueOf(r *sweep.Row, key string) string {
	for _, s := range r.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// keys returns the keys of a table that a person reads; without any there is one row,
// and nothing to call it by.
func keys(t *sweep.Table) []string {
	if len(t.Keys) == 0 {
		return []string{"combination"}
	}
	return t.Keys
}

func keyOf(t *sweep.Table, r *sweep.Row, key string) string {
	if len(t.Keys) == 0 {
		return "as configured"
	}
	return valueOf(r, key)
}

// prefix returns the beginning that the paths among the keys share, up to a dot. What
// it leaves of one path alone is two names. A key of one word, such as variant, is no
// path, and none of its beginnings is taken away.
func prefix(keys []string) string {
	keys = slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return !strings.Contains(k, ".") })
	if len(keys) == 0 {
		return ""
	}
	same := strings.Split(keys[0], ".")
	same = same[:max(len(same)-min(len(keys), 2)%2-1, 0)]
	for _, k := range keys[1:] {
		parts := strings.Split(k, ".")
		n := 0
		for n < min(len(same), len(parts)-1) && same[n] == parts[n] {
			n++
		}
		same = same[:n]
	}
	if len(same) == 0 {
		return ""
	}
	return strings.Join(same, ".") + "."
}

func (p *printer) sweep(t *sweep.Table) {
	p.heading("Sweep")
	p.line("%s; mean [5th–95th percentile] of %s from %d", plural(len(t.Rows), "combination"), plural(t.Seeds, "seed"), t.FirstSeed)
	if left := t.Points*t.Seeds - t.Runs(); left > 0 {
		p.line("It was stopped: %s are not in it.", plural(left, "run"))
	}
	ks := keys(t)
	common := prefix(ks)
	if common != "" {
		p.line("Settings are below %s", plain(strings.TrimSuffix(common, ".")))
		p.line("")
	}
	names, units := make([]string, len(ks)), make([]string, len(ks))
	for i, k := range ks {
		names[i] = plain(strings.TrimPrefix(k, common))
	}
	out := table{keys: len(ks)}
	shapes := make([]shape, len(columns))
	for i := range columns {
		shapes[i] = columns[i].shape(t)
		names, units = append(names, columns[i].name), append(units, shapes[i].unit)
	}
	out.header = [][]string{names, units}
	some := false
	for i := range t.Rows {
		r := &t.Rows[i]
		var row []string
		for _, k := range ks {
			row = append(row, plain(keyOf(t, r, k)))
		}
		for j := range columns {
			s := columns[j].of(r)
			some = some || s.N < r.Runs
			row = append(row, shapes[j].spread(s, r.Runs))
		}
		out.rows = append(out.rows, row)
	}
	out.print(p)
	if some {
		p.line("")
		p.line("%s exists in no run; \"in 7\": in so many of a row's runs.", none)
	}
}

func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return count(n) + " " + thing + "s"
}
