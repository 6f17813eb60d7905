package registry_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/registry"
)

var seedFlag = flag.Uint64("seed", 0, "run the random tests with this seed alone")

// seeds are those of a random test.
func seeds(n uint64) []uint64 {
	if *seedFlag != 0 {
		return []uint64{*seedFlag}
	}
	if testing.Short() {
		n /= 10
	}
	var s []uint64
	for i := range n {
		s = append(s, i+1)
	}
	return s
}

// A model of the registry is a map, and looks at everything every time.
type model struct {
	max       int
	idleAfter time.Duration
	entries   map[string]*modelled
	told      []string // what an observer hears
}

type modelled struct {
	breaker *breaker.Breaker
	minimum int
	made    bool
	used    time.Duration
}

// want is a request for a name. It returns what is there, and whether there is room if
// nothing is.
func (m *model) want(name string, now time.Duration) (e *modelled, room bool) {
	if e := m.entries[name]; e != nil {
		e.used = now
		return e, true
	}
	if len(m.entries) >= m.max {
		for name, e := range m.entries {
			if e.made && m.idleAfter > 0 && now-e.used >= m.idleAfter {
				m.remove(name)
			}
		}
	}
	return nil, len(m.entries) < m.max
}

func (m *model) put(name string, e *modelled) {
	m.entries[name] = e
	m.told = append(m.told, "+"+name)
}

func (m *model) remove(name string) bool {
	_, ok := m.entries[name]
	if ok {
		delete(m.entries, name)
		m.told = append(m.told, "-"+name)
	}
	return ok
}

// As long as nobody calls the breakers the registry holds the same entries as the model
// at every step, gives the same answers, and tells its observers the same.
func TestRegistryEqualsAModel(t *testing.T) {
	for _, seed := range seeds(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		cfg := registry.Config{Max: 1 + rng.IntN(8), IdleAfter: time.Duration(1 + rng.IntN(20))}
		if rng.IntN(8) == 0 {
			cfg.IdleAfter = off
		}
		r := newRig(t, cfg)
		m := &model{cfg.Max, cfg.IdleAfter, map[string]*modelled{}, nil}
		var watched recorder
		r.Observe(watched.observer())
		rooms := 0

		for step := range 1_000 {
			now, name := r.clock.Mono(), string(rune('a'+rng.IntN(12)))
			failed := func(format string, args ...any) {
				t.Fatalf("seed %d, step %d, %q: %s", seed, step, name, fmt.Sprintf(format, args...))
			}
			switch op := rng.IntN(8); op {
			case 0, 1, 2: // ask for it
				minimum := 1 + rng.IntN(2)
				b, err := r.Breaker(name, breaker.Config{MinimumCalls: minimum})
				e, room := m.want(name, now)
				switch {
				case e != nil && e.minimum == minimum:
					if b != e.breaker || err != nil {
						failed("got %p, %v, want %p", b, err, e.breaker)
					}
				case e != nil:
					if !errors.Is(err, registry.ErrExists) {
						failed("got error %v, want ErrExists", err)
					}
				case !room:
					if !errors.Is(err, registry.ErrFull) {
						failed("got error %v, want ErrFull", err)
					}
				default:
					if err != nil {
						failed("got error %v", err)
					}
					m.put(name, &modelled{b, minimum, true, now})
					rooms++
				}
			case 3: // add it
				b := must(breaker.New(name, breaker.Config{MinimumCalls: 1}))
				err := r.AddBreaker(b)
				e, room := m.want(name, now)
				switch {
				case e != nil:
					if !errors.Is(err, registry.ErrExists) {
						failed("got error %v, want ErrExists", err)
					}
				case !room:
					if !errors.Is(err, registry.ErrFull) {
						failed("got error %v, want ErrFull", err)
					}
				default:
					if err != nil {
						failed("got error %v", err)
					}
					m.put(name, &modelled{b, 1, false, now})
				}
			case 4:
				got, ok := r.Lookup(name)
				e := m.entries[name]
				if ok != (e != nil) || ok && got != (registry.Entry{Name: name, Breaker: e.breaker}) {
					failed("got %v, %t, want %v", got, ok, e)
				}
				if ok {
					e.used = now
				}
			case 5:
				if got, want := r.Remove(name), m.remove(name); got != want {
					failed("removed: %t, want %t", got, want)
				}
			default:
				r.clock.Advance(time.Duration(rng.IntN(8)))
			}
			if got, want := names(r), slices.Sorted(maps.Keys(m.entries)); !slices.Equal(got, want) {
				failed("entries %v, want %v", got, want)
			}
			if got, want := r.Len(), len(m.entries); got != want {
				failed("Len %d, want %d", got, want)
			}
			// Of entries that go at once the order is not said.
			got, want := watched.all(), slices.Clone(m.told)
			if len(got) != len(want) || !slices.Equal(got[len(got)-min(len(got), 1):], want[len(want)-min(len(want), 1):]) && got[len(got)-1][0] != '-' {
				failed("observed %v, want %v", got, want)
			}
		}
		c := r.Counters()
		equal(t, "entries there are", c.Added-c.Removed-c.Expired, uint64(len(m.entries)))
		got := watched.all()
		slices.Sort(got)
		slices.Sort(m.told)
		equal(t, "observed", got, m.told)
		if rooms == 0 {
			t.Errorf("seed %d: nothing was ever made", seed)
		}
	}
}

// Calls count as use, at the latest when room is wanted. So an entry that goes has been
// neither looked up nor called for as long as that takes.
func TestWhatIsUsedStays(t *testing.T) {
	for _, seed := range seeds(200) {
		rng := rand.New(rand.NewPCG(seed, 2))
		cfg := registry.Config{Max: 4, IdleAfter: time.Duration(1 + rng.IntN(20))}
		r := newRig(t, cfg)
		used := map[string]time.Duration{}
		there := map[string]*breaker.Breaker{}
		r.Observe(registry.Observer{Removed: func(e registry.Entry) {
			if idle := r.clock.Mono() - used[e.Name]; idle < cfg.IdleAfter {
				t.Errorf("seed %d: %q has gone after %d of %d", seed, e.Name, idle, cfg.IdleAfter)
			}
			delete(there, e.Name)
		}})
		for range 2_000 {
			switch rng.IntN(4) {
			case 0:
				name := string(rune('a' + rng.IntN(8)))
				if b, err := r.Breaker(name, breaker.Config{}); err == nil {
					there[name], used[name] = b, r.clock.Mono()
				}
			case 1, 2:
				if names := slices.Sorted(maps.Keys(there)); len(names) > 0 {
					name := names[rng.IntN(len(names))]
					succeed(there[name], 1)
					used[name] = r.clock.Mono()
				}
			default:
				r.clock.Advance(time.Duration(rng.IntN(8)))
			}
		}
		if r.Counters().Expired == 0 || r.Counters().Refused == 0 {
			t.Errorf("seed %d: the test tests nothing: %+v", seed, r.Counters())
		}
	}
}
