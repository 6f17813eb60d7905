package budget_test

import (
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/clock"

	"github.com/switchgear-go/switchgear/budget"
)

func TestRatio(t *testing.T) {
	t.Run("K35: retries that wait for their backoff count", func(t *testing.T) {
		// Ten calls fail together and each wants to be tried again in a second. A
		// budget that counts a retry when it is made would let all ten wait.
		r := newRig(t, ratio(20, off, 10*time.Second))
		for range 10 {
			r.Begin()
		}
		for range 10 {
			r.End(failure)
		}
		waiting := r.take(10)
		equal(t, "granted", len(waiting), 2)
		equal(t, "refused", r.Counters().Refused, 8)
		equal(t, "in use", r.Snapshot().InUse, 2)

		r.clock.Advance(time.Second)
		equal(t, "granted while they wait", len(r.take(1)), 0)
		settle(waiting, failure)
		equal(t, "granted after they have failed", len(r.take(1)), 0)
		equal(t, "in use", r.Snapshot().InUse, 0)
	})
	t.Run("K35: cancel gives back", func(t *testing.T) {
		r := newRig(t, ratio(20, off, 0))
		r.calls(10, failure)
		two := r.take(10)
		two[0].Cancel()
		equal(t, "granted after one was cancelled", len(r.take(10)), 1)
		equal(t, "cancelled", r.Counters().Cancelled, 1)
	})
	t.Run("the floor comes on top, at once", func(t *testing.T) {
		r := newRig(t, ratio(20, 3, 10*time.Second))
		equal(t, "granted without a call", len(r.take(100)), 30)
		r.calls(10, failure)
		equal(t, "granted after ten calls", len(r.take(100)), 2)
	})
	t.Run("the defaults are Finagle's", func(t *testing.T) {
		r := newRig(t, budget.Config{})
		r.calls(1000, failure)
		equal(t, "granted", len(r.take(1000)), 10*10+200)
	})
	t.Run("a share without rounding", func(t *testing.T) {
		r := newRig(t, ratio(33.33, off, 0))
		r.calls(3, failure)
		equal(t, "granted at 0.9999", len(r.take(1)), 0)
		r.calls(1, failure)
		equal(t, "granted at 1.3332", len(r.take(2)), 1)
		r.calls(9996, failure)
		equal(t, "granted at 3333", len(r.take(10_000)), 3332)
	})
	t.Run("fractions of the floor and of the share add up", func(t *testing.T) {
		r := newRig(t, ratio(10, 0.05, 10*time.Second)) // half an attempt
		r.calls(4, failure)
		equal(t, "granted at 0.9", len(r.take(1)), 0)
		r.calls(1, failure)
		equal(t, "granted at 1.0", len(r.take(2)), 1)
	})
	t.Run("calls and attempts leave the window", func(t *testing.T) {
		const window = 16 * time.Second // buckets of a second
		r := newRig(t, ratio(50, off, window))
		r.calls(4, failure)
		equal(t, "granted", len(r.take(9)), 2)
		r.clock.Advance(8 * time.Second)
		r.calls(10, failure)
		equal(t, "granted in the middle", len(r.take(9)), 5)
		r.clock.Advance(8*time.Second - 1)
		r.has(0)
		r.clock.Advance(1)
		r.has(0) // 4 calls and the 2 attempts they allowed are gone together
		r.clock.Advance(window)
		equal(t, "capacity of an empty window", r.Snapshot().Capacity, 0)
	})
	t.Run("calls that leave first take nothing that was granted", func(t *testing.T) {
		r := newRig(t, ratio(50, off, 16*time.Second))
		r.calls(4, failure)
		r.clock.Advance(15 * time.Second)
		equal(t, "granted late", len(r.take(9)), 2)
		r.clock.Advance(time.Second)
		r.has(0)
		r.calls(4, failure)
		r.has(0)
		r.calls(2, failure)
		equal(t, "granted once calls have caught up", len(r.take(9)), 1)
	})
	t.Run("a cancellation after the window changes nothing", func(t *testing.T) {
		r := newRig(t, ratio(off, 0.5, 4*time.Second))
		old := r.take(2)
		r.clock.Advance(4 * time.Second)
		r.take(2)
		cancel(old)
		r.has(0)
		equal(t, "granted", len(r.take(2)), 0)
	})
	t.Run("an idle year, and a clock that starts late", func(t *testing.T) {
		v := clock.NewVirtual(start)
		for _, idle := range []time.Duration{
			1<<31*62_500_000 - 1, 1 << 31 * 62_500_000, 1<<32*62_500_000 - 62_500_000, 1<<32*62_500_000 + 62_500_000,
		} {
			v.AdvanceTo(idle)
			b := budget.Must(budget.New("stock", ratio(100, off, time.Second), budget.WithClock(v)))
			for range 20 {
				b.Begin()
				v.Advance(100 * time.Millisecond)
			}
			equal(t, "calls counted", b.Snapshot().Capacity > 8, true)
		}
	})
	t.Run("outcomes do not matter", func(t *testing.T) {
		r := newRig(t, ratio(20, off, 0))
		r.calls(10, success)
		settle(r.take(1), success)
		settle(r.take(1), ignored)
		equal(t, "granted", len(r.take(1)), 0)
	})
}
