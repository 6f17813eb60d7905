package timeout

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// A limitContext is the context of a call under a limit. Most calls end before anybody
// has waited for their context or derived another from it, and these do not pay for a
// timer: until somebody does, the clock and the parent tell whether it has ended. Then
// a context is made that has a timer, and that one is asked from then on.
//
// While nobody looks, nobody sees which came first, the limit or a parent that was
// canceled. Then the parent counts, so that no call is held against a dependency whose
// caller had perhaps given up.
type limitContext struct {
	parent   context.Context
	t        *Timeout
	start    time.Duration // on the Mono of the clock
	deadline time.Time
	own      bool // the limit comes before any deadline of the parent's
	ours     bool // a timer is to be one that can be lifted

	lifted atomic.Bool // the limit does not hold any more
	ended  atomic.Bool // by end, before there was a timer
	armed  atomic.Bool // what is below is set, and stays

	// mu makes sure that the rest is set once. It is the call's own lock: nobody
	// who is asked under it, like the parent, has a way to it.
	mu     sync.Mutex
	inner  context.Context
	cancel context.CancelFunc
	lift   func()
}

// arm returns the context that has a timer, or one that needs none any more.
func (c *limitContext) arm() context.Context {
	if c.armed.Load() {
		return c.inner
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.armed.Load() {
		return c.inner
	}
	gone := c.parent.Err()
	switch limited := c.own && !c.lifted.Load(); {
	case c.ended.Load():
		c.inner, c.cancel = context.WithCancel(context.WithoutCancel(c.parent))
		c.cancel()
	case c.expired(gone):
		c.inner, c.cancel = context.WithDeadlineCause(context.WithoutCancel(c.parent), time.Time{}, c.t.cause)
	case c.ours && gone == nil:
		c.inner, c.cancel, c.lift = c.t.clockContext(c.parent, c.deadline, c.start, limited)
	case !limited || gone != nil: // its end is the parent's
		c.inner, c.cancel = context.WithCancel(c.parent)
	default:
		c.inner, c.cancel = context.WithDeadlineCause(c.parent, c.deadline, c.t.cause)
	}
	c.armed.Store(true)
	return c.inner
}

// end ends the context, unless it has ended.
func (c *limitContext) end() {
	if c.armed.Load() {
		c.cancel()
		return
	}
	gone := c.parent.Err() != nil // then that is its error, and stays so
	c.mu.Lock()
	armed := c.armed.Load()
	if !armed && !gone {
		c.ended.Store(true)
	}
	c.mu.Unlock()
	if armed {
		c.cancel()
	}
}

// liftLimit lets the context go on without the limit, where that is possible.
func (c *limitContext) liftLimit() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lifted.Store(true)
	if c.lift != nil {
		c.lift()
	}
}

// Deadline implements [context.Context].
func (c *limitContext) Deadline() (time.Time, bool) { return c.deadline, true }

// Done implements [context.Context].
func (c *limitContext) Done() <-chan struct{} { return c.arm().Done() }

// Err implements [context.Context].
func (c *limitContext) Err() error {
	if c.armed.Load() {
		return c.inner.Err()
	}
	if c.ended.Load() {
		return context.Canceled
	}
	err := c.parent.Err()
	if c.expired(err) {
		return c.arm().Err() // which has the cause, too
	}
	return err
}

// expired reports whether the limit has passed, and as far as can be seen before the end
// of the parent, which has the error err.
func (c *limitContext) expired(err error) bool {
	// The parent's deadline is later: had only that passed, the limit would have, too.
	return c.own && (err == nil || err == context.DeadlineExceeded) &&
		!c.lifted.Load() && c.t.clk.Mono()-c.start >= c.t.cfg.Limit
}

// Value implements [context.Context].
func (c *limitContext) Value(key any) any {
	if c.armed.Load() {
		return c.inner.Value(key)
	}
	return c.parent.Value(key)
}

// AfterFunc calls f in a goroutine of its own when the context has ended. Package
// context uses it where it cannot see through to a context of its own.
func (c *limitContext) AfterFunc(f func()) (stop func() bool) { return context.AfterFunc(c.arm(), f) }
