package budget_test

import (
	"testing"

	"github.com/switchgear-go/switchgear/budget"
)

func TestWithdrawal(t *testing.T) {
	t.Run("the zero value does nothing", func(t *testing.T) {
		var w budget.Withdrawal
		w.Settle(success)
		w.Cancel()
	})
	t.Run("a refusal is a zero value", func(t *testing.T) {
		r := newRig(t, ratio(20, off, 0))
		w, ok := r.Withdraw()
		equal(t, "granted", ok, false)
		equal(t, "withdrawal", w, budget.Withdrawal{})
	})
	for name, cfg := range kinds() {
		t.Run("only the first settlement counts: "+name, func(t *testing.T) {
			r := newRig(t, cfg)
			r.take(1)[0].Settle(failure)
			before := r.Snapshot()
			w := r.take(1)[0]
			w.Cancel()
			w.Settle(success)
			w.Settle(failure)
			w.Cancel()
			after := r.Snapshot()
			equal(t, "available", after.Available, before.Available)
			equal(t, "cancelled", after.Cancelled, 1)
			equal(t, "settled", after.Settled, 1)
			equal(t, "in use", after.InUse, 0)
		})
	}
}

func TestNothingAllocates(t *testing.T) {
	for name, cfg := range kinds() {
		r := newRig(t, cfg)
		equal(t, name, testing.AllocsPerRun(1000, func() {
			r.Begin()
			r.End(failure)
			w, _ := r.Withdraw()
			w.Settle(failure)
			_ = r.Exhausted()
			w.Cancel()
		}), 0)
	}
}
