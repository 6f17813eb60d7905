package timeout

import (
	"context"
	"time"
)

// A Handle is one call under a limit, from [Timeout.Context] to [Handle.End]. It
// is a small value and may be moved, into the wrapper of a response body for
// instance, but must not be ended through two copies. It is not safe for
// concurrent use, as opposed to the context in it.
//
// The zero Handle has ended.
type Handle struct {
	// Ctx is the context for the call: the caller's with the deadline of the
	// limit. It is done at the limit, when the caller gives up, and when the
	// handle ends.
	Ctx context.Context

	c *limitContext // the same; nil when the handle has ended
}

// Context begins a call whose end is told later, with [Handle.End]. It returns a
// handle with the context for it, or a [*Rejection] if the caller's deadline
// leaves less than [Config.Minimum]. ctx must not be nil.
//
// [Do] is simpler where the call is one function. A handle has to be ended on
// every way out, panics included, or its context stays registered with the
// caller's until the limit:
//
//	h, err := t.Context(ctx)
//	if err != nil {
//		return err
//	}
//	defer h.Release() // does nothing once the handle has ended
//	return h.End(call(h.Ctx))
func (t *Timeout) Context(ctx context.Context) (Handle, error) { return t.begin(ctx, !t.reading.real) }

// Open is [Timeout.Context] for a call whose answer goes on after it, like an HTTP
// response that has a body: [Handle.Keep] keeps its context alive for that. Where
// somebody waits for the context it takes a few allocations more.
func (t *Timeout) Open(ctx context.Context) (Handle, error) { return t.begin(ctx, true) }

// begin begins a call, with a timer that can be lifted or one of package context.
func (t *Timeout) begin(ctx context.Context, ours bool) (Handle, error) {
	start, now := t.reading.take(t.clk)
	c := &limitContext{parent: ctx, t: t, start: start, deadline: now.Add(t.cfg.Limit), own: true, ours: ours}
	if d, ok := ctx.Deadline(); ok {
		if left := d.Sub(now); left < t.minimum {
			return Handle{}, t.reject(left)
		}
		if d.Before(c.deadline) {
			c.deadline, c.own = d, false
		}
	}
	return Handle{Ctx: c, c: c}, nil
}

// End ends the call, which ended in err, and returns the one verdict on it: an
// [*Error] if it took the limit or longer, and the caller had not ended it before,
// else err itself. The context is done from now on.
//
// On a handle that has ended it does nothing and returns err.
func (h *Handle) End(err error) error {
	if h.c == nil {
		return err
	}
	err = h.c.verdict(h.c.t.clk.Mono(), err)
	h.Release()
	return err
}

// Keep ends the call, like End, but keeps the context alive if the verdict is nil: until
// end is called, or the caller gives up. The limit is lifted, unless limited says that it
// holds for the answer too. end may be called from any goroutine, and again. It is nil if
// there is nothing to end.
//
// The context goes on telling its deadline, also when that does not hold any more. The
// limit of a handle that [Timeout.Context] made on the real clock cannot be lifted once
// somebody has waited for its context.
func (h *Handle) Keep(err error, limited bool) (end func(), verdict error) {
	c := h.c
	if c == nil {
		return nil, err
	}
	if verdict = c.verdict(c.t.clk.Mono(), err); verdict != nil {
		h.Release()
		return nil, verdict
	}
	if !limited {
		c.liftLimit()
	}
	h.c = nil
	return c.end, nil
}

// Release ends the call without a verdict, as after a panic: the context is done,
// and nothing is counted. On a handle that has ended it does nothing.
func (h *Handle) Release() {
	if c := h.c; c != nil {
		h.c = nil
		c.end()
	}
}

// verdict judges a call that ended at the instant now.
func (c *limitContext) verdict(now time.Duration, err error) error {
	elapsed := now - c.start
	if elapsed < c.t.cfg.Limit || !c.own {
		return err
	}
	// The function may have gone on for long after its caller had given up. A
	// context that is not done is only waiting for its timer.
	if c.Err() != nil && !c.limited() {
		return err
	}
	return c.t.exceeded(elapsed, err)
}

// limited reports whether it was the limit that ended the context.
func (c *limitContext) limited() bool {
	return c.own && context.Cause(c) == error(c.t.cause)
}
