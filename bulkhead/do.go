package bulkhead

import "context"

// Do runs fn with a permit and returns what it returns, or a zero value and a
// [*Rejection] if there is no permit to be had; then fn does not run. It waits as
// [Bulkhead.Acquire] does.
//
// The permit is given back when fn returns, panics or calls runtime.Goexit. fn runs in
// the calling goroutine, outside every lock, and is never abandoned: pass it a context
// with a deadline if it must end. Do does not allocate where there is room.
func Do[T any](ctx context.Context, b *Bulkhead, fn func(context.Context) (T, error)) (v T, err error) {
	permit, err := b.Acquire(ctx)
	if err != nil {
		return v, err
	}
	defer permit.Release()
	return fn(ctx)
}

// Do runs fn with a permit, for calls without a result. See the function [Do].
func (b *Bulkhead) Do(ctx context.Context, fn func(context.Context) error) error {
	permit, err := b.Acquire(ctx)
	if err != nil {
		return err
	}
	defer permit.Release()
	return fn(ctx)
}
