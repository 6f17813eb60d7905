package breaker_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/event"
)

func TestOperatorStates(t *testing.T) {
	t.Run("S4: an operator may move any state to any state, with author and reason", func(t *testing.T) {
		for _, from := range everyState {
			for _, to := range everyState {
				r := newRig(t, plain())
				if from != breaker.Closed {
					r.move(from)
				}
				before := r.Snapshot().Period
				if err := r.Move(breaker.Move{To: to, Author: "ana", Reason: "maintenance"}); err != nil {
					t.Fatalf("%v to %v: %v", from, to, err)
				}
				r.in(to)
				e, _ := r.last()
				equal(t, "from, to, author, reason", []string{e.From, e.To, e.Author, e.Reason},
					[]string{from.String(), to.String(), "ana", "maintenance"})
				s := r.Snapshot()
				equal(t, "author and reason shown", []string{s.Author, s.Reason}, []string{"ana", "maintenance"})
				kind := event.Transition
				if from == to {
					kind = event.Renewed
				}
				equal(t, "kind", e.Kind, kind)
				if s.Period <= before || e.Period != s.Period {
					t.Errorf("%v to %v: period %d after %d, %d in the event", from, to, s.Period, before, e.Period)
				}
			}
		}
	})
	t.Run("S4: DISABLED admits everything and judges nothing", func(t *testing.T) {
		r := newRig(t, plain())
		r.move(breaker.Disabled)
		r.fail(1000)
		r.succeed(5)
		r.in(breaker.Disabled)
		r.window(0)
		c := r.Counters()
		equal(t, "successful, failed", [2]uint64{c.Successful, c.Failed}, [2]uint64{5, 1000})
	})
	t.Run("S4: METRICS_ONLY admits everything, records, and never trips", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) {
			c.ConsecutiveFailures, c.FailureCount = 3, 3
			c.SlowCall.Duration = time.Second
		}))
		r.move(breaker.MetricsOnly)
		r.take(2 * time.Second)
		r.fail(1000)
		r.in(breaker.MetricsOnly)
		r.window(10, 10)
		r.succeed(4)
		r.window(10, 6)
		rate, ok := r.Snapshot().Numbers.FailureRate()
		equal(t, "rate defined", ok, true)
		equal(t, "rate", rate, 60)
	})
	t.Run("S4: METRICS_ONLY records in a time window too", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.Window = breaker.WindowConfig{Length: 10 * time.Second} }))
		r.move(breaker.MetricsOnly)
		for i := range 15 {
			r.clock.AdvanceTo(time.Duration(i) * time.Second)
			r.succeed(2)
			r.fail(1)
		}
		r.window(30, 10)
	})
	t.Run("S4: FORCED_OPEN rejects everything", func(t *testing.T) {
		r := newRig(t, plain())
		r.move(breaker.ForcedOpen)
		r.clock.Advance(1000 * time.Hour)
		for range 10 {
			r.refused()
		}
		r.in(breaker.ForcedOpen)
		equal(t, "ready", r.Ready(), false)
	})
	t.Run("S4: neither an outcome nor a timer leaves an operator state", func(t *testing.T) {
		for _, to := range []breaker.State{breaker.Disabled, breaker.MetricsOnly, breaker.ForcedOpen} {
			r := newRig(t, with(func(c *breaker.Config) { c.Open.Automatic, c.HalfOpen.MaxWait = true, time.Second }))
			p := r.probing()
			r.move(to)
			p.Failure(errDown)
			r.clock.Advance(1000 * time.Hour)
			r.in(to)
			equal(t, "timers", r.clock.Pending(), 0)
		}
	})
	t.Run("S4: an operator's OPEN probes after its interval, with a record of who and why", func(t *testing.T) {
		r := newRig(t, plain())
		r.succeed(3)
		r.move(breaker.Open)
		r.retryAfter(10 * time.Second)
		trip := r.refused().Trip()
		equal(t, "rule", trip.Rule, breaker.RuleOperator)
		equal(t, "author, reason", [2]string{trip.Author, trip.Reason}, [2]string{"ana", "test"})
		equal(t, "text", trip.Text(), "opened by ana: test")
		equal(t, "numbers", trip.Numbers.Calls, 3)
		equal(t, "trips", r.Counters().Trips, 0)
		r.clock.Advance(10 * time.Second)
		r.succeed(2)
		r.in(breaker.Closed)
	})
	t.Run("S4: an operator without a name is one", func(t *testing.T) {
		r := newRig(t, plain())
		if err := r.Move(breaker.Move{To: breaker.ForcedOpen, Reason: "drill"}); err != nil {
			t.Fatal(err)
		}
		equal(t, "text", r.Snapshot().LastTrip.Text(), "opened by an operator: drill")
	})
	t.Run("S4: a renewed CLOSED empties its window, a renewed OPEN starts its wait again", func(t *testing.T) {
		r := newRig(t, plain())
		r.fail(3)
		r.move(breaker.Closed)
		r.window(0)
		r.trip()
		r.clock.Advance(9 * time.Second)
		r.move(breaker.Open)
		r.window(4, 4)
		r.retryAfter(10 * time.Second)
	})
}

func TestExpiry(t *testing.T) {
	minute := time.Minute
	t.Run("S4: FORCED_OPEN becomes OPEN with its interval passed", func(t *testing.T) {
		r := newRig(t, plain())
		r.moveFor(breaker.ForcedOpen, minute)
		equal(t, "timers", r.clock.Pending(), 1)
		equal(t, "expires", r.Snapshot().Expires, start.Add(minute))
		_, change := r.last()
		equal(t, "expires in the event", change.Expires, start.Add(minute))
		r.clock.Advance(20 * time.Second)
		r.retryAfter(40 * time.Second)
		equal(t, "retry after", r.Snapshot().RetryAfter, 40*time.Second)
		r.clock.Advance(40 * time.Second)
		r.in(breaker.Open)
		equal(t, "timers", r.clock.Pending(), 0)
		s := r.Snapshot()
		equal(t, "interval passed", s.IntervalPassed, true)
		equal(t, "expires", s.Expires.IsZero(), true)
		equal(t, "why it is open", s.LastTrip.Rule, breaker.RuleOperator)
		r.succeed(2)
		r.in(breaker.Closed)
		r.path(breaker.ForcedOpen, breaker.Open, breaker.HalfOpen, breaker.Closed)
	})
	t.Run("S4: with an automatic end it goes on to HALF_OPEN", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.Open.Automatic = true }))
		r.moveFor(breaker.ForcedOpen, minute)
		r.clock.Advance(minute)
		r.path(breaker.ForcedOpen, breaker.Open, breaker.HalfOpen)
	})
	for _, to := range []breaker.State{breaker.Disabled, breaker.MetricsOnly} {
		t.Run("S4: "+to.String()+" becomes CLOSED", func(t *testing.T) {
			r := newRig(t, plain())
			r.moveFor(to, minute)
			r.fail(10)
			r.clock.Advance(minute - ns)
			r.in(to)
			r.clock.Advance(time.Hour)
			r.in(breaker.Closed)
			r.window(0)
			equal(t, "since", r.Snapshot().Since, start.Add(minute))
			e, _ := r.last()
			equal(t, "reason", e.Reason, "the operator's move has expired")
			equal(t, "expired", e.Detail.(*breaker.Change).Expired, true)
			equal(t, "author", e.Author, "")
			r.fail(4)
			r.in(breaker.Open)
		})
	}
	t.Run("S4: another move calls an expiry off, a renewal replaces it", func(t *testing.T) {
		r := newRig(t, plain())
		r.moveFor(breaker.Disabled, minute)
		r.clock.Advance(50 * time.Second)
		r.moveFor(breaker.Disabled, minute)
		equal(t, "timers", r.clock.Pending(), 1)
		r.clock.Advance(50 * time.Second)
		r.in(breaker.Disabled)
		r.move(breaker.Disabled)
		equal(t, "timers", r.clock.Pending(), 0)
		r.clock.Advance(1000 * time.Hour)
		r.in(breaker.Disabled)
		equal(t, "expires", r.Snapshot().Expires.IsZero(), true)
	})
	t.Run("S4: Close stops an expiry: the state stays", func(t *testing.T) {
		for _, to := range []breaker.State{breaker.Disabled, breaker.MetricsOnly} {
			r := newRig(t, plain())
			r.moveFor(to, minute)
			r.Close()
			equal(t, "timers", r.clock.Pending(), 0)
			r.clock.Advance(time.Hour)
			r.succeed(1)
			r.in(to)
			r.moveFor(to, minute)
			equal(t, "timers after Close", r.clock.Pending(), 0)
		}
	})
}

func TestClosedBreaker(t *testing.T) {
	t.Run("S4: after Close, FORCED_OPEN still lets the call after its expiry probe", func(t *testing.T) {
		r := newRig(t, plain())
		r.moveFor(breaker.ForcedOpen, time.Minute)
		r.Close()
		r.clock.Advance(time.Minute - ns)
		r.refused()
		r.clock.Advance(ns)
		r.in(breaker.ForcedOpen)
		equal(t, "ready", r.Ready(), true)
		r.succeed(2)
		r.path(breaker.ForcedOpen, breaker.Open, breaker.HalfOpen, breaker.Closed)
	})
	t.Run("O5: Close may be called again, and at any time", func(t *testing.T) {
		r := newRig(t, plain())
		r.Close()
		r.Close()
		r.trip()
		r.Close()
		r.clock.Advance(10 * time.Second)
		r.succeed(2)
		r.in(breaker.Closed)
	})
}

func TestMoveIsChecked(t *testing.T) {
	for name, c := range map[string]struct {
		move  breaker.Move
		paths []string
	}{
		"no state":             {breaker.Move{To: 6, Reason: "x"}, []string{"To"}},
		"no reason":            {breaker.Move{To: breaker.Open}, []string{"Reason"}},
		"a negative expiry":    {breaker.Move{To: breaker.Disabled, Reason: "x", For: -1}, []string{"For"}},
		"an expiry off":        {breaker.Move{To: breaker.Disabled, Reason: "x", For: off}, []string{"For"}},
		"an expiry too long":   {breaker.Move{To: breaker.Disabled, Reason: "x", For: 30*24*time.Hour + 1}, []string{"For"}},
		"an expiry of CLOSED":  {breaker.Move{To: breaker.Closed, Reason: "x", For: 1}, []string{"For"}},
		"an expiry of OPEN":    {breaker.Move{To: breaker.Open, Reason: "x", For: 1}, []string{"For"}},
		"an expiry of probing": {breaker.Move{To: breaker.HalfOpen, Reason: "x", For: 1}, []string{"For"}},
		"everything":           {breaker.Move{To: 99, For: -1}, []string{"To", "Reason", "For"}},
	} {
		t.Run("S4: "+name, func(t *testing.T) {
			r := newRig(t, plain())
			before := r.Snapshot()
			err := r.Move(c.move)
			problem, ok := errors.AsType[*switchgear.ConfigError](err)
			if !ok {
				t.Fatalf("got error %v", err)
			}
			var paths []string
			for _, p := range problem.Problems {
				paths = append(paths, p.Path)
			}
			equal(t, "paths", paths, c.paths)
			equal(t, "policy and name", problem.Policy+" "+problem.Name, "breaker move stock")
			equal(t, "after the error", r.Snapshot(), before)
			equal(t, "events", len(r.heard), 0)
		})
	}
	t.Run("S4: the longest expiry", func(t *testing.T) {
		r := newRig(t, plain())
		r.moveFor(breaker.Disabled, 30*24*time.Hour)
		r.clock.Advance(30 * 24 * time.Hour)
		r.in(breaker.Closed)
	})
	t.Run("S4: a reset needs a reason as well", func(t *testing.T) {
		r := newRig(t, plain())
		r.fail(2)
		if err := r.Reset("ana", ""); err == nil || !strings.Contains(err.Error(), "Reason") {
			t.Errorf("got error %v", err)
		}
		r.window(2, 2)
	})
}

func TestReset(t *testing.T) {
	t.Run("N1: a reset goes back to CLOSED with an empty window; counters go on", func(t *testing.T) {
		for _, from := range everyState {
			r := newRig(t, plain())
			r.succeed(2)
			r.fail(2)
			r.move(from)
			before := r.Counters()
			if err := r.Reset("ana", "fixed"); err != nil {
				t.Fatal(err)
			}
			r.in(breaker.Closed)
			r.window(0)
			equal(t, "counters", r.Counters(), before)
			e, _ := r.last()
			equal(t, "author, reason", e.Author+" "+e.Reason, "ana fixed")
			equal(t, "timers", r.clock.Pending(), 0)
		}
	})
}
