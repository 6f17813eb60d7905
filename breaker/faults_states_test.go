package breaker_test

import (
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
)

// K01 to K07: the state machine.

func faultLateSuccess(t *testing.T) {
	r := newRig(t, with(func(c *breaker.Config) { c.MinimumCalls = 5 }))
	a := r.admitted()
	r.fail(5)
	r.in(breaker.Open)
	r.clock.Advance(time.Second)
	a.Success()
	r.in(breaker.Open)
	r.clock.Advance(time.Second)
	r.retryAfter(8 * time.Second)
	equal(t, "late", r.Counters().Late, 1)
	r.clock.AdvanceTo(10*time.Second - ns)
	r.retryAfter(ns)
	r.clock.AdvanceTo(10 * time.Second)
	probe := r.admitted()
	equal(t, "a probe", probe.Probe(), true)
}

func faultStaleProbe(t *testing.T) {
	for name, settle := range map[string]func(*breaker.Permit){
		"success": (*breaker.Permit).Success,
		"failure": func(p *breaker.Permit) { p.Failure(errDown) },
		"ignored": (*breaker.Permit).Ignore,
		"release": (*breaker.Permit).Release,
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, with(func(c *breaker.Config) { c.HalfOpen.Probes = 1 }))
			stale := r.probing()
			r.move(breaker.Open)
			r.clock.Advance(10 * time.Second)
			probe := r.admitted()
			settle(&stale)
			r.in(breaker.HalfOpen)
			equal(t, "probes out", r.Snapshot().ProbesOut, 1)
			r.refused()
			r.in(breaker.HalfOpen)
			probe.Success()
			r.in(breaker.Closed)
			equal(t, "late", r.Counters().Late, 1)
		})
	}
}

func faultTimerSurvives(t *testing.T) {
	for _, to := range []breaker.State{breaker.ForcedOpen, breaker.Disabled, breaker.MetricsOnly, breaker.Closed} {
		t.Run(to.String(), func(t *testing.T) {
			r := newRig(t, with(func(c *breaker.Config) { c.Open.Wait, c.Open.Automatic = 30*time.Second, true }))
			r.trip()
			equal(t, "timers while open", r.clock.Pending(), 1)
			r.move(to)
			equal(t, "timers after the override", r.clock.Pending(), 0)
			r.clock.Advance(time.Minute)
			r.in(to)
			r.path(breaker.Open, to)
		})
	}
}

func faultStateDisagrees(t *testing.T) {
	r := newRig(t, plain())
	r.succeed(3)
	r.move(breaker.ForcedOpen)
	r.in(breaker.ForcedOpen)
	equal(t, "state of the refusal", r.refused().State, breaker.ForcedOpen)

	r = newRig(t, plain())
	r.trip()
	r.move(breaker.MetricsOnly)
	r.in(breaker.MetricsOnly)
	r.fail(20)
	r.in(breaker.MetricsOnly)
}

func faultStrictComparison(t *testing.T) {
	r := newRig(t, with(func(c *breaker.Config) { c.MinimumCalls = 10 }))
	r.succeed(5)
	r.fail(4)
	r.in(breaker.Closed)
	r.fail(1)
	r.in(breaker.Open)
}

func faultRemaining(t *testing.T) {
	r := newRig(t, with(func(c *breaker.Config) { c.Open.Wait = 30 * time.Second }))
	r.trip()
	rejection := r.refused()
	r.retryAfter(30 * time.Second)
	r.clock.AdvanceTo(10 * time.Second)
	r.retryAfter(20 * time.Second)
	r.clock.AdvanceTo(29_900 * time.Millisecond)
	r.retryAfter(100 * time.Millisecond)
	r.clock.AdvanceTo(time.Hour)
	wait, known := rejection.RetryAfter()
	equal(t, "known long after", known, true)
	equal(t, "wait long after", wait, 0)
}
