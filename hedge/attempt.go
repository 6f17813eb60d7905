package hedge

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/budget"
)

// The states of an attempt. It leaves the first one once: by its own end, or because
// its call is over.
const (
	isRunning int32 = iota
	isEnded
	isAbandoned
)

// An attempt is one run of the function, on a goroutine of its own. The fields below
// state belong to that goroutine; nobody writes them once it has handed the attempt
// over.
type attempt[T any] struct {
	call       *call[T]
	number     int
	ctx        context.Context
	cancel     context.CancelCauseFunc
	withdrawal budget.Withdrawal
	state      atomic.Int32

	value     T
	err       error
	ended     time.Duration
	judgement switchgear.Judgement
	returned  bool // fn and the classifier did, and what they returned is above
	skipped   bool // the call was over before fn could run
	panicked  any  // if neither returned nor skipped; nil then stands for runtime.Goexit
	stack     string
}

// start starts attempt n.
func (c *call[T]) start(n int, w budget.Withdrawal) {
	a := &attempt[T]{call: c, number: n, withdrawal: w}
	ctx, cancel := context.WithCancelCause(&c.raceContext)
	probe := false
	if outer, ok := switchgear.AttemptOf(c.Context); ok {
		probe = outer.Probe
	}
	a.ctx = switchgear.WithAttempt(ctx, switchgear.Attempt{Number: c.before + n, Hedge: n > 1, Probe: probe})
	a.cancel = cancel
	c.attempts = append(c.attempts, a)
	go a.run()
}

func (a *attempt[T]) run() {
	c := a.call
	defer a.finish()
	if c.decided.Load() != 0 || a.ctx.Err() != nil {
		a.skipped, a.judgement.Health = true, switchgear.Ignored
		return
	}
	a.value, a.err = c.fn(a.ctx)
	a.ended = c.h.clk.Mono()
	// With the attempt's own context: that we cancelled it is not to be held against
	// the dependency.
	a.judgement = switchgear.Judge(a.ctx, a.err, c.h.now, c.h.classify)
	a.returned = true
}

// finish settles what the attempt held and hands over its result. It must be deferred
// itself, so that recover works in it.
func (a *attempt[T]) finish() {
	h := a.call.h
	if !a.returned && !a.skipped {
		h.counts.panics.Add(1)
		a.judgement.Health = switchgear.Ignored
		if a.panicked = recover(); a.panicked != nil {
			a.judgement.Health = switchgear.Failure
			a.stack = string(debug.Stack())
		}
	}
	// Deferred, because a budget has listeners, and one that ends the goroutine must
	// not leave the caller waiting. Before it, so that a caller who goes on finds his
	// budget settled.
	defer a.deliver()
	if a.skipped && a.number > 1 {
		a.withdrawal.Cancel()
		return
	}
	h.settleBudget(a.number, a.withdrawal, a.judgement.Health)
}

// deliver hands the result to the caller or, where it comes too late, disposes of it.
func (a *attempt[T]) deliver() {
	c, h := a.call, a.call.h
	late := !a.state.CompareAndSwap(isRunning, isEnded)
	if late {
		h.abandoned.Add(-1)
	}
	switch {
	case late || a.skipped:
		defer h.running.Add(-1)
		a.drop()
	case a.returned && a.judgement.Health != switchgear.Success:
		h.counts.failures.Add(1)
		a.cancel(nil)
		a.send()
	case c.decided.CompareAndSwap(0, int32(a.number)):
		if a.returned {
			a.send() // its context lives on
			return
		}
		a.cancel(nil)
		a.send()
		h.warn(panicking, a.died(), a.stack) // last: it calls user code
	default:
		defer h.running.Add(-1)
		a.drop()
	}
}

// send hands the result to the caller, who then finds the attempt no longer running.
func (a *attempt[T]) send() {
	a.call.h.running.Add(-1)
	a.call.results <- a
}

// drop disposes of a result that nobody wants.
func (a *attempt[T]) drop() {
	h := a.call.h
	h.counts.late.Add(1)
	a.cancel(nil)
	switch {
	case a.skipped:
	case !a.returned:
		h.warn(panicking, a.died(), a.stack)
	case a.err == nil && a.call.discard != nil:
		h.counts.discarded.Add(1)
		a.throwAway()
	}
}

// throwAway calls the discard function.
func (a *attempt[T]) throwAway() {
	h, returned := a.call.h, false
	defer func() {
		if returned {
			return
		}
		h.counts.panics.Add(1)
		if p := recover(); p != nil {
			h.warn(panicking, fmt.Sprintf("disposing of the result of attempt %d panicked: %v", a.number, p), string(debug.Stack()))
		}
	}()
	a.call.discard(a.value)
	returned = true
}

// died describes an attempt that did not return.
func (a *attempt[T]) died() string {
	if a.panicked == nil {
		return fmt.Sprintf("attempt %d ended its goroutine", a.number)
	}
	return fmt.Sprintf("attempt %d panicked: %v", a.number, a.panicked)
}

// leave leaves the attempt to itself, because its call is over. It runs on the caller's
// goroutine.
func (a *attempt[T]) leave() {
	h := a.call.h
	h.abandoned.Add(1) // first, so that the attempt's own end never takes it below zero
	if !a.state.CompareAndSwap(isRunning, isAbandoned) {
		h.abandoned.Add(-1)
	}
}
