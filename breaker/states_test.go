package breaker_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/event"
)

var everyState = []breaker.State{
	breaker.Closed, breaker.Open, breaker.HalfOpen, breaker.Disabled, breaker.MetricsOnly, breaker.ForcedOpen,
}

func TestStates(t *testing.T) {
	t.Run("S1: CLOSED admits every call and records its outcome", func(t *testing.T) {
		r := newRig(t, plain())
		r.in(breaker.Closed)
		equal(t, "ready", r.Ready(), true)
		r.succeed(2)
		r.fail(1)
		r.ignore(1)
		r.window(3, 1)
	})

	t.Run("S2: OPEN refuses every call without running it until the interval has passed", func(t *testing.T) {
		r := newRig(t, plain())
		r.trip()
		ran := 0
		call := func() error {
			return r.Do(context.Background(), func(context.Context) error { ran++; return nil })
		}
		for range 10 {
			if err := call(); !errors.Is(err, breaker.ErrRejected) {
				t.Errorf("an open breaker returns %v", err)
			}
			r.clock.Advance(time.Second - ns)
		}
		equal(t, "calls that ran", ran, 0)
		r.clock.Advance(10 * ns)
		equal(t, "error of the first probe", call(), nil)
		equal(t, "calls that ran", ran, 1)
	})

	t.Run("S3: HALF_OPEN admits a bounded number of probes and refuses the rest", func(t *testing.T) {
		r := newRig(t, plain())
		p := r.probing()
		q := r.admitted()
		equal(t, "both are probes", [2]bool{p.Probe(), q.Probe()}, [2]bool{true, true})
		for range 5 {
			equal(t, "state of the refusal", r.refused().State, breaker.HalfOpen)
		}
	})

	t.Run("S5: a late outcome is dropped and counted", func(t *testing.T) {
		for name, settle := range map[string]func(*breaker.Permit){
			"success": (*breaker.Permit).Success,
			"failure": func(p *breaker.Permit) { p.Failure(errDown) },
			"ignored": (*breaker.Permit).Ignore,
			"release": (*breaker.Permit).Release,
			"done":    func(p *breaker.Permit) { p.Done(errDown) },
		} {
			for _, to := range everyState {
				r := newRig(t, plain())
				stale := r.admitted()
				r.move(to)
				before := r.Snapshot()
				settle(&stale)
				after := r.Snapshot()
				before.Counters.Late++
				equal(t, name+" late in "+to.String(), after, before)
			}
		}
	})

	t.Run("S5: a late outcome decides nothing, however many there are", func(t *testing.T) {
		r := newRig(t, plain())
		stale := make([]breaker.Permit, 50)
		for i := range stale {
			stale[i] = r.admitted()
		}
		r.probing()
		for i := range stale {
			if i%2 == 0 {
				stale[i].Failure(errDown)
			} else {
				stale[i].Success()
			}
		}
		r.in(breaker.HalfOpen)
		r.window(0)
		equal(t, "late", r.Counters().Late, 50)
	})

	t.Run("S5: every transition starts a period, and its number grows", func(t *testing.T) {
		r := newRig(t, plain())
		last := r.Snapshot().Period
		for range 3 {
			for _, to := range everyState {
				r.move(to)
				if p := r.Snapshot().Period; p <= last {
					t.Errorf("period %d after %d", p, last)
				} else {
					last = p
				}
			}
		}
	})

	t.Run("S6: reading never changes the state", func(t *testing.T) {
		r := newRig(t, plain())
		r.trip()
		r.clock.Advance(time.Hour)
		for range 100 {
			r.in(breaker.Open)
			equal(t, "ready", r.Ready(), true)
			s := r.Snapshot()
			equal(t, "interval passed", s.IntervalPassed, true)
			equal(t, "retry after", s.RetryAfter, 0)
		}
		r.path(breaker.Open)
		r.succeed(1)
		r.in(breaker.HalfOpen)
	})
}

func TestReady(t *testing.T) {
	t.Run("S6: Ready tells what the next call will meet", func(t *testing.T) {
		r := newRig(t, plain())
		for _, c := range []struct {
			to   breaker.State
			want bool
		}{
			{breaker.Closed, true},
			{breaker.Open, false},
			{breaker.HalfOpen, true},
			{breaker.Disabled, true},
			{breaker.MetricsOnly, true},
			{breaker.ForcedOpen, false},
		} {
			r.move(c.to)
			equal(t, "ready in "+c.to.String(), r.Ready(), c.want)
			_, err := r.Acquire(context.Background())
			equal(t, "admitted in "+c.to.String(), err == nil, c.want)
		}
	})

	for _, verdict := range []breaker.Verdict{breaker.ByRate, breaker.ByStreak} {
		// A load balancer asks before it calls. A probe that is out too long is
		// settled only when a call wants its slot, so Ready has to invite one.
		t.Run("S6, P3: who asks Ready first is not shut out by a forgotten probe, by "+verdict.String(), func(t *testing.T) {
			r := newRig(t, with(func(c *breaker.Config) { c.HalfOpen.Probes, c.HalfOpen.Verdict = 1, verdict }))
			r.probing()
			equal(t, "ready while the probe is out", r.Ready(), false)
			for range 3 {
				r.clock.Advance(10 * time.Second)
				if r.Ready() {
					_, _ = r.Acquire(context.Background())
				}
			}
			if n := r.Counters().Probes; n < 2 {
				t.Errorf("after three more intervals: %v, ready %v, %d probe in all", r.State(), r.Ready(), n)
			}
		})
	}
}

func TestStateTexts(t *testing.T) {
	names := []string{"CLOSED", "OPEN", "HALF_OPEN", "DISABLED", "METRICS_ONLY", "FORCED_OPEN"}
	for i, s := range everyState {
		equal(t, "String", s.String(), names[i])
		text, err := json.Marshal(s)
		equal(t, "MarshalText", string(text), `"`+names[i]+`"`)
		equal(t, "MarshalText error", err, nil)
		var back breaker.State
		if err := json.Unmarshal(text, &back); err != nil || back != s {
			t.Errorf("UnmarshalText(%s): got %v, %v", text, back, err)
		}
	}
	equal(t, "no state", breaker.State(9).String(), "State(9)")
	if _, err := breaker.State(9).MarshalText(); err == nil || !strings.Contains(err.Error(), "State(9) is no state") {
		t.Errorf("MarshalText of no state: got error %v", err)
	}
	s := breaker.Disabled
	for _, text := range []string{"", "closed", "HALF-OPEN", "State(1)"} {
		if err := s.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), "is no state; states are [CLOSED OPEN") {
			t.Errorf("UnmarshalText(%q): got error %v", text, err)
		}
	}
	equal(t, "after errors", s, breaker.Disabled)
	equal(t, "verdicts", breaker.ByRate.String()+" "+breaker.ByStreak.String(), "rate streak")
}

func TestTransitions(t *testing.T) {
	t.Run("S7: every transition is exactly one event, and events have one order", func(t *testing.T) {
		r := newRig(t, plain())
		r.trip()
		r.clock.Advance(10 * time.Second)
		r.fail(2)
		r.clock.Advance(10 * time.Second)
		r.succeed(2)
		r.move(breaker.Disabled)
		r.path(breaker.Open, breaker.HalfOpen, breaker.Open, breaker.HalfOpen, breaker.Closed, breaker.Disabled)
		from := breaker.Closed.String()
		for i, e := range r.heard {
			equal(t, "seq", e.Seq, uint64(i+1))
			equal(t, "from", e.From, from)
			equal(t, "kind", e.Kind, event.Transition)
			equal(t, "source and name", e.Source+" "+e.Name, "breaker stock")
			from = e.To
		}
		equal(t, "remembered", r.Events(), r.heard)
	})

	t.Run("S7: Must panics, and only Must", func(t *testing.T) {
		bad := breaker.Config{MinimumCalls: -1}
		_, err := breaker.New("stock", bad)
		defer func() { equal(t, "panic", recover().(error).Error(), err.Error()) }()
		breaker.Must(breaker.New("stock", bad))
		t.Error("Must returns with an error")
	})
}
