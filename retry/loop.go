package retry

import (
	"context"
	"errors"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/budget"
)

// A Loop is the attempts of one call: it decides, and leaves it to its owner to
// make them and to wait. [Retry.Begin] starts one, with its first attempt.
//
// Each attempt ends in one of two ways. It went well, or is given up:
//
//	loop.Done(switchgear.Success)
//
// Or it did not, and the loop decides on another one:
//
//	if delay, again := loop.Next(ctx, err, judgement); !again {
//		return loop.Err(err)
//	} else if gone := loop.Wait(ctx, delay); gone != nil {
//		return loop.Abandon(gone, err)
//	}
//
// A loop that has ended stays so: every method that would end it again does
// nothing. A Loop is a value to be kept in a variable; once it is in use it must
// not be copied. It is not safe for concurrent use. The zero Loop has ended.
type Loop struct {
	r       *Retry
	attempt int
	start   time.Duration // only with MaxElapsed
	delay   time.Duration // the last one
	extra   budget.Withdrawal
	earlier error // of the last attempt that reached the dependency, of those before
	end
}

// end is how a loop ended.
type end struct {
	over    bool
	silent  bool // the last error only says that the caller is gone
	limit   Limit
	cause   error
	hint    time.Duration
	elapsed time.Duration
}

// Begin starts a call: its first attempt is under way. The budget is told.
func (r *Retry) Begin() (l Loop) {
	// Field by field, since a literal would be copied into the result.
	l.r, l.attempt = r, 1
	r.counts.calls.Add(1)
	if r.cfg.MaxElapsed != off {
		l.start = r.clk.Mono()
	}
	if r.budget != nil {
		r.budget.Begin()
	}
	return l
}

// Attempt returns the number of the attempt under way, or waited for; 1 is the
// first. It is 0 for the zero Loop.
func (l *Loop) Attempt() int { return l.attempt }

// Limit returns what ended the loop, or [NoLimit].
func (l *Loop) Limit() Limit { return l.limit }

// Next says that the attempt under way ended in err, judged j, and asks whether
// there is another one. If so, its owner makes it when delay has passed, or calls
// [Loop.Abandon]; the budget counts it from now on. If not, the loop has ended, and
// [Loop.Err] tells what to return.
//
// ctx is the caller's context, not that of the attempt; nil stands for a caller
// that never gives up. An attempt whose result is bad without being an error, such
// as an HTTP response with status 503, has a nil err.
func (l *Loop) Next(ctx context.Context, err error, j switchgear.Judgement) (delay time.Duration, again bool) {
	if l.r == nil || l.over {
		return 0, false
	}
	refused := errors.Is(err, switchgear.ErrRejected)
	l.settle(j.Health, refused)
	// Should a source of chance that is not ours panic, the loop has ended.
	l.over = true
	delay, again = l.decide(ctx, err, j, refused)
	if !again {
		l.ended(j.Health)
		return 0, false
	}
	l.over = false
	if err != nil && !refused {
		l.earlier = err
	}
	l.attempt++
	l.delay = delay
	return delay, true
}

// settle tells the budget, and the counters, how the attempt under way ended. An
// attempt that was refused made no load, and so is given back.
func (l *Loop) settle(o switchgear.Outcome, refused bool) {
	r := l.r
	if l.attempt > 1 {
		r.counts.retries.Add(1)
	}
	switch {
	case r.budget == nil:
	case l.attempt == 1:
		r.budget.End(o)
	case refused:
		l.extra.Cancel()
	default:
		l.extra.Settle(o)
	}
}

// ended counts how the loop ended.
func (l *Loop) ended(o switchgear.Outcome) {
	l.over = true
	n := &l.r.counts
	switch {
	case l.limit != NoLimit:
		n.gaveUp[l.limit].Add(1)
		if l.r.cfg.MaxElapsed != off {
			l.elapsed = l.r.clk.Mono() - l.start
		}
	case o != switchgear.Success:
		n.final.Add(1)
	case l.attempt > 1:
		n.recovered.Add(1)
	}
}

// Done says that the attempt under way ended well, or is given up without asking
// for another: because it panicked, or because its owner has lost interest. The
// loop has ended. [switchgear.Undecided] is taken for Ignored.
func (l *Loop) Done(o switchgear.Outcome) {
	if l.r == nil || l.over {
		return
	}
	if o == switchgear.Undecided {
		o = switchgear.Ignored
	}
	l.settle(o, false)
	l.ended(o)
}
