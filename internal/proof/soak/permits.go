package main

import (
	"context"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
)

// A permit is one that a worker has out, and what the worker knows of it.
type permit struct {
	breaker.Permit
	subject int
	ctx     context.Context // that it was asked for with
	probe   bool
	before  mark // in force when it was asked for, or over by then

	observed bool
	newest   uint64 // period when it had been given
	period   uint64 // of a probe, or 0 if that is uncertain
	number   uint64 // at the gate
}

// callInSteps makes a call by Acquire. If the worker may keep permits, it may end later.
func (w *worker) callInSteps() {
	w.kinds[opAcquire]++
	sc := w.round.sc
	var before mark
	asked := longAgo
	if !sc.bare {
		if before = w.s.beforehand(); !admits(before.state()) {
			asked = w.s.clk.Mono()
		}
	}
	ctx := w.plan.ending.ctx
	w.phase = acquiring
	p, err := w.s.b.Acquire(ctx)
	w.phase = elsewhere
	if err != nil {
		w.refused(before, err)
		return
	}
	h := &w.hand
	*h = permit{Permit: p, subject: w.s.index, ctx: ctx, probe: p.Probe(), before: before}
	w.holding = true
	w.t.admitted++
	if h.probe {
		w.t.probes++
	}
	keep := len(w.kept) < sc.keep && (h.probe || w.rng.IntN(4) == 0)
	if !sc.bare && sc.recent > 0 && (h.probe || keep || !admits(before.state())) {
		w.observe(h, asked)
	}
	if w.rng.IntN(8) == 0 {
		h.Start()
	}
	if keep {
		w.holding = false
		w.kept = append(w.kept, *h)
	} else {
		w.during()
		w.settle(h)
	}
	if len(w.kept) > 0 && w.rng.IntN(16) == 0 {
		w.letGo(w.rng.IntN(len(w.kept)))
	}
}

// observe finds out what there is to know of a permit that was just given.
func (w *worker) observe(h *permit, asked time.Duration) {
	p, ok := w.s.since(h.before)
	switch {
	case ok && h.probe && !p.probing:
		w.fail("S3: a probe was admitted, and from period %d on none was half-open: %+v", h.before.period(), p)
	case ok && !h.probe && !p.open:
		w.fail("S2: a call was admitted, and from period %d on none admits calls: %+v", h.before.period(), p)
	case h.probe && (!ok || p.halfOpen == 0):
		w.events[unattributed]++
	case h.probe:
		w.events[attributed]++
		h.period = p.halfOpen
		var err error
		h.number, err = w.s.gate.enter(h.period, asked)
		w.s.fail(err)
	}
	h.observed, h.newest = ok, p.newest
}

// letGo settles a permit that was kept, or throws it away.
func (w *worker) letGo(i int) {
	last := len(w.kept) - 1
	w.hand, w.kept[i] = w.kept[i], w.kept[last]
	w.kept[last] = permit{}
	w.kept = w.kept[:last]
	w.take(w.hand.subject)
	if w.rng.IntN(1024) < w.round.sc.lose {
		w.events[lost]++
		w.t.lost++
		w.hand = permit{}
		return
	}
	w.holding = true
	w.devise(w.rng.Uint64())
	w.settle(&w.hand)
}

// settle settles the permit in hand as planned, by one of several methods.
func (w *worker) settle(h *permit) {
	e := w.plan.ending
	outcome := w.expected(false)
	way := w.rng.IntN(16)
	// What Done makes of an error depends on the context that the permit was asked for with,
	// which need not be that of the plan.
	judge := way < 8 && h.ctx == e.ctx && w.plan.end == returns
	switch {
	case judge:
	case way == 15 || w.plan.end == exits:
		outcome = released
	case outcome == either:
		outcome = failure
	}
	if h.period > 0 {
		w.s.gate.leave(h.period, h.number, outcome == success || outcome == failure)
	}
	late := h.observed && w.s.beforehand().period() > h.newest
	duplicate := h.Permit

	w.holding = false
	w.t.settled[outcome]++ // first, because a listener may end the goroutine
	if late {
		w.t.surelyLate++
	}
	switch {
	case judge && w.explodes(false):
		w.doneWithPanic(h, e.err)
	case judge:
		h.Done(e.err)
	case outcome == success:
		h.Success()
	case outcome == failure:
		h.Failure(e.err)
	case outcome == ignored:
		h.Ignore()
	default:
		h.Release()
	}
	if h.observed && !h.probe && w.s.stillIn(h.before.period()) {
		w.t.surelyInTime++
	}
	if w.rng.IntN(8) == 0 {
		w.settleAgain(h, &duplicate)
	}
}

// doneWithPanic settles with an error that the classifier panics on.
func (w *worker) doneWithPanic(h *permit, err error) {
	returned := false
	defer func() {
		// Neither a panic nor a return: a listener ends the goroutine.
		if v := recover(); returned || v != nil && v != any(errBomb) {
			w.fail("P4: the classifier's panic did not come out of Done, but %v", v)
		}
	}()
	h.Done(err)
	returned = true
}

// settleAgain does what must do nothing (P2).
func (w *worker) settleAgain(h *permit, duplicate *breaker.Permit) {
	w.events[settledAgain]++
	if h.Probe() {
		w.fail("P2: a settled permit is a probe's")
	}
	h.Failure(errDown)
	h.Done(nil)
	if h.probe {
		w.events[copied]++
		if w.rng.IntN(2) == 0 {
			duplicate.Failure(errDown)
		} else {
			duplicate.Release()
		}
	}
}
