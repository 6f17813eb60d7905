package breaker_test

import (
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/evidence"
)

// Package window proves the windows; these tests hold that the breaker uses them as
// the rules say.
func TestRecording(t *testing.T) {
	t.Run("W1: a count window holds the last N outcomes", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.Window.Calls, c.MinimumCalls, c.FailureRate = 5, 5, off }))
		r.fail(3)
		r.succeed(2)
		r.window(5, 3)
		r.succeed(2)
		r.window(5, 1)
		r.succeed(100)
		r.window(5, 0)
		r.clock.Advance(1000 * time.Hour)
		r.window(5, 0)
	})

	timed := with(func(c *breaker.Config) {
		c.Window = breaker.WindowConfig{Length: 10 * time.Second}
		c.FailureRate = off
	})
	t.Run("W2: a call is filed in the bucket in which it ends", func(t *testing.T) {
		r := newRig(t, timed)
		p := r.admitted()
		r.clock.AdvanceTo(25 * time.Second)
		p.Failure(errDown)
		r.clock.AdvanceTo(34 * time.Second)
		r.window(1, 1)
		r.clock.AdvanceTo(35*time.Second - ns)
		r.window(1, 1)
		r.clock.AdvanceTo(35 * time.Second)
		r.window(0)
	})
	t.Run("W2: an outcome is visible between N-1 buckets and N, successes that nobody asked about included", func(t *testing.T) {
		for _, at := range []time.Duration{0, 1, 500 * time.Millisecond, time.Second - ns} {
			r := newRig(t, timed)
			r.clock.AdvanceTo(at)
			r.succeed(3)
			r.clock.AdvanceTo(10*time.Second - ns)
			r.window(3)
			r.clock.AdvanceTo(10 * time.Second)
			r.window(0)
		}
	})
	t.Run("W2: successes of several buckets leave one bucket after the other", func(t *testing.T) {
		r := newRig(t, timed)
		for i := range 20 {
			r.clock.AdvanceTo(time.Duration(i) * time.Second)
			r.succeed(i + 1)
		}
		for i := range 10 {
			r.clock.AdvanceTo(time.Duration(19+i) * time.Second)
			left := int64(0)
			for n := 11 + i; n <= 20; n++ {
				left += int64(n)
			}
			r.window(left)
		}
	})
	t.Run("W2: after an idle gap of a year the window is empty and goes on", func(t *testing.T) {
		r := newRig(t, timed)
		r.succeed(5)
		r.fail(5)
		r.clock.Advance(365 * 24 * time.Hour)
		r.window(0)
		r.succeed(1)
		r.fail(1)
		r.window(2, 1)
	})

	t.Run("W3: rates are undefined below the minimum", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.SlowCall.Duration = time.Second }))
		for i := range 4 {
			n := r.Snapshot().Numbers
			_, failed := n.FailureRate()
			_, slow := n.SlowRate()
			equal(t, "rates defined", [2]bool{failed, slow}, [2]bool{})
			equal(t, "minimum", n.Minimum, 4)
			if i == 0 {
				r.fail(1)
			} else {
				r.succeed(1)
			}
		}
		n := r.Snapshot().Numbers
		failed, ok := n.FailureRate()
		equal(t, "failure rate defined", ok, true)
		equal(t, "failure rate", failed, 25)
		slow, ok := n.SlowRate()
		equal(t, "slow rate defined", ok, true)
		equal(t, "slow rate", slow, 0)
	})
	t.Run("W3: no calls are no rate, whatever the minimum", func(t *testing.T) {
		_, ok := breaker.Numbers{}.FailureRate()
		equal(t, "defined", ok, false)
	})
	t.Run("W3: a minimum above the window is taken down, with a warning", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.Window.Calls, c.MinimumCalls = 3, 4 }))
		equal(t, "warnings", len(r.Warnings()), 1)
		equal(t, "minimum in force", r.Snapshot().Numbers.Minimum, 3)
		equal(t, "minimum configured", r.Config().MinimumCalls, 4)
		equal(t, "no warning without need", len(newRig(t, plain()).Warnings()), 0)
	})

	t.Run("W4: a success that brings the window to its minimum can trip it", func(t *testing.T) {
		r := newRig(t, plain())
		r.fail(2)
		r.succeed(1)
		r.in(breaker.Closed)
		r.succeed(1)
		r.in(breaker.Open)
	})
	t.Run("W4: a success trips when older successes have left the window", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.Window = breaker.WindowConfig{Length: 10 * time.Second} }))
		r.succeed(9)
		r.clock.AdvanceTo(5 * time.Second)
		r.fail(4)
		r.succeed(2)
		r.in(breaker.Closed) // 4 of 15
		r.clock.AdvanceTo(10 * time.Second)
		r.window(6, 4)
		r.in(breaker.Closed) // nothing ended, so nothing was checked
		r.succeed(1)
		r.in(breaker.Open) // 4 of 7
	})
	t.Run("W4: a success that makes the window's rate reach the threshold by pushing one out", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) {
			c.Window.Calls, c.MinimumCalls = 4, 4
			c.SlowCall = breaker.SlowCallConfig{Duration: time.Second, Rate: 50}
		}))
		r.succeed(3)
		r.take(2 * time.Second)
		r.in(breaker.Closed)
		r.take(2 * time.Second)
		r.in(breaker.Open)
	})

	t.Run("W5: entering CLOSED empties window, run and evidence", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) {
			c.ConsecutiveFailures = 3
			c.Evidence = &evidence.Config{}
			c.FailureRate = off
		}))
		r.fail(2)
		s := r.Snapshot()
		equal(t, "run", s.Consecutive, 2)
		equal(t, "evidence", s.Evidence, 20.0/75)
		r.move(breaker.Closed)
		s = r.Snapshot()
		equal(t, "run after", s.Consecutive, 0)
		equal(t, "evidence after", s.Evidence, 0)
		r.window(0)
		r.fail(2)
		r.in(breaker.Closed)
	})
	t.Run("W5: HALF_OPEN has a count window of its own", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.HalfOpen.Probes = 3 }))
		p := r.probing()
		r.window(0)
		equal(t, "minimum", r.Snapshot().Numbers.Minimum, 3)
		p.Success()
		r.window(1)
		r.fail(1)
		r.window(2, 1)
	})
	t.Run("W5: OPEN goes on showing a count window, and the probes' one", func(t *testing.T) {
		r := newRig(t, plain())
		r.succeed(1)
		r.fail(3)
		r.in(breaker.Open)
		r.window(4, 3)
		r.clock.Advance(10 * time.Second)
		r.window(4, 3)
		r.fail(2)
		r.in(breaker.Open)
		r.window(2, 2)
	})
	t.Run("W5: in OPEN a time window goes on expiring, the trip record does not", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) {
			c.Window, c.Open.Wait = breaker.WindowConfig{Length: 10 * time.Second}, time.Hour
		}))
		r.succeed(1)
		r.clock.Advance(5 * time.Second)
		r.fail(3)
		r.window(4, 3)
		r.clock.AdvanceTo(10 * time.Second)
		r.window(3, 3)
		r.clock.AdvanceTo(15 * time.Second)
		r.window(0)
		n := r.Snapshot().LastTrip.Numbers
		equal(t, "calls and failures in the record", [2]int64{n.Calls, n.Failed}, [2]int64{4, 3})
	})
	t.Run("W5: METRICS_ONLY starts a new window, DISABLED and FORCED_OPEN show an empty one", func(t *testing.T) {
		r := newRig(t, plain())
		r.fail(2)
		r.move(breaker.MetricsOnly)
		r.window(0)
		r.fail(7)
		r.succeed(1)
		r.window(8, 7)
		r.move(breaker.Disabled)
		r.window(0)
		r.fail(3)
		r.window(0)
		r.move(breaker.ForcedOpen)
		r.window(0)
		r.move(breaker.Open)
		r.window(0)
	})
}
