package retry

import (
	"context"

	"github.com/switchgear-go/switchgear"
)

// Do runs fn, again if need be, and returns what its last run returned, or an error
// that says why there was no other run: see [Loop.Err]. Between two runs it blocks,
// until ctx is done at the most.
//
// Errors are judged by [switchgear.Judge]. The context that a second or later run
// gets carries its number, see [switchgear.AttemptOf]. The first run gets ctx itself,
// since most calls need no other: no attempt there, or that of a policy further out,
// means the first.
//
// If fn panics, the attempt counts as a failure, and the panic goes on. So does a
// runtime.Goexit, which counts for nothing. Neither leads to another run.
func Do[T any](ctx context.Context, r *Retry, fn func(context.Context) (T, error)) (v T, err error) {
	l := r.Begin()
	defer l.Unwind()
	for attempt := ctx; ; attempt = l.within(ctx) {
		if v, err = fn(attempt); err == nil {
			l.Done(switchgear.Success)
			return v, nil
		}
		delay, again := l.Next(ctx, err, switchgear.Judge(ctx, err, r.now, r.classify))
		if !again {
			return v, l.Err(err)
		}
		if gone := l.Wait(ctx, delay); gone != nil {
			return v, l.Abandon(gone, err)
		}
	}
}

// Do runs fn, for calls without a result. See the function [Do].
func (r *Retry) Do(ctx context.Context, fn func(context.Context) error) error {
	_, err := Do(ctx, r, func(ctx context.Context) (struct{}, error) { return struct{}{}, fn(ctx) })
	return err
}

// within returns the context of the attempt under way.
func (l *Loop) within(ctx context.Context) context.Context {
	return switchgear.WithAttempt(ctx, switchgear.Attempt{Number: l.attempt})
}

// Unwind ends the loop of a call that did not return: a panic, which goes on, counts as
// a failure, and a runtime.Goexit for nothing. It does nothing once the loop has ended.
// It must be deferred itself, so that recover works in it:
//
//	defer loop.Unwind()
func (l *Loop) Unwind() {
	if l.r == nil || l.over {
		return
	}
	if p := recover(); p != nil {
		l.Done(switchgear.Failure)
		panic(p)
	}
	l.Done(switchgear.Ignored) // runtime.Goexit
}
