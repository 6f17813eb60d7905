package timeout_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/timeout"
)

func TestDo(t *testing.T) {
	t.Run("a call that ends in time", func(t *testing.T) {
		worlds(t, func(t *testing.T, w *world) {
			modes(t, func(t *testing.T, abandon bool) {
				to := w.new(timeout.Config{Limit: 10 * ms, Abandon: abandon})
				for _, want := range []error{nil, errDown, context.Canceled, context.DeadlineExceeded} {
					var got int
					var err error
					took := w.run(func() {
						got, err = timeout.Do(context.Background(), to, func(ctx context.Context) (int, error) {
							return 42, errors.Join(w.sleep(ctx, 10*ms-1), want)
						})
					})
					equal(t, "took", took, 10*ms-1)
					equal(t, "result", got, 42)
					equal(t, "error", errors.Is(err, want), true)
					equal(t, "is a timeout", errors.Is(err, timeout.ErrTimeout), false)
				}
				equal(t, "counters", to.Counters(), timeout.Counters{})
			})
		})
	})
	t.Run("a call that is told to stop", func(t *testing.T) {
		worlds(t, func(t *testing.T, w *world) {
			modes(t, func(t *testing.T, abandon bool) {
				to := w.new(timeout.Config{Limit: 10 * ms, Abandon: abandon})
				var err, cause error
				took := w.run(func() {
					err = to.Do(context.Background(), func(ctx context.Context) error {
						err := w.sleep(ctx, time.Hour)
						cause = context.Cause(ctx)
						return err
					})
				})
				equal(t, "took", took, 10*ms)
				matches(t, err, timeout.ErrTimeout, context.DeadlineExceeded)
				equal(t, "facts", *timedOut(t, err), timeout.Error{Name: "stock", Limit: 10 * ms, Elapsed: 10 * ms})
				w.pass(ms)
				equal(t, "cause", *timedOut(t, cause), timeout.Error{Name: "stock", Limit: 10 * ms, Elapsed: 10 * ms})
				equal(t, "timed out", to.Counters().TimedOut, 1)
			})
		})
	})
	t.Run("a function that does not heed its context", func(t *testing.T) {
		worlds(t, func(t *testing.T, w *world) {
			for _, returned := range []error{nil, errDown} {
				to := w.new(timeout.Config{Limit: 10 * ms})
				var got int
				var err error
				took := w.run(func() {
					got, err = timeout.Do(context.Background(), to, func(context.Context) (int, error) {
						_ = w.sleep(context.Background(), 50*ms)
						return 42, returned
					})
				})
				equal(t, "took", took, 50*ms)
				equal(t, "facts", *timedOut(t, err), timeout.Error{Name: "stock", Limit: 10 * ms, Elapsed: 50 * ms, Err: returned})
				equal(t, "late result, to be closed", got, 42)
				equal(t, "counters", to.Counters(), timeout.Counters{TimedOut: 1})
			}
		})
	})
	t.Run("K22: a shorter limit of the function's own is not ours", func(t *testing.T) {
		worlds(t, func(t *testing.T, w *world) {
			modes(t, func(t *testing.T, abandon bool) {
				to := w.new(timeout.Config{Limit: time.Second, Abandon: abandon})
				inner := timeout.Must(timeout.New("inner", timeout.Config{Limit: 10 * ms}, timeout.WithClock(w.Clock)))
				var err error
				w.run(func() {
					err = to.Do(context.Background(), func(ctx context.Context) error {
						return inner.Do(ctx, func(ctx context.Context) error { return w.sleep(ctx, time.Hour) })
					})
				})
				equal(t, "whose timeout", timedOut(t, err).Name, "inner")
				equal(t, "counted", to.Counters().TimedOut, 0)
				j := switchgear.Judge(context.Background(), err, w.Now, nil)
				equal(t, "health", j.Health, switchgear.Failure)
			})
		})
	})
	t.Run("K32: the error of the function is not lost", func(t *testing.T) {
		worlds(t, func(t *testing.T, w *world) {
			to := w.new(timeout.Config{Limit: 10 * ms})
			var err error
			w.run(func() {
				err = to.Do(context.Background(), func(ctx context.Context) error {
					return fmt.Errorf("%w, then %w", errDown, w.sleep(ctx, time.Hour))
				})
			})
			matches(t, err, timeout.ErrTimeout, context.DeadlineExceeded, errDown)
		})
	})
}

func TestCaller(t *testing.T) {
	t.Run("the caller's earlier deadline is the caller's", func(t *testing.T) {
		worlds(t, func(t *testing.T, w *world) {
			modes(t, func(t *testing.T, abandon bool) {
				to := w.new(timeout.Config{Limit: 10 * ms, Abandon: abandon})
				ctx, cancel := w.caller(9 * ms)
				defer cancel()
				var err error
				took := w.run(func() {
					err = to.Do(ctx, func(ctx context.Context) error { return w.sleep(ctx, time.Hour) })
				})
				equal(t, "took", took, 9*ms)
				equal(t, "error", err, context.DeadlineExceeded)
				equal(t, "timed out", to.Counters().TimedOut, 0)
			})
		})
	})
	t.Run("a deadline at the limit or after it leaves the call to the limit", func(t *testing.T) {
		worlds(t, func(t *testing.T, w *world) {
			modes(t, func(t *testing.T, abandon bool) {
				for _, d := range []time.Duration{10*ms + 1, time.Hour} {
					to := w.new(timeout.Config{Limit: 10 * ms, Abandon: abandon})
					ctx, cancel := w.caller(d)
					var err error
					took := w.run(func() {
						err = to.Do(ctx, func(ctx context.Context) error { return w.sleep(ctx, time.Hour) })
					})
					equal(t, "took", took, 10*ms)
					equal(t, "whose timeout", timedOut(t, err).Name, "stock")
					cancel()
				}
			})
		})
	})
	t.Run("K21: the caller's cancellation is the caller's", func(t *testing.T) {
		worlds(t, func(t *testing.T, w *world) {
			modes(t, func(t *testing.T, abandon bool) {
				to := w.new(timeout.Config{Limit: 10 * ms, Abandon: abandon})
				why := errors.New("the user left")
				ctx, cancel := context.WithCancelCause(context.Background())
				w.AfterFunc(5*ms, func() { cancel(why) })
				var err, cause error
				took := w.run(func() {
					err = to.Do(ctx, func(ctx context.Context) error {
						err := w.sleep(ctx, time.Hour)
						cause = context.Cause(ctx)
						return err
					})
				})
				equal(t, "took", took, 5*ms)
				equal(t, "error", err, context.Canceled)
				w.pass(ms)
				equal(t, "cause", cause, why)
				equal(t, "timed out", to.Counters().TimedOut, 0)
				equal(t, "health", switchgear.Judge(ctx, err, w.Now, nil).Health, switchgear.Ignored)
			})
		})
	})
	t.Run("a function that goes on after its caller left is not late for the limit", func(t *testing.T) {
		worlds(t, func(t *testing.T, w *world) {
			to := w.new(timeout.Config{Limit: 10 * ms})
			ctx, cancel := context.WithCancel(context.Background())
			w.AfterFunc(5*ms, cancel)
			var err error
			w.run(func() {
				err = to.Do(ctx, func(context.Context) error { return w.sleep(context.Background(), 50*ms) })
			})
			equal(t, "error", err, nil)
			equal(t, "counters", to.Counters(), timeout.Counters{})
		})
	})
	t.Run("one timeout inside itself", func(t *testing.T) {
		worlds(t, func(t *testing.T, w *world) {
			modes(t, func(t *testing.T, abandon bool) {
				to := w.new(timeout.Config{Limit: 10 * ms, Abandon: abandon})
				var inner, outer error
				took := w.run(func() {
					outer = to.Do(context.Background(), func(ctx context.Context) error {
						_ = w.sleep(ctx, ms)
						inner = to.Do(ctx, func(ctx context.Context) error { return w.sleep(ctx, time.Hour) })
						return inner
					})
				})
				w.pass(ms)
				equal(t, "took", took, 10*ms)
				equal(t, "inner", inner, context.DeadlineExceeded)
				matches(t, outer, timeout.ErrTimeout, context.DeadlineExceeded)
				equal(t, "timed out", to.Counters().TimedOut, 1)
			})
		})
	})
}

func TestMinimum(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		modes(t, func(t *testing.T, abandon bool) {
			to := w.new(timeout.Config{Limit: 100 * ms, Minimum: 10 * ms, Abandon: abandon})
			try := func(ctx context.Context) (ran bool, err error) {
				w.run(func() { err = to.Do(ctx, func(context.Context) error { ran = true; return nil }) })
				return ran, err
			}
			ctx, cancel := w.caller(10 * ms)
			defer cancel()
			ran, err := try(ctx)
			equal(t, "just enough: ran", ran, true)
			equal(t, "error", err, nil)

			w.pass(1)
			ran, err = try(ctx)
			equal(t, "not enough: ran", ran, false)
			matches(t, err, timeout.ErrRejected, switchgear.ErrRejected)
			r, _ := errors.AsType[*timeout.Rejection](err)
			equal(t, "rejection", *r, timeout.Rejection{Name: "stock", Left: 10*ms - 1, Minimum: 10 * ms})
			equal(t, "health", switchgear.Judge(ctx, err, w.Now, nil), switchgear.Judgement{Health: switchgear.Ignored, Repeat: switchgear.RepeatNever})

			ran, _ = try(context.Background())
			equal(t, "without a deadline: ran", ran, true)
			equal(t, "counters", to.Counters(), timeout.Counters{Rejected: 1})
			equal(t, "events", len(w.heard), 0)
		})
	})
}

// A ticking clock moves on by a nanosecond whenever Mono is read.
type ticking struct{ *clock.Virtual }

func (c ticking) Mono() time.Duration {
	now := c.Virtual.Mono()
	c.Virtual.Advance(1)
	return now
}

func TestOneVerdict(t *testing.T) {
	const limit = time.Second
	for _, tt := range []struct {
		name string
		at   time.Duration
		late bool
	}{
		{"K37: a nanosecond before the limit", limit - 1, false},
		{"K37: at the limit", limit, true},
		{"K37: a nanosecond after the limit", limit + 1, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			modes(t, func(t *testing.T, abandon bool) {
				for _, returned := range []error{nil, errDown, switchgear.MarkSuccess(errDown)} {
					c := ticking{new(clock.Virtual)}
					to := timeout.Must(timeout.New("stock", timeout.Config{Limit: limit, Abandon: abandon}, timeout.WithClock(c)))
					start := c.Virtual.Mono()
					err := to.Do(context.Background(), func(context.Context) error {
						c.AdvanceTo(start + tt.at)
						return returned
					})
					equal(t, "timeout returned", errors.Is(err, timeout.ErrTimeout), tt.late)
					equal(t, "timeout counted", to.Counters().TimedOut == 1, tt.late)
					good := err == nil || switchgear.Judge(context.Background(), err, c.Now, nil).Health == switchgear.Success
					equal(t, "taken for a success", good, !tt.late && returned != errDown)
					equal(t, "events", len(to.Events()), 0)
				}
			})
		})
		t.Run(tt.name+", decided", func(t *testing.T) {
			to := timeout.Must(timeout.New("stock", timeout.Config{Limit: limit}))
			err := to.Judge(5, 5+tt.at, nil)
			equal(t, "timeout returned", err != nil, tt.late)
			equal(t, "timeout counted", to.Counters().TimedOut == 1, tt.late)
		})
	}
}

func TestDeadline(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		to := w.new(timeout.Config{Limit: 10 * ms, Minimum: 2 * ms})
		lax := w.new(timeout.Config{Limit: 10 * ms})
		at := func(to *timeout.Timeout, ctx context.Context) time.Duration {
			t.Helper()
			at, err := to.Deadline(ctx, 70*ms)
			equal(t, "error", err, nil)
			return at
		}
		equal(t, "without a deadline", at(to, context.Background()), 80*ms)
		ctx, cancel := w.caller(5 * ms)
		defer cancel()
		equal(t, "an earlier one", at(to, ctx), 75*ms)
		later, cancel := w.caller(15 * ms)
		defer cancel()
		equal(t, "a later one", at(to, later), 80*ms)

		w.pass(4 * ms)
		_, err := to.Deadline(ctx, 70*ms)
		matches(t, err, timeout.ErrRejected, switchgear.ErrRejected)
		equal(t, "little time", at(lax, ctx), 71*ms)
		w.pass(4 * ms)
		equal(t, "no time", at(lax, ctx), 70*ms)
		equal(t, "rejected", to.Counters().Rejected, 1)

		err = to.Judge(70*ms, 80*ms-1, errDown)
		equal(t, "in time", err, errDown)
		err = to.Judge(70*ms, 95*ms, errDown)
		equal(t, "late", *timedOut(t, err), timeout.Error{Name: "stock", Limit: 10 * ms, Elapsed: 25 * ms, Err: errDown})
		w.pass(10 * ms) // the callers' deadlines
	})
}

func TestUnwinding(t *testing.T) {
	test := func(t *testing.T, call func(t *testing.T, w *world, to *timeout.Timeout) (kept context.Context)) {
		t.Helper()
		worlds(t, func(t *testing.T, w *world) {
			modes(t, func(t *testing.T, abandon bool) {
				to := w.new(timeout.Config{Limit: 10 * ms, Abandon: abandon})
				kept := call(t, w, to)
				equal(t, "the context's end", kept.Err(), context.Canceled)
				equal(t, "snapshot", to.Snapshot(), timeout.Snapshot{Name: "stock", MaxAbandoned: to.Config().MaxAbandoned})
				equal(t, "events", len(w.heard), 0)
			})
		})
	}
	t.Run("K25: a panic goes on, with the same value", func(t *testing.T) {
		test(t, func(t *testing.T, w *world, to *timeout.Timeout) (kept context.Context) {
			type value struct{ int }
			boom := &value{1}
			var got any
			w.run(func() {
				defer func() { got = recover() }()
				_ = to.Do(context.Background(), func(ctx context.Context) error { kept = ctx; panic(boom) })
			})
			equal(t, "the same value", got == any(boom), true)
			return kept
		})
	})
	t.Run("K25: so does a Goexit", func(t *testing.T) {
		test(t, func(t *testing.T, w *world, to *timeout.Timeout) (kept context.Context) {
			after, quiet := false, false
			w.run(func() {
				done := make(chan struct{})
				go func() {
					defer close(done)
					defer func() { quiet = recover() == nil }()
					_ = to.Do(context.Background(), func(ctx context.Context) error { kept = ctx; runtime.Goexit(); return nil })
					after = true
				}()
				<-done
			})
			equal(t, "went on after Do", after, false)
			equal(t, "ran what was deferred, without a panic", quiet, true)
			return kept
		})
	})
}

func TestAllocations(t *testing.T) {
	to := timeout.Must(timeout.New("stock", timeout.Config{Limit: time.Hour, Minimum: time.Second}))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	looking := func(ctx context.Context) (int, error) { return 1, ctx.Err() }
	equal(t, "allocations of a call that nobody waits in", testing.AllocsPerRun(100, func() { _, _ = timeout.Do(ctx, to, looking) }), 1)
	baseline := testing.AllocsPerRun(100, func() { bare(ctx) }) // in which somebody does
	equal(t, "allocations of Do", testing.AllocsPerRun(100, func() { _, _ = timeout.Do(ctx, to, heeding) }), baseline+1)
	equal(t, "allocations with a handle", testing.AllocsPerRun(100, func() {
		h, _ := to.Context(ctx)
		_, err := heeding(h.Ctx)
		_ = h.End(err)
	}), baseline+1)
	equal(t, "allocations of a decision", testing.AllocsPerRun(100, func() {
		at, _ := to.Deadline(ctx, 0)
		_ = to.Judge(0, at-1, nil)
	}), 0)
}
