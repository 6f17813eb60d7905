package metrics

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/registry"
)

// Point is one value.
type Point struct {
	Metric *Metric
	// Name is the entry's name as a label value, or [Other]; empty where the metric is
	// nameless. Label is the value of the metric's own label.
	Name, Label string
	Value       float64
}

// A Gatherer gathers the points of a source. Make it with [NewGatherer]. It is safe for
// concurrent use.
type Gatherer struct {
	source  registry.Source
	most    int
	metrics []Metric
	begun   atomic.Uint64

	mu     sync.Mutex
	booked uint64              // the newest gathering that has been booked
	points []Point             // and what it found
	names  map[string]identity // who has points of its own
	others map[identity][]float64
	totals totals
}

// identity tells entries apart that have, or had, the same name.
type identity struct {
	breaker  *breaker.Breaker
	pipeline *pipeline.Pipeline
}

// NewGatherer makes a gatherer of the given metrics for at most so many names.
func NewGatherer(source registry.Source, metrics []Metric, most int) *Gatherer {
	return &Gatherer{
		source: source, most: most, metrics: metrics,
		names: make(map[string]identity), others: make(map[identity][]float64),
		totals: newTotals(),
	}
}

// sighting is an entry as one gathering saw it.
type sighting struct {
	label   string
	id      identity
	reading *Reading
	own     bool
}

// Gather reads all entries. The result is ordered by name and must not be changed.
//
// Of gatherings at the same time, one that began earlier and ends later returns what the
// other found: newer readings must not be followed by older ones.
func (g *Gatherer) Gather() []Point {
	turn := g.begun.Add(1)
	var seen []sighting
	for e := range g.source.Entries() {
		// Reading may deliver an event, whose listener may gather: no lock is held here.
		seen = append(seen, sighting{label: Label(e.Name), id: identity{e.Breaker, e.Pipeline}, reading: Read(e)})
	}
	slices.SortStableFunc(seen, func(a, b sighting) int { return cmp.Compare(a.label, b.label) })

	g.mu.Lock()
	defer g.mu.Unlock()
	if turn < g.booked {
		return g.points
	}
	g.booked = turn
	g.admit(seen)
	g.points = g.book(seen)
	return g.points
}

// admit decides who has points of its own.
func (g *Gatherer) admit(seen []sighting) {
	names := make(map[string]identity, len(g.names))
	enter := func(may func(s *sighting) bool) {
		for i := range seen {
			s := &seen[i]
			if _, taken := names[s.label]; !taken && s.label != Other && len(names) < g.most && may(s) {
				names[s.label], s.own = s.id, true
			}
		}
	}
	enter(func(s *sighting) bool { return g.names[s.label] == s.id })
	enter(func(s *sighting) bool { _, was := g.names[s.label]; return was }) // made anew under an old name
	enter(func(*sighting) bool { return true })
	g.names = names
}

// book makes the points.
func (g *Gatherer) book(seen []sighting) []Point {
	points := make([]Point, 0, len(g.points))
	others := make(map[identity][]float64)
	g.totals.begin()
	for i := range seen {
		s := &seen[i]
		if s.own {
			g.each(s.reading, func(m *Metric, label string, v float64) {
				points = append(points, Point{m, s.label, label, v})
			})
			continue
		}
		// What it counted before is in the totals already. Counters come in the same
		// order each time, since an entry never changes its policies.
		last := g.others[s.id]
		now := make([]float64, 0, len(last))
		g.each(s.reading, func(m *Metric, label string, v float64) {
			switch {
			case m.Apart:
			case m.Kind == Gauge:
				g.totals.add(m, label, v)
			default:
				before := 0.0
				if len(now) < len(last) {
					before = last[len(now)]
				}
				now = append(now, v)
				g.totals.add(m, label, max(v-before, 0))
			}
		})
		others[s.id] = now
	}
	g.others = others
	points = g.totals.appendTo(points)
	for i := range g.metrics {
		if m := &g.metrics[i]; m.Nameless {
			points = append(points,
				Point{m, "", "named", float64(len(g.names))},
				Point{m, "", "other", float64(len(seen) - len(g.names))})
		}
	}
	return points
}

func (g *Gatherer) each(r *Reading, yield func(m *Metric, label string, v float64)) {
	var m *Metric
	each := func(label string, v float64) { yield(m, label, v) } // one for all metrics, to spare allocations
	for i := range g.metrics {
		if m = &g.metrics[i]; m.Read != nil {
			m.Read(r, each)
		}
	}
}
