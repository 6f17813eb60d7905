package adaptive

import (
	"context"

	"github.com/switchgear-go/switchgear"
)

// Do runs fn through the limiter and returns what it returns, or a zero value and a
// [*Rejection] if the limiter refuses the call; then fn does not run. The priority is
// that of ctx.
//
// The error is judged by [switchgear.Judge]: a failure is a dropped call, and a
// refusal by another policy or a caller that gave up says nothing. A panic in fn, and
// a runtime.Goexit, releases the permit and goes on. fn runs in the calling goroutine,
// outside every lock, and is never abandoned.
//
// Do does not allocate, and neither does a closure written in its argument, also when
// it captures variables.
func Do[T any](ctx context.Context, l *Limiter, fn func(context.Context) (T, error)) (v T, err error) {
	permit, err := l.Acquire(ctx)
	if err != nil {
		return v, err
	}
	defer permit.Release()
	v, err = fn(ctx)
	outcome := switchgear.Success
	if err != nil {
		outcome = switchgear.Judge(ctx, err, l.now, l.classify).Health
	}
	permit.Done(outcome)
	return v, err
}

// Do runs fn through the limiter, for calls without a result. See the function [Do].
func (l *Limiter) Do(ctx context.Context, fn func(context.Context) error) error {
	_, err := Do(ctx, l, func(ctx context.Context) (struct{}, error) { return struct{}{}, fn(ctx) })
	return err
}
