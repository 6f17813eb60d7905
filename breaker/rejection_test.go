package breaker_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
)

func TestRejection(t *testing.T) {
	t.Run("P1: it matches both sentinels, and nothing else", func(t *testing.T) {
		r := newRig(t, plain())
		r.trip()
		err := error(r.refused())
		for _, e := range []error{err, fmt.Errorf("fetching: %w", err), errors.Join(errDown, err)} {
			equal(t, "breaker.ErrRejected", errors.Is(e, breaker.ErrRejected), true)
			equal(t, "switchgear.ErrRejected", errors.Is(e, switchgear.ErrRejected), true)
		}
		for _, other := range []error{errDown, context.Canceled, context.DeadlineExceeded, switchgear.ErrConfig} {
			if errors.Is(err, other) {
				t.Errorf("a rejection matches %v", other)
			}
		}
	})
	t.Run("P1: it names the breaker, the state, why it opened and when to come back", func(t *testing.T) {
		r := newRig(t, plain())
		r.succeed(1)
		r.fail(3)
		rejection := r.refused()
		equal(t, "name", rejection.Name, "stock")
		equal(t, "state", rejection.State, breaker.Open)
		equal(t, "period", rejection.Period, r.Snapshot().Period)
		equal(t, "rule", rejection.Trip().Rule, breaker.RuleFailureRate)
		r.clock.Advance(2345678 * time.Microsecond)
		equal(t, "text", rejection.Error(), `breaker "stock" is OPEN: 3 of 4 calls failed (75 % ≥ 50 %), `+
			`mostly error: connection refused; next probe in 7.654s`)
	})
	t.Run("P1: in HALF_OPEN the time is unknown, the reason is not", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.HalfOpen.Probes = 1 }))
		r.probing()
		rejection := r.refused()
		_, known := rejection.RetryAfter()
		equal(t, "known", known, false)
		equal(t, "text", rejection.Error(), `breaker "stock" is HALF_OPEN: 4 of 4 calls failed (100 % ≥ 50 %), mostly error: connection refused`)
	})
	t.Run("P1: in FORCED_OPEN the time is known if it expires", func(t *testing.T) {
		r := newRig(t, plain())
		r.move(breaker.ForcedOpen)
		rejection := r.refused()
		_, known := rejection.RetryAfter()
		equal(t, "known", known, false)
		equal(t, "text", rejection.Error(), `breaker "stock" is FORCED_OPEN: opened by ana: test`)
		r.moveFor(breaker.ForcedOpen, time.Minute)
		r.retryAfter(time.Minute)
		equal(t, "text", r.refused().Error(), `breaker "stock" is FORCED_OPEN: opened by ana: test; next probe in 1m0s`)
		_, known = rejection.RetryAfter()
		equal(t, "known of the period before", known, false)
	})
	t.Run("P1: a HALF_OPEN that no trip led to has no reason", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.HalfOpen.Probes = 1 }))
		r.move(breaker.HalfOpen)
		r.admitted()
		rejection := r.refused()
		equal(t, "trip", rejection.Trip(), nil)
		equal(t, "text", rejection.Error(), `breaker "stock" is HALF_OPEN`)
	})
	t.Run("P1: the time is that of the period that refused, computed when asked", func(t *testing.T) {
		r := newRig(t, plain())
		r.trip()
		first := r.refused()
		r.clock.Advance(4 * time.Second)
		r.move(breaker.Open) // a new period, 10 s from now
		second := r.refused()
		at := func(rejection *breaker.Rejection) time.Duration { d, _ := rejection.RetryAfter(); return d }
		equal(t, "of both", [2]time.Duration{at(first), at(second)}, [2]time.Duration{6 * time.Second, 10 * time.Second})
		r.clock.Advance(8 * time.Second)
		equal(t, "later", [2]time.Duration{at(first), at(second)}, [2]time.Duration{0, 2 * time.Second})
		r.move(breaker.Closed)
		equal(t, "after the end of both", [2]time.Duration{at(first), at(second)}, [2]time.Duration{0, 2 * time.Second})
	})
	t.Run("P1: the project's common way to ask finds it", func(t *testing.T) {
		r := newRig(t, plain())
		r.trip()
		wait, known := switchgear.RetryAfter(fmt.Errorf("fetching: %w", r.refused()))
		equal(t, "known", known, true)
		equal(t, "wait", wait, 10*time.Second)
	})
	t.Run("P1: refusals of one period share one value", func(t *testing.T) {
		r := newRig(t, plain())
		r.trip()
		first, second := r.refused(), r.refused()
		if first != second {
			t.Error("each refusal has a value of its own")
		}
	})
	t.Run("P1: waits are rounded for people", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.Open.Wait = 90 * time.Minute }))
		r.trip()
		r.clock.Advance(1234567 * time.Microsecond)
		want := "; next probe in 1h29m58.8s"
		if text := r.refused().Error(); len(text) < len(want) || text[len(text)-len(want):] != want {
			t.Errorf("text: %s, want the end %s", text, want)
		}
	})
}
