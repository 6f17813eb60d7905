package budget_test

import (
	"testing"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/budget"
)

func TestQuota(t *testing.T) {
	t.Run("K34: successes fill the pool again", func(t *testing.T) {
		r := newRig(t, quota(10, 5))
		r.calls(3, failure)
		retries := r.take(3)
		equal(t, "granted of a full pool", len(retries), 2)
		settle(retries, failure)
		r.has(0)

		r.calls(5, success)
		r.has(5)
		r.calls(1, failure)
		equal(t, "granted to a call that fails", len(r.take(3)), 1)
	})
	t.Run("K34: a retry that succeeds gives its own back, and no more", func(t *testing.T) {
		r := newRig(t, quota(10, 5))
		r.calls(1, failure)
		first := r.take(1)
		settle(first, failure)
		r.has(5)
		second := r.take(1)
		r.has(0)
		settle(second, success)
		r.has(5)
	})
	t.Run("K34: never above the capacity", func(t *testing.T) {
		r := newRig(t, quota(10, 5))
		r.calls(100, success)
		r.has(10)
		w := r.take(1)
		r.calls(3, success)
		r.has(8)
		settle(w, success)
		r.has(10)
		w = r.take(1)
		r.calls(5, success)
		cancel(w)
		r.has(10)
	})
	t.Run("what is never made costs nothing, what says nothing does", func(t *testing.T) {
		r := newRig(t, quota(20, 5))
		w := r.take(4)
		r.has(0)
		w[0].Cancel()
		r.has(5)
		w[1].Settle(ignored)
		w[2].Settle(switchgear.Undecided)
		w[3].Settle(failure)
		r.has(5)
		r.calls(3, ignored)
		r.has(5)
	})
	t.Run("a retry after a timeout pays more", func(t *testing.T) {
		r := newRig(t, budget.Config{Kind: budget.Quota, Quota: budget.QuotaConfig{Capacity: 20, Cost: 5, TimeoutCost: 12}})
		w, ok := r.WithdrawTimeout()
		equal(t, "granted", ok, true)
		r.has(8)
		_, ok = r.WithdrawTimeout()
		equal(t, "granted with too little left", ok, false)
		_, ok = r.Withdraw()
		equal(t, "granted at the lower price", ok, true)
		r.has(3)
		w.Settle(success)
		r.has(15)
	})
}
