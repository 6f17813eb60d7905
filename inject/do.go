package inject

import (
	"context"
	"time"
)

// Do calls fn, unless the injector is on and strikes the call: then it may wait first,
// and may fail, hang or panic in fn's place. An injected failure is an [*Error]; one
// whose context ended meanwhile matches the context's error too.
//
// fn runs in the calling goroutine, and what it returns is returned as it is. While the
// injector is off, Do costs one atomic load above fn.
func Do[T any](ctx context.Context, i *Injector, fn func(context.Context) (T, error)) (T, error) {
	if err := i.Disturb(ctx); err != nil {
		var none T
		return none, err
	}
	return fn(ctx)
}

// Do calls fn, for calls without a result. See the function [Do].
func (i *Injector) Do(ctx context.Context, fn func(context.Context) error) error {
	if err := i.Disturb(ctx); err != nil {
		return err
	}
	return fn(ctx)
}

// Disturb is what [Do] does before it makes the call, for those who make it themselves:
// it carries out what is drawn, and returns nil if the call is to be made.
func (i *Injector) Disturb(ctx context.Context) error {
	if p := i.cur.Load(); p != nil {
		return i.disturb(ctx, p)
	}
	return nil
}

// disturb carries out what is drawn for the call. It returns nil if the call is to be
// made.
func (i *Injector) disturb(ctx context.Context, p *period) error {
	e, struck := i.draw(ctx, p)
	if !struck {
		return nil
	}
	if e.Delay > 0 && !i.wait(ctx, e.Delay) {
		return &Error{Name: i.name, Kind: Latency, Err: ctx.Err()}
	}
	switch {
	case e.Err == nil:
		return nil
	case e.Panic:
		panic(e.Err)
	case e.Hang > 0 && !i.wait(ctx, e.Hang):
		hung := *e.Err.(*Error)
		hung.Err = ctx.Err()
		return &hung
	}
	return e.Err
}

// wait lets d pass on the injector's clock. It returns false if ctx ended before.
func (i *Injector) wait(ctx context.Context, d time.Duration) bool {
	up := make(chan struct{})
	timer := i.clk.AfterFunc(d, func() { close(up) })
	select {
	case <-up:
		return true
	case <-ctx.Done():
		timer.Stop()
		return false
	}
}
