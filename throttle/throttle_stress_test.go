package throttle_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/throttle"
)

// Every call is in exactly one counter, and the window never shows what cannot be.
func TestStress(t *testing.T) {
	rounds := 20_000
	if testing.Short() {
		rounds = 2000
	}
	for name, tt := range map[string]struct {
		clock clock.Clock
		cfg   throttle.Config
	}{
		"time stands still":    {clock.NewVirtual(start), throttle.Config{MinimumRequests: 1}},
		"buckets come and go":  {clock.Real(), throttle.Config{Window: 2 * time.Millisecond, Buckets: 2, MinimumRequests: 1, MaxRefusal: 50}},
		"no limit on refusals": {clock.Real(), throttle.Config{Window: 20 * time.Millisecond, Buckets: 20, MaxRefusal: off}},
	} {
		t.Run(name, func(t *testing.T) {
			seed := rand.Uint64()
			t.Log("seed", seed)
			th := throttle.Must(throttle.New("stock", tt.cfg, throttle.WithClock(tt.clock)))
			var want [5]atomic.Uint64 // by outcome; the last is refusals
			var wg sync.WaitGroup
			for g := range 8 {
				wg.Go(func() {
					rnd := rand.New(rand.NewPCG(seed, uint64(g)))
					for i := range rounds {
						p, err := th.Acquire(context.Background())
						if err != nil {
							want[4].Add(1)
							continue
						}
						o := switchgear.Outcome(rnd.IntN(4))
						p.Done(o)
						p.Done(o)
						want[o].Add(1)
						if i%100 == 0 {
							if s := th.Snapshot(); s.Accepts < 0 || s.Accepts > s.Requests || s.Refusal < 0 || s.Refusal > 100 {
								t.Errorf("snapshot: %+v", s)
							}
						}
					}
				})
			}
			wg.Wait()
			got := th.Counters()
			equal(t, "counters", got, throttle.Counters{
				Released: want[switchgear.Undecided].Load(), Accepted: want[switchgear.Success].Load(),
				Failed: want[switchgear.Failure].Load(), Ignored: want[switchgear.Ignored].Load(), Refused: want[4].Load(),
			})
			if tt.clock != clock.Real() {
				s := th.Snapshot()
				equal(t, "accepts in the window", uint64(s.Accepts), got.Accepted)
				equal(t, "requests in the window", uint64(s.Requests), got.Accepted+got.Failed+got.Refused)
			}
		})
	}
}

// Rules and windows are exchanged while calls go on.
func TestStressReconfigure(t *testing.T) {
	rounds := 500
	if testing.Short() {
		rounds = 100
	}
	seed := rand.Uint64()
	t.Log("seed", seed)
	th := throttle.Must(throttle.New("stock", throttle.Config{}))
	stop := make(chan struct{})
	var calls atomic.Uint64
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				_ = th.Do(context.Background(), func(context.Context) error { return errDown })
				calls.Add(1)
			}
		})
	}
	rnd := rand.New(rand.NewPCG(seed, 0))
	for range rounds {
		if err := th.Reconfigure(randomConfig(rnd)); err != nil {
			t.Error(err)
		}
		_ = th.Snapshot()
	}
	close(stop)
	wg.Wait()
	c := th.Counters()
	equal(t, "calls", c.Failed+c.Refused, calls.Load())
	// What was lost to a change of buckets is gone with the next: the throttle works.
	equal(t, "error", th.Reconfigure(throttle.Config{Window: time.Hour, MinimumRequests: 1_000_000_000}), nil)
	equal(t, "a call", th.Do(context.Background(), nothing), nil)
}
