package retry

import (
	"context"
	"errors"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/budget"
)

// decide looks at one limit after the other: those that say most about why first,
// and the budget last, so that nothing is withdrawn for an attempt that is not
// made.
func (l *Loop) decide(ctx context.Context, err error, j switchgear.Judgement, refused bool) (delay time.Duration, again bool) {
	r := l.r
	if ctx != nil && ctx.Err() != nil {
		l.hint = j.NotBefore
		gone := contextError(ctx)
		l.silent = errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx))
		return 0, l.stop(cancelledBy(gone), gone)
	}
	wait, hinted := j.NotBefore, j.NotBefore > 0
	// A refusal is final, unless it was marked as worth another attempt; then it is
	// an error like any other.
	waits := refused && j.Repeat != switchgear.RepeatYes
	if waits {
		wait, hinted = switchgear.RetryAfter(err)
		l.hint = max(wait, 0)
		if !r.cfg.WaitRejected || !hinted {
			return 0, l.stop(ByRefusal, nil)
		}
		hinted = wait > 0
	} else {
		l.hint = max(wait, 0)
		if j.Repeat != switchgear.RepeatYes {
			return 0, false
		}
	}
	if r.cfg.Attempts != off && l.attempt >= r.cfg.Attempts {
		return 0, l.stop(ByAttempts, nil)
	}
	switch {
	case waits && hinted:
		delay = r.backoff.Hinted(wait, r.random)
	case hinted && r.cfg.MaxHint != off:
		if wait > r.cfg.MaxHint {
			return 0, l.stop(ByHint, nil)
		}
		// The hint says how early it makes sense; the backoff, how much of it the
		// dependency can take.
		delay = max(r.backoff.Hinted(wait, r.random), r.backoff.Delay(l.attempt, l.delay, r.random))
	default:
		delay = r.backoff.Delay(l.attempt, l.delay, r.random)
	}
	if r.cfg.MaxElapsed != off && delay >= r.cfg.MaxElapsed-(r.clk.Mono()-l.start) {
		return 0, l.stop(ByElapsed, nil)
	}
	if ctx != nil {
		if deadline, ok := ctx.Deadline(); ok && delay >= deadline.Sub(r.now()) {
			return 0, l.stop(ByDeadline, context.DeadlineExceeded)
		}
	}
	if r.budget != nil {
		extra, ok := r.withdraw(err)
		if !ok {
			return 0, l.stop(ByBudget, r.budget.Exhausted())
		}
		l.extra = extra
	}
	return delay, true
}

// withdraw asks the budget for an attempt after one that ended in err.
func (r *Retry) withdraw(err error) (budget.Withdrawal, bool) {
	if timedOut(err) {
		return r.budget.WithdrawTimeout()
	}
	return r.budget.Withdraw()
}

// timedOut reports whether err says so of itself, as those of packages context, net
// and os do.
func timedOut(err error) bool {
	t, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	return ok && t.Timeout()
}

// stop notes what ends the loop, and returns false.
func (l *Loop) stop(limit Limit, cause error) bool {
	l.limit, l.cause = limit, cause
	return false
}

func cancelledBy(cause error) Limit {
	if errors.Is(cause, context.DeadlineExceeded) {
		return ByDeadline
	}
	return ByCancellation
}
