package proof

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear"
)

// A fault is what the dependency does with one attempt: how long it takes, whether it
// notices meanwhile that nobody waits, and how it ends.
type fault struct {
	name  string
	takes time.Duration
	deaf  bool // it does not look at its context
	end   func(a *attempted) (*answer, error)

	mark  switchgear.Outcome   // of its error
	said  switchgear.Judgement // of its error, by the classifier
	final bool                 // marked so
	local bool                 // a refusal from further in
}

// drawFault draws one. Where the dependency is sick most of them are bad.
func (c *composedCase) drawFault(sick bool) fault {
	var f fault
	if c.rng.IntN(100) < map[bool]int{false: 75, true: 15}[sick] {
		f = fault{name: "good answer", end: good}
	} else {
		f = faults[c.rng.IntN(len(faults))]
	}
	f.takes = drawFrom(c, 0, 0, ms, 2*ms, 3*ms, 5*ms, time.Duration(c.rng.Int64N(int64(12*ms))))
	if limit := drawFrom(c, c.limits...); c.oneIn(6) && limit > 0 {
		f.takes = limit + drawFrom(c, time.Duration(-1), 0, 0, 1, 10*ms) // exactly at a limit, and around it
	}
	if c.oneIn(8) {
		f.takes = 600 * ms // it hangs
	}
	f.deaf = c.oneIn(5)
	return f
}

var (
	errLeft       = errors.New("the caller left")
	errDownstream = fmt.Errorf("a limit further in: %w", switchgear.ErrRejected)
)

// depError is an error of the dependency. It knows the attempt that it is of.
type depError struct {
	of  *attempted
	err error // what it stands for, or nil
}

func (e *depError) Error() string { return fmt.Sprintf("%s (call %d)", e.of.fault.name, e.of.call.id) }
func (e *depError) Unwrap() error { return e.err }

// depPanic is the value of its panics.
type depPanic struct{ of *attempted }

// An answer is a result that came without an error.
type answer struct {
	of        *attempted
	bad       error // what checkAnswer says
	discarded int
}

func good(a *attempted) (*answer, error) { return &answer{of: a}, nil }

func failing(wrap func(error) error) func(a *attempted) (*answer, error) {
	return func(a *attempted) (*answer, error) { return nil, wrap(&depError{of: a}) }
}

func badly(wrap func(error) error) func(a *attempted) (*answer, error) {
	return func(a *attempted) (*answer, error) { return &answer{of: a, bad: wrap(&depError{of: a})}, nil }
}

func same(err error) error { return err }

func hint(d time.Duration) func(error) error {
	return func(err error) error { return switchgear.WithRetryAfter(err, d) }
}

var faults = []fault{
	{name: "error", end: failing(same)},
	{name: "error", end: failing(same)},
	{name: "error", end: failing(same)},
	{name: "error marked success", end: failing(switchgear.MarkSuccess), mark: switchgear.Success},
	{name: "error marked failure", end: failing(switchgear.MarkFailure), mark: switchgear.Failure},
	{name: "error marked ignored", end: failing(switchgear.MarkIgnored), mark: switchgear.Ignored},
	{name: "error marked final", end: failing(switchgear.MarkFinal), final: true},
	{name: "error with a hint", end: failing(hint(4 * ms))},
	{name: "error with a long hint", end: failing(hint(400 * ms))},
	{name: "error judged ignored", end: failing(same), said: switchgear.Judgement{Health: switchgear.Ignored}},
	{name: "error judged success", end: failing(same), said: switchgear.Judgement{Health: switchgear.Success}},
	{name: "error judged final", end: failing(same), said: switchgear.Judgement{Repeat: switchgear.RepeatNever}},
	{name: "refusal from further in", local: true, end: func(a *attempted) (*answer, error) {
		return nil, &depError{of: a, err: errDownstream}
	}},
	{name: "panic", end: func(a *attempted) (*answer, error) { panic(&depPanic{a}) }},
	{name: "goexit", end: func(*attempted) (*answer, error) { exit(); return nil, nil }},
	{name: "bad answer", end: badly(same)},
	{name: "bad answer", end: badly(same)},
	{name: "bad answer marked success", end: badly(switchgear.MarkSuccess), mark: switchgear.Success},
	{name: "bad answer marked final", end: badly(switchgear.MarkFinal), final: true},
	{name: "bad answer with a hint", end: badly(hint(4 * ms))},
}

// An attempted is one attempt that reached the dependency, and how it ended there.
type attempted struct {
	call  *composedCall
	fault fault
	ctx   context.Context
	switchgear.Attempt

	begin, end time.Duration
	over       bool
	answer     *answer
	err        error // what was returned, or what checkAnswer says
	returned   bool  // and not panicked, or ended the goroutine
	gaveUp     bool  // it noticed the end of its context
	panics     bool
	cause      error // of the context's end, as it was when the attempt returned
}

// serve is the dependency.
func (k *composedCall) serve(ctx context.Context) (v *answer, err error) {
	c := k.c
	a := &attempted{call: k, ctx: ctx, begin: c.now()}
	a.Attempt, _ = switchgear.AttemptOf(ctx)
	c.mu.Lock()
	a.fault = k.faults[len(k.attempts)%len(k.faults)]
	k.attempts = append(k.attempts, a)
	c.attempts = append(c.attempts, a)
	c.running++
	c.peak = max(c.peak, c.running)
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		a.end, a.over, a.cause = c.now(), true, context.Cause(ctx)
		a.answer, a.err = v, err
		if v != nil {
			a.err = v.bad
		}
		c.running--
	}()
	if !a.wait() {
		a.returned, a.gaveUp = true, true
		return nil, &depError{of: a, err: ctx.Err()}
	}
	a.panics = a.fault.name == "panic"
	v, err = a.fault.end(a)
	a.returned = true
	return v, err
}

// wait takes the time that the attempt takes, and reports whether it came to its end.
func (a *attempted) wait() bool {
	if a.fault.takes == 0 {
		return true
	}
	if a.fault.deaf {
		time.Sleep(a.fault.takes)
		return true
	}
	timer := time.NewTimer(a.fault.takes)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-a.ctx.Done():
		return false
	}
}

func checkAnswer(v *answer) error { return v.bad }

func (c *composedCase) discard(v *answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v.discarded++
}

// An asking is something the classifier was asked about: an error, which may wrap that of
// an attempt.
type asking struct {
	of *attempted
	as error
}

func (c *composedCase) classify(err error) switchgear.Judgement {
	e, ok := errors.AsType[*depError](err)
	if !ok {
		return switchgear.Judgement{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked[asking{e.of, err}]++
	if e.of.gaveUp { // and so never came to its end
		return switchgear.Judgement{}
	}
	return e.of.fault.said
}
