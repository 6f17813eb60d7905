package timeout

import (
	"context"
	"sync"
	"time"
)

// A clockContext is what context.WithDeadlineCause makes, on a clock that is not
// the machine's.
//
// It holds a context of package context that ends when it does, because only such
// a one can have a cause. It cannot be that context alone, whose error would be
// Canceled at the limit. Its own channel keeps package context from taking the one
// for the other: contexts derived from it are then told by its AfterFunc method,
// without a goroutine each, and get its error.
type clockContext struct {
	parent   context.Context
	deadline time.Time
	done     chan struct{}

	inner  context.Context
	cancel context.CancelCauseFunc // of inner

	// mu guards err. Only inner is ended under it, so that whoever sees an error
	// sees the cause too; inner tells nobody but AfterFunc's goroutines.
	mu  sync.Mutex
	err error
}

// It returns the context, what ends it, and what lifts the limit without ending it. The
// limit counts from start; if it is not own there is none, and deadline is the parent's.
func (t *Timeout) clockContext(parent context.Context, deadline time.Time, start time.Duration, own bool) (_ context.Context, cancel context.CancelFunc, lift func()) {
	c := &clockContext{parent: parent, deadline: deadline, done: make(chan struct{})}
	// Values come from parent; inner is told of the end by c alone.
	c.inner, c.cancel = context.WithCancelCause(context.WithoutCancel(parent))
	stopParent := func() bool { return true }
	if parent.Done() != nil {
		stopParent = context.AfterFunc(parent, c.follow)
	}
	if !own {
		return c, func() { stopParent(); c.end(context.Canceled, nil) }, func() {}
	}
	timer := t.clk.AfterFunc(start+t.cfg.Limit-t.clk.Mono(), func() {
		stopParent()
		if c.Err() == nil { // the parent may have ended just now
			c.end(context.DeadlineExceeded, t.cause)
		}
	})
	lift = func() { timer.Stop() }
	return c, func() { timer.Stop(); stopParent(); c.end(context.Canceled, nil) }, lift
}

// follow ends the context after its parent. Package context calls it in a
// goroutine of its own, and so a moment later; Done and Err do not wait for that,
// since in virtual time a moment later may be never.
func (c *clockContext) follow() {
	if err := c.parent.Err(); err != nil {
		c.end(err, context.Cause(c.parent))
	}
}

// end ends the context. Only the first end counts.
func (c *clockContext) end(err, cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
		close(c.done)
		c.cancel(cause)
	}
}

// Deadline implements [context.Context].
func (c *clockContext) Deadline() (time.Time, bool) { return c.deadline, true }

// Done implements [context.Context].
func (c *clockContext) Done() <-chan struct{} {
	c.follow()
	return c.done
}

// Err implements [context.Context].
func (c *clockContext) Err() error {
	c.follow()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Value implements [context.Context]. It goes by way of inner, where package
// context finds the cause.
func (c *clockContext) Value(key any) any { return c.inner.Value(key) }

// AfterFunc calls f in a goroutine of its own when the context has ended. See
// [context.AfterFunc].
func (c *clockContext) AfterFunc(f func()) (stop func() bool) { return context.AfterFunc(c.inner, f) }
