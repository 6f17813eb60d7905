package hedge

import (
	"context"
	"errors"
	"fmt"

	"github.com/switchgear-go/switchgear"
)

// Do runs fn, a second time beside the first if that is slow, and returns what the
// attempt that won returned. If all attempts fail the error is that of the only
// attempt, or an [*Error] with all of them, and the value is zero. If ctx ends first
// Do returns at once, with its error and those of the attempts that had failed.
//
// Unless ctx or the configuration says that the call may be made twice, fn simply runs,
// once, on the caller's goroutine.
//
// Each attempt gets a context of its own, from which [switchgear.AttemptOf] tells its
// number; where ctx already belongs to an attempt, as inside a retry, the numbers go
// on from there. The contexts of all attempts have ended when Do returns, also the winner's: for
// a result that still needs its context use [Hold].
func Do[T any](ctx context.Context, h *Hedge, fn func(context.Context) (T, error)) (T, error) {
	return DoWith(ctx, h, nil, fn)
}

// DoWith is [Do] with a function that disposes of the results that come too late: it
// gets the result of every attempt that ended without an error and did not win, on that
// attempt's goroutine, usually after DoWith has returned. A panic in it is swallowed and
// counted. nil is allowed.
func DoWith[T any](ctx context.Context, h *Hedge, discard func(T), fn func(context.Context) (T, error)) (T, error) {
	held, err := Hold(ctx, h, discard, fn)
	held.Release()
	return held.Value, err
}

// Do is the function [Do] for calls without a result.
func (h *Hedge) Do(ctx context.Context, fn func(context.Context) error) error {
	_, err := Do(ctx, h, func(ctx context.Context) (struct{}, error) { return struct{}{}, fn(ctx) })
	return err
}

// Held is the result of a call together with the context it lives in. It is a small
// value and may be copied.
type Held[T any] struct {
	// Value is what the winner returned.
	Value T
	// Attempt is the winner's number in the race, from 1; 0 if there is none.
	Attempt int

	release context.CancelCauseFunc
}

// Release ends the winner's context. It must be called when the value is no longer
// needed, such as when a response body has been read and closed; otherwise the context
// stays until the caller's ends. It may be called again, from any goroutine. Where the
// call was plain there is nothing to release, and it does nothing.
func (h Held[T]) Release() {
	if h.release != nil {
		h.release(nil)
	}
}

// Hold is [DoWith] for a result that needs its context for longer: the winner's context
// lives until [Held.Release], or until ctx ends. If Hold returns an error there is
// nothing to release.
func Hold[T any](ctx context.Context, h *Hedge, discard func(T), fn func(context.Context) (T, error)) (Held[T], error) {
	if !h.hedgeable(ctx) {
		v, err := plain(ctx, h, fn)
		return Held[T]{Value: v, Attempt: 1}, err
	}
	if ctx.Err() != nil {
		return Held[T]{}, endOf(ctx)
	}
	c := newCall(ctx, h, discard, fn)
	defer c.close()
	return c.run()
}

// plain makes a call that is not hedged. If there is a budget to be told of calls, it
// judges the call for that.
func plain[T any](ctx context.Context, h *Hedge, fn func(context.Context) (T, error)) (v T, err error) {
	h.beginPlain()
	if h.budget == nil || h.shared {
		return fn(ctx)
	}
	returned := false
	defer func() {
		if returned {
			return
		}
		if p := recover(); p != nil {
			h.budget.End(switchgear.Failure)
			panic(p)
		}
		h.budget.End(switchgear.Ignored) // runtime.Goexit
	}()
	v, err = fn(ctx)
	o := switchgear.Judge(ctx, err, h.now, h.classify).Health
	returned = true
	h.budget.End(o)
	return v, err
}

// endOf returns the error of a context that has ended, with its cause where that says
// more.
func endOf(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}
