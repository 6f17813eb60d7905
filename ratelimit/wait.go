package ratelimit

import (
	"context"
	"time"

	"github.com/switchgear-go/switchgear/clock"
)

// Wait asks to begin one call and blocks until it may: at most [Config.MaxWait], and
// less than what ctx's deadline leaves. If the wait would be longer, it refuses at once.
// Those who wait begin in the order in which they asked.
//
// The error is a [*Rejection], or nil. If ctx ends first, the reservation is cancelled
// and the Rejection's cause is that of ctx.
func (l *Limiter) Wait(ctx context.Context) error { return l.WaitN(ctx, 1) }

// WaitN is [Limiter.Wait] for n calls that begin together, or one that counts as n.
func (l *Limiter) WaitN(ctx context.Context, n int) error {
	if ctx.Err() != nil {
		l.tally.refused.Add(1)
		return gone(ctx, l.name, l.key, n)
	}
	r, err := l.Reserve(n, patience(ctx, l.clk, l.cfg.MaxWait))
	if err != nil {
		return err
	}
	return r.sleep(ctx)
}

// patience returns how long a caller is willing to wait.
func patience(ctx context.Context, clk clock.Clock, most time.Duration) time.Duration {
	if most == 0 {
		return 0
	}
	if deadline, ok := ctx.Deadline(); ok {
		// A call that begins at its deadline begins in vain.
		most = min(most, deadline.Sub(clk.Now())-1)
	}
	return max(most, 0)
}

// sleep blocks until the reservation is due.
func (r *Reservation) sleep(ctx context.Context) error {
	wait := r.Wait()
	if wait == 0 {
		return nil
	}
	due := make(chan struct{})
	timer := r.l.clk.AfterFunc(wait, func() { close(due) })
	select {
	case <-due:
		return nil
	case <-ctx.Done():
		timer.Stop()
		l := r.l
		r.Cancel()
		return gone(ctx, l.name, l.key, r.n)
	}
}

// Do waits as [Limiter.Wait] does and then runs fn, in the calling goroutine. A refused
// call returns a zero value and a [*Rejection], and fn does not run.
func Do[T any](ctx context.Context, l *Limiter, fn func(context.Context) (T, error)) (T, error) {
	if err := l.Wait(ctx); err != nil {
		var zero T
		return zero, err
	}
	return fn(ctx)
}

// Do is the function [Do] for calls without a result.
func (l *Limiter) Do(ctx context.Context, fn func(context.Context) error) error {
	if err := l.Wait(ctx); err != nil {
		return err
	}
	return fn(ctx)
}
