package budget_test

import (
	"testing"

	"github.com/switchgear-go/switchgear"
)

func TestThrottling(t *testing.T) {
	t.Run("retries only above half", func(t *testing.T) {
		r := newRig(t, throttling(10, 0.1))
		r.calls(4, failure)
		r.has(6)
		equal(t, "granted at 6 of 10", len(r.take(3)), 3)
		r.calls(1, failure)
		r.has(5)
		equal(t, "granted at 5 of 10", len(r.take(3)), 0)
		r.calls(1, success)
		equal(t, "granted at 5.1 of 10", len(r.take(3)), 3)
	})
	t.Run("retries count like first attempts", func(t *testing.T) {
		r := newRig(t, throttling(10, 0.5))
		w := r.take(4)
		settle(w[:2], failure)
		r.has(8)
		settle(w[2:], success)
		r.has(9)
	})
	t.Run("what says nothing changes nothing", func(t *testing.T) {
		r := newRig(t, throttling(10, 0.5))
		r.calls(2, failure)
		r.calls(5, ignored)
		r.calls(5, switchgear.Undecided)
		w := r.take(2)
		w[0].Settle(ignored)
		w[1].Cancel()
		r.has(8)
	})
	t.Run("from none to MaxTokens", func(t *testing.T) {
		r := newRig(t, throttling(3, 1.6))
		r.calls(9, failure)
		r.has(0)
		r.calls(1, success)
		r.has(1.6)
		r.calls(9, success)
		r.has(3)
	})
	t.Run("thousandths are exact, further decimals dropped", func(t *testing.T) {
		r := newRig(t, throttling(1000, 0.29))
		r.calls(1000, failure)
		r.calls(1000, success)
		r.has(290)
		r = newRig(t, throttling(1000, 0.5466))
		r.calls(1000, failure)
		r.calls(1000, success)
		r.has(546)
	})
	t.Run("a single token", func(t *testing.T) {
		r := newRig(t, throttling(1, 1))
		equal(t, "granted", len(r.take(1)), 1)
		r.calls(1, failure)
		equal(t, "granted", len(r.take(1)), 0)
	})
}
