package retry

import (
	"context"
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear/clock"
)

// Wait blocks until delay has passed on the retry's clock, and returns nil, or
// until ctx is done, and returns its error, its cause included. If both are so, ctx
// counts. Meanwhile the call is among those [Snapshot] calls waiting.
func (l *Loop) Wait(ctx context.Context, delay time.Duration) error {
	if l.r == nil {
		return nil
	}
	waiting := &l.r.counts.waiting
	waiting.Add(1)
	defer waiting.Add(-1)
	return wait(ctx, l.r.clk, delay)
}

func wait(ctx context.Context, clk clock.Clock, delay time.Duration) error {
	due := make(chan struct{})
	timer := clk.AfterFunc(delay, func() { close(due) })
	select {
	case <-due:
	case <-ctx.Done():
		timer.Stop()
	}
	return contextError(ctx)
}

// contextError returns an error that matches both ctx.Err() and the cause with
// which ctx was cancelled; nil if it is not done.
func contextError(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if err == nil || cause == nil || cause == err {
		return err
	}
	return fmt.Errorf("%w: %w", err, cause)
}
