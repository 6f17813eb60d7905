package breaker_test

import (
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
)

func TestFailureRate(t *testing.T) {
	t.Run("T1: a rate exactly at the threshold trips, one below it does not", func(t *testing.T) {
		for _, c := range []struct {
			threshold      switchgear.Percent
			calls, tripsAt int
		}{
			{50, 10, 5}, {1, 100, 1}, {100, 10, 10}, {33.33, 3000, 1000}, {33.34, 3000, 1001},
			{0.01 + 1, 10_000, 101}, {99.99, 10_000, 9999}, {12.5, 8, 1}, {28.57, 7, 2}, {28.58, 7, 3},
		} {
			r := newRig(t, with(func(cfg *breaker.Config) {
				cfg.Window.Calls, cfg.MinimumCalls, cfg.FailureRate = c.calls, c.calls, c.threshold
			}))
			r.succeed(c.calls - c.tripsAt)
			r.fail(c.tripsAt - 1)
			r.in(breaker.Closed)
			r.fail(1)
			r.in(breaker.Open)

			r = newRig(t, r.Config())
			r.fail(c.tripsAt - 1)
			r.succeed(c.calls - c.tripsAt + 1)
			r.in(breaker.Closed)
		}
	})
	t.Run("T1: the default is half of 20 calls in the last minute", func(t *testing.T) {
		r := newRig(t, breaker.Config{})
		r.fail(10)
		r.succeed(9)
		r.in(breaker.Closed)
		r.succeed(1)
		r.in(breaker.Open)
		r = newRig(t, breaker.Config{})
		r.fail(10)
		r.clock.Advance(time.Minute)
		r.fail(19)
		r.in(breaker.Closed)
		r.fail(1)
		r.in(breaker.Open)
	})
	t.Run("T1: the record says what was reached", func(t *testing.T) {
		r := newRig(t, plain())
		r.succeed(1)
		r.fail(3)
		trip := r.Snapshot().LastTrip
		equal(t, "rule", trip.Rule, breaker.RuleFailureRate)
		equal(t, "threshold", trip.Threshold, 50)
		equal(t, "time", trip.Time, start)
		equal(t, "run", trip.Consecutive, 3)
		equal(t, "text", trip.Text(), "3 of 4 calls failed (75 % ≥ 50 %), mostly error: connection refused")
	})
}

func TestSlowRate(t *testing.T) {
	cfg := with(func(c *breaker.Config) { c.SlowCall.Duration = time.Second })
	t.Run("T2: off until a slow duration is given, then 100 %", func(t *testing.T) {
		r := newRig(t, cfg)
		r.take(2 * time.Second)
		r.take(2 * time.Second)
		r.take(2 * time.Second)
		r.in(breaker.Closed)
		r.take(2 * time.Second)
		r.in(breaker.Open)
		trip := r.Snapshot().LastTrip
		equal(t, "rule", trip.Rule, breaker.RuleSlowRate)
		equal(t, "threshold", trip.Threshold, 100)
		equal(t, "text", trip.Text(), "4 of 4 calls were slow (100 % ≥ 100 %)")

		r = newRig(t, cfg)
		r.take(time.Second)
		for range 20 {
			r.take(2 * time.Second)
			if r.State() == breaker.Open {
				break
			}
		}
		r.in(breaker.Open)
		equal(t, "calls, once the quick one had left", r.Snapshot().LastTrip.Numbers.Calls, 10)
	})
	t.Run("T2: a rate exactly at the threshold trips, with the minimum reached", func(t *testing.T) {
		half := with(func(c *breaker.Config) { c.SlowCall = breaker.SlowCallConfig{Duration: time.Second, Rate: 50} })
		r := newRig(t, half)
		r.take(time.Hour)
		r.take(time.Hour)
		r.take(0)
		r.in(breaker.Closed)
		r.take(0) // a quick success brings the window to its minimum (W4)
		r.in(breaker.Open)
		r = newRig(t, half)
		r.take(time.Hour)
		for range 20 {
			r.take(0)
		}
		r.in(breaker.Closed)
	})
	t.Run("T2: slow calls can be counted without acting on them", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.SlowCall = breaker.SlowCallConfig{Duration: time.Second, Rate: off} }))
		for range 50 {
			r.take(time.Minute)
		}
		r.in(breaker.Closed)
		r.window(10, 0, 10)
		rate, ok := r.Snapshot().Numbers.SlowRate()
		equal(t, "slow rate", rate, 100)
		equal(t, "defined", ok, true)
	})
	t.Run("T2: in a time window too", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) {
			c.Window = breaker.WindowConfig{Length: time.Minute}
			c.SlowCall = breaker.SlowCallConfig{Duration: time.Second, Rate: 50}
		}))
		for range 2 {
			r.take(2 * time.Second)
			r.take(0)
		}
		r.in(breaker.Open)
		r.window(4, 0, 2)
	})
}

func TestConsecutiveFailures(t *testing.T) {
	cfg := with(func(c *breaker.Config) { c.FailureRate, c.MinimumCalls, c.ConsecutiveFailures = off, 10, 3 })
	t.Run("T3: trips at N failures in a row, without a minimum", func(t *testing.T) {
		r := newRig(t, cfg)
		r.fail(2)
		r.in(breaker.Closed)
		r.fail(1)
		r.in(breaker.Open)
		trip := r.Snapshot().LastTrip
		equal(t, "rule", trip.Rule, breaker.RuleConsecutive)
		equal(t, "run", trip.Consecutive, 3)
		equal(t, "text", trip.Text(), "3 failures in a row, mostly error: connection refused")
		equal(t, "the limit is in the record", trip.Limit, 3)
	})
	t.Run("T3: a success breaks the run, however it was counted", func(t *testing.T) {
		r := newRig(t, cfg)
		for range 20 {
			r.fail(2)
			r.succeed(1)
		}
		r.in(breaker.Closed)
		r.fail(2)
		equal(t, "run", r.Snapshot().Consecutive, 2)
		r.succeed(1)
		equal(t, "run", r.Snapshot().Consecutive, 0)
	})
	t.Run("T3: ignored and released calls do not break the run", func(t *testing.T) {
		r := newRig(t, cfg)
		r.fail(2)
		r.ignore(5)
		p := r.admitted()
		p.Release()
		r.fail(1)
		r.in(breaker.Open)
	})
	t.Run("T3: a slow success breaks the run", func(t *testing.T) {
		c := cfg
		c.SlowCall = breaker.SlowCallConfig{Duration: time.Second, Rate: off}
		r := newRig(t, c)
		r.fail(2)
		r.take(time.Minute)
		r.fail(2)
		r.in(breaker.Closed)
	})
	t.Run("T3: the run goes on though the window forgets", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) {
			c.Window, c.FailureRate, c.ConsecutiveFailures = breaker.WindowConfig{Length: time.Second}, off, 3
		}))
		for range 3 {
			r.in(breaker.Closed)
			r.fail(1)
			r.clock.Advance(time.Minute)
		}
		r.in(breaker.Open)
	})
}

func TestFailureCount(t *testing.T) {
	cfg := with(func(c *breaker.Config) { c.FailureRate, c.MinimumCalls, c.FailureCount = off, 10, 3 })
	t.Run("T4: trips at N failures in the window, without a minimum", func(t *testing.T) {
		r := newRig(t, cfg)
		r.fail(1)
		r.succeed(2)
		r.fail(1)
		r.succeed(2)
		r.in(breaker.Closed)
		r.fail(1)
		r.in(breaker.Open)
		trip := r.Snapshot().LastTrip
		equal(t, "rule", trip.Rule, breaker.RuleFailureCount)
		equal(t, "text", trip.Text(), "3 failures in the window of 7 calls, mostly error: connection refused")
		equal(t, "the limit is in the record", trip.Limit, 3)
	})
	t.Run("T4: failures that have left the window do not count", func(t *testing.T) {
		r := newRig(t, cfg)
		for range 20 {
			r.fail(1)
			r.succeed(4)
		}
		r.in(breaker.Closed)
	})
	t.Run("T4: in a time window too", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) {
			c.Window, c.FailureRate, c.FailureCount = breaker.WindowConfig{Length: 10 * time.Second}, off, 3
		}))
		for range 20 {
			r.fail(1)
			r.succeed(50)
			r.clock.Advance(5 * time.Second)
		}
		r.in(breaker.Closed)
		r.fail(1)
		r.in(breaker.Closed)
		r.fail(1)
		r.in(breaker.Open)
		r.window(53, 3)
	})
}

func TestGrace(t *testing.T) {
	cfg := with(func(c *breaker.Config) { c.Grace = time.Minute })
	t.Run("T7: nothing trips during the grace, but outcomes are recorded", func(t *testing.T) {
		r := newRig(t, cfg)
		r.clock.AdvanceTo(time.Minute - ns)
		r.fail(10)
		r.in(breaker.Closed)
		r.window(10, 10)
		equal(t, "grace", r.Snapshot().Grace, true)
	})
	t.Run("T7: when the grace ends the window is emptied", func(t *testing.T) {
		r := newRig(t, cfg)
		r.fail(9)
		r.clock.AdvanceTo(time.Minute)
		r.window(0)
		equal(t, "grace", r.Snapshot().Grace, false)
		r.fail(3)
		r.in(breaker.Closed)
		r.fail(1)
		r.in(breaker.Open)
	})
	t.Run("T7: also when nobody looks", func(t *testing.T) {
		r := newRig(t, cfg)
		r.fail(9)
		r.clock.AdvanceTo(time.Minute)
		r.fail(3)
		r.in(breaker.Closed)
		r.fail(1)
		r.in(breaker.Open)
		r.window(4, 4)
	})
	t.Run("T7: also for the record of an operator's move", func(t *testing.T) {
		r := newRig(t, cfg)
		r.fail(9)
		r.clock.AdvanceTo(time.Minute)
		r.move(breaker.Open)
		_, change := r.last()
		equal(t, "calls in the record of the change", change.Numbers.Calls, 0)
		equal(t, "calls in the trip record", change.Trip.Numbers.Calls, 0)
		r.window(0)
	})
	t.Run("T7: run and evidence start anew as well", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.Grace, c.FailureRate, c.ConsecutiveFailures = time.Minute, off, 5 }))
		r.fail(50)
		r.clock.AdvanceTo(time.Minute)
		r.fail(4)
		r.in(breaker.Closed)
		r.fail(1)
		r.in(breaker.Open)
	})
	t.Run("T7: a grace counts from the start, not from the next CLOSED", func(t *testing.T) {
		r := newRig(t, cfg)
		r.clock.AdvanceTo(2 * time.Minute)
		r.trip()
		r.clock.Advance(10 * time.Second)
		r.succeed(2)
		r.fail(4)
		r.in(breaker.Open)
	})
	t.Run("T7: a move to CLOSED does not end the grace, a reset does", func(t *testing.T) {
		r := newRig(t, cfg)
		r.move(breaker.Closed)
		r.fail(10)
		r.in(breaker.Closed)
		if err := r.Reset("ana", "ready"); err != nil {
			t.Fatal(err)
		}
		equal(t, "grace", r.Snapshot().Grace, false)
		r.fail(4)
		r.in(breaker.Open)
	})
	t.Run("T7: successes during the grace are counted", func(t *testing.T) {
		r := newRig(t, cfg)
		r.succeed(5)
		r.window(5, 0)
		r.clock.AdvanceTo(time.Minute)
		r.succeed(2)
		r.window(2, 0)
		equal(t, "successful", r.Counters().Successful, 7)
	})
}

func TestSeveralRules(t *testing.T) {
	t.Run("T1-T4: any rule that is on suffices", func(t *testing.T) {
		all := with(func(c *breaker.Config) {
			c.Window.Calls, c.MinimumCalls = 20, 20
			c.SlowCall = breaker.SlowCallConfig{Duration: time.Second, Rate: 50}
			c.ConsecutiveFailures, c.FailureCount = 4, 6
		})
		r := newRig(t, all)
		r.fail(4)
		equal(t, "rule", r.Snapshot().LastTrip.Rule, breaker.RuleConsecutive)
		r = newRig(t, all)
		for range 6 {
			r.succeed(1)
			r.fail(1)
		}
		equal(t, "rule", r.Snapshot().LastTrip.Rule, breaker.RuleFailureCount)
		r = newRig(t, all)
		for range 10 {
			r.take(0)
			r.take(time.Minute)
		}
		equal(t, "rule", r.Snapshot().LastTrip.Rule, breaker.RuleSlowRate)
		all.FailureCount, all.ConsecutiveFailures = off, off
		r = newRig(t, all)
		r.succeed(10)
		r.fail(10)
		equal(t, "rule", r.Snapshot().LastTrip.Rule, breaker.RuleFailureRate)
	})
	t.Run("T1-T4: with every rule off the breaker only counts, with a warning", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.FailureRate = off }))
		r.fail(1000)
		r.in(breaker.Closed)
		r.window(10, 10)
		equal(t, "warnings", len(r.Warnings()), 1)
		equal(t, "path", r.Warnings()[0].Path, "FailureRate")
	})
}
