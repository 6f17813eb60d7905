package timeout_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/timeout"
)

// deaf returns a function that does not heed its context and ends after d.
func (w *world) deaf(d time.Duration, end func() error) func(context.Context) error {
	return func(context.Context) error {
		_ = w.sleep(context.Background(), d)
		return end()
	}
}

func nothingToSay() error { return nil }

func TestAbandon(t *testing.T) {
	t.Run("K36: a thousand functions that come back late leave nothing", func(t *testing.T) {
		worlds(t, func(t *testing.T, w *world) {
			const calls = 1000
			before := runtime.NumGoroutine()
			to := w.new(timeout.Config{Limit: 10 * ms, Abandon: true})
			b := breaker.Must(breaker.New("stock", breaker.Config{MinimumCalls: 2 * calls}, breaker.WithClock(w.Clock)))
			errs := make([]error, calls)
			took := w.run(func() {
				var wg sync.WaitGroup
				for i := range calls {
					wg.Go(func() {
						errs[i] = b.Do(context.Background(), func(ctx context.Context) error {
							return to.Do(ctx, w.deaf(50*ms, nothingToSay))
						})
					})
				}
				wg.Wait()
			})
			equal(t, "took", took, 10*ms)
			for _, err := range errs {
				matches(t, err, timeout.ErrTimeout, context.DeadlineExceeded)
			}
			want := timeout.Snapshot{Name: "stock", Running: calls, Abandoned: calls, MaxAbandoned: 100,
				Counters: timeout.Counters{TimedOut: calls, Abandoned: calls}}
			equal(t, "in the meantime", to.Snapshot(), want)
			judged := b.Counters()
			equal(t, "failed", judged.Failed, calls)

			w.pass(200 * ms)
			want.Running, want.Abandoned, want.Counters.Late = 0, 0, calls
			equal(t, "in the end", to.Snapshot(), want)
			equal(t, "the breaker", b.Counters(), judged)
			settled(t, before)
		})
	})
	t.Run("functions left behind are bounded", func(t *testing.T) {
		worlds(t, func(t *testing.T, w *world) {
			to := w.new(timeout.Config{Limit: 10 * ms, Abandon: true, MaxAbandoned: 4})
			leave := func(d time.Duration) (err error) {
				w.run(func() { err = to.Do(context.Background(), w.deaf(d, nothingToSay)) })
				return err
			}
			for i := range 4 {
				matches(t, leave(time.Duration(1+i)*time.Hour), timeout.ErrTimeout, context.DeadlineExceeded)
			}
			for range 10 {
				err := leave(0)
				matches(t, err, timeout.ErrRejected, switchgear.ErrRejected)
				r, _ := errors.AsType[*timeout.Rejection](err)
				equal(t, "rejection", *r, timeout.Rejection{Name: "stock", Reason: timeout.TooManyAbandoned, Abandoned: 4, MaxAbandoned: 4})
			}
			equal(t, "K67: events", len(w.heard), 1)
			equal(t, "event", w.heard[0].Reason, "calls are refused: 4 functions left behind are still running, 4 may be")

			w.pass(time.Hour)
			equal(t, "with one back", leave(0), nil)
			matches(t, leave(4*time.Hour), timeout.ErrTimeout, context.DeadlineExceeded)
			matches(t, leave(0), timeout.ErrRejected, switchgear.ErrRejected)
			equal(t, "K67: events while it stays about full", len(w.heard), 1)

			w.pass(10 * time.Hour)
			equal(t, "with all back", leave(0), nil)
			for range 4 {
				_ = leave(time.Hour)
			}
			matches(t, leave(0), timeout.ErrRejected, switchgear.ErrRejected)
			equal(t, "events, full again", len(w.heard), 2)
			w.pass(time.Hour)
			equal(t, "snapshot", to.Snapshot(), timeout.Snapshot{Name: "stock", MaxAbandoned: 4,
				Counters: timeout.Counters{TimedOut: 9, Rejected: 12, Abandoned: 9, Late: 9}})
		})
	})
	t.Run("the caller's end leaves the function behind, too", func(t *testing.T) {
		worlds(t, func(t *testing.T, w *world) {
			to := w.new(timeout.Config{Limit: 10 * ms, Abandon: true})
			canceled, cancel := context.WithCancel(context.Background())
			w.AfterFunc(5*ms, cancel)
			expired, release := w.caller(7 * ms)
			defer release()
			for _, tt := range []struct {
				ctx  context.Context
				want error
			}{{canceled, context.Canceled}, {expired, context.DeadlineExceeded}} {
				var err error
				w.run(func() { err = to.Do(tt.ctx, w.deaf(time.Hour, nothingToSay)) })
				equal(t, "error", err, tt.want)
				equal(t, "error", to.Do(tt.ctx, func(context.Context) error { t.Error("made for nobody"); return nil }), tt.want)
			}
			equal(t, "running", to.Snapshot().Running, 2)
			w.pass(time.Hour)
			equal(t, "snapshot", to.Snapshot(), timeout.Snapshot{Name: "stock", MaxAbandoned: 100, Counters: timeout.Counters{Abandoned: 2, Late: 2}})
		})
	})
	t.Run("functions that are still in time are shown, and not refused for", func(t *testing.T) {
		worlds(t, func(t *testing.T, w *world) {
			to := w.new(timeout.Config{Limit: 10 * ms, Abandon: true, MaxAbandoned: 1})
			w.run(func() {
				var wg sync.WaitGroup
				for range 3 {
					wg.Go(func() { equal(t, "error", to.Do(context.Background(), w.deaf(5*ms, nothingToSay)), nil) })
				}
				_ = w.sleep(context.Background(), ms)
				s := to.Snapshot()
				equal(t, "running, abandoned", [2]int{s.Running, s.Abandoned}, [2]int{3, 0})
				wg.Wait()
				equal(t, "running after Do", to.Snapshot().Running, 0)
			})
		})
	})
}

// ugly panics when it is asked for its text.
type ugly struct{}

func (ugly) String() string { panic("no text") }

func TestLatePanic(t *testing.T) {
	t.Run("a late panic is counted and told", func(t *testing.T) {
		worlds(t, func(t *testing.T, w *world) {
			to := w.new(timeout.Config{Limit: 10 * ms, Abandon: true})
			leave := func(value any) {
				w.run(func() {
					err := to.Do(context.Background(), w.deaf(20*ms, func() error { panic(value) }))
					matches(t, err, timeout.ErrTimeout, context.DeadlineExceeded)
				})
				w.pass(10 * ms)
			}
			leave("boom")
			for range 3 { // within a second
				leave("boom again")
			}
			equal(t, "K67: events", len(w.heard), 1)
			e := w.heard[0]
			equal(t, "kind and reason", string(e.Kind)+": "+e.Reason, "warning: a function that was left behind panicked")
			p := e.Detail.(*timeout.LatePanic)
			equal(t, "value", p.Value, "boom")
			equal(t, "total", p.Total, 1)
			equal(t, "the stack shows where", strings.Contains(p.Stack, "TestLatePanic"), true)
			equal(t, "line", strings.HasSuffix(e.String(), `panicked" ("boom")`), true)

			w.pass(time.Second)
			leave(ugly{})
			leave("not told")
			w.pass(time.Second)
			leave(strings.Repeat("ä", 1000))
			equal(t, "events", len(w.heard), 3)
			equal(t, "totals", [2]uint64{w.heard[1].Detail.(*timeout.LatePanic).Total, w.heard[2].Detail.(*timeout.LatePanic).Total}, [2]uint64{5, 7})
			long := w.heard[2].Detail.(*timeout.LatePanic)
			equal(t, "a long value", long.Value, strings.Repeat("ä", 128))
			equal(t, "stack fits", len(long.Stack) <= 8<<10, true)
			equal(t, "counters", to.Counters(), timeout.Counters{TimedOut: 7, Abandoned: 7, Late: 7, LatePanics: 7})
		})
	})
	t.Run("a late Goexit is an end like any other", func(t *testing.T) {
		worlds(t, func(t *testing.T, w *world) {
			to := w.new(timeout.Config{Limit: 10 * ms, Abandon: true})
			w.run(func() {
				err := to.Do(context.Background(), w.deaf(20*ms, func() error { runtime.Goexit(); return nil }))
				matches(t, err, timeout.ErrTimeout, context.DeadlineExceeded)
			})
			w.pass(10 * ms)
			equal(t, "counters", to.Counters(), timeout.Counters{TimedOut: 1, Abandoned: 1, Late: 1})
			equal(t, "running", to.Snapshot().Running, 0)
			equal(t, "events", len(w.heard), 0)
		})
	})
	t.Run("a listener may use the timeout", func(t *testing.T) {
		worlds(t, func(t *testing.T, w *world) {
			var to *timeout.Timeout
			var seen timeout.Snapshot
			to = timeout.Must(timeout.New("stock", timeout.Config{Limit: 10 * ms, Abandon: true}, timeout.WithClock(w.Clock),
				timeout.WithListener(event.Func(func(event.Event) {
					seen = to.Snapshot()
					_ = to.Do(context.Background(), func(context.Context) error { return nil })
				}))))
			w.run(func() { _ = to.Do(context.Background(), w.deaf(20*ms, func() error { panic("boom") })) })
			w.pass(10 * ms)
			equal(t, "late panics seen", seen.Counters.LatePanics, 1)
			equal(t, "running seen", seen.Running, 0)
		})
	})
}
