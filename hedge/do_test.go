package hedge

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/event"
)

// The tests run in bubbles of testing/synctest: time passes only while all goroutines
// wait, and a goroutine left behind fails the test.

func bubble(t *testing.T, name string, f func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

// a log notes when attempts started and why their contexts ended.
type log struct {
	mu       sync.Mutex
	begun    time.Time
	started  []time.Duration
	attempts []switchgear.Attempt
	contexts []context.Context
}

func newLog() *log { return &log{begun: time.Now()} }

// enter notes that an attempt starts and returns which one it is, from 1.
func (l *log) enter(ctx context.Context) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, _ := switchgear.AttemptOf(ctx)
	l.started = append(l.started, time.Since(l.begun))
	l.attempts = append(l.attempts, a)
	l.contexts = append(l.contexts, ctx)
	return len(l.started)
}

func (l *log) lost() (lost []bool) {
	for _, ctx := range l.contexts {
		lost = append(lost, Lost(ctx))
	}
	return lost
}

// wait is a call that takes d, or ends with its context.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// A body is what an answer is read from while its context lives, as that of an HTTP
// response is.
type body struct {
	io.Reader
	ctx    context.Context
	closed chan struct{}
}

func newBody(ctx context.Context, size int) *body {
	return &body{strings.NewReader(strings.Repeat("x", size)), ctx, make(chan struct{})}
}

func (b *body) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	return b.Reader.Read(p)
}

func (b *body) close() { close(b.closed) }

func TestK45(t *testing.T) {
	const size = 512 << 10
	bubble(t, "K45: the winner's body stays readable until it is released", func(t *testing.T) {
		h := made(t, Config{Delay: ms, MaxExtra: 2, Always: true})
		l := newLog()
		held, err := Hold(t.Context(), h, (*body).close, func(ctx context.Context) (*body, error) {
			l.enter(ctx)
			if err := wait(ctx, 20*ms); err != nil {
				return nil, err
			}
			return newBody(ctx, size), nil
		})
		equal(t, "error", err, nil)
		equal(t, "winner", held.Attempt, 1)
		equal(t, "answered after", time.Since(l.begun), 20*ms)
		equal(t, "lost at once", l.lost(), []bool{false, true, true})

		time.Sleep(100 * ms)
		data, err := io.ReadAll(held.Value)
		equal(t, "error of the body", err, nil)
		equal(t, "length of the body", len(data), size)
		equal(t, "winner's context", held.Value.ctx.Err(), nil)

		held.Release()
		held.Release()
		equal(t, "released", held.Value.ctx.Err(), context.Canceled)
		equal(t, "released is not lost", Lost(held.Value.ctx), false)
		synctest.Wait()
		atRest(t, h, 0)
	})
	bubble(t, "K45, K49: the bodies of losers that answer all the same are closed", func(t *testing.T) {
		h := made(t, Config{Delay: ms, MaxExtra: 2, Always: true})
		l := newLog()
		var bodies [4]*body
		held, err := Hold(t.Context(), h, (*body).close, func(ctx context.Context) (*body, error) {
			n := l.enter(ctx)
			time.Sleep(time.Duration(40-10*n) * ms) // deaf to its context; the third answers first
			b := newBody(ctx, size)
			bodies[n] = b
			return b, nil
		})
		equal(t, "error", err, nil)
		equal(t, "winner", held.Attempt, 3)
		equal(t, "running", h.Snapshot().Running, 2)
		equal(t, "abandoned", h.Snapshot().Abandoned, 2)
		time.Sleep(100 * ms)
		synctest.Wait()
		<-bodies[1].closed
		<-bodies[2].closed
		data, err := io.ReadAll(held.Value)
		equal(t, "error of the body", err, nil)
		equal(t, "length of the body", len(data), size)
		held.Release()
		c := h.Counters()
		equal(t, "counters", c, Counters{Calls: 1, Won: 1, WonByHedge: 1, Hedges: 2, Late: 2, Discarded: 2})
		atRest(t, h, 0)
	})
	bubble(t, "the winner's context ends with the caller's", func(t *testing.T) {
		h := made(t, Config{Always: true})
		ctx, cancel := context.WithCancel(t.Context())
		held, err := Hold(ctx, h, nil, func(ctx context.Context) (context.Context, error) { return ctx, nil })
		equal(t, "error", err, nil)
		equal(t, "before", held.Value.Err(), nil)
		cancel()
		equal(t, "after", held.Value.Err(), context.Canceled)
	})
	bubble(t, "Do releases by itself", func(t *testing.T) {
		h := made(t, Config{Always: true})
		ctx, err := Do(t.Context(), h, func(ctx context.Context) (context.Context, error) { return ctx, nil })
		equal(t, "error", err, nil)
		equal(t, "winner's context", ctx.Err(), context.Canceled)
	})
}

func TestK46(t *testing.T) {
	cfg := Config{Delay: 10 * ms, MaxExtra: 4, Always: true}
	bubble(t, "K46: cancel at 15 ms: two attempts, both cancelled", func(t *testing.T) {
		h, l := made(t, cfg), newLog()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(15*ms, cancel)
		err := h.Do(ctx, func(ctx context.Context) error {
			l.enter(ctx)
			<-ctx.Done()
			return ctx.Err()
		})
		equal(t, "error", err, context.Canceled)
		equal(t, "returned after", time.Since(l.begun), 15*ms)
		time.Sleep(time.Second)
		equal(t, "started", l.started, []time.Duration{0, 10 * ms})
		equal(t, "cancelled by the caller, not lost", l.lost(), []bool{false, false})
		equal(t, "stopped", h.Counters().Stopped, 1)
		atRest(t, h, 0)
	})
	bubble(t, "K46: the base attempt wins at 15 ms: two attempts, the other cancelled", func(t *testing.T) {
		h, l := made(t, cfg), newLog()
		v, err := Do(t.Context(), h, func(ctx context.Context) (int, error) {
			n := l.enter(ctx)
			if n == 1 {
				return n, wait(ctx, 15*ms)
			}
			<-ctx.Done()
			return n, context.Cause(ctx)
		})
		equal(t, "value", v, 1)
		equal(t, "error", err, nil)
		equal(t, "returned after", time.Since(l.begun), 15*ms)
		time.Sleep(time.Second)
		equal(t, "started", l.started, []time.Duration{0, 10 * ms})
		equal(t, "lost", l.lost(), []bool{false, true})
		equal(t, "attempts", l.attempts, []switchgear.Attempt{{Number: 1}, {Number: 2, Hedge: true}})
		atRest(t, h, 0)
	})
	bubble(t, "K46: with a context that has ended nothing starts at all", func(t *testing.T) {
		h, l := made(t, cfg), newLog()
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errDown)
		err := h.Do(ctx, func(ctx context.Context) error { l.enter(ctx); return nil })
		equal(t, "matches the cause", errors.Is(err, errDown), true)
		equal(t, "matches the context's error", errors.Is(err, context.Canceled), true)
		equal(t, "started", len(l.started), 0)
		equal(t, "counters", h.Counters(), Counters{})
	})
	bubble(t, "further attempts come after further delays, up to the most", func(t *testing.T) {
		h, l := made(t, cfg), newLog()
		v, err := Do(t.Context(), h, func(ctx context.Context) (int, error) {
			n := l.enter(ctx)
			return n, wait(ctx, time.Second)
		})
		equal(t, "value", v, 1)
		equal(t, "error", err, nil)
		equal(t, "started", l.started, []time.Duration{0, 10 * ms, 20 * ms, 30 * ms, 40 * ms})
		synctest.Wait()
		atRest(t, h, 0)
	})
	bubble(t, "a call that answers in time is not hedged", func(t *testing.T) {
		h, l := made(t, cfg), newLog()
		err := h.Do(t.Context(), func(ctx context.Context) error { l.enter(ctx); return wait(ctx, 9*ms) })
		equal(t, "error", err, nil)
		time.Sleep(time.Second)
		equal(t, "started", len(l.started), 1)
		atRest(t, h, 0)
	})
}

func TestK47(t *testing.T) {
	cfg := Config{Delay: 10 * ms, Always: true}
	errSecond := errors.New("no route")
	bubble(t, "K47: the hedge fails at 20 ms, the base attempt succeeds at 60 ms", func(t *testing.T) {
		h, l := made(t, cfg), newLog()
		v, err := Do(t.Context(), h, func(ctx context.Context) (int, error) {
			n := l.enter(ctx)
			if n == 2 {
				time.Sleep(10 * ms)
				return 0, errDown
			}
			return n, wait(ctx, 60*ms)
		})
		equal(t, "value", v, 1)
		equal(t, "error", err, nil)
		equal(t, "returned after", time.Since(l.begun), 60*ms)
		atRest(t, h, 0)
	})
	bubble(t, "K47: when all have failed the error lists each", func(t *testing.T) {
		h, l := made(t, cfg), newLog()
		_, err := Do(t.Context(), h, func(ctx context.Context) (int, error) {
			if l.enter(ctx) == 1 {
				return 1, errors.Join(errDown, wait(ctx, 30*ms))
			}
			return 2, errSecond
		})
		equal(t, "returned after", time.Since(l.begun), 30*ms)
		all, ok := errors.AsType[*Error](err)
		equal(t, "type", ok, true)
		equal(t, "attempts", []int{all.Attempts[0].Number, all.Attempts[1].Number}, []int{2, 1})
		equal(t, "matches both", errors.Is(err, errDown) && errors.Is(err, errSecond), true)
		equal(t, "text", err.Error(), `hedge "stock": 2 failed: attempt 2: no route; attempt 1: connection refused`)
		atRest(t, h, 0)
	})
	bubble(t, "a call with one attempt returns its error as it is, at once", func(t *testing.T) {
		h, l := made(t, cfg), newLog()
		v, err := Do(t.Context(), h, func(ctx context.Context) (int, error) { l.enter(ctx); return 7, errDown })
		equal(t, "error", err, errDown)
		equal(t, "value", v, 0)
		equal(t, "returned after", time.Since(l.begun), 0)
		time.Sleep(time.Second)
		equal(t, "started", len(l.started), 1)
		atRest(t, h, 0)
	})
	bubble(t, "K32: the deadline comes after a failure: the error matches both", func(t *testing.T) {
		h, l := made(t, cfg), newLog()
		ctx, cancel := context.WithTimeout(t.Context(), 50*ms)
		defer cancel()
		err := h.Do(ctx, func(ctx context.Context) error {
			if l.enter(ctx) == 2 {
				return errDown
			}
			time.Sleep(time.Second) // deaf to its context
			return nil
		})
		equal(t, "returned after", time.Since(l.begun), 50*ms)
		equal(t, "matches the failure", errors.Is(err, errDown), true)
		equal(t, "matches the deadline", errors.Is(err, context.DeadlineExceeded), true)
		equal(t, "text", err.Error(), `hedge "stock": stopped with 1 running: context deadline exceeded; 1 failed: attempt 2: connection refused`)
		equal(t, "abandoned", h.Snapshot().Abandoned, 1)
		time.Sleep(time.Second)
		synctest.Wait()
		atRest(t, h, 0)
	})
	bubble(t, "an error that proves the dependency healthy is a good answer", func(t *testing.T) {
		h, l := made(t, cfg), newLog()
		v, err := Do(t.Context(), h, func(ctx context.Context) (int, error) {
			if l.enter(ctx) == 2 {
				return 2, switchgear.MarkSuccess(errSecond)
			}
			return 1, wait(ctx, time.Second)
		})
		equal(t, "value", v, 2)
		equal(t, "error", errors.Is(err, errSecond), true)
		equal(t, "returned after", time.Since(l.begun), 10*ms)
		synctest.Wait()
		equal(t, "all contexts have ended", []error{l.contexts[0].Err(), l.contexts[1].Err()}, []error{context.Canceled, context.Canceled})
		equal(t, "lost", l.lost(), []bool{true, false})
		atRest(t, h, 0)
	})
	bubble(t, "the classifier decides what is good", func(t *testing.T) {
		h := made(t, cfg, WithClassifier(func(err error) switchgear.Judgement {
			if errors.Is(err, errSecond) {
				return good
			}
			return switchgear.Judgement{}
		}))
		l := newLog()
		err := h.Do(t.Context(), func(ctx context.Context) error {
			if l.enter(ctx) == 2 {
				return errSecond
			}
			return wait(ctx, time.Second)
		})
		equal(t, "error", err, errSecond)
		equal(t, "won by a hedge", h.Counters().WonByHedge, 1)
		synctest.Wait()
		atRest(t, h, 0)
	})
	bubble(t, "a hint delays the next attempt in the blocking form too", func(t *testing.T) {
		c := cfg
		c.MaxExtra = 2
		h, l := made(t, c), newLog()
		err := h.Do(t.Context(), func(ctx context.Context) error {
			if l.enter(ctx) == 2 {
				return switchgear.WithRetryAfter(errDown, 70*ms)
			}
			return wait(ctx, 200*ms)
		})
		equal(t, "error", err, nil)
		equal(t, "started", l.started, []time.Duration{0, 10 * ms, 80 * ms})
		synctest.Wait()
		atRest(t, h, 0)
	})
}

func TestErrorUnwrap(t *testing.T) {
	errLocal := errors.New("bulkhead full")
	e := &Error{Name: "stock", Attempts: []AttemptError{
		{1, errDown, switchgear.Failure}, {2, errLocal, switchgear.Ignored},
	}}
	t.Run("a local reason does not hide a failure of the dependency", func(t *testing.T) {
		equal(t, "failure", errors.Is(e, errDown), true)
		equal(t, "local reason", errors.Is(e, errLocal), false)
		equal(t, "but it is told", strings.Contains(e.Error(), "attempt 2: bulkhead full"), true)
	})
	t.Run("local reasons alone are not left out", func(t *testing.T) {
		local := &Error{Attempts: e.Attempts[1:]}
		equal(t, "local reason", errors.Is(local, errLocal), true)
	})
}

func TestPlain(t *testing.T) {
	// plainly checks that a call with ctx runs once, on the caller's goroutine, with the
	// caller's context.
	plainly := func(t *testing.T, h *Hedge, ctx context.Context) {
		t.Helper()
		calls := 0 // no lock: the race detector sees another goroutine
		before, running := h.Counters(), h.Snapshot().Running
		v, err := Do(ctx, h, func(got context.Context) (int, error) {
			calls++
			equal(t, "context", got, ctx)
			time.Sleep(time.Second)
			return 7, errDown
		})
		equal(t, "calls", calls, 1)
		equal(t, "value", v, 7)
		equal(t, "error", err, errDown)
		equal(t, "counted", h.Counters().Plain-before.Plain, 1)
		equal(t, "running", h.Snapshot().Running, running)
	}
	cfg := Config{Delay: 10 * ms}
	bubble(t, "a call that is not marked", func(t *testing.T) { plainly(t, made(t, cfg), t.Context()) })
	bubble(t, "a call marked unsafe", func(t *testing.T) { plainly(t, made(t, cfg), Unsafe(Safe(t.Context()))) })
	bubble(t, "a call excepted from Always", func(t *testing.T) {
		c := cfg
		c.Always = true
		plainly(t, made(t, c), Unsafe(t.Context()))
	})
	bubble(t, "a probe", func(t *testing.T) {
		plainly(t, made(t, cfg), switchgear.WithAttempt(Safe(t.Context()), switchgear.Attempt{Number: 1, Probe: true}))
	})
	bubble(t, "hedging is off", func(t *testing.T) { plainly(t, made(t, Config{MaxExtra: off}), Safe(t.Context())) })
	bubble(t, "a marked call is hedged", func(t *testing.T) {
		h := made(t, cfg)
		err := h.Do(Safe(Unsafe(t.Context())), func(ctx context.Context) error { return wait(ctx, time.Second) })
		equal(t, "error", err, nil)
		equal(t, "hedges", h.Counters().Hedges, 1)
		synctest.Wait()
		atRest(t, h, 0)
	})
	bubble(t, "Hold of a plain call has nothing to release", func(t *testing.T) {
		held, err := Hold(t.Context(), made(t, cfg), nil, func(ctx context.Context) (context.Context, error) { return ctx, nil })
		equal(t, "error", err, nil)
		held.Release()
		equal(t, "context", held.Value.Err(), nil)
	})
	bubble(t, "too many attempts run on: calls are plain until they have ended, and there is a warning", func(t *testing.T) {
		var heard []string
		h := made(t, Config{Delay: 10 * ms, MaxAbandoned: 2, Always: true},
			WithListener(event.Func(func(e event.Event) { heard = append(heard, e.Reason) })))
		ctx, cancel := context.WithTimeout(t.Context(), 15*ms)
		defer cancel()
		err := h.Do(ctx, func(context.Context) error { time.Sleep(10 * time.Second); return nil })
		equal(t, "error", err, context.DeadlineExceeded)
		equal(t, "abandoned", h.Snapshot().Abandoned, 2)
		plainly(t, h, t.Context())
		plainly(t, h, t.Context())
		equal(t, "warnings", len(heard), 2) // one is about the budget
		equal(t, "the other", strings.Contains(heard[1], "too many attempts"), true)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		equal(t, "error", h.Do(t.Context(), func(ctx context.Context) error { return wait(ctx, 20*ms) }), nil)
		equal(t, "hedges", h.Counters().Hedges, 2)
		synctest.Wait()
		atRest(t, h, 0)
	})
}

func TestAttemptContext(t *testing.T) {
	bubble(t, "numbers go on from the attempt that a retry is making", func(t *testing.T) {
		h, l := made(t, Config{Delay: 10 * ms, Always: true}), newLog()
		ctx := switchgear.WithAttempt(t.Context(), switchgear.Attempt{Number: 3})
		err := h.Do(ctx, func(ctx context.Context) error { l.enter(ctx); return wait(ctx, 20*ms) })
		equal(t, "error", err, nil)
		equal(t, "attempts", l.attempts, []switchgear.Attempt{{Number: 3}, {Number: 4, Hedge: true}})
		synctest.Wait()
		atRest(t, h, 0)
	})
	bubble(t, "an attempt that turns out to be a probe is not hedged", func(t *testing.T) {
		h, l := made(t, Config{Delay: 10 * ms, MaxExtra: 3, Always: true}), newLog()
		err := h.Do(t.Context(), func(ctx context.Context) error {
			if l.enter(ctx) == 2 {
				NoMore(context.WithValue(ctx, l, 1))
			}
			return wait(ctx, time.Second)
		})
		equal(t, "error", err, nil)
		equal(t, "started", l.started, []time.Duration{0, 10 * ms})
		synctest.Wait()
		atRest(t, h, 0)
	})
	bubble(t, "NoMore outside a race does nothing", func(t *testing.T) { NoMore(t.Context()) })
	bubble(t, "nothing is hedged while the dependency is probed", func(t *testing.T) {
		h, l := made(t, Config{Delay: 10 * ms, Always: true}, WithProbing(func() bool { return true })), newLog()
		err := h.Do(t.Context(), func(ctx context.Context) error { l.enter(ctx); return wait(ctx, time.Second) })
		equal(t, "error", err, nil)
		equal(t, "started", len(l.started), 1)
		equal(t, "suppressed", h.Counters().Suppressed, 1)
		atRest(t, h, 0)
	})
	bubble(t, "Lost sees through derived contexts, and knows what came first", func(t *testing.T) {
		h := made(t, Config{Delay: 10 * ms, MaxExtra: 2, Always: true})
		l := newLog()
		err := h.Do(t.Context(), func(ctx context.Context) error {
			switch l.enter(ctx) {
			case 1:
				inner, cancel := context.WithTimeout(ctx, time.Second)
				defer cancel()
				<-inner.Done()
				equal(t, "lost", Lost(inner), true)
				return inner.Err()
			case 2:
				inner, cancel := context.WithTimeout(ctx, 5*ms)
				defer cancel()
				<-inner.Done()
				<-ctx.Done()
				equal(t, "timed out first", Lost(inner), false)
				equal(t, "its parent", Lost(ctx), true)
				return inner.Err()
			}
			equal(t, "the winner", Lost(ctx), false)
			return wait(ctx, 10*ms)
		})
		equal(t, "error", err, nil)
		synctest.Wait()
		equal(t, "late", h.Counters().Late, 2)
		equal(t, "live context", Lost(t.Context()), false)
		atRest(t, h, 0)
	})
}

func TestCallBudget(t *testing.T) {
	bubble(t, "K46: cancelled while a hedge is being granted: it is not made, and given back", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		b := fixed(1)
		h, l := made(t, Config{Delay: 10 * ms, Always: true}, WithSharedBudget(b), WithProbing(func() bool { cancel(); return false })), newLog()
		err := h.Do(ctx, func(ctx context.Context) error { l.enter(ctx); <-ctx.Done(); return ctx.Err() })
		equal(t, "cancelled", errors.Is(err, context.Canceled), true)
		synctest.Wait()
		equal(t, "started", len(l.started), 1)
		s := b.Snapshot()
		equal(t, "granted and cancelled", []uint64{s.Granted, s.Cancelled, s.InUse}, []uint64{1, 1, 0})
		atRest(t, h, 0)
	})
	bubble(t, "refused: no hedge, and the call goes on", func(t *testing.T) {
		b := fixed(1)
		h, l := made(t, Config{Delay: 10 * ms, MaxExtra: 3, Always: true}, WithSharedBudget(b)), newLog()
		err := h.Do(t.Context(), func(ctx context.Context) error { l.enter(ctx); return wait(ctx, time.Second) })
		equal(t, "error", err, nil)
		equal(t, "started", l.started, []time.Duration{0, 10 * ms})
		equal(t, "refused", h.Counters().Refused, 1)
		synctest.Wait()
		equal(t, "in use", b.Snapshot().InUse, 0)
		atRest(t, h, 0)
	})
	bubble(t, "a loser draws until it has ended, and is not held against the dependency", func(t *testing.T) {
		b := budget.Must(budget.New("extra", budget.Config{Kind: budget.Throttling}))
		h := made(t, Config{Delay: 10 * ms, Always: true}, WithBudget(b))
		full := b.Snapshot().Available
		err := h.Do(t.Context(), func(ctx context.Context) error {
			if a, _ := switchgear.AttemptOf(ctx); a.Hedge {
				<-ctx.Done()
				time.Sleep(time.Second)
				return ctx.Err()
			}
			return wait(ctx, 20*ms)
		})
		equal(t, "error", err, nil)
		equal(t, "in use", b.Snapshot().InUse, 1)
		time.Sleep(2 * time.Second)
		equal(t, "in use", b.Snapshot().InUse, 0)
		equal(t, "tokens", b.Snapshot().Available, full)
		atRest(t, h, 0)
	})
	for _, safe := range []bool{true, false} {
		bubble(t, "the budget hears how the first attempt ended, also by a panic", func(t *testing.T) {
			b := budget.Must(budget.New("extra", budget.Config{Kind: budget.Throttling}))
			h := made(t, Config{Delay: 10 * ms, Always: safe}, WithBudget(b))
			full := b.Snapshot().Available
			equal(t, "error", h.Do(t.Context(), func(context.Context) error { return errDown }), errDown)
			equal(t, "tokens", b.Snapshot().Available, full-1)
			func() {
				defer func() { equal(t, "recovered", recover(), any("boom")) }()
				_ = h.Do(t.Context(), func(context.Context) error { panic("boom") })
			}()
			equal(t, "tokens", b.Snapshot().Available, full-2)
			equal(t, "refused by us", errors.Is(h.Do(t.Context(), func(context.Context) error { return switchgear.ErrRejected }), switchgear.ErrRejected), true)
			goes(func() { _ = h.Do(t.Context(), func(context.Context) error { runtime.Goexit(); return nil }) })
			equal(t, "tokens", b.Snapshot().Available, full-2)
			synctest.Wait()
			passedOn := uint64(0)
			if safe {
				passedOn = 2
			}
			atRest(t, h, passedOn)
		})
	}
}

// goes runs f on a goroutine of its own, and reports whether it returned.
func goes(f func()) (returned bool) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
		returned = true
	}()
	<-done
	return returned
}

func TestPanic(t *testing.T) {
	cfg := Config{Delay: 10 * ms, Always: true}
	bubble(t, "P4: a panic goes on in the caller with its value; the others are cancelled, not lost", func(t *testing.T) {
		var heard []event.Event
		h := made(t, cfg, WithListener(event.Func(func(e event.Event) { heard = append(heard, e) })))
		l := newLog()
		func() {
			defer func() { equal(t, "recovered", recover(), any(errDown)) }()
			_ = h.Do(t.Context(), func(ctx context.Context) error {
				if l.enter(ctx) == 2 {
					panic(errDown)
				}
				return wait(ctx, time.Second)
			})
			t.Error("Do returned")
		}()
		equal(t, "after", time.Since(l.begun), 10*ms)
		equal(t, "cancelled", l.contexts[0].Err(), context.Canceled)
		equal(t, "lost", l.lost(), []bool{false, false})
		synctest.Wait()
		equal(t, "events", len(heard), 2)
		equal(t, "reason", heard[1].Reason, "attempt 2 panicked: connection refused")
		stack, _ := heard[1].Detail.(string)
		equal(t, "stack", strings.Contains(stack, "TestPanic"), true)
		equal(t, "counters", h.Counters(), Counters{Calls: 1, Stopped: 1, Hedges: 1, Late: 1, Panics: 1})
		atRest(t, h, 1)
	})
	bubble(t, "a panic of a loser is swallowed, counted and told, at most once a minute", func(t *testing.T) {
		told := 0
		h := made(t, cfg, WithListener(event.Func(func(e event.Event) {
			if strings.Contains(e.Reason, "panicked") {
				told++
			}
		})))
		for range 3 {
			v, err := Do(t.Context(), h, func(ctx context.Context) (int, error) {
				if a, _ := switchgear.AttemptOf(ctx); a.Hedge {
					<-ctx.Done()
					panic("late")
				}
				return 1, wait(ctx, 20*ms)
			})
			equal(t, "value", v, 1)
			equal(t, "error", err, nil)
			synctest.Wait()
		}
		equal(t, "told", told, 1)
		equal(t, "panics", h.Counters().Panics, 3)
		atRest(t, h, 0)
	})
	bubble(t, "P4: runtime.Goexit goes on in the caller", func(t *testing.T) {
		h := made(t, cfg)
		equal(t, "returned", goes(func() {
			_ = h.Do(t.Context(), func(context.Context) error { runtime.Goexit(); return nil })
		}), false)
		synctest.Wait()
		equal(t, "panics", h.Counters().Panics, 1)
		atRest(t, h, 1)
	})
	bubble(t, "a Goexit of a loser ends the loser", func(t *testing.T) {
		h := made(t, cfg)
		equal(t, "error", h.Do(t.Context(), func(ctx context.Context) error {
			if a, _ := switchgear.AttemptOf(ctx); a.Hedge {
				<-ctx.Done()
				runtime.Goexit()
			}
			return wait(ctx, 20*ms)
		}), nil)
		synctest.Wait()
		atRest(t, h, 0)
	})
	for name, end := range map[string]func(){"a panic": func() { panic("discard") }, "Goexit": runtime.Goexit} {
		bubble(t, name+" in the discard function is swallowed and counted", func(t *testing.T) {
			h := made(t, cfg)
			v, err := DoWith(t.Context(), h, func(int) { end() }, func(ctx context.Context) (int, error) {
				a, _ := switchgear.AttemptOf(ctx)
				time.Sleep(20 * ms)
				return a.Number, nil
			})
			equal(t, "value", v, 1)
			equal(t, "error", err, nil)
			time.Sleep(time.Second)
			c := h.Counters()
			equal(t, "discarded", c.Discarded, 1)
			equal(t, "panics", c.Panics, 1)
			atRest(t, h, 0)
		})
	}
	for name, end := range map[string]func(){"a panic": func() { panic("classifier") }, "Goexit": runtime.Goexit} {
		bubble(t, name+" of the classifier is one of the attempt", func(t *testing.T) {
			h := made(t, cfg, WithClassifier(func(error) switchgear.Judgement { end(); return bad }))
			equal(t, "returned", goes(func() {
				defer func() { _ = recover() }()
				_ = h.Do(t.Context(), func(context.Context) error { return errDown })
				t.Error("Do returned")
			}), name == "a panic")
			synctest.Wait()
			atRest(t, h, 1)
		})
		bubble(t, name+" of the probing function ends the call and cancels its attempts", func(t *testing.T) {
			l := newLog()
			h := made(t, cfg, WithProbing(func() bool { end(); return false }))
			equal(t, "returned", goes(func() {
				defer func() { _ = recover() }()
				_ = h.Do(t.Context(), func(ctx context.Context) error { l.enter(ctx); <-ctx.Done(); return ctx.Err() })
				t.Error("Do returned")
			}), name == "a panic")
			synctest.Wait()
			equal(t, "cancelled", l.contexts[0].Err(), context.Canceled)
			equal(t, "stopped", h.Counters().Stopped, 1)
			atRest(t, h, 0)
		})
		bubble(t, name+" of the probing function in the moment of an answer: the answer is disposed of", func(t *testing.T) {
			answer := make(chan struct{})
			h := made(t, cfg, WithProbing(func() bool { close(answer); synctest.Wait(); end(); return false }))
			thrown := 0
			equal(t, "returned", goes(func() {
				defer func() { _ = recover() }()
				_, _ = DoWith(t.Context(), h, func(int) { thrown++ }, func(context.Context) (int, error) { <-answer; return 1, nil })
				t.Error("Do returned")
			}), name == "a panic")
			synctest.Wait()
			equal(t, "thrown away", thrown, 1)
			atRest(t, h, 0)
		})
	}
}
