package sghttp

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// A model of the set that looks at everything every time: how many calls each
// key has in progress, and when its newest one ended.
type model struct {
	max       int
	idleAfter time.Duration
	keys      map[string]modelEntry
}

type modelEntry struct {
	running int
	ended   time.Duration
}

// begin returns whether the key is protected.
func (m *model) begin(key string, now time.Duration) bool {
	e, ok := m.keys[key]
	if !ok {
		if len(m.keys) >= m.max {
			maps.DeleteFunc(m.keys, func(_ string, e modelEntry) bool {
				return e.running == 0 && now-e.ended >= m.idleAfter
			})
		}
		if len(m.keys) >= m.max {
			return false
		}
		e.ended = now
	}
	e.running++
	m.keys[key] = e
	return true
}

func (m *model) end(key string, now time.Duration) {
	m.keys[key] = modelEntry{m.keys[key].running - 1, now}
}

// The set skips looking for room when it knows that there is none. Nobody can
// tell: as long as all breakers are CLOSED, it holds the same keys as the model
// at every step.
func TestSetEqualsAModel(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		cfg := Config{MaxBreakers: 1 + rng.IntN(8), IdleAfter: time.Duration(1 + rng.IntN(20))}
		r := newRig(t, nil, cfg)
		m := &model{cfg.MaxBreakers, cfg.IdleAfter, map[string]modelEntry{}}
		var running []*entry

		for step := range 2_000 {
			now := r.clock.Mono()
			switch rng.IntN(5) {
			case 0, 1:
				key := Key{Host: fmt.Sprint(rng.IntN(12))}
				e := r.breakers.begin(key)
				if want := m.begin(key.Host, now); (e != nil) != want {
					t.Fatalf("seed %d step %d: protected: %t, want %t", seed, step, e != nil, want)
				}
				if e != nil {
					running = append(running, e)
				}
			case 2, 3:
				if len(running) > 0 {
					i := rng.IntN(len(running))
					m.end(running[i].key.Host, now)
					running[i].end(now)
					running = slices.Delete(running, i, i+1)
				}
			case 4:
				r.clock.Advance(time.Duration(rng.IntN(8)))
			}
			if got, want := r.keys(), slices.Sorted(maps.Keys(m.keys)); !slices.Equal(got, want) {
				t.Fatalf("seed %d step %d: keys %v, want %v", seed, step, got, want)
			}
		}
		c := r.Counters()
		equal(t, "breakers there are", c.Made-c.Dropped, uint64(len(m.keys)))
	}
}

// A table equals a map.
func TestTableEqualsAMap(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 2))
		size := 1 + rng.IntN(40)
		table := newTable(size)
		m := map[Key]*entry{}
		for step := range 2_000 {
			key := Key{Host: fmt.Sprint(rng.IntN(8)), Route: []string{"", "a", "b", "c", "d"}[rng.IntN(5)]}
			if table.find(key) != m[key] {
				t.Fatalf("seed %d step %d: find %v: got %p, want %p", seed, step, key, table.find(key), m[key])
			}
			if e := m[key]; e != nil {
				table.remove(e)
				delete(m, key)
			} else {
				m[key] = newEntry(key, nil, 0)
				table.insert(m[key])
			}
			n := 0
			for e := range table.all() {
				n++
				if m[e.key] != e {
					t.Fatalf("seed %d step %d: %v is in the table and should not be", seed, step, e.key)
				}
			}
			if n != len(m) {
				t.Fatalf("seed %d step %d: %d entries, want %d", seed, step, n, len(m))
			}
		}
	}
}
