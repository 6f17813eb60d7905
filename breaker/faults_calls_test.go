package breaker_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
)

// K20 to K25: what happens around one call.

func faultSerialised(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := breaker.Must(breaker.New("stock", breaker.Config{}))
		var running, most atomic.Int64
		began := time.Now()
		var group sync.WaitGroup
		for range 50 {
			group.Go(func() {
				err := b.Do(context.Background(), func(context.Context) error {
					n := running.Add(1)
					for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
					}
					time.Sleep(100 * time.Millisecond)
					running.Add(-1)
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		equal(t, "time for all", time.Since(began), 100*time.Millisecond)
		equal(t, "running at once", most.Load(), 50)
		equal(t, "successful", b.Counters().Successful, 50)
	})
}

func faultCancelled(t *testing.T) {
	r := newRig(t, with(func(c *breaker.Config) { c.MinimumCalls = 5 }))
	for range 20 {
		ctx, cancel := context.WithCancel(context.Background())
		err := r.Do(ctx, func(ctx context.Context) error {
			cancel() // the caller gives up while the dependency is at work
			return fmt.Errorf("reading answer: %w", ctx.Err())
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the caller gets %v, want its cancellation", err)
		}
	}
	r.in(breaker.Closed)
	c := r.Counters()
	equal(t, "successful, failed, ignored", [3]uint64{c.Successful, c.Failed, c.Ignored}, [3]uint64{0, 0, 20})
	r.window(0)
}

func faultOwnTimeout(t *testing.T) {
	r := newRig(t, with(func(c *breaker.Config) { c.MinimumCalls = 5 }))
	for range 5 {
		r.in(breaker.Closed)
		_ = r.Do(context.Background(), func(context.Context) error {
			return fmt.Errorf("waiting for headers: %w", context.DeadlineExceeded)
		})
	}
	r.in(breaker.Open)
	equal(t, "failed", r.Counters().Failed, 5)
}

type statusError int

func (s statusError) Error() string   { return fmt.Sprintf("answered %d", int(s)) }
func (s statusError) StatusCode() int { return int(s) }

func faultClientMistakes(t *testing.T) {
	byStatus := func(err error) switchgear.Outcome {
		if s, ok := errors.AsType[statusError](err); ok && s < 500 {
			return switchgear.Success
		}
		return switchgear.Undecided
	}
	for name, cfg := range map[string]breaker.Config{
		"among many":  with(func(c *breaker.Config) { c.Window.Calls, c.MinimumCalls = 100, 5 }),
		"on its own":  with(func(c *breaker.Config) { c.Window.Calls, c.MinimumCalls = 5, 5 }),
		"time window": with(func(c *breaker.Config) { c.Window, c.MinimumCalls = breaker.WindowConfig{Length: time.Minute}, 5 }),
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, cfg, breaker.WithClassifier(byStatus))
			call := func(s statusError) { _ = r.Do(context.Background(), func(context.Context) error { return s }) }
			for range 10 {
				for _, s := range []statusError{400, 401, 404, 409, 422} {
					call(s)
				}
			}
			r.in(breaker.Closed)
			equal(t, "failed", r.Counters().Failed, 0)
			r.clock.Advance(2 * time.Minute)
			for range 5 {
				if r.State() == breaker.Closed {
					call(503)
				}
			}
			want := breaker.Open
			if cfg.Window.Calls == 100 {
				want = breaker.Closed // 5 of 55
				equal(t, "failed", r.Counters().Failed, 5)
			}
			r.in(want)
		})
	}
}

func faultPanic(t *testing.T) {
	r := newRig(t, with(func(c *breaker.Config) { c.MinimumCalls, c.FailureRate, c.HalfOpen.Probes = 3, 100, 1 }))
	for range 3 {
		r.in(breaker.Closed)
		func() {
			defer func() { equal[any](t, "panic", recover(), "boom") }()
			_ = r.Do(context.Background(), func(context.Context) error { panic("boom") })
		}()
	}
	r.in(breaker.Open)
	equal(t, "failed", r.Counters().Failed, 3)
	r.clock.Advance(10 * time.Second)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = r.Do(context.Background(), func(context.Context) error { runtime.Goexit(); return nil })
	}()
	<-done
	r.in(breaker.HalfOpen)
	equal(t, "probes out", r.Snapshot().ProbesOut, 0)
	equal(t, "released", r.Counters().Released, 1)
	r.succeed(1)
	r.in(breaker.Closed)
}
