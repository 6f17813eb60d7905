package ratelimit_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/ratelimit"
)

const workers = 8

func together(f func(rng *rand.Rand)) {
	var wg sync.WaitGroup
	for i := range uint64(workers) {
		wg.Go(func() { f(rand.New(rand.NewPCG(i, 1))) })
	}
	wg.Wait()
}

func TestConcurrentLimiter(t *testing.T) {
	both(t, "never more than the limit, and no less", bucket(1000, 50), func(t *testing.T, cfg ratelimit.Config) {
		v := clock.NewVirtual(start)
		l := ratelimit.Must(ratelimit.New("stock", cfg, ratelimit.WithClock(v)))
		var admitted atomic.Int64
		for range 100 {
			together(func(rng *rand.Rand) {
				for range 20 {
					if n := 1 + rng.IntN(3); l.AllowN(n) == nil {
						admitted.Add(int64(n))
					}
				}
				for l.Allow() == nil {
					admitted.Add(1)
				}
			})
			// Every token that there is has been taken.
			equal(t, "available", l.Snapshot().Available < 1, true)
			v.Advance(50 * ms)
		}
		equal(t, "admitted", admitted.Load(), 100*50)
	})
	both(t, "while time goes on, and reservations come and go", bucket(1000, 20), func(t *testing.T, cfg ratelimit.Config) {
		v := clock.NewVirtual(start)
		l := ratelimit.Must(ratelimit.New("stock", cfg, ratelimit.WithClock(v)))
		var made atomic.Int64
		var last atomic.Int64
		together(func(rng *rand.Rand) {
			for range 2000 {
				res, err := l.Reserve(1+rng.IntN(2), 20*ms)
				if err != nil {
					v.Advance(time.Duration(rng.IntN(1000)) * 1000)
					continue
				}
				if rng.IntN(3) == 0 {
					res.Cancel()
					continue
				}
				made.Add(1) // at least one call
				due := int64(v.Mono() + res.Wait())
				for old := last.Load(); due > old && !last.CompareAndSwap(old, due); old = last.Load() {
				}
			}
		})
		most := float64(cfg.Burst) + cfg.Rate*time.Duration(last.Load()).Seconds()
		if cfg.Kind == ratelimit.SlidingWindow {
			most += float64(cfg.Burst)
		}
		if n := float64(made.Load()); n > most {
			t.Errorf("%v calls until %v, at most %v", n, time.Duration(last.Load()), most)
		}
	})
	both(t, "reservations have one order and a distance", bucket(1000, 1), func(t *testing.T, cfg ratelimit.Config) {
		v := clock.NewVirtual(start)
		l := ratelimit.Must(ratelimit.New("stock", cfg, ratelimit.WithClock(v)))
		var mu sync.Mutex
		seen := map[time.Duration]bool{}
		together(func(*rand.Rand) {
			var before time.Duration = -1
			for range 200 {
				res, err := l.Reserve(1, time.Hour)
				equal(t, "error", err, nil)
				wait := res.Wait()
				if wait <= before {
					t.Errorf("a later reservation waits %v, an earlier one %v", wait, before)
				}
				before = wait
				mu.Lock()
				if seen[wait] || wait%ms != 0 {
					t.Errorf("two at %v", wait)
				}
				seen[wait] = true
				mu.Unlock()
			}
		})
		equal(t, "reservations", len(seen), workers*200)
		equal(t, "the last", seen[(workers*200-1)*ms], true)
	})
}

// No key gets two bursts because its limiter is replaced while it is in use.
func TestConcurrentKeyed(t *testing.T) {
	const keys, burst = 40, 4
	v := clock.NewVirtual(start)
	k := ratelimit.MustKeyed(ratelimit.NewKeyed("tenants",
		ratelimit.KeyedConfig{Limit: bucket(100, burst), MaxKeys: 10}, ratelimit.WithClock(v)))
	for range 100 {
		var admitted [keys]atomic.Int64
		together(func(rng *rand.Rand) {
			for range 50 {
				i := rng.IntN(keys)
				if k.Allow(fmt.Sprint(i)) == nil {
					admitted[i].Add(1)
				}
				if s := k.Snapshot(); s.Keys > s.MaxKeys {
					t.Errorf("%d keys", s.Keys)
				}
			}
		})
		total := int64(0)
		for i := range admitted {
			n := admitted[i].Load()
			total += n
			if n > 2*burst { // its own and the shared limit
				t.Errorf("key %d: %d calls at one instant", i, n)
			}
		}
		if total > 11*burst {
			t.Errorf("%d calls at one instant", total)
		}
		v.Advance(50 * ms)
	}
	c := k.Counters()
	equal(t, "every call was counted", c.Admitted+c.Refused, 100*workers*50)
}
