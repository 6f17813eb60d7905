package main

import (
	"context"
	"errors"
	"runtime"
	"strings"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
)

// protected is the function under protection.
func (w *worker) protected(context.Context) (int, error) {
	w.ran, w.outcome = true, released // in case that during does not return
	w.during()
	switch w.plan.end {
	case panics:
		w.outcome = failure
		panic(errBoom)
	case exits:
		runtime.Goexit()
	}
	w.outcome = w.expected(false)
	return w.plan.value, w.plan.ending.err
}

// call makes a call by Do, the way that is made to be fast.
func (w *worker) call() {
	w.kinds[opDo]++
	if w.explodes(false) {
		w.explode(func() error {
			_, err := breaker.Do(w.plan.ending.ctx, w.s.b, w.protect)
			return err
		})
		return
	}
	before := w.begin()
	v, err := breaker.Do(w.plan.ending.ctx, w.s.b, w.protect)
	w.finish(before, v, err)
}

// callMethod makes one without a result.
func (w *worker) callMethod() {
	w.kinds[opDoMethod]++
	if w.explodes(false) {
		w.explode(func() error { return w.s.b.Do(w.plan.ending.ctx, w.protectPlain) })
		return
	}
	before := w.begin()
	err := w.s.b.Do(w.plan.ending.ctx, w.protectPlain)
	v := 0
	if w.ran {
		v = w.plan.value
	}
	w.finish(before, v, err)
}

// callJudged makes one with a classifier of its own.
func (w *worker) callJudged() {
	w.kinds[opDoJudged]++
	if w.plan.ending == &plainSuccess && w.rng.IntN(8) == 0 {
		w.plan.value = bad
	}
	call := func() (int, error) {
		return breaker.DoJudged(w.plan.ending.ctx, w.s.b, judgeResult, func(ctx context.Context) (int, error) {
			v, err := w.protected(ctx)
			w.outcome = w.expected(true)
			return v, err
		})
	}
	if w.explodes(true) {
		w.explode(func() error {
			_, err := call()
			return err
		})
		return
	}
	before := w.begin()
	v, err := call()
	w.finish(before, v, err)
}

// begin returns what is known before a call through Do.
func (w *worker) begin() (before mark) {
	if !w.round.sc.bare {
		before = w.s.beforehand()
	}
	w.ran, w.phase = false, calling
	return before
}

// finish does the books of a call that has returned.
func (w *worker) finish(before mark, v int, err error) {
	w.phase = elsewhere
	if !w.ran {
		if v != 0 {
			w.fail("P1: a refused call returned %d", v)
		}
		w.refused(before, err)
		return
	}
	w.count(w.outcome)
	if err != w.plan.ending.err || v != w.plan.value {
		w.fail("P4: the function returned %d, %v and the call %d, %v", w.plan.value, w.plan.ending.err, v, err)
	}
	if !admits(before.state()) {
		if p, ok := w.s.since(before); ok && !p.open && !p.probing {
			w.fail("S2: a call was run, and from period %d on there was none to admit it: %+v", before.period(), p)
		}
	}
}

// explode makes a call that panics, unless it is refused.
func (w *worker) explode(call func() error) {
	before := w.begin()
	defer func() {
		// Without a panic either the call was refused, or a listener ends the goroutine, and the
		// books are done elsewhere.
		v := recover()
		if v == nil {
			return
		}
		w.phase = elsewhere
		w.events[panicked]++
		w.count(failure)
		if !w.ran || v != any(errBoom) && v != any(errBomb) {
			w.fail("P4: the function ran: %v, and what came out is the panic %v", w.ran, v)
		}
	}()
	err := call()
	w.phase = elsewhere
	if w.ran {
		w.fail("P4: a panic was swallowed")
		return
	}
	w.refused(before, err)
}

// mostSightings bounds what a worker notes of the periods of one subject.
const mostSightings = 4096

// refused does the books of a call that was refused, and looks at the refusal.
func (w *worker) refused(before mark, err error) {
	w.t.refused++
	r, ok := err.(*breaker.Rejection)
	if !ok {
		w.fail("P1: a call was not run, and the error is %v", err)
		return
	}
	if r.Period < before.period() {
		w.fail("S5: a call was refused by period %d, when it was known that period %d had begun", r.Period, before.period())
	}
	if r == w.refusal && w.done%64 != 0 {
		return
	}
	wait, known := r.RetryAfter()
	ok = wait >= 0 && (known || wait == 0)
	switch r.State {
	case breaker.Open:
		ok = ok && known
	case breaker.HalfOpen:
		ok = ok && !known
	case breaker.ForcedOpen: // known if there is an expiry
	default:
		ok = false
	}
	if !ok || r.Name != w.s.b.Name() {
		w.fail("P1: a refusal by %q in %v, period %d, that asks to come back after %v (known: %v)", r.Name, r.State, r.Period, wait, known)
	}
	if r == w.refusal {
		return
	}
	w.refusal = r
	if s := w.sightings[w.s.index]; len(s) < mostSightings {
		w.sightings[w.s.index] = append(s, markOf(r.Period, r.State))
	}
	if !errors.Is(err, breaker.ErrRejected) || !errors.Is(err, switchgear.ErrRejected) {
		w.fail("P1: a refusal does not match the sentinels: %v", err)
	}
	if w.done%16 == 0 {
		if text := err.Error(); !strings.Contains(text, r.Name) || !strings.Contains(text, r.State.String()) {
			w.fail("P1: a refusal by %q in %v says: %s", r.Name, r.State, text)
		}
		if t := r.Trip(); t == nil && r.State == breaker.ForcedOpen {
			w.fail("P1: a refusal in FORCED_OPEN does not say why")
		}
	}
}
