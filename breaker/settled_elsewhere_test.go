package breaker_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
)

// What others need who hold a permit and judge the call themselves.
func TestPermitForOthers(t *testing.T) {
	t.Run("P2: an outcome that was found elsewhere", func(t *testing.T) {
		for outcome, want := range map[switchgear.Outcome]breaker.Counters{
			switchgear.Success:   {Successful: 1},
			switchgear.Failure:   {Failed: 1},
			switchgear.Ignored:   {Ignored: 1},
			switchgear.Undecided: {Released: 1},
			99:                   {Ignored: 1},
		} {
			r := newRig(t, plain())
			p := r.admitted()
			p.Settle(outcome, errDown)
			equal(t, outcome.String(), r.Counters(), want)
			p.Settle(switchgear.Failure, errDown)
			equal(t, "settled again", r.Counters(), want)
		}
	})
	t.Run("S5: a permit is current as long as its period", func(t *testing.T) {
		r := newRig(t, plain())
		p, settled := r.admitted(), r.admitted()
		equal(t, "admitted", p.Current(), true)
		settled.Success()
		equal(t, "settled", settled.Current(), false)
		r.trip()
		equal(t, "after a trip", p.Current(), false)

		probe := r.probing()
		equal(t, "probe", probe.Current(), true)
		r.Reset("ana", "test")
		equal(t, "after a reset", probe.Current(), false)
	})
	t.Run("P4: a call that did not return", func(t *testing.T) {
		r := newRig(t, plain())
		func() {
			defer func() { equal(t, "goes on", recover(), any("boom")) }()
			p := r.admitted()
			defer p.Unwind()
			panic("boom")
		}()
		equal(t, "panic", r.Counters(), breaker.Counters{Failed: 1})
		done := make(chan struct{})
		go func() {
			defer close(done)
			p := r.admitted()
			defer p.Unwind()
			runtime.Goexit()
		}()
		<-done
		equal(t, "Goexit", r.Counters(), breaker.Counters{Failed: 1, Released: 1})
		func() {
			p := r.admitted()
			defer p.Unwind()
			p.Success()
		}()
		equal(t, "settled", r.Counters(), breaker.Counters{Successful: 1, Failed: 1, Released: 1})
	})
	t.Run("C3: a call that would be slow", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.SlowCall.Duration = time.Second }))
		p := r.admitted()
		r.clock.Advance(time.Second)
		equal(t, "at the limit", p.Slow(), false)
		r.clock.Advance(1)
		equal(t, "beyond", p.Slow(), true)
		p.Start()
		equal(t, "started anew", p.Slow(), false)
		p.Success()
		equal(t, "settled", p.Slow(), false)

		r = newRig(t, plain())
		p = r.admitted()
		r.clock.Advance(time.Hour)
		equal(t, "no such rule", p.Slow(), false)
	})
	t.Run("C1.4: a call that began with too little time", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.EnoughTime = time.Second }))
		for left, want := range map[time.Duration]bool{time.Second - 1: true, time.Second: false} {
			ctx, cancel := context.WithDeadline(context.Background(), r.clock.Now().Add(left))
			p, err := r.Acquire(ctx)
			equal(t, "error", err, nil)
			equal(t, left.String(), p.Hurried(), want)
			cancel()
		}
		p := r.admitted()
		equal(t, "without a deadline", p.Hurried(), false)
	})
}

func TestAcquireInto(t *testing.T) {
	t.Run("P1: like Acquire, and a refusal leaves the zero permit", func(t *testing.T) {
		r := newRig(t, plain())
		var p breaker.Permit
		equal(t, "error", r.AcquireInto(context.Background(), &p), nil)
		p.Failure(errDown)
		equal(t, "failed", r.Counters().Failed, 1)
		r.trip()
		held := r.Counters()
		p = breaker.Permit{}
		err := r.AcquireInto(context.Background(), &p)
		equal(t, "refused", errors.Is(err, breaker.ErrRejected), true)
		p.Success()
		held.Rejected++
		equal(t, "the zero permit counts nothing", r.Counters(), held)

		r.clock.Advance(10 * time.Second)
		equal(t, "probe", r.AcquireInto(context.Background(), &p), nil)
		equal(t, "is one", p.Probe(), true)
	})
}
