package metrics

import (
	"fmt"
	"iter"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/registry"
)

func same(t *testing.T, what string, got, want map[string]float64) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestNames(t *testing.T) {
	t.Run("K64: newcomers get room in the order of their names, the rest is added up", func(t *testing.T) {
		var s source
		g := NewGatherer(&s, List(), 2)
		for i, name := range []string{"d", "b", "c", "a"} {
			fail(s.add(name), i+1)
		}
		points := g.Gather()
		same(t, "failures", failures(t, points), map[string]float64{"a": 4, "b": 2, Other: 4})
		m := index(t, points)
		equal(t, "named", m[key{EntriesName, "", "named"}], 2)
		equal(t, "others", m[key{EntriesName, "", "other"}], 2)
		equal(t, "closed ones among the others", m[key{"breaker.state", Other, "closed"}], 2)
		for k := range m {
			if k.name == Other && (strings.HasPrefix(k.metric, "breaker.evidence") || strings.Contains(k.metric, "timestamp")) {
				t.Errorf("%v has been added up", k)
			}
		}
	})
	t.Run("who is in stays in", func(t *testing.T) {
		var s source
		g := NewGatherer(&s, List(), 2)
		fail(s.add("x"), 1)
		fail(s.add("y"), 2)
		g.Gather()
		fail(s.add("a"), 3)
		same(t, "failures", failures(t, g.Gather()), map[string]float64{"x": 1, "y": 2, Other: 3})
	})
	t.Run("who is gone makes room, and its points are gone", func(t *testing.T) {
		var s source
		g := NewGatherer(&s, List(), 1)
		fail(s.add("a"), 1)
		fail(s.add("b"), 2)
		g.Gather()
		s.remove(0)
		// b's calls up to then remain with the others: a counter must not fall.
		same(t, "failures", failures(t, g.Gather()), map[string]float64{"b": 2, Other: 2})
		s.remove(0)
		same(t, "failures", failures(t, g.Gather()), map[string]float64{Other: 2})
		equal(t, "gauges of nobody", len(index(t, g.Gather()))-1-1, countersOf(t))
	})
	t.Run("what the others counted stays when one of them goes, and does not count twice", func(t *testing.T) {
		var s source
		g := NewGatherer(&s, List(), 1)
		s.add("a")
		b := s.add("b")
		fail(b, 2)
		fail(s.add("c"), 3)
		equal(t, "others", failures(t, g.Gather())[Other], 5)
		s.remove(2)
		equal(t, "others without c", failures(t, g.Gather())[Other], 5)
		fail(b, 1)
		equal(t, "others after one more call", failures(t, g.Gather())[Other], 6)
		equal(t, "and again", failures(t, g.Gather())[Other], 6)
	})
	t.Run("one made anew under the name of another keeps its place", func(t *testing.T) {
		var s source
		g := NewGatherer(&s, List(), 1)
		fail(s.add("m"), 5)
		g.Gather()
		s.remove(0)
		s.add("a")
		fail(s.add("m"), 1)
		same(t, "failures", failures(t, g.Gather()), map[string]float64{"m": 1, Other: 0})
	})
	t.Run("one made anew among the others counts from its beginning", func(t *testing.T) {
		var s source
		g := NewGatherer(&s, List(), 1)
		s.add("a")
		fail(s.add("b"), 5)
		g.Gather()
		s.remove(1)
		fail(s.add("b"), 2)
		equal(t, "others", failures(t, g.Gather())[Other], 7)
	})
	// A registry is detached for one scrape and attached again, or a breaker is taken out
	// and put back: nobody has called, and rate() must not see a thousand calls.
	t.Run("who comes back to the others is not counted a second time", func(t *testing.T) {
		var s source
		g := NewGatherer(&s, List(), 1)
		s.add("a")
		fail(s.add("b"), 3)
		equal(t, "others", failures(t, g.Gather())[Other], 3)
		b := s.entries[1]
		for range 3 {
			s.remove(1)
			equal(t, "without b", failures(t, g.Gather())[Other], 3)
			s.entries = append(s.entries, b)
			equal(t, "with b again", failures(t, g.Gather())[Other], 3)
		}
		s.remove(1)
		g.Gather()
		fail(b.Breaker, 2) // it works on while it is away
		s.entries = append(s.entries, b)
		equal(t, "with b and its calls", failures(t, g.Gather())[Other], 5)
	})
	t.Run("what was shown under a name is not shown again among the others", func(t *testing.T) {
		var s source
		g := NewGatherer(&s, List(), 1)
		fail(s.add("b"), 3)
		b := s.entries[0]
		g.Gather()
		s.remove(0)
		s.add("a")
		g.Gather()
		s.entries = append(s.entries, b)
		same(t, "b has come back", failures(t, g.Gather()), map[string]float64{"a": 0, Other: 0})
		fail(b.Breaker, 2)
		same(t, "and is called", failures(t, g.Gather()), map[string]float64{"a": 0, Other: 2})
	})
	t.Run("an entry named other is among the others", func(t *testing.T) {
		var s source
		g := NewGatherer(&s, List(), 9)
		fail(s.add(Other), 1)
		fail(s.add("a"), 2)
		points := g.Gather()
		same(t, "failures", failures(t, points), map[string]float64{"a": 2, Other: 1})
		equal(t, "named", index(t, points)[key{EntriesName, "", "named"}], 1)
	})
	t.Run("of two with one name the second is among the others, always the same one", func(t *testing.T) {
		var s source
		g := NewGatherer(&s, List(), 9)
		fail(s.add("a"), 1)
		fail(s.add("a"), 2)
		want := map[string]float64{"a": 1, Other: 2}
		same(t, "failures", failures(t, g.Gather()), want)
		slices.Reverse(s.entries)
		same(t, "failures in the other order", failures(t, g.Gather()), want)
	})
	t.Run("K66: whatever a name is, it becomes a label", func(t *testing.T) {
		long := strings.Repeat("x", maxName-1) + "€uro"
		for _, name := range []string{"", "\xff\xfe", strings.Repeat("\xffa", maxName/2), strings.Repeat("\xff€", maxName), "a\x00b", "\"\\\n{}", "<img src=x onerror=alert(1)>\"'&", "\u202e", long} {
			label := Label(name)
			if !utf8.ValidString(label) || len(label) > maxName {
				t.Errorf("%.20q: label %q", name, label)
			}
			if utf8.ValidString(name) && len(name) <= maxName && label != name {
				t.Errorf("%q has become %q without need", name, label)
			}
		}
		equal(t, "a long name is cut between characters", Label(long), strings.Repeat("x", maxName-1))
	})
	t.Run("a source without entries", func(t *testing.T) {
		equal(t, "points", len(NewGatherer(&source{}, List(), 1).Gather()), 2)
	})
}

// countersOf returns how many points a breaker has that are counters.
func countersOf(t *testing.T) (n int) {
	t.Helper()
	var s source
	s.add("a")
	for _, p := range NewGatherer(&s, List(), 1).Gather() {
		if p.Metric.Kind == Counter {
			n++
		}
	}
	return n
}

func TestGatherMayBeCalledByAListener(t *testing.T) {
	var s source
	g := NewGatherer(&s, List(), 9)
	calls := 0
	b := breaker.Must(breaker.New("b", breaker.Config{}, breaker.WithListener(event.Func(func(event.Event) {
		g.Gather()
		calls++
	}))))
	s.entries = []registry.Entry{{Name: "b", Breaker: b}}
	if err := b.Move(breaker.Move{To: breaker.ForcedOpen, Reason: "test"}); err != nil {
		t.Fatal(err)
	}
	equal(t, "events", calls, 1)
	equal(t, "state", index(t, g.Gather())[key{"breaker.state", "b", "forced_open"}], 1)
}

// A gathering that began before another and ends after it has seen what was before. Its
// readings must not replace the newer ones.
func TestTheNewerReadingsCount(t *testing.T) {
	var s source
	s.add("a")
	var g *Gatherer
	var inner []Point
	g = NewGatherer(late{&s, func() {
		fail(s.add("b"), 3)
		inner = g.Gather()
	}}, List(), 9)
	outer := g.Gather()
	same(t, "the one that began first", failures(t, outer), map[string]float64{"a": 0, "b": 3})
	same(t, "the other", failures(t, inner), map[string]float64{"a": 0, "b": 3})
}

// late is a source in which something happens at the end of the first loop.
type late struct {
	*source
	once func()
}

func (l late) Entries() iter.Seq[registry.Entry] {
	entries := l.source.Entries()
	return func(yield func(registry.Entry) bool) {
		entries(yield)
		if len(l.source.entries) == 1 {
			l.once()
		}
	}
}

func TestK64(t *testing.T) {
	var s source
	g := NewGatherer(&s, List(), 200)
	for i := range 200 {
		s.add(fmt.Sprint("known ", i))
	}
	few := len(g.Gather())
	for i := range 10_000 {
		fail(s.add(fmt.Sprint("host ", i)), 1)
	}
	points := g.Gather()
	names := make(map[string]bool)
	for _, p := range points {
		names[p.Name] = true
	}
	equal(t, "names, with other and the nameless", len(names), 202)
	equal(t, "failures of others", failures(t, points)[Other], 10_000)
	if most := few + few/200 + 1; len(points) > most {
		t.Errorf("%d points, want at most %d", len(points), most)
	}

	gone := s.entries[200:]
	s.entries = slices.Clone(s.entries[:200])
	g.Gather()
	equal(t, "readings kept of who may come back", len(g.last), 200+10_000)
	runtime.KeepAlive(gone)
	runtime.GC()
	g.Gather()
	equal(t, "readings kept of who is gone for good", len(g.last), 200)
}

// A program that keeps all its breakers, and takes them out of the registry, does not fill
// the memory.
func TestReadingsKeptAreBounded(t *testing.T) {
	var s source
	g := NewGatherer(&s, List()[:1], 1)
	for range mostAway + 10 {
		s.entries = append(s.entries, registry.Entry{Name: "x", Breaker: new(breaker.Breaker)})
	}
	now := make([]sighting, len(s.entries))
	for i, e := range s.entries {
		now[i] = sighting{label: e.Name, id: identify(e), reading: new(Reading)}
	}
	g.book(now)
	g.book(now[:1])
	equal(t, "readings", len(g.last), 1+mostAway)
	runtime.KeepAlive(s.entries)
}

func TestMetricsAreWellFormed(t *testing.T) {
	seen := make(map[string]bool)
	list := List()
	for i := range list {
		m := &list[i]
		if seen[m.Name] || strings.Trim(m.Name, "abcdefghijklmnopqrstuvwxyz._") != "" {
			t.Errorf("name %q", m.Name)
		}
		seen[m.Name] = true
		if m.Help == "" || strings.HasSuffix(m.Help, ".") || m.Unit == "" {
			t.Errorf("%s: help %q, unit %q", m.Name, m.Help, m.Unit)
		}
		if (m.Read == nil) != m.Nameless || m.Label == NameLabel {
			t.Errorf("%s: is nameless, or has a name for a label", m.Name)
		}
		if m.Kind == Counter && m.Apart {
			t.Errorf("%s: a counter can be added up", m.Name)
		}
	}
}
