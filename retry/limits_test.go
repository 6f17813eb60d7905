package retry_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/backoff"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/retry"
)

var background = context.Background()

func TestAttempts(t *testing.T) {
	t.Run("K30: unlimited is unlimited", func(t *testing.T) {
		r := newRig(t, retry.Config{Attempts: off, Backoff: plain})
		equal(t, "error", r.run(background, failing(7, errDown)), nil)
		equal(t, "attempts", len(r.began), 8)
	})
	t.Run("K30: unlimited goes on far beyond what a delay can count", func(t *testing.T) {
		r := newRig(t, retry.Config{Attempts: off, Backoff: plain})
		equal(t, "error", r.run(background, failing(3_000, errDown)), nil)
		equal(t, "attempts", len(r.began), 3_001)
		equal(t, "last wait", r.began[3_000]-r.began[2_999], 10*time.Second)
	})
	t.Run("K30: 1 is one attempt and no wait", func(t *testing.T) {
		r := newRig(t, retry.Config{Attempts: 1, Backoff: plain})
		gaveUp(t, r.run(background, failing(ever, errDown)), retry.ByAttempts, 1)
		equal(t, "began", r.began, []time.Duration{0})
	})
	t.Run("K30: 2 is two attempts", func(t *testing.T) {
		r := newRig(t, retry.Config{Attempts: 2, Backoff: plain})
		e := gaveUp(t, r.run(background, failing(ever, errDown)), retry.ByAttempts, 2)
		matches(t, e, errDown)
		equal(t, "began", r.began, []time.Duration{0, time.Second})
	})
	t.Run("K30: 0 is the default of 3", func(t *testing.T) {
		r := newRig(t, retry.Config{Backoff: plain})
		gaveUp(t, r.run(background, failing(ever, errDown)), retry.ByAttempts, 3)
		equal(t, "began", r.began, []time.Duration{0, time.Second, 3 * time.Second})
	})
	t.Run("a final error is returned as it is, from whichever attempt", func(t *testing.T) {
		r := newRig(t, retry.Config{Backoff: plain})
		equal(t, "first", r.run(background, failing(ever, errFinal)), errFinal)
		equal(t, "second", r.run(background, func(attempt int) error {
			if attempt == 2 {
				return errFinal
			}
			return errDown
		}), errFinal)
		equal(t, "final", r.Counters().Final, 2)
	})
	t.Run("what ended well is not repeated, error or not", func(t *testing.T) {
		r := newRig(t, retry.Config{Backoff: plain})
		found := switchgear.MarkSuccess(errors.New("not found"))
		equal(t, "error", r.run(background, func(attempt int) error {
			if attempt == 1 {
				return errDown
			}
			return found
		}), found)
		c := r.Counters()
		equal(t, "recovered, final", [2]uint64{c.Recovered, c.Final}, [2]uint64{1, 0})
	})
}

func TestElapsed(t *testing.T) {
	fifteen := backoff.Config{Initial: time.Second, Factor: 1.5, Max: 15 * time.Second, Jitter: backoff.None}
	t.Run("K31: limited to 15 minutes", func(t *testing.T) {
		r := newRig(t, retry.Config{Attempts: off, MaxElapsed: 15 * time.Minute, Backoff: fifteen})
		e := gaveUp(t, r.run(background, failing(ever, errDown)), retry.ByElapsed, len(r.began))
		matches(t, e, errDown)
		last := r.began[len(r.began)-1]
		if last >= 15*time.Minute || last < 15*time.Minute-15*time.Second {
			t.Errorf("the last attempt began at %v", last)
		}
		equal(t, "elapsed", e.Elapsed, last)
		equal(t, "ended at", r.clk.Mono(), last)
	})
	t.Run("K31: without a limit, for an hour", func(t *testing.T) {
		r := newRig(t, retry.Config{Attempts: off, MaxElapsed: off, Backoff: fifteen})
		equal(t, "error", r.run(background, func(int) error {
			if r.clk.Mono() < time.Hour {
				return errDown
			}
			return nil
		}), nil)
		half := 0
		for i, at := range r.began {
			if i > 0 && at-r.began[i-1] < r.Config().Backoff.Floor {
				t.Errorf("attempt %d after %v", i+1, at-r.began[i-1])
			}
			if at >= 30*time.Minute && at < time.Hour {
				half++
			}
		}
		if half < 110 || half > 130 {
			t.Errorf("%d attempts in the second half hour", half)
		}
	})
	t.Run("K31: never two attempts without a wait, whatever chance has in store", func(t *testing.T) {
		for _, j := range []backoff.Jitter{backoff.Full, backoff.Equal, backoff.Decorrelated} {
			r := newRig(t, retry.Config{Attempts: 100, Backoff: backoff.Config{Jitter: j}}, retry.WithRandom(func() float64 { return 0 }))
			gaveUp(t, r.run(background, failing(ever, errDown)), retry.ByAttempts, 100) // run checks every wait
		}
	})
	t.Run("K32: the last real error is in the result", func(t *testing.T) {
		r := newRig(t, retry.Config{MaxElapsed: 2500 * ms, Backoff: plain})
		e := gaveUp(t, r.run(background, failing(ever, errDown)), retry.ByElapsed, 2)
		matches(t, e, errDown, retry.ErrExhausted)
		equal(t, "last", e.Last, errDown)
	})
	t.Run("an attempt may begin just before, but not at, the limit", func(t *testing.T) {
		r := newRig(t, retry.Config{MaxElapsed: time.Second + 1, Backoff: plain})
		gaveUp(t, r.run(background, failing(ever, errDown)), retry.ByElapsed, 2)
		r = newRig(t, retry.Config{MaxElapsed: time.Second, Backoff: plain})
		gaveUp(t, r.run(background, failing(ever, errDown)), retry.ByElapsed, 1)
	})
	t.Run("the time of the attempts counts", func(t *testing.T) {
		r := newRig(t, retry.Config{MaxElapsed: 10 * time.Second, Backoff: plain})
		e := gaveUp(t, r.run(background, func(int) error { r.clk.Advance(6 * time.Second); return errDown }), retry.ByElapsed, 2)
		equal(t, "elapsed", e.Elapsed, 13*time.Second)
	})
	t.Run("C5: a wall clock that jumps changes nothing", func(t *testing.T) {
		r := newRig(t, retry.Config{MaxElapsed: 10 * time.Second, Backoff: plain})
		gaveUp(t, r.run(background, func(int) error { r.clk.JumpWall(time.Hour); return errDown }), retry.ByAttempts, 3)
	})
}

func TestDeadline(t *testing.T) {
	t.Run("K32: a wait that does not fit is not begun", func(t *testing.T) {
		r := newRig(t, retry.Config{Backoff: plain})
		e := gaveUp(t, r.run(within(r.clk, 2500*ms), failing(ever, errDown)), retry.ByDeadline, 2)
		matches(t, e, errDown, context.DeadlineExceeded)
		equal(t, "ended at", r.clk.Mono(), time.Second)
	})
	t.Run("an attempt at the deadline itself makes no sense", func(t *testing.T) {
		r := newRig(t, retry.Config{Backoff: plain})
		gaveUp(t, r.run(within(r.clk, time.Second), failing(ever, errDown)), retry.ByDeadline, 1)
		gaveUp(t, r.run(within(r.clk, time.Second+1), failing(ever, errDown)), retry.ByDeadline, 2)
	})
	t.Run("K32: the deadline passes in an attempt that fails by itself", func(t *testing.T) {
		r := newRig(t, retry.Config{Backoff: plain})
		e := gaveUp(t, r.run(within(r.clk, 5*time.Second), func(int) error { r.clk.Advance(3 * time.Second); return errDown }), retry.ByDeadline, 2)
		matches(t, e, errDown, context.DeadlineExceeded)
	})
	t.Run("K32: the deadline passes in an attempt that only says so", func(t *testing.T) {
		r := newRig(t, retry.Config{Backoff: plain})
		ctx := within(r.clk, 5*time.Second)
		e := gaveUp(t, r.run(ctx, func(attempt int) error {
			if attempt == 1 {
				return errDown
			}
			r.clk.Advance(10 * time.Second)
			return ctx.Err()
		}), retry.ByDeadline, 2)
		matches(t, e, errDown, context.DeadlineExceeded)
		equal(t, "earlier", e.Earlier, errDown)
	})
	t.Run("a first attempt that the caller ended is returned as it is", func(t *testing.T) {
		r := newRig(t, retry.Config{Backoff: plain})
		ctx, cancel := context.WithCancel(background)
		cancel()
		equal(t, "error", r.run(ctx, func(int) error { return ctx.Err() }), context.Canceled)
		equal(t, "cancelled", r.Counters().GaveUp.Cancelled, 1)
	})
	t.Run("an attempt's own timeout is worth another attempt", func(t *testing.T) {
		r := newRig(t, retry.Config{Backoff: plain})
		equal(t, "error", r.run(within(r.clk, time.Minute), failing(2, context.DeadlineExceeded)), nil)
		e := gaveUp(t, r.run(within(r.clk, 500*ms), failing(2, context.DeadlineExceeded)), retry.ByDeadline, 1)
		equal(t, "last", e.Last, context.DeadlineExceeded)
	})
}

func TestHint(t *testing.T) {
	tooMany := errors.New("429 too many requests")
	cfg := retry.Config{Attempts: 4, MaxHint: 10 * time.Second, Backoff: plain}
	t.Run("K27: a hint longer than MaxHint ends the loop at once", func(t *testing.T) {
		for _, status := range []error{tooMany, errors.New("503 service unavailable")} {
			r := newRig(t, cfg)
			e := gaveUp(t, r.run(background, failing(ever, switchgear.WithRetryAfter(status, time.Hour))), retry.ByHint, 1)
			matches(t, e, status)
			equal(t, "hint", e.Hint, time.Hour)
			equal(t, "ended at", r.clk.Mono(), 0)
			wait, known := switchgear.RetryAfter(e)
			equal(t, "hint by way of the chain", wait, time.Hour)
			equal(t, "known", known, true)
		}
	})
	t.Run("K27: the default of MaxHint is a minute", func(t *testing.T) {
		r := newRig(t, retry.Config{Backoff: plain})
		equal(t, "error", r.run(background, failing(1, switchgear.WithRetryAfter(tooMany, time.Minute))), nil)
		equal(t, "began", r.began, []time.Duration{0, time.Minute})
		gaveUp(t, r.run(background, failing(1, switchgear.WithRetryAfter(tooMany, time.Minute+1))), retry.ByHint, 1)
	})
	t.Run("K28: a hint is not rounded, and one that is past makes no difference", func(t *testing.T) {
		for _, tt := range []struct{ hint, wait time.Duration }{
			{0, 1000 * ms}, {-time.Minute, 1000 * ms}, {1300 * ms, 1300 * ms}, {9 * time.Second, 9 * time.Second},
			{300 * ms, 1000 * ms}, // the backoff is longer
		} {
			r := newRig(t, cfg)
			l := r.Begin()
			j := again
			j.NotBefore = tt.hint
			delay, ok := l.Next(background, tooMany, j)
			equal(t, "again", ok, true)
			equal(t, "delay", delay, tt.wait)
		}
	})
	t.Run("K77: callers with one hint spread out, and never come early", func(t *testing.T) {
		r := newRig(t, retry.Config{}, retry.WithRandom(seeded(t).Float64))
		seen := map[time.Duration]bool{}
		for range 30 {
			l := r.Begin()
			j := again
			j.NotBefore = time.Minute
			delay, ok := l.Next(background, tooMany, j)
			if !ok || delay < time.Minute || delay > 72*time.Second {
				t.Errorf("wait %v, %v", delay, ok)
			}
			seen[delay.Round(10*ms)] = true
		}
		if len(seen) < 25 {
			t.Errorf("%d different waits of 30", len(seen))
		}
	})
	t.Run("Off takes no hints", func(t *testing.T) {
		r := newRig(t, retry.Config{MaxHint: off, Backoff: plain})
		equal(t, "error", r.run(background, failing(1, switchgear.WithRetryAfter(tooMany, time.Hour))), nil)
		equal(t, "began", r.began, []time.Duration{0, time.Second})
	})
	t.Run("a hint that does not fit ends the loop at once", func(t *testing.T) {
		r := newRig(t, cfg)
		hinted := switchgear.WithRetryAfter(tooMany, 5*time.Second)
		e := gaveUp(t, r.run(within(r.clk, 4*time.Second), failing(ever, hinted)), retry.ByDeadline, 1)
		equal(t, "hint", e.Hint, 5*time.Second)
		cfg := cfg
		cfg.MaxElapsed = 4 * time.Second
		r = newRig(t, cfg)
		gaveUp(t, r.run(background, failing(ever, hinted)), retry.ByElapsed, 1)
		equal(t, "ended at", r.clk.Mono(), 0)
	})
	t.Run("a long hint does not lengthen the delays after it", func(t *testing.T) {
		r := newRig(t, retry.Config{Backoff: backoff.Config{Jitter: backoff.Decorrelated, Initial: time.Second, Max: 4 * time.Second, Spread: off}},
			retry.WithRandom(func() float64 { return 1 }))
		equal(t, "error", r.run(background, func(attempt int) error {
			switch attempt {
			case 1:
				return switchgear.WithRetryAfter(tooMany, time.Minute)
			case 2:
				return errDown
			}
			return nil
		}), nil)
		equal(t, "began", r.began, []time.Duration{0, time.Minute, time.Minute + 4*time.Second})
	})
}

func TestRefusal(t *testing.T) {
	opened := func(t *testing.T, r *rig) *breaker.Breaker {
		b := breaker.Must(breaker.New("stock", breaker.Config{ConsecutiveFailures: 1, Open: breaker.OpenConfig{Jitter: off}}, breaker.WithClock(r.clk)))
		_ = b.Do(background, func(context.Context) error { return errDown })
		return b
	}
	t.Run("K33: an open breaker ends the loop at once", func(t *testing.T) {
		r := newRig(t, retry.Config{Backoff: plain})
		b := opened(t, r)
		err := r.run(background, func(int) error {
			return b.Do(background, func(context.Context) error { t.Error("called"); return nil })
		})
		matches(t, err, breaker.ErrRejected, switchgear.ErrRejected)
		equal(t, "began", r.began, []time.Duration{0})
		equal(t, "rejected", b.Counters().Rejected, 1)
		equal(t, "the refusal itself", errors.Is(err, retry.ErrExhausted), false)
		equal(t, "refused", r.Counters().GaveUp.Refused, 1)
	})
	t.Run("K33: in the middle, with the error that came before", func(t *testing.T) {
		r := newRig(t, retry.Config{Attempts: 5, Backoff: plain})
		full := &refusal{}
		e := gaveUp(t, r.run(background, func(attempt int) error {
			if attempt == 3 {
				return full
			}
			return errDown
		}), retry.ByRefusal, 3)
		matches(t, e, errDown, switchgear.ErrRejected)
		equal[error](t, "last", e.Last, full)
		equal(t, "earlier", e.Earlier, errDown)
	})
	t.Run("K33: WaitRejected waits for the open breaker", func(t *testing.T) {
		r := newRig(t, retry.Config{WaitRejected: true, Backoff: plain})
		b := opened(t, r)
		calls := 0
		equal(t, "error", r.run(background, func(int) error {
			return b.Do(background, func(context.Context) error { calls++; return nil })
		}), nil)
		equal(t, "began", r.began, []time.Duration{0, 30 * time.Second})
		equal(t, "calls that reached the dependency", calls, 1)
	})
	t.Run("K33, K77: WaitRejected spreads upwards", func(t *testing.T) {
		r := newRig(t, retry.Config{WaitRejected: true}, retry.WithRandom(func() float64 { return 0.5 }))
		equal(t, "error", r.run(background, failing(1, &refusal{30 * time.Second, true})), nil)
		equal(t, "began", r.began, []time.Duration{0, 33 * time.Second})
	})
	t.Run("WaitRejected does not wait", func(t *testing.T) {
		cfg := retry.Config{WaitRejected: true, Backoff: plain}
		full := &refusal{30 * time.Second, true}
		t.Run("for what is not known", func(t *testing.T) {
			r := newRig(t, cfg)
			unknown := &refusal{}
			equal[error](t, "error", r.run(background, failing(ever, unknown)), unknown)
		})
		t.Run("past the deadline", func(t *testing.T) {
			r := newRig(t, cfg)
			e := gaveUp(t, r.run(within(r.clk, 29*time.Second), failing(ever, full)), retry.ByDeadline, 1)
			matches(t, e, switchgear.ErrRejected, context.DeadlineExceeded)
			equal(t, "hint", e.Hint, 30*time.Second)
		})
		t.Run("past MaxElapsed", func(t *testing.T) {
			cfg := cfg
			cfg.MaxElapsed = 30 * time.Second
			r := newRig(t, cfg)
			matches(t, gaveUp(t, r.run(background, failing(ever, full)), retry.ByElapsed, 1), switchgear.ErrRejected)
		})
		t.Run("more often than there are attempts", func(t *testing.T) {
			r := newRig(t, cfg)
			matches(t, gaveUp(t, r.run(background, failing(ever, full)), retry.ByAttempts, 3), switchgear.ErrRejected)
			equal(t, "ended at", r.clk.Mono(), time.Minute)
		})
	})
	t.Run("MaxHint does not bound the wait for a refusal", func(t *testing.T) {
		r := newRig(t, retry.Config{WaitRejected: true, MaxHint: time.Second, Backoff: plain})
		equal(t, "error", r.run(background, failing(1, &refusal{time.Hour, true})), nil)
		equal(t, "began", r.began, []time.Duration{0, time.Hour})
	})
	t.Run("K31: a refusal that is over already is no reason not to wait", func(t *testing.T) {
		for _, wait := range []time.Duration{0, -1} {
			r := newRig(t, retry.Config{WaitRejected: true, Backoff: plain})
			equal(t, "error", r.run(background, failing(1, &refusal{wait, true})), nil)
			equal(t, "began", r.began, []time.Duration{0, time.Second})
		}
	})
	t.Run("a refusal that the caller marked repeatable is repeated", func(t *testing.T) {
		r := newRig(t, retry.Config{Backoff: plain})
		equal(t, "error", r.run(background, failing(1, switchgear.MarkRepeatable(&refusal{}))), nil)
		equal(t, "began", r.began, []time.Duration{0, time.Second})
	})
}
