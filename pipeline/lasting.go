package pipeline

import (
	"context"
	"errors"
	"time"
)

// A lastingContext is that of an attempt in a race whose answer goes on after it. A race
// ends the context of each attempt that fails, but a bad answer may be all that the
// caller gets, and must then be readable: so it can be cut loose from the race.
type lastingContext struct {
	context.Context                 // ends when the attempt's does, and has its values
	attempt         context.Context // has the deadline
}

// Deadline returns that of the attempt.
func (c *lastingContext) Deadline() (deadline time.Time, ok bool) { return c.attempt.Deadline() }

// Err tells a deadline from a cancellation, which the cause does.
func (c *lastingContext) Err() error {
	err := c.Context.Err()
	if err != nil && errors.Is(context.Cause(c.Context), context.DeadlineExceeded) {
		return context.DeadlineExceeded
	}
	return err
}

// lasting goes on to policy i with a context that, if the answer is bad, lives on until
// the answer ends, or until outer does.
func (f *flight) lasting(ctx, outer context.Context, i int) error {
	inner, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	follow := func(ctx context.Context) (stop func() bool) {
		return context.AfterFunc(ctx, func() { cancel(cause(ctx)) })
	}
	stop := follow(ctx)
	lives := false
	defer func() {
		if !lives {
			stop()
			cancel(nil)
		}
	}()
	err := f.next(&lastingContext{inner, ctx}, i)
	switch {
	case err == nil:
		lives = true
		f.kept = append(f.kept, func() { stop(); cancel(nil) }) // the race would end it a moment later
	case f.job.answered():
		lives = true
		if stop() {
			stop = follow(outer)
			f.kept = append(f.kept, func() { stop(); cancel(nil) })
		}
	}
	return err
}

// cause returns why ctx has ended, so that a deadline is still seen to be one.
func cause(ctx context.Context) error {
	err, why := ctx.Err(), context.Cause(ctx)
	if errors.Is(err, context.DeadlineExceeded) && !errors.Is(why, context.DeadlineExceeded) {
		return err
	}
	return why
}
