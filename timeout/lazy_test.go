package timeout_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/timeout"
)

// A context for which nobody waits has no timer. Whoever looks at it must not be able to
// tell.
func TestNobodyWaits(t *testing.T) {
	limit := timeout.Config{Limit: 10 * ms}
	run := func(t *testing.T, f func(t *testing.T, w *world, to *timeout.Timeout)) {
		worlds(t, func(t *testing.T, w *world) { f(t, w, w.new(limit)) })
	}
	t.Run("who only looks sees the limit pass", func(t *testing.T) {
		run(t, func(t *testing.T, w *world, to *timeout.Timeout) {
			h := begin(t, to, context.WithValue(context.Background(), key{}, "v"))
			defer h.Release()
			w.pass(10*ms - 1)
			equal(t, "error before", h.Ctx.Err(), nil)
			equal(t, "cause before", context.Cause(h.Ctx), nil)
			w.pass(1)
			equal(t, "error", h.Ctx.Err(), context.DeadlineExceeded)
			equal(t, "cause's name", timedOut(t, context.Cause(h.Ctx)).Name, "stock")
			equal(t, "value", h.Ctx.Value(key{}), any("v"))
			equal(t, "verdict", timedOut(t, h.End(nil)).Elapsed, 10*ms)
			equal(t, "error when it has ended", h.Ctx.Err(), context.DeadlineExceeded)
		})
	})
	t.Run("the end is seen by who waits later, and stays", func(t *testing.T) {
		run(t, func(t *testing.T, w *world, to *timeout.Timeout) {
			parent, cancel := context.WithCancelCause(context.WithValue(context.Background(), key{}, "v"))
			h := begin(t, to, parent)
			equal(t, "verdict", h.End(nil), nil)
			cancel(errDown)
			w.pass(time.Hour)
			equal(t, "error", h.Ctx.Err(), context.Canceled)
			equal(t, "open", open(t, h.Ctx), false)
			equal(t, "error, waited for", h.Ctx.Err(), context.Canceled)
			equal(t, "cause", context.Cause(h.Ctx), context.Canceled)
			equal(t, "value", h.Ctx.Value(key{}), any("v"))
			child, stop := context.WithCancel(h.Ctx)
			defer stop()
			equal(t, "child", child.Err(), context.Canceled)
		})
	})
	t.Run("a parent's end before its own stays, too", func(t *testing.T) {
		run(t, func(t *testing.T, w *world, to *timeout.Timeout) {
			parent, cancel := context.WithCancelCause(context.Background())
			h := begin(t, to, parent)
			cancel(errDown)
			equal(t, "verdict", h.End(context.Canceled), context.Canceled)
			equal(t, "cause", context.Cause(h.Ctx), errDown)
			equal(t, "open", open(t, h.Ctx), false)
			equal(t, "cause, waited for", context.Cause(h.Ctx), errDown)
		})
	})
	t.Run("of two deadlines the earlier one was first", func(t *testing.T) {
		run(t, func(t *testing.T, w *world, to *timeout.Timeout) {
			later, cancel := w.caller(20 * ms)
			defer cancel()
			h := begin(t, to, later)
			w.pass(30 * ms)
			equal(t, "whose", timedOut(t, context.Cause(h.Ctx)).Name, "stock")
			equal(t, "verdict", timedOut(t, h.End(nil)).Elapsed, 30*ms)

			earlier, cancel := w.caller(5 * ms)
			defer cancel()
			h = begin(t, to, earlier)
			w.pass(30 * ms)
			equal(t, "error", h.Ctx.Err(), context.DeadlineExceeded)
			if e, ok := errors.AsType[*timeout.Error](context.Cause(h.Ctx)); ok {
				equal(t, "whose", e.Name, "caller")
			}
			equal(t, "verdict", h.End(errDown), errDown)
		})
	})
	t.Run("a caller that was canceled is believed to have gone before the limit", func(t *testing.T) {
		run(t, func(t *testing.T, w *world, to *timeout.Timeout) {
			parent, cancel := context.WithCancel(context.Background())
			h := begin(t, to, parent)
			w.pass(15 * ms)
			cancel()
			equal(t, "verdict", h.End(errDown), errDown)

			parent, cancel = context.WithCancel(context.Background())
			h = begin(t, to, parent)
			w.pass(15 * ms)
			_ = h.Ctx.Err() // unless somebody has seen that it was the limit
			cancel()
			equal(t, "verdict", timedOut(t, h.End(errDown)).Elapsed, 15*ms)
		})
	})
	t.Run("a limit that is lifted does not come back", func(t *testing.T) {
		run(t, func(t *testing.T, w *world, to *timeout.Timeout) {
			for _, begin := range []func(context.Context) (timeout.Handle, error){to.Context, to.Open} {
				h, err := begin(context.Background())
				equal(t, "refused", err, nil)
				end, err := h.Keep(nil, false)
				equal(t, "verdict", err, nil)
				w.pass(time.Hour)
				equal(t, "error", h.Ctx.Err(), nil)
				equal(t, "open", open(t, h.Ctx), true)
				w.pass(time.Hour)
				equal(t, "open, waited for", open(t, h.Ctx), true)
				end()
				equal(t, "open at the end", open(t, h.Ctx), false)
				equal(t, "error", h.Ctx.Err(), context.Canceled)
			}
		})
	})
	t.Run("a limit on the answer holds", func(t *testing.T) {
		run(t, func(t *testing.T, w *world, to *timeout.Timeout) {
			h, _ := to.Open(context.Background())
			end, err := h.Keep(nil, true)
			equal(t, "verdict", err, nil)
			defer end()
			w.pass(10 * ms)
			equal(t, "error", h.Ctx.Err(), context.DeadlineExceeded)
		})
	})
}

// TestStressLazy has goroutines meet at the moment in which a context gets its timer, or
// ends without one: the first error that anybody sees stays, and whoever waits is told.
func TestStressLazy(t *testing.T) {
	before := runtime.NumGoroutine()
	to := timeout.Must(timeout.New("stock", timeout.Config{Limit: time.Hour}))
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 3_000 {
		parent, cancel := context.WithCancel(context.Background())
		begin := to.Context
		if r.IntN(2) == 0 {
			begin = to.Open
		}
		h, err := begin(parent)
		if err != nil {
			t.Fatal(err)
		}
		ctx := h.Ctx
		var wg sync.WaitGroup
		for range 3 {
			order := r.Perm(3)
			wg.Go(func() {
				for _, what := range order {
					switch what {
					case 0:
						<-ctx.Done()
						if ctx.Err() == nil {
							t.Error("it is done and has no error")
						}
					case 1:
						child, stop := context.WithCancel(ctx)
						<-child.Done()
						stop()
					case 2:
						first := ctx.Err()
						runtime.Gosched()
						if again := ctx.Err(); first != nil && again != first {
							t.Errorf("error %v became %v", first, again)
						}
					}
				}
			})
		}
		if r.IntN(3) == 0 {
			wg.Go(cancel)
		}
		if r.IntN(2) == 0 {
			runtime.Gosched()
		}
		if r.IntN(2) == 0 {
			if end, err := h.Keep(nil, r.IntN(2) == 0); err != nil {
				t.Errorf("verdict: %v", err)
			} else {
				end()
			}
		} else {
			h.Release()
		}
		wg.Wait()
		cancel()
	}
	equal(t, "counters", to.Counters(), timeout.Counters{})
	settled(t, before)
}
