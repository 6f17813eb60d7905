package bulkhead_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/bulkhead"
)

// Faults that bulkheads are known for.

// A semaphore handed the permit to whoever stood first in its queue. If that caller's
// wait had just ended, nobody took the permit and nobody gave it back: after enough of
// that the bulkhead refused everything for ever.
func TestPermitForATimedOutWaiter(t *testing.T) {
	t.Run("K38: a permit that comes back after 100 waits have ended goes to the next caller", func(t *testing.T) {
		r := newRig(t, bulkhead.Config{MaxConcurrent: 1, MaxWaiting: 100, MaxWait: 10 * time.Millisecond})
		p := r.taken()
		var asks []*ask
		for range 100 {
			asks = append(asks, r.enqueue())
		}
		r.clock.Advance(10 * time.Millisecond)
		for _, a := range asks {
			equal(t, "reason", rejection(t, a.err).Reason, bulkhead.TimedOut)
		}
		p.Release()
		r.now(0, 0)
		last := r.enqueue()
		equal(t, "admitted at once", last.admitted(), true)
		last.permit.Release()
		r.now(0, 0)
	})
	t.Run("K38: permit and end of the wait in one instant, in either order", func(t *testing.T) {
		for _, releaseFirst := range []bool{true, false} {
			r := newRig(t, bulkhead.Config{MaxConcurrent: 1, MaxWaiting: 2, MaxWait: 10 * time.Millisecond})
			p := r.taken()
			if releaseFirst {
				r.clock.AfterFunc(10*time.Millisecond, p.Release) // created earlier, so it comes first
			}
			first := r.enqueue()
			if !releaseFirst {
				r.clock.AfterFunc(10*time.Millisecond, p.Release)
			}
			r.clock.Advance(10 * time.Millisecond)
			equal(t, "answers", first.answers, 1)
			equal(t, "admitted", first.admitted(), releaseFirst)
			first.permit.Release()
			r.now(0, 0)
			r.taken()
		}
	})
}

// A semaphore that only counted up on release let capacity grow with every release too
// many, until it bounded nothing.
func TestReleaseWithoutAcquire(t *testing.T) {
	t.Run("K39: after all that can go wrong, exactly 2 of 5 calls run", func(t *testing.T) {
		r := newRig(t, bulkhead.Config{MaxConcurrent: 2, MaxWaiting: 1})
		ctx := context.Background()

		// What comes before the permit fails, with the habit of releasing all the same.
		func() {
			var p bulkhead.Permit
			defer func() { _ = recover() }()
			defer p.Release()
			panic("before the permit")
		}()
		// A caller in the queue is cancelled, and then given a release of its own.
		first, second := r.taken(), r.taken()
		queued := r.enqueue()
		equal(t, "cancel", queued.cancel(), true)
		queued.permit.Release()
		// A refusal comes with a permit that may be released.
		gone, cancel := context.WithCancel(ctx)
		cancel()
		p, err := r.Acquire(gone)
		equal(t, "gave up", errors.Is(err, context.Canceled), true)
		p.Release()
		// A permit is released twice, and a third time by another.
		first.Release()
		first.Release()
		second.Release()
		first.Release()
		r.now(0, 0)

		running := 0
		for range 5 {
			if _, err := r.TryAcquire(); err == nil {
				running++
			}
		}
		equal(t, "running", running, 2)
	})
	t.Run("K39: a copy released again while all permits are there adds none", func(t *testing.T) {
		r := newRig(t, bulkhead.Config{MaxConcurrent: 2})
		p := r.taken()
		c := *p
		p.Release()
		c.Release()
		r.now(0, 0)
		r.taken()
		r.taken()
		r.refused()
	})
}

// Limit and queue were added up for the size of a channel, or for one counter, and the
// sum was negative.
func TestLargestNumbers(t *testing.T) {
	t.Run("K40: a queue without a bound", func(t *testing.T) {
		r := newRig(t, bulkhead.Config{MaxConcurrent: 10, MaxWaiting: math.MaxInt})
		var asks []*ask
		for range 1010 {
			asks = append(asks, r.enqueue())
		}
		r.now(10, 1000)
		equal(t, "the longest queue is warned of", len(r.Warnings()), 1)
		for _, a := range asks {
			equal(t, "admitted in turn", a.admitted(), true)
			a.permit.Release()
		}
		r.now(0, 0)
	})
	t.Run("K40: a limit without a bound", func(t *testing.T) {
		r := newRig(t, bulkhead.Config{MaxConcurrent: math.MaxInt, MaxWaiting: 10})
		for range 1000 {
			r.taken()
		}
		s := r.Snapshot()
		equal(t, "running", s.Running, 1000)
		equal(t, "limit in effect", s.Limit, 1<<30-1)
		equal(t, "available", s.Available, s.Limit-1000)
		equal(t, "configured", r.Config().MaxConcurrent, math.MaxInt)
		equal(t, "the limit in effect is warned of", len(r.Warnings()), 1)
	})
	t.Run("K40: from the largest limit to the smallest and back", func(t *testing.T) {
		r := newRig(t, bulkhead.Config{MaxConcurrent: math.MaxInt})
		var permits []*bulkhead.Permit
		for range 100 {
			permits = append(permits, r.taken())
		}
		equal(t, "down", r.Reconfigure(bulkhead.Config{MaxConcurrent: 1}), nil)
		r.now(100, 0)
		for _, p := range permits {
			r.refused()
			p.Release()
		}
		r.now(0, 0)
		r.taken()
		r.refused()
		equal(t, "up", r.Reconfigure(bulkhead.Config{MaxConcurrent: math.MaxInt}), nil)
		r.taken()
		r.now(2, 0)
	})
}
