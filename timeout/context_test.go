package timeout_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/timeout"
)

// open reports whether the context's channel is open, which its Err must agree to.
func open(t *testing.T, ctx context.Context) bool {
	t.Helper()
	select {
	case <-ctx.Done():
		equal(t, "has an error", ctx.Err() != nil, true)
		return false
	default:
		equal(t, "error", ctx.Err(), nil)
		return true
	}
}

// begin takes a handle, which must be granted.
func begin(t *testing.T, to *timeout.Timeout, ctx context.Context) timeout.Handle {
	t.Helper()
	h, err := to.Context(ctx)
	if err != nil {
		t.Fatalf("Context: %v", err)
	}
	return h
}

func TestHandle(t *testing.T) {
	t.Run("ended in time", func(t *testing.T) {
		worlds(t, func(t *testing.T, w *world) {
			to := w.new(timeout.Config{Limit: 10 * ms})
			h := begin(t, to, context.Background())
			defer h.Release()
			w.pass(10*ms - 1)
			equal(t, "open", open(t, h.Ctx), true)
			equal(t, "verdict", h.End(errDown), errDown)
			equal(t, "error", h.Ctx.Err(), context.Canceled)
			w.pass(time.Hour)
			equal(t, "a second end", h.End(nil), nil)
			equal(t, "error", h.Ctx.Err(), context.Canceled)
			equal(t, "counters", to.Counters(), timeout.Counters{})
		})
	})
	t.Run("ended late, once", func(t *testing.T) {
		worlds(t, func(t *testing.T, w *world) {
			to := w.new(timeout.Config{Limit: 10 * ms})
			h := begin(t, to, context.Background())
			w.pass(25 * ms)
			equal(t, "open", open(t, h.Ctx), false)
			err := h.End(nil)
			equal(t, "facts", *timedOut(t, err), timeout.Error{Name: "stock", Limit: 10 * ms, Elapsed: 25 * ms})
			h.Release()
			equal(t, "a second end", h.End(errDown), errDown)
			equal(t, "counters", to.Counters(), timeout.Counters{TimedOut: 1})
		})
	})
	t.Run("released", func(t *testing.T) {
		worlds(t, func(t *testing.T, w *world) {
			to := w.new(timeout.Config{Limit: 10 * ms, Abandon: true}) // which a handle ignores
			h := begin(t, to, context.Background())
			w.pass(25 * ms)
			h.Release()
			equal(t, "counters", to.Counters(), timeout.Counters{})
			equal(t, "snapshot", to.Snapshot(), timeout.Snapshot{Name: "stock", MaxAbandoned: 100})
		})
	})
	t.Run("the zero handle has ended", func(t *testing.T) {
		var h timeout.Handle
		h.Release()
		equal(t, "verdict", h.End(errDown), errDown)
	})
}

type key struct{}

func TestContext(t *testing.T) {
	t.Run("values and deadline", func(t *testing.T) {
		worlds(t, func(t *testing.T, w *world) {
			to := w.new(timeout.Config{Limit: 10 * ms})
			ctx := switchgear.WithAttempt(context.WithValue(context.Background(), key{}, "v"), switchgear.Attempt{Number: 2})
			h := begin(t, to, ctx)
			defer h.Release()
			equal(t, "value", h.Ctx.Value(key{}), any("v"))
			equal(t, "no value", h.Ctx.Value("another"), nil)
			a, _ := switchgear.AttemptOf(h.Ctx)
			equal(t, "attempt", a.Number, 2)
			d, ok := h.Ctx.Deadline()
			equal(t, "has a deadline", ok, true)
			equal(t, "deadline", d.Sub(w.Now()), 10*ms)

			earlier, cancel := w.caller(5 * ms)
			defer cancel()
			e := begin(t, to, earlier)
			defer e.Release()
			d, _ = e.Ctx.Deadline()
			equal(t, "the caller's", d.Sub(w.Now()), 5*ms)
		})
	})
	t.Run("children end with it, and for the same cause", func(t *testing.T) {
		worlds(t, func(t *testing.T, w *world) {
			to := w.new(timeout.Config{Limit: 10 * ms})
			h := begin(t, to, context.Background())
			before := runtime.NumGoroutine()
			child, cancel := context.WithCancel(h.Ctx)
			defer cancel()
			valued := context.WithValue(child, key{}, "v")
			grandchild, cancel := context.WithTimeout(valued, 100*365*24*time.Hour)
			defer cancel()
			told := false
			context.AfterFunc(grandchild, func() { told = true })
			stop := context.AfterFunc(h.Ctx, func() { t.Error("a function ran that was stopped") })
			equal(t, "stopped", stop(), true)
			settled(t, before) // children need no goroutine each
			all := []context.Context{h.Ctx, child, valued, grandchild}
			for _, ctx := range all {
				equal(t, "open", open(t, ctx), true)
				equal(t, "cause", context.Cause(ctx), nil)
			}
			w.pass(10 * ms)
			for _, ctx := range all {
				equal(t, "open", open(t, ctx), false)
				equal(t, "error", ctx.Err(), context.DeadlineExceeded)
				equal(t, "cause's name", timedOut(t, context.Cause(ctx)).Name, "stock")
			}
			equal(t, "told", told, true)
			h.Release()
		})
	})
	t.Run("it ends with its parent, and for the same cause", func(t *testing.T) {
		worlds(t, func(t *testing.T, w *world) {
			to := w.new(timeout.Config{Limit: 10 * ms})
			why := errors.New("the user left")
			parent, cancel := context.WithCancelCause(context.Background())
			h := begin(t, to, parent)
			child, cancelChild := context.WithCancel(h.Ctx)
			defer cancelChild()
			cancel(why)
			// At once: no other goroutine has had a turn.
			equal(t, "open", open(t, h.Ctx), false)
			equal(t, "error", h.Ctx.Err(), context.Canceled)
			equal(t, "cause", context.Cause(h.Ctx), why)
			synctest.Wait()
			equal(t, "child's cause", context.Cause(child), why)
			w.pass(20 * ms)
			equal(t, "cause", context.Cause(h.Ctx), why)
			h.Release()

			h = begin(t, to, parent)
			equal(t, "born after its parent's end: open", open(t, h.Ctx), false)
			equal(t, "cause", context.Cause(h.Ctx), why)
			h.Release()
		})
	})
	t.Run("one inside the other", func(t *testing.T) {
		worlds(t, func(t *testing.T, w *world) {
			outer := begin(t, timeout.Must(timeout.New("outer", timeout.Config{Limit: 10 * ms}, timeout.WithClock(w.Clock))), context.Background())
			inner := begin(t, timeout.Must(timeout.New("inner", timeout.Config{Limit: 20 * ms}, timeout.WithClock(w.Clock))), outer.Ctx)
			w.pass(10 * ms)
			equal(t, "open", open(t, inner.Ctx), false)
			equal(t, "error", inner.Ctx.Err(), context.DeadlineExceeded)
			equal(t, "whose timeout", timedOut(t, context.Cause(inner.Ctx)).Name, "outer")
			equal(t, "inner's verdict", inner.End(errDown), errDown)
			equal(t, "outer's verdict", timedOut(t, outer.End(errDown)).Name, "outer")
		})
	})
}

// What a breaker around the limit makes of it.
func TestBreakerAround(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		modes(t, func(t *testing.T, abandon bool) {
			b := breaker.Must(breaker.New("stock", breaker.Config{ConsecutiveFailures: 2}, breaker.WithClock(w.Clock)))
			to := w.new(timeout.Config{Limit: 10 * ms, Minimum: 5 * ms, Abandon: abandon})
			call := func(ctx context.Context) error {
				return b.Do(ctx, func(ctx context.Context) error {
					return to.Do(ctx, func(ctx context.Context) error { return w.sleep(ctx, time.Hour) })
				})
			}
			ctx, cancel := w.caller(4 * ms)
			defer cancel()
			var err error
			w.run(func() { err = call(ctx) })
			matches(t, err, timeout.ErrRejected, switchgear.ErrRejected)
			equal(t, "a refusal for want of time: failed", b.Counters().Failed, 0)
			for range 2 {
				w.run(func() { err = call(context.Background()) })
				matches(t, err, timeout.ErrTimeout, context.DeadlineExceeded)
			}
			equal(t, "timeouts: failed", b.Counters().Failed, 2)
			equal(t, "state", b.State(), breaker.Open)
			w.pass(ms)
		})
	})
}
