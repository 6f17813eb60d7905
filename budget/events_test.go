package budget_test

import (
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
)

func TestEvents(t *testing.T) {
	t.Run("one event when it is exhausted, however many are refused", func(t *testing.T) {
		r := newRig(t, ratio(20, off, 0))
		r.calls(10, failure)
		r.take(2)
		r.turns()
		r.take(1000)
		r.turns("exhausted")
		e := r.heard[0]
		equal(t, "source and name", e.Source+" "+e.Name, "budget stock")
		equal(t, "from", e.From, "available")
		equal(t, "time", e.Time, start)
		equal(t, "reason", e.Reason, "extra attempts are limited to 20 % of the calls of the last 10s")
		equal(t, "state", r.Snapshot().State, "exhausted")
		equal(t, "shortages", r.Counters().Shortages, 1)
	})
	t.Run("ratio: available again at half", func(t *testing.T) {
		r := newRig(t, ratio(50, off, 0))
		r.calls(8, failure)
		r.take(9)
		r.calls(7, success) // 4 of 7.5 taken
		r.turns("exhausted")
		r.calls(1, success)
		r.turns("exhausted", "available")
		equal(t, "state", r.Snapshot().State, "available")
	})
	t.Run("ratio: by time, at the next use", func(t *testing.T) {
		r := newRig(t, ratio(off, 1, 10*time.Second))
		r.take(11)
		r.clock.Advance(10 * time.Second)
		equal(t, "state that nobody has looked at", r.Snapshot().State, "exhausted")
		r.Begin()
		r.turns("exhausted", "available")
	})
	t.Run("quota: available again at half", func(t *testing.T) {
		r := newRig(t, quota(10, 1))
		w := r.take(11)
		r.calls(4, success)
		r.turns("exhausted")
		w[0].Settle(success)
		r.turns("exhausted", "available")
	})
	t.Run("quota: never while a retry costs more than there is", func(t *testing.T) {
		r := newRig(t, quota(10, 8))
		r.take(2)
		r.calls(5, success)
		r.turns("exhausted")
		r.calls(1, success)
		r.turns("exhausted", "available")
	})
	t.Run("throttling: available again when the upper half is half full", func(t *testing.T) {
		r := newRig(t, throttling(10, 0.5))
		r.calls(5, failure)
		r.take(1)
		r.calls(4, success)
		equal(t, "grants", r.Snapshot().Grants, true)
		r.turns("exhausted")
		r.calls(1, success)
		r.turns("exhausted", "available")
	})
	t.Run("an outage does not flood", func(t *testing.T) {
		// A thousand calls a second that all fail, for a minute: the budget gets a
		// little back all the time and gives it away at once. Only the first few
		// calls, when half of the budget is one attempt, make it change to and fro.
		r := newRig(t, ratio(20, off, 0))
		for range 60_000 {
			r.calls(1, failure)
			r.take(1)
			r.clock.Advance(time.Millisecond)
		}
		if n := len(r.heard); n > 5 {
			t.Errorf("%d events in a minute", n)
		}
	})
	t.Run("a listener may use the budget", func(t *testing.T) {
		var b *budget.Budget
		var seen []string
		b = budget.Must(budget.New("stock", quota(10, 5), budget.WithClock(clock.NewVirtual(start)),
			budget.WithListener(event.Func(func(e event.Event) {
				seen = append(seen, e.To)
				for range 10 {
					b.End(success)
				}
				b.Snapshot()
			}))))
		for range 3 {
			b.Withdraw()
		}
		equal(t, "states", seen, []string{"exhausted", "available"})
	})
	t.Run("a listener that panics harms nobody", func(t *testing.T) {
		b := budget.Must(budget.New("stock", ratio(off, off, 0), budget.WithListener(event.Func(func(event.Event) { panic("boom") }))))
		_, ok := b.Withdraw()
		equal(t, "granted", ok, false)
	})
}
