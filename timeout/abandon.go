package timeout

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"
)

// The stages of a call in a goroutine of its own. Who moves it on from running
// decides, once, who the function ends for.
const (
	running   uint32 = iota
	finished         // the caller takes what the function left
	abandoned        // the caller has gone
)

// A work is one call in a goroutine of its own.
type work[T any] struct {
	stage atomic.Uint32
	done  chan struct{} // closed when finished; never waited for by the function

	// What the function left. Written by its goroutine before the stage is moved
	// on, and read by the caller after done.
	v      T
	err    error
	at     time.Duration // the clock when it ended
	how    ending
	thrown any // the value of its panic
}

type ending uint8

const (
	exited   ending = iota // runtime.Goexit, until it is known to be something else
	returned               // with a result
	panicked
)

func doAbandon[T any](ctx context.Context, t *Timeout, fn func(context.Context) (T, error)) (v T, err error) {
	if err := ctx.Err(); err != nil {
		return v, err // the caller has gone: there is nobody to make the call for
	}
	if n := t.behind.Load(); n >= int64(t.cfg.MaxAbandoned) {
		return v, t.refuse(int(n))
	}
	h, err := t.Context(ctx)
	if err != nil {
		return v, err
	}
	defer h.Release()

	w := &work[T]{done: make(chan struct{})}
	t.running.Add(1)
	go w.run(h.Ctx, t, fn)

	select {
	case <-w.done:
	case <-h.Ctx.Done():
		if !leave(t, &w.stage) {
			<-w.done // it is finished, the channel is being closed
			break
		}
		if h.c.limited() {
			return v, t.exceeded(t.clk.Mono()-h.c.start, nil)
		}
		return v, h.Ctx.Err()
	}
	switch w.how {
	case panicked:
		panic(w.thrown)
	case exited:
		runtime.Goexit()
	}
	return w.v, h.c.verdict(w.at, w.err)
}

// leave leaves the function behind, unless it has finished.
func leave(t *Timeout, stage *atomic.Uint32) bool {
	// Counted before, so that the function, which subtracts again, never does so
	// first.
	t.behind.Add(1)
	if !stage.CompareAndSwap(running, abandoned) {
		t.behind.Add(-1)
		return false
	}
	t.abandoned.Add(1)
	return true
}

// run is the goroutine.
func (w *work[T]) run(ctx context.Context, t *Timeout, fn func(context.Context) (T, error)) {
	defer func() {
		if w.how != returned {
			if w.thrown = recover(); w.thrown != nil {
				w.how = panicked
			}
		}
		w.finish(t)
	}()
	w.v, w.err = fn(ctx)
	w.how = returned
}

func (w *work[T]) finish(t *Timeout) {
	w.at = t.clk.Mono()
	t.running.Add(-1)
	if w.stage.CompareAndSwap(running, finished) {
		close(w.done)
		return
	}
	// Nobody waits any more.
	if n := t.behind.Add(-1); n <= int64(t.cfg.MaxAbandoned/2) {
		t.full.Store(false)
	}
	t.late.Add(1)
	if w.how == panicked {
		t.latePanics.Add(1)
		t.tellPanic(w.at, w.thrown)
	}
}

// refuse counts and makes a refusal because too many functions are left behind.
// That calls are refused is told once, and again only after the number has
// fallen to half.
func (t *Timeout) refuse(n int) error {
	t.rejected.Add(1)
	r := &Rejection{Name: t.name, Reason: TooManyAbandoned, Abandoned: n, MaxAbandoned: t.cfg.MaxAbandoned}
	if t.full.CompareAndSwap(false, true) {
		t.warn(fmt.Sprintf("calls are refused: %d functions left behind are still running, %d may be", n, t.cfg.MaxAbandoned), nil)
	}
	return r
}

// LatePanic is the Detail of the event that tells of a panic in a function which
// had been left behind.
type LatePanic struct {
	// Value is the panic's value as text, at most 256 bytes.
	Value string `json:"value"`
	// Stack is where it happened, at most 8 KiB.
	Stack string `json:"stack"`
	// Total is how many late panics there have been, told in events or not.
	Total uint64 `json:"total"`
}

// String returns the value.
func (p *LatePanic) String() string { return p.Value }

const (
	panicPause = time.Second // between two events about late panics
	maxValue   = 256
	maxStack   = 8 << 10
)

// tellPanic makes an event of a panic that has no caller to go to. It runs in the
// deferred function of the goroutine that panicked, so the stack is still there.
func (t *Timeout) tellPanic(now time.Duration, thrown any) {
	next := t.nextPanic.Load()
	if int64(now) < next || !t.nextPanic.CompareAndSwap(next, int64(now+panicPause)) {
		return
	}
	t.warn("a function that was left behind panicked", &LatePanic{
		Value: clip(fmt.Sprint(thrown), maxValue), // fmt survives a panic in the value's own methods
		Stack: clip(string(debug.Stack()), maxStack),
		Total: t.latePanics.Load(),
	})
}

// clip shortens s to n bytes without cutting a letter in two.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}
