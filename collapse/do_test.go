package collapse_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/collapse"
	"github.com/switchgear-go/switchgear/event"
)

const off = switchgear.Off

// The tests run in a bubble of testing/synctest: it fails if a goroutine is left
// behind, its Wait tells that nothing goes on any more, and its time is free.

func after(d time.Duration, v int, err error) func(context.Context) (int, error) {
	return func(context.Context) (int, error) {
		time.Sleep(d)
		return v, err
	}
}

func TestDo(t *testing.T) {
	bg := context.Background()
	t.Run("callers at the same time share one execution", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, collapse.Config{})
			a := r.call(bg, "a", after(time.Second, 1, nil))
			synctest.Wait()
			b := r.call(bg, "a", unused(t))
			other := r.call(bg, "b", after(time.Second, 2, nil))
			synctest.Wait()
			equal(t, "snapshot", r.Snapshot(), collapse.Snapshot{Keys: 2, Waiting: 3, Running: 2})
			time.Sleep(time.Second)
			synctest.Wait()
			equal(t, "a", *a, result{v: 1, shared: true, back: true})
			equal(t, "b", *b, result{v: 1, shared: true, back: true})
			equal(t, "another key", *other, result{v: 2, back: true})
			equal(t, "counters", r.Counters(), collapse.Counters{Started: 2, Joined: 1})
			r.idle()
		})
	})
	t.Run("a caller after the end starts anew", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, collapse.Config{})
			for i := range 3 {
				v, shared, err := r.Do(bg, "a", after(0, i, nil))
				equal(t, "value", v, i)
				equal(t, "shared", shared, false)
				equal(t, "error", err, nil)
			}
			r.idle()
		})
	})
	t.Run("errors are shared", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, collapse.Config{})
			a := r.call(bg, "a", after(time.Second, 7, errDown))
			synctest.Wait()
			b := r.call(bg, "a", unused(t))
			time.Sleep(time.Second)
			synctest.Wait()
			equal(t, "a", *a, result{v: 7, shared: true, err: errDown, back: true})
			equal(t, "b", *b, *a)
		})
	})
	t.Run("Forget: the next caller starts anew, those who wait go on", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, collapse.Config{})
			equal(t, "nothing to forget", r.Forget("a"), false)
			a := r.call(bg, "a", after(2*time.Second, 1, nil))
			synctest.Wait()
			equal(t, "forget", r.Forget("a"), true)
			equal(t, "forget again", r.Forget("a"), false)
			b := r.call(bg, "a", after(3*time.Second, 2, nil))
			time.Sleep(2 * time.Second)
			synctest.Wait()
			equal(t, "the old one", *a, result{v: 1, back: true})
			c := r.call(bg, "a", unused(t)) // the end of the old one has not taken the new one away
			time.Sleep(time.Second)
			synctest.Wait()
			equal(t, "the new one", *b, result{v: 2, shared: true, back: true})
			equal(t, "joined", *c, *b)
			r.idle()
		})
	})
}

func TestLeaving(t *testing.T) {
	bg := context.Background()
	t.Run("the first caller leaves: the others do not notice", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, collapse.Config{})
			ctx, cancel := context.WithTimeout(bg, time.Second)
			defer cancel()
			var fnErr error
			a := r.call(ctx, "a", func(ctx context.Context) (int, error) {
				time.Sleep(3 * time.Second)
				fnErr = ctx.Err()
				return 1, nil
			})
			synctest.Wait()
			b := r.call(bg, "a", unused(t))
			time.Sleep(2 * time.Second)
			synctest.Wait()
			equal(t, "the first", *a, result{err: context.DeadlineExceeded, back: true})
			equal(t, "the second is not back", b.back, false)
			c := r.call(bg, "a", unused(t))
			time.Sleep(time.Second)
			synctest.Wait()
			equal(t, "the second", *b, result{v: 1, shared: true, back: true})
			equal(t, "the third", *c, *b)
			equal(t, "context of the execution", fnErr, nil)
			equal(t, "counters", r.Counters(), collapse.Counters{Started: 1, Joined: 2, Left: 1})
		})
	})
	t.Run("only one stays: what it gets is its own", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, collapse.Config{})
			ctx, cancel := context.WithCancel(bg)
			a := r.call(ctx, "a", after(time.Second, 1, nil))
			synctest.Wait()
			b := r.call(bg, "a", unused(t))
			synctest.Wait()
			cancel()
			time.Sleep(time.Second)
			synctest.Wait()
			equal(t, "the first", *a, result{err: context.Canceled, back: true})
			equal(t, "the second", *b, result{v: 1, back: true})
		})
	})
	t.Run("the last one leaves: the execution is cancelled, and the key is free", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, collapse.Config{})
			ctx, cancel := context.WithCancel(bg)
			var cause error
			slow := func(ctx context.Context) (int, error) {
				<-ctx.Done()
				cause = context.Cause(ctx)
				time.Sleep(time.Minute) // slow to notice
				return 1, ctx.Err()
			}
			a, b := r.call(ctx, "a", slow), r.call(ctx, "a", slow)
			synctest.Wait()
			cancel()
			synctest.Wait()
			equal(t, "first", *a, result{err: context.Canceled, back: true})
			equal(t, "second", *b, result{err: context.Canceled, back: true})
			equal(t, "cause", cause, collapse.ErrAbandoned)
			equal(t, "snapshot", r.Snapshot(), collapse.Snapshot{Running: 1, Abandoned: 1})

			c := r.call(bg, "a", after(time.Second, 2, nil))
			synctest.Wait()
			equal(t, "snapshot", r.Snapshot(), collapse.Snapshot{Keys: 1, Waiting: 1, Running: 2, Abandoned: 1})
			time.Sleep(2 * time.Minute)
			synctest.Wait()
			equal(t, "the one who came later", *c, result{v: 2, back: true})
			equal(t, "counters", r.Counters(), collapse.Counters{Started: 2, Joined: 1, Left: 2, Abandoned: 1})
			r.idle()
		})
	})
	t.Run("all leave a forgotten execution: it is cancelled, and the new one is not", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, collapse.Config{})
			ctx, cancel := context.WithCancel(bg)
			ended := false
			r.call(ctx, "a", func(ctx context.Context) (int, error) { <-ctx.Done(); ended = true; return 0, nil })
			synctest.Wait()
			r.Forget("a")
			b := r.call(bg, "a", after(time.Second, 2, nil))
			synctest.Wait()
			cancel()
			synctest.Wait()
			equal(t, "cancelled", ended, true)
			c := r.call(bg, "a", unused(t))
			time.Sleep(time.Second)
			synctest.Wait()
			equal(t, "the new one", *b, result{v: 2, shared: true, back: true})
			equal(t, "joined", *c, *b)
		})
	})
	t.Run("a context that is done: nothing is started or joined", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, collapse.Config{})
			ctx, cancel := context.WithCancel(bg)
			cancel()
			_, _, err := r.Do(ctx, "a", unused(t))
			equal(t, "error", err, context.Canceled)
			equal(t, "counters", r.Counters(), collapse.Counters{})
		})
	})
	t.Run("K37: a result at the very moment of the deadline: one verdict for each caller", func(t *testing.T) {
		for range 100 {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, collapse.Config{})
				ctx, cancel := context.WithTimeout(bg, time.Second)
				defer cancel()
				res := r.call(ctx, "a", after(time.Second, 1, nil))
				time.Sleep(time.Second)
				synctest.Wait()
				got, left := res.err == nil && res.v == 1, r.Counters().Left == 1
				if got == left || left && res.err != context.DeadlineExceeded {
					t.Errorf("%+v with %+v", *res, r.Counters())
				}
				r.idle()
			})
		}
	})
	t.Run("a result that is there wins over a context that is done", func(t *testing.T) {
		closed := make(chan struct{})
		close(closed)
		for range 100 { // Go chooses by chance between two channels that are ready
			r := newRig(t, collapse.Config{})
			p, _ := r.Join("a")
			v, shared, err := r.Do(&lastMoment{bg, func() <-chan struct{} { p.Finish(1, nil); return closed }}, "a", nil)
			equal(t, "value", v, 1)
			equal(t, "shared", shared, true)
			equal(t, "error", err, nil)
		}
	})
	t.Run("K36: functions that ignore their context end without anybody to talk to", func(t *testing.T) {
		noLeak(t)
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, collapse.Config{})
			ctx, cancel := context.WithTimeout(bg, 10*time.Millisecond)
			defer cancel()
			var all []*result
			for i := range 1000 {
				all = append(all, r.call(ctx, fmt.Sprint(i), after(50*time.Millisecond, 1, nil)))
			}
			time.Sleep(10 * time.Millisecond)
			synctest.Wait()
			for _, res := range all {
				equal(t, "caller", *res, result{err: context.DeadlineExceeded, back: true})
			}
			equal(t, "snapshot", r.Snapshot(), collapse.Snapshot{Running: 1000, Abandoned: 1000})
			time.Sleep(time.Second)
			synctest.Wait()
			r.idle()
		})
	})
}

// lastMoment is a context in which something happens when somebody begins to wait.
type lastMoment struct {
	context.Context
	done func() <-chan struct{}
}

func (c *lastMoment) Done() <-chan struct{} { return c.done() }

func TestContextOfTheExecution(t *testing.T) {
	type key struct{}
	t.Run("values of the first caller, no deadline, ends with the function", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, collapse.Config{})
			ctx, cancel := context.WithTimeout(context.WithValue(context.Background(), key{}, "first"), time.Minute)
			defer cancel()
			var kept context.Context
			_, _, err := r.Do(ctx, "a", func(ctx context.Context) (int, error) {
				kept = ctx
				equal(t, "value", ctx.Value(key{}), any("first"))
				_, ok := ctx.Deadline()
				equal(t, "deadline", ok, false)
				return 0, ctx.Err()
			})
			equal(t, "error", err, nil)
			synctest.Wait()
			equal(t, "afterwards", kept.Err(), context.Canceled)
		})
	})
	t.Run("Limit is a deadline", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, collapse.Config{Limit: time.Second})
			began := time.Now()
			_, _, err := r.Do(context.Background(), "a", func(ctx context.Context) (int, error) {
				deadline, _ := ctx.Deadline()
				equal(t, "deadline", deadline.Sub(began), time.Second)
				<-ctx.Done()
				return 0, context.Cause(ctx)
			})
			equal(t, "error", err, context.DeadlineExceeded)
			equal(t, "after", time.Since(began), time.Second)
		})
	})
	t.Run("with a Limit too, abandoned is abandoned", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, collapse.Config{Limit: time.Minute})
			ctx, cancel := context.WithCancel(context.Background())
			var cause error
			r.call(ctx, "a", func(ctx context.Context) (int, error) { <-ctx.Done(); cause = context.Cause(ctx); return 0, nil })
			synctest.Wait()
			cancel()
			synctest.Wait()
			equal(t, "cause", cause, collapse.ErrAbandoned)
		})
	})
}

func TestFunctionThatDoesNotReturn(t *testing.T) {
	bg := context.Background()
	boom := func(context.Context) (int, error) { time.Sleep(time.Second); panic(errDown) }
	t.Run("a panic reaches every caller that waits, with the same value", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, collapse.Config{})
			ctx, cancel := context.WithCancel(bg)
			a, b, gone := r.call(bg, "a", boom), r.call(bg, "a", boom), r.call(ctx, "a", boom)
			synctest.Wait()
			cancel()
			time.Sleep(time.Second)
			synctest.Wait()
			equal(t, "a", *a, result{panicked: errDown, back: true})
			equal(t, "b", *b, *a)
			equal(t, "one who left", *gone, result{err: context.Canceled, back: true})
			equal(t, "counters", r.Counters(), collapse.Counters{Started: 1, Joined: 2, Left: 1, Panics: 1})
			r.idle()
		})
	})
	t.Run("a panic that nobody waits for is counted and told", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, collapse.Config{})
			ctx, cancel := context.WithCancel(bg)
			r.call(ctx, "a", boom)
			synctest.Wait()
			cancel()
			time.Sleep(time.Second)
			synctest.Wait()
			equal(t, "panics", r.Counters().Panics, 1)
			equal(t, "warnings", r.warnings(), []string{"the call panicked: connection refused"})
			p, ok := r.Events()[0].Detail.(*collapse.Panic)
			equal(t, "detail", ok, true)
			equal(t, "it is the error", errors.Is(p, errDown), true)
			equal(t, "the stack shows where", strings.Contains(p.Stack, "TestFunctionThatDoesNotReturn"), true)
			r.idle()
		})
	})
	t.Run("K67: panics by the thousand give one warning a minute", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, collapse.Config{})
			for range 100 {
				r.call(bg, "a", boom)
				time.Sleep(2 * time.Second)
			}
			equal(t, "warnings", len(r.warnings()), 1)
			time.Sleep(time.Minute)
			r.call(bg, "a", boom)
			time.Sleep(2 * time.Second)
			equal(t, "warnings", len(r.warnings()), 2)
		})
	})
	t.Run("a Goexit is an error for all", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, collapse.Config{})
			exit := func(context.Context) (int, error) { time.Sleep(time.Second); runtime.Goexit(); return 1, nil }
			a, b := r.call(bg, "a", exit), r.call(bg, "a", exit)
			time.Sleep(time.Second)
			synctest.Wait()
			equal(t, "a", *a, result{shared: true, err: collapse.ErrExited, back: true})
			equal(t, "b", *b, *a)
			r.idle()
		})
	})
	t.Run("a nil function panics, and leaves nothing behind", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, collapse.Config{})
			a := r.call(bg, "a", nil)
			synctest.Wait()
			equal(t, "panicked", a.panicked != nil, true)
			r.idle()
		})
	})
	t.Run("a panic with no error in it", func(t *testing.T) {
		p := &collapse.Panic{Value: "boom"}
		equal(t, "text", p.Error(), "the call panicked: boom")
		equal(t, "unwrapped", errors.Unwrap(p), nil)
	})
}

func TestMaxKeys(t *testing.T) {
	bg := context.Background()
	t.Run("K64: beyond the bound each call runs for itself", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, collapse.Config{MaxKeys: 2})
			a := r.call(bg, "a", after(time.Second, 1, nil))
			b := r.call(bg, "b", after(time.Second, 2, nil))
			synctest.Wait()
			c := r.call(bg, "c", after(time.Second, 3, nil))
			d := r.call(bg, "c", after(time.Second, 4, nil))
			joined := r.call(bg, "a", unused(t)) // keys in flight can be joined as ever
			synctest.Wait()
			equal(t, "snapshot", r.Snapshot(), collapse.Snapshot{Keys: 2, Waiting: 5, Running: 4})
			time.Sleep(time.Second)
			synctest.Wait()
			equal(t, "a", *a, result{v: 1, shared: true, back: true})
			equal(t, "joined", *joined, *a)
			equal(t, "b", *b, result{v: 2, back: true})
			equal(t, "c", *c, result{v: 3, back: true})
			equal(t, "c again", *d, result{v: 4, back: true})
			equal(t, "counters", r.Counters(), collapse.Counters{Started: 4, Joined: 1, Uncollapsed: 2})
			equal(t, "K67: warnings", r.warnings(), []string{"2 keys are in flight, as many as MaxKeys allows: calls for others are not collapsed"})
			r.idle()
		})
	})
	t.Run("a listener that ends the goroutine leaves nothing behind", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, collapse.Config{MaxKeys: 1}, collapse.WithListener(event.Func(func(event.Event) { runtime.Goexit() })))
			r.call(bg, "a", after(time.Second, 1, nil))
			synctest.Wait()
			b := r.call(bg, "b", unused(t))
			synctest.Wait()
			equal(t, "b", *b, result{back: true})
			equal(t, "snapshot", r.Snapshot(), collapse.Snapshot{Keys: 1, Waiting: 1, Running: 1})
			c := r.call(bg, "c", func(context.Context) (int, error) { panic("boom") })
			synctest.Wait()
			equal(t, "c", *c, result{panicked: "boom", back: true})
			time.Sleep(time.Second)
			synctest.Wait()
			r.idle()
		})
	})
	t.Run("K64: a key that never equals itself is not kept", func(t *testing.T) {
		g := collapse.Must(collapse.New[float64, int]("items", collapse.Config{}))
		for range 10 {
			_, _, _ = g.Do(bg, math.NaN(), func(context.Context) (int, error) {
				equal(t, "snapshot", g.Snapshot(), collapse.Snapshot{Waiting: 1, Running: 1})
				return 0, nil
			})
		}
		equal(t, "uncollapsed", g.Counters().Uncollapsed, 10)
		equal(t, "events", len(g.Events()), 0)
	})
	t.Run("a key that cannot be hashed panics, and leaves no lock behind", func(t *testing.T) {
		g := collapse.Must(collapse.New[any, int]("items", collapse.Config{}))
		for range 2 {
			func() {
				defer func() { equal(t, "panicked", recover() != nil, true) }()
				_, _, _ = g.Do(bg, []int{}, func(context.Context) (int, error) { return 0, nil })
			}()
		}
		equal(t, "snapshot", g.Snapshot(), collapse.Snapshot{})
	})
}
