package metrics

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

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
	last   map[identity][]float64
	totals totals
}

// mostAway bounds how many entries that are gone are remembered, in case they come back.
const mostAway = 10_000

// identity tells entries apart that have, or had, the same name. It keeps nothing alive.
type identity struct {
	breaker  weak.Pointer[breaker.Breaker]
	pipeline weak.Pointer[pipeline.Pipeline]
}

func identify(e registry.Entry) identity {
	return identity{weak.Make(e.Breaker), weak.Make(e.Pipeline)}
}

// mayReturn reports whether the program still has what was in the entry.
func (id identity) mayReturn() bool {
	return id.breaker.Value() != nil || id.pipeline.Value() != nil
}

// NewGatherer makes a gatherer of the given metrics for at most so many names.
func NewGatherer(source registry.Source, metrics []Metric, most int) *Gatherer {
	return &Gatherer{
		source: source, most: most, metrics: metrics,
		names: make(map[string]identity), totals: newTotals(),
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
		seen = append(seen, sighting{label: Label(e.Name), id: identify(e), reading: Read(e)})
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

// admit decides who has points of its own: first who had them, then who was made anew
// under the name of one that had, then whoever is left, in the order of names.
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
	enter(func(s *sighting) bool { _, was := g.names[s.label]; return was })
	enter(func(*sighting) bool { return true })
	g.names = names
}

// book makes the points.
func (g *Gatherer) book(seen []sighting) []Point {
	points := make([]Point, 0, len(g.points))
	now := make(map[identity][]float64, len(g.last))
	g.totals.begin()
	for i := range seen {
		s := &seen[i]
		// Its counters, in the order of which [Metric.Read] speaks. What it had counted when
		// it was seen last is in the totals already, or was shown under its own name.
		last := g.last[s.id]
		counters := make([]float64, 0, len(last))
		g.each(s.reading, func(m *Metric, label string, v float64) {
			grown := v
			if m.Kind == Counter {
				if n := len(counters); n < len(last) {
					grown = max(v-last[n], 0)
				}
				counters = append(counters, v)
			}
			switch {
			case s.own:
				points = append(points, Point{m, s.label, label, v})
			case !m.Apart:
				g.totals.add(m, label, grown)
			}
		})
		now[s.id] = counters
	}
	g.remember(now)
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

// remember keeps the counters of now, and of who is away and may come back.
func (g *Gatherer) remember(now map[identity][]float64) {
	away := 0
	for id, counters := range g.last {
		if _, here := now[id]; !here && away < mostAway && id.mayReturn() {
			now[id] = counters
			away++
		}
	}
	g.last = now
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
