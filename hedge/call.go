package hedge

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/clock"
)

// undecidable in call.decided says that no attempt can win any more.
const undecidable = -1

// A call is a race that is being run. Its race, attempts and errors belong to the
// caller's goroutine; the attempts hand it their results.
type call[T any] struct {
	raceContext // the parent of the attempts' contexts; noMore is set from inside them
	h           *Hedge
	fn          func(context.Context) (T, error)
	discard     func(T)
	before      int // attempts made by policies further out, before this race

	race     Race
	attempts []*attempt[T]
	errs     []AttemptError
	timer    clock.Timer
	tick     chan struct{}
	winner   *attempt[T] // or the one whose panic goes on: its result has been received

	// decided is the number of the attempt that ended the race, by a good answer or a
	// panic, 0 as long as there is none, or undecidable. Whoever changes it from 0
	// decides, which settles what is a winner and what comes too late.
	decided atomic.Int32
	// results has room for all attempts, so that none is ever held up by a caller who
	// has gone (K36).
	results chan *attempt[T]
}

func newCall[T any](ctx context.Context, h *Hedge, discard func(T), fn func(context.Context) (T, error)) *call[T] {
	c := &call[T]{
		h: h, fn: fn, discard: discard,
		results: make(chan *attempt[T], 1+h.extra),
		tick:    make(chan struct{}, 1),
	}
	c.Context = ctx
	if a, ok := switchgear.AttemptOf(ctx); ok {
		c.before = max(a.Number-1, 0)
	}
	return c
}

// run runs the race to its end. Whatever way it ends, close has to follow.
func (c *call[T]) run() (Held[T], error) {
	c.h.begin(&c.race, c.h.clk.Mono(), true)
	c.start(1, budget.Withdrawal{})
	c.arm()
	for {
		select {
		case a := <-c.results:
			if held, over, err := c.take(a); over {
				return held, err
			}
		case <-c.tick:
			c.hedge()
		case <-c.Done():
			if !c.decided.CompareAndSwap(0, undecidable) {
				// An answer came first, and is as good as in our hands.
				held, _, err := c.take(c.await())
				return held, err
			}
			return Held[T]{}, c.failure(endOf(c.Context), c.race.running)
		}
	}
}

// arm sets the timer for the next extra attempt.
func (c *call[T]) arm() {
	if at, ok := c.race.Next(); ok {
		c.timer = c.h.clk.AfterFunc(at-c.h.clk.Mono(), c.ring)
	}
}

func (c *call[T]) ring() {
	select {
	case c.tick <- struct{}{}:
	default:
	}
}

// hedge starts an extra attempt, if one is due and nothing forbids it.
func (c *call[T]) hedge() {
	if c.decided.Load() != 0 || c.Err() != nil {
		return // K46: the end is there, only not seen yet
	}
	if c.noMore.Load() {
		c.race.NoMore()
	}
	if n, w, ok := c.race.start(c.h.clk.Mono()); ok {
		c.start(n, w)
	}
	c.arm()
}

// take receives the end of an attempt, and reports whether the call is over.
func (c *call[T]) take(a *attempt[T]) (held Held[T], over bool, err error) {
	if !a.returned {
		c.winner = a
		if a.panicked != nil {
			panic(a.panicked)
		}
		runtime.Goexit()
	}
	switch c.race.end(a.number, a.ended, a.judgement) {
	case Won:
		c.winner = a
		held = Held[T]{Value: a.value, Attempt: a.number}
		if a.err != nil {
			a.cancel(nil)
		} else {
			held.release = a.cancel
		}
		return held, true, a.err
	case Failed:
		c.note(a)
		return held, true, c.failure(nil, 0)
	}
	c.note(a)
	return held, false, nil
}

func (c *call[T]) note(a *attempt[T]) {
	c.errs = append(c.errs, AttemptError{Number: a.number, Err: a.err, Health: a.judgement.Health})
}

// failure returns the error of a call without a good answer.
func (c *call[T]) failure(stopped error, running int) error {
	switch {
	case len(c.errs) == 0:
		return stopped
	case len(c.errs) == 1 && stopped == nil:
		return c.errs[0].Err
	}
	return &Error{Name: c.h.name, Attempts: c.errs, Running: running, Stopped: stopped}
}

// await returns the attempt that has decided the race, whose result is on its way.
func (c *call[T]) await() *attempt[T] {
	for {
		if a := <-c.results; a.number == int(c.decided.Load()) {
			return a
		}
	}
}

// close ends the call, also on a panic: it stops the timer and, if it is undecided, the
// race, and sees to it that the context of every attempt but the winner ends.
func (c *call[T]) close() {
	if c.timer != nil {
		c.timer.Stop()
	}
	if !c.decided.CompareAndSwap(0, undecidable) && c.decided.Load() != undecidable && c.winner == nil {
		// A panic of user code on this goroutine, in the very moment of an answer.
		c.await().drop()
	}
	won := c.race.decision == Won
	// The end of the caller's context is on its way to theirs. It says why it has ended,
	// a deadline for instance, which must not be lost to a cancellation of ours.
	ending := !won && c.Err() != nil
	c.race.stop()
	for _, a := range c.attempts {
		if a == c.winner {
			continue
		}
		a.leave()
		switch {
		case won:
			a.cancel(ErrLost)
		case !ending:
			a.cancel(nil)
		}
	}
}
