package hedge

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear/clock"
)

// A tampered clock counts the timers that wait, and does something of its own in the
// moment in which one fires.
type tampered struct {
	clock.Clock
	waiting atomic.Int64
	firing  func()
}

type tamperedTimer struct {
	clock.Timer
	clock *tampered
}

func (c *tampered) AfterFunc(d time.Duration, f func()) clock.Timer {
	c.waiting.Add(1)
	return &tamperedTimer{c.Clock.AfterFunc(d, func() {
		c.waiting.Add(-1)
		if c.firing != nil {
			c.firing()
		}
		f()
	}), c}
}

func (t *tamperedTimer) Stop() bool {
	stopped := t.Timer.Stop()
	if stopped {
		t.clock.waiting.Add(-1)
	}
	return stopped
}

func TestTimers(t *testing.T) {
	bubble(t, "K46: cancelled in the moment in which a hedge is due: none starts", func(t *testing.T) {
		for range 100 { // the caller sees either first
			ctx, cancel := context.WithCancel(t.Context())
			c := &tampered{Clock: clock.Real(), firing: cancel}
			h := made(t, Config{Delay: 10 * ms, Always: true}, WithClock(c))
			l := newLog()
			equal(t, "error", h.Do(ctx, func(ctx context.Context) error {
				l.enter(ctx)
				<-ctx.Done()
				return ctx.Err()
			}) != nil, true)
			synctest.Wait()
			equal(t, "started", len(l.started), 1)
			equal(t, "hedges", h.Counters().Hedges, 0)
			atRest(t, h, 0)
		}
	})
	bubble(t, "no timer outlives its call, however that ends", func(t *testing.T) {
		c := &tampered{Clock: clock.Real()}
		h := made(t, Config{Delay: 10 * ms, MaxExtra: 5, Always: true}, WithClock(c))
		for _, d := range []time.Duration{0, 5 * ms, 15 * ms, 200 * ms} {
			for _, end := range []func() error{
				func() error { return nil },
				func() error { return errDown },
				func() error { panic(errDown) },
			} {
				func() {
					defer func() { _ = recover() }()
					_ = h.Do(t.Context(), func(ctx context.Context) error {
						if err := wait(ctx, d); err != nil {
							return err
						}
						return end()
					})
				}()
				equal(t, "timers", c.waiting.Load(), 0)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 15*ms)
		defer cancel()
		_ = h.Do(ctx, func(ctx context.Context) error { return wait(ctx, time.Second) })
		equal(t, "timers", c.waiting.Load(), 0)
	})
}
