package fallback

import "context"

// Do runs call and, if it fails, the first of handlers that matches, as the package
// comment describes. It returns the first answer there is. If there is none, and no
// handler was tried, it returns what call returned; if handlers failed too, a zero
// value and an [*Error].
//
// If call succeeds, Do does not allocate, but causes and functions written in its
// argument may, about once for each handler. A [Fallback] that is made once has none
// of that.
func Do[T any](ctx context.Context, call func(context.Context) (T, error), handlers ...Handler[T]) (T, error) {
	v, err := call(ctx)
	if err == nil {
		return v, nil
	}
	t := Trial[T]{steps: steps(handlers)}
	v, _, err = t.resume(ctx, v, err)
	return v, err
}

// Do is the function [Do] with the fallback's handlers, and counts.
func (f *Fallback[T]) Do(ctx context.Context, call func(context.Context) (T, error)) (T, error) {
	v, err := call(ctx)
	if err == nil {
		f.tally.primary()
		return v, nil
	}
	t := f.Begin()
	v, _, err = t.resume(ctx, v, err)
	return v, err
}

// DoMeta is [Fallback.Do] for callers that want to know, or to log, where the answer
// comes from and which error it hides.
func (f *Fallback[T]) DoMeta(ctx context.Context, call func(context.Context) (T, error)) (T, Meta, error) {
	v, err := call(ctx)
	if err == nil {
		f.tally.primary()
		return v, Meta{}, nil
	}
	t := f.Begin()
	return t.resume(ctx, v, err)
}

// resume goes on after the call has returned v and an error.
func (t *Trial[T]) resume(ctx context.Context, v T, err error) (T, Meta, error) {
	for tried := false; err != nil; tried = true {
		step, ok := t.Next(ctx, err)
		if !ok {
			if tried {
				var zero T
				v = zero
			}
			return v, t.Meta(), t.Err()
		}
		v, err = step.Run(ctx, err)
	}
	t.Done()
	return v, t.Meta(), nil
}
