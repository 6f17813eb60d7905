package timeout

import (
	"context"
	"time"
)

// Deadline decides about a call that begins at the instant now of the clock's
// Mono: it returns the instant at which the call must end, or a [*Rejection] if
// the caller leaves it less than [Config.Minimum]. That instant is now plus the
// limit, or the caller's own deadline if it comes before; it is never before now.
//
// Deadline neither waits nor starts anything. It is for code that keeps the time
// itself; see [Timeout.Judge] for the other half.
func (t *Timeout) Deadline(ctx context.Context, now time.Duration) (at time.Duration, err error) {
	wait := t.cfg.Limit
	if d, ok := ctx.Deadline(); ok {
		left := d.Sub(t.clk.Now())
		if left < t.minimum {
			return 0, t.reject(left)
		}
		wait = min(wait, max(left, 0))
	}
	return now + wait, nil
}

// Judge is the one verdict on a call that ran from start to now, both readings of
// the clock's Mono, and ended in err: err itself if it took less than the limit,
// else an [*Error]. The timeout is counted.
//
// It is for code that keeps the time itself. A call that ended because the caller's
// own deadline came before the limit, or because the caller gave up, is not for
// this policy to judge.
func (t *Timeout) Judge(start, now time.Duration, err error) error {
	if elapsed := now - start; elapsed >= t.cfg.Limit {
		return t.exceeded(elapsed, err)
	}
	return err
}

// exceeded counts a timeout and makes its error.
func (t *Timeout) exceeded(elapsed time.Duration, err error) error {
	t.timedOut.Add(1)
	e := &Error{Name: t.name, Limit: t.cfg.Limit, Elapsed: elapsed}
	if !t.saysNothing(err) {
		e.Err = err
	}
	return e
}

// reject counts and makes a refusal for want of time.
func (t *Timeout) reject(left time.Duration) error {
	t.rejected.Add(1)
	return &Rejection{Name: t.name, Reason: TooLittleTime, Left: left, Minimum: t.cfg.Minimum}
}
