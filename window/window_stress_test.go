package window

import (
	"sync"
	"testing"
	"time"
)

// guarded is a window as its owner keeps it: under a lock.
type guarded struct {
	mu sync.RWMutex
	w  *Time
}

func (g *guarded) fail(now time.Duration) Counts {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.w.Record(now, true, false)
	return g.w.Counts(now)
}

// Readers share the lock, which the race detector would object to if reading
// changed anything.
func (g *guarded) read(now time.Duration) Counts {
	g.mu.RLock()
	defer g.mu.RUnlock()
	for range g.w.Buckets(now) {
	}
	g.w.End(now)
	return g.w.Counts(now)
}

func TestK08UnderConcurrency(t *testing.T) {
	const goroutines, rounds = 64, 200
	g := guarded{w: NewTime(10*second, 10)}
	for round := range rounds {
		now := time.Duration(round) * time.Minute
		var wg sync.WaitGroup
		for range goroutines {
			wg.Go(func() {
				g.read(now)
				g.fail(now)
			})
		}
		wg.Wait()
		if got, want := g.read(now), (Counts{Calls: goroutines, Failed: goroutines}); got != want {
			t.Fatalf("K08: round %d: got %+v, want %+v", round, got, want)
		}
	}
}

// Time moves on while goroutines record with the time they read a moment ago, so
// that outcomes arrive out of order: each is counted, and sees itself counted.
func TestK11UnderConcurrency(t *testing.T) {
	const goroutines, outcomes = 100, 50
	g := guarded{w: NewTime(second, 1)}
	var clock struct {
		sync.Mutex
		now time.Duration
	}
	tick := func() time.Duration {
		clock.Lock()
		defer clock.Unlock()
		clock.now += 5 * second / (goroutines * outcomes) // five boundaries in all
		return clock.now
	}
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range outcomes {
				c := g.fail(tick())
				if c.Failed < 1 || c.Failed != c.Calls {
					t.Errorf("K11: got %+v", c)
				}
			}
		})
	}
	wg.Wait()
	c := g.read(clock.now)
	equal(t, "K11: all failed", c.Failed, c.Calls)
}
