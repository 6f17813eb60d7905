package ratelimit_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/ratelimit"
)

func TestWait(t *testing.T) {
	patient := ratelimit.Config{Rate: 10, Burst: 1, MaxWait: 300 * ms}
	both(t, "in the order of asking", patient, func(t *testing.T, cfg ratelimit.Config) {
		synctest.Test(t, func(t *testing.T) {
			l := ratelimit.Must(ratelimit.New("stock", cfg))
			began := time.Now()
			var mu sync.Mutex
			var order []int
			for i := range 6 {
				go func() {
					if l.Wait(context.Background()) == nil {
						mu.Lock()
						defer mu.Unlock()
						order = append(order, i)
						equal(t, "waited", time.Since(began), time.Duration(i)*100*ms)
					}
				}()
				synctest.Wait()
			}
			time.Sleep(time.Second)
			synctest.Wait()
			equal(t, "order", order, []int{0, 1, 2, 3})
			equal(t, "counts", l.Counters(), ratelimit.Counters{Admitted: 4, Delayed: 3, Refused: 2})
		})
	})
	both(t, "refused at once if it will not fit the deadline", patient, func(t *testing.T, cfg ratelimit.Config) {
		synctest.Test(t, func(t *testing.T) {
			l := ratelimit.Must(ratelimit.New("stock", cfg))
			equal(t, "first", l.Wait(context.Background()), nil)
			began := time.Now()
			ctx, cancel := context.WithTimeout(context.Background(), 100*ms)
			defer cancel()
			r := refused(t, l.Wait(ctx))
			equal(t, "reason", r.Reason, ratelimit.UsedUp)
			equal(t, "at once", time.Since(began), 0)
			longer, cancel := context.WithTimeout(context.Background(), 100*ms+1)
			defer cancel()
			equal(t, "fits", l.Wait(longer), nil)
			equal(t, "waited", time.Since(began), 100*ms)
		})
	})
	both(t, "a caller that gives up gives back", patient, func(t *testing.T, cfg ratelimit.Config) {
		synctest.Test(t, func(t *testing.T) {
			l := ratelimit.Must(ratelimit.New("stock", cfg))
			equal(t, "first", l.Wait(context.Background()), nil)
			why := errors.New("enough")
			ctx, cancel := context.WithCancelCause(context.Background())
			time.AfterFunc(50*ms, func() { cancel(why) })
			began := time.Now()
			err := l.Wait(ctx)
			equal(t, "returned", time.Since(began), 50*ms)
			r := refused(t, err)
			equal(t, "reason", r.Reason, ratelimit.CallerGone)
			equal(t, "text", err.Error(), `ratelimit "stock": the caller is gone: enough`)
			equal(t, "context's error", errors.Is(err, context.Canceled), true)
			equal(t, "cause", errors.Is(err, why), true)
			equal(t, "sentinel", errors.Is(err, switchgear.ErrRejected), true)
			_, known := r.RetryAfter()
			equal(t, "a time to come back", known, false)
			equal(t, "cancelled", l.Counters().Cancelled, 1)

			equal(t, "next", l.Wait(context.Background()), nil)
			equal(t, "waited for the token given back", time.Since(began), 100*ms)
			time.Sleep(time.Second)
			equal(t, "nothing was lost", l.Allow(), nil)
		})
	})
	t.Run("a caller that is gone takes nothing", func(t *testing.T) {
		r := newRig(t, bucket(10, 1))
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		equal(t, "reason", refused(t, r.Wait(ctx)).Reason, ratelimit.CallerGone)
		equal(t, "refused", r.Counters().Refused, 1)
		r.drain(1)
	})
	t.Run("without MaxWait it does not wait", func(t *testing.T) {
		r := newRig(t, bucket(10, 1))
		equal(t, "first", r.Wait(context.Background()), nil)
		refused(t, r.Wait(context.Background()))
	})
	t.Run("more than a burst is refused, not waited for", func(t *testing.T) {
		r := newRig(t, patient)
		equal(t, "reason", refused(t, r.WaitN(context.Background(), 2)).Reason, ratelimit.TooMany)
	})
	t.Run("a deadline that has passed on the wall clock only", func(t *testing.T) {
		r := newRig(t, patient)
		ctx, cancel := context.WithDeadline(context.Background(), time.Now().Add(time.Hour))
		defer cancel()
		r.clock.JumpWall(100 * 365 * 24 * time.Hour)
		equal(t, "no wait needed", r.Wait(ctx), nil)
		refused(t, r.Wait(ctx))
	})
}

func TestDo(t *testing.T) {
	boom := errors.New("boom")
	r := newRig(t, bucket(10, 2))
	n, err := ratelimit.Do(context.Background(), r.Limiter, func(context.Context) (int, error) { return 42, boom })
	equal(t, "result", n, 42)
	equal(t, "error", err, boom)
	equal(t, "without a result", r.Do(context.Background(), func(context.Context) error { return boom }), boom)
	n, err = ratelimit.Do(context.Background(), r.Limiter, func(context.Context) (int, error) { t.Error("it runs"); return 42, nil })
	equal(t, "result of a refused call", n, 0)
	retryAfter(t, err, 100*ms)
	retryAfter(t, r.Do(context.Background(), func(context.Context) error { t.Error("it runs"); return nil }), 100*ms)
}
