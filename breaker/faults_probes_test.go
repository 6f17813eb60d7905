package breaker_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
)

// K13 to K17 and K74: half-open.

func faultIgnoredProbe(t *testing.T) {
	for _, verdict := range []breaker.Verdict{breaker.ByRate, breaker.ByStreak} {
		t.Run(verdict.String(), func(t *testing.T) {
			r := newRig(t, with(func(c *breaker.Config) { c.HalfOpen.Probes, c.HalfOpen.Verdict = 3, verdict }))
			p := r.probing()
			p.Success()
			r.succeed(1)
			r.ignore(1)
			r.in(breaker.HalfOpen)
			r.succeed(1)
			r.in(breaker.Closed)
		})
	}
}

func faultForgottenProbe(t *testing.T) {
	t.Run("H6: a timer opens the breaker again", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) {
			c.HalfOpen = breaker.HalfOpenConfig{Probes: 1, MaxWait: 30 * time.Second, ProbeLimit: off}
		}))
		forgotten := r.probing()
		r.clock.Advance(30 * time.Second)
		r.in(breaker.Open)
		r.clock.Advance(10 * time.Second)
		p := r.admitted()
		forgotten.Failure(errDown)
		r.in(breaker.HalfOpen)
		p.Success()
		r.in(breaker.Closed)
	})
	t.Run("H8: the next call settles the probe", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) {
			c.HalfOpen = breaker.HalfOpenConfig{Probes: 1, ProbeLimit: 30 * time.Second}
		}))
		forgotten := r.probing()
		r.clock.Advance(30*time.Second - ns)
		r.refused()
		r.in(breaker.HalfOpen)
		r.clock.Advance(ns)
		r.refused()
		r.in(breaker.Open)
		r.clock.Advance(10 * time.Second)
		p := r.admitted()
		forgotten.Failure(errDown)
		r.in(breaker.HalfOpen)
		p.Success()
		r.in(breaker.Closed)
	})
}

func faultProbeVolume(t *testing.T) {
	r := newRig(t, breaker.Config{
		Window: breaker.WindowConfig{Length: 10 * time.Second}, MinimumCalls: 20,
		Open:     breaker.OpenConfig{Wait: 30 * time.Second, Jitter: off},
		HalfOpen: breaker.HalfOpenConfig{Probes: 1},
	})
	r.fail(20)
	r.in(breaker.Open)
	r.clock.Advance(time.Minute)
	r.window(0)
	r.fail(1)
	r.in(breaker.Open)
	r.retryAfter(30 * time.Second)
}

func faultFirstProbe(t *testing.T) {
	for _, verdict := range []breaker.Verdict{breaker.ByRate, breaker.ByStreak} {
		cfg := with(func(c *breaker.Config) { c.HalfOpen.Probes, c.HalfOpen.Verdict = 3, verdict })
		t.Run(verdict.String()+", one after another", func(t *testing.T) {
			r := newRig(t, cfg)
			p := r.probing()
			p.Success()
			r.succeed(1)
			r.in(breaker.HalfOpen)
			r.succeed(1)
			r.in(breaker.Closed)
			equal(t, "probes", r.Counters().Probes, 3)
		})
		t.Run(verdict.String()+", held", func(t *testing.T) {
			r := newRig(t, cfg)
			r.probing()
			r.admitted()
			r.admitted()
			r.refused()
			equal(t, "probes", r.Counters().Probes, 3)
		})
	}
}

func faultClassifierPanics(t *testing.T) {
	sane := true
	r := newRig(t, with(func(c *breaker.Config) { c.HalfOpen.Probes = 1 }), breaker.WithClassifier(func(error) switchgear.Outcome {
		if !sane {
			panic("classifier")
		}
		return switchgear.Undecided
	}))
	r.trip()
	r.clock.Advance(10 * time.Second)
	sane = false
	func() {
		defer func() { equal[any](t, "panic", recover(), "classifier") }()
		_ = r.Do(context.Background(), func(context.Context) error { return nil })
	}()
	r.in(breaker.Open)
	equal(t, "probes out", r.Snapshot().ProbesOut, 0)
	sane = true
	r.retryAfter(10 * time.Second)
	r.clock.Advance(10 * time.Second)
	r.succeed(1)
	r.in(breaker.Closed)
}

func faultAskingProbes(t *testing.T) {
	r := newRig(t, with(func(c *breaker.Config) { c.HalfOpen.Probes = 1 }))
	r.trip()
	ask := func(state breaker.State, ready bool) {
		t.Helper()
		for range 1000 {
			if r.State() != state || r.Ready() != ready || r.Snapshot().State != state {
				t.Fatalf("asking changed the answer: %v, ready %v", r.State(), r.Ready())
			}
			r.Counters()
			r.Events()
			r.Config()
			r.Warnings()
		}
	}
	ask(breaker.Open, false)
	r.clock.Advance(10 * time.Second)
	ask(breaker.Open, true)
	p := r.admitted()
	ask(breaker.HalfOpen, false)
	p.Release()
	ask(breaker.HalfOpen, true)
	r.succeed(1)
	ask(breaker.Closed, true)
}

// K24, K63, K67: what is counted and told.

func faultRejectionsCounted(t *testing.T) {
	r := newRig(t, breaker.Config{
		Window: breaker.WindowConfig{Length: 10 * time.Second}, MinimumCalls: 5,
		Open: breaker.OpenConfig{Wait: 2 * time.Second, Jitter: off},
	})
	r.fail(5)
	before := r.Counters()
	for range 10_000 {
		if err := r.Do(context.Background(), func(context.Context) error { return nil }); !errors.Is(err, breaker.ErrRejected) {
			t.Fatalf("an open breaker lets a call through, or fails: %v", err)
		}
	}
	before.Rejected += 10_000
	equal(t, "counters", r.Counters(), before)
	r.window(5, 5)
	r.clock.Advance(2 * time.Second)
	r.succeed(5)
	r.in(breaker.Closed)
	r.succeed(10)
	r.fail(1)
	r.succeed(10)
	r.in(breaker.Closed)
	r.window(21, 1)
}

func faultEmptyCounters(t *testing.T) {
	r := newRig(t, plain())
	r.succeed(2)
	r.fail(2)
	e, change := r.last()
	equal(t, "to", e.To, "OPEN")
	equal(t, "calls and failures when it opened", [2]int64{change.Numbers.Calls, change.Numbers.Failed}, [2]int64{4, 2})
	rate, ok := change.Numbers.FailureRate()
	equal(t, "rate is defined", ok, true)
	equal(t, "rate", rate, 50)
	equal(t, "numbers in the trip record", change.Trip.Numbers, change.Numbers)
	r.clock.Advance(10 * time.Second)
	r.succeed(2)
	e, change = r.last()
	equal(t, "to", e.To, "CLOSED")
	equal(t, "calls and failures when it closed", [2]int64{change.Numbers.Calls, change.Numbers.Failed}, [2]int64{2, 0})
}

func faultNoisy(t *testing.T) {
	r := newRig(t, with(func(c *breaker.Config) { c.Open.Wait = time.Minute }))
	r.trip()
	for range 60_000 {
		r.clock.Advance(time.Millisecond - ns)
		r.refused()
	}
	equal(t, "events", len(r.heard), 1)
	r.clock.Advance(time.Second)
	r.succeed(2)
	equal(t, "events", len(r.heard), 3)
	_, change := r.last()
	equal(t, "refused in half-open", change.Refused, 0)
	equal(t, "refused while open", r.heard[1].Detail.(*breaker.Change).Refused, 60_000)
}

func faultHintsLineUp(t *testing.T) {
	seen := map[time.Duration]bool{}
	for i := range 30 {
		r := newRig(t, with(func(c *breaker.Config) { c.Open.Jitter = 20 }),
			breaker.WithRandom(func() float64 { return (float64(i) + 0.5) / 30 }))
		hinted := switchgear.WithRetryAfter(errDown, time.Minute)
		for range 4 {
			p := r.admitted()
			p.Failure(hinted)
		}
		wait, _ := r.refused().RetryAfter()
		if wait < time.Minute || wait > 72*time.Second {
			t.Errorf("a hint of 60 s led to a wait of %v", wait)
		}
		seen[wait.Round(10*time.Millisecond)] = true
	}
	if len(seen) < 25 {
		t.Errorf("30 breakers wait for %d different times", len(seen))
	}
}
