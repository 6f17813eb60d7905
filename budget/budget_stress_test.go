package budget_test

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
)

const workers = 8

// together runs f on several goroutines at once.
func together(f func(rng *rand.Rand)) {
	var wg sync.WaitGroup
	for i := range uint64(workers) {
		wg.Go(func() { f(rand.New(rand.NewPCG(i, 1))) })
	}
	wg.Wait()
}

func TestConcurrentRatio(t *testing.T) {
	t.Run("K35: exactly the share, whoever asks", func(t *testing.T) {
		for range 50 {
			r := newRig(t, ratio(20, off, 0))
			var granted atomic.Int64
			var all sync.WaitGroup
			all.Add(workers)
			together(func(*rand.Rand) {
				for range 125 {
					r.Begin()
				}
				all.Done()
				all.Wait()
				for range 125 {
					if _, ok := r.Withdraw(); ok {
						granted.Add(1)
					}
				}
			})
			equal(t, "granted", granted.Load(), 200)
		}
	})
	t.Run("never more than the calls allow, while time goes on and some is given back", func(t *testing.T) {
		v := clock.NewVirtual(start)
		b := budget.Must(budget.New("stock", ratio(25, off, time.Second), budget.WithClock(v)))
		var calls, net atomic.Int64
		together(func(rng *rand.Rand) {
			for range 3000 {
				// Announced first and booked then; granted first and counted then:
				// so the test never sees too much of it.
				calls.Add(1)
				b.Begin()
				if w, ok := b.Withdraw(); ok {
					if rng.IntN(4) == 0 {
						w.Cancel()
					} else {
						net.Add(1)
						w.Settle(failure)
					}
				}
				if rng.IntN(50) == 0 {
					v.Advance(time.Duration(rng.IntN(20)) * time.Millisecond)
				}
			}
		})
		// Each withdrawal is paid by calls in its window, and each call lies in
		// two windows without overlap at most.
		if 4*net.Load() > 2*calls.Load() {
			t.Errorf("%d attempts for %d calls", net.Load(), calls.Load())
		}
		s := b.Snapshot()
		equal(t, "in use", s.InUse, 0)
		equal(t, "books", s.Settled+s.Cancelled, s.Granted)
	})
	t.Run("no call is lost", func(t *testing.T) {
		r := newRig(t, ratio(100, off, time.Hour))
		together(func(*rand.Rand) {
			for range 2000 {
				r.Begin()
			}
		})
		equal(t, "capacity", r.Snapshot().Capacity, workers*2000)
	})
}

func TestConcurrentQuota(t *testing.T) {
	r := newRig(t, quota(50, 5))
	// What is in the pool and what is out, at 5 each, is at most the capacity: the
	// successes of this test are all of retries.
	var over atomic.Int64
	together(func(rng *rand.Rand) {
		for range 3000 {
			w, ok := r.Withdraw()
			if s := r.Snapshot(); s.Available > s.Capacity || s.Available < 0 {
				over.Add(1)
			}
			if !ok {
				continue
			}
			if rng.IntN(2) == 0 {
				w.Settle(success)
			} else {
				w.Cancel()
			}
		}
	})
	equal(t, "readings outside the bounds", over.Load(), 0)
	r.has(50)
	// Failures are paid for once each.
	together(func(*rand.Rand) {
		if w, ok := r.Withdraw(); ok {
			w.Settle(failure)
		}
	})
	r.has(50 - 5*workers)
}

func TestConcurrentThrottling(t *testing.T) {
	r := newRig(t, throttling(1000, 0.25))
	together(func(*rand.Rand) {
		for range 50 {
			r.End(failure)
		}
	})
	r.has(1000 - 50*workers)
	together(func(*rand.Rand) {
		for range 100 {
			w, ok := r.Withdraw()
			equal(t, "granted", ok, true)
			w.Settle(success)
		}
	})
	r.has(1000 - 50*workers + 25*workers)
	together(func(*rand.Rand) {
		for range 1000 {
			r.End(success)
		}
	})
	r.has(1000)
}

// States alternate whoever causes them. A listener that gets no processor for a while
// may miss some, so the place in the stream tells which one it must be.
func TestConcurrentEvents(t *testing.T) {
	for name, cfg := range map[string]budget.Config{
		"ratio": ratio(100, off, time.Second), "quota": quota(4, 2), "throttling": throttling(2, 0.5),
	} {
		t.Run(name, func(t *testing.T) {
			v := clock.NewVirtual(start)
			var wrong int
			b := budget.Must(budget.New("stock", cfg, budget.WithClock(v), budget.WithListener(event.Func(func(e event.Event) {
				if (e.To == "exhausted") != (e.Seq%2 == 1) || e.From == e.To {
					wrong++
				}
			}))))
			together(func(rng *rand.Rand) {
				outcomes := []switchgear.Outcome{success, failure}
				for range 2000 {
					b.Begin()
					b.End(outcomes[rng.IntN(2)])
					for range rng.IntN(4) {
						w, _ := b.Withdraw()
						w.Settle(outcomes[rng.IntN(2)])
					}
					if rng.IntN(20) == 0 {
						v.Advance(100 * time.Millisecond)
					}
				}
			})
			equal(t, "events out of turn", wrong, 0)
			newest := b.Events()[len(b.Events())-1]
			equal(t, "shortages", b.Counters().Shortages, (newest.Seq+1)/2)
			equal(t, "state", b.Snapshot().State, newest.To)
		})
	}
}
