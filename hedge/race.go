package hedge

import (
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/internal/check"
)

// A Race decides about one call: when an extra attempt is due, whether it may start,
// and what the end of an attempt means. It starts nothing and never waits; its user
// makes the attempts. [Do] is built on it, and a simulator uses it alone.
//
//	race := h.Begin(now, true)            // attempt 1 starts
//	for at, ok := race.Next(); …          // wait until at, or until an attempt ends
//	n, ok := race.Start(now)              // attempt n starts
//	switch race.End(n, now, judgement) …  // attempt n has ended
//
// All times are readings of the hedge's clock. The user owes an End for attempt 1 and
// for every attempt that Start granted, also after the race is decided; until then
// the attempt counts as running. A Race is not safe for concurrent use.
type Race struct {
	h        *Hedge
	began    time.Duration
	delay    time.Duration
	due      time.Duration
	plain    bool
	decision Verdict // Open, and then what it was decided to be; Late if stopped
	extra    int     // extra attempts that may still start
	attempts int     // attempts started
	running  int
	ended    uint16 // a bit for each attempt that has

	// Of the attempts from the second on; only where the race itself settles them.
	withdrawals []budget.Withdrawal
}

// Begin begins a call whose first attempt starts now. safe says that the call may be
// made more than once; otherwise, or if hedging is off or suspended, the race has
// only the one attempt.
func (h *Hedge) Begin(now time.Duration, safe bool) *Race {
	r := new(Race)
	h.begin(r, now, safe && h.possible())
	return r
}

func (h *Hedge) begin(r *Race, now time.Duration, hedged bool) {
	*r = Race{h: h, began: now, due: now, plain: !hedged, attempts: 1, running: 1}
	if !hedged {
		h.beginPlain()
		return
	}
	h.tellBudget()
	h.counts.calls.Add(1)
	h.running.Add(1)
	r.extra = h.extra
	r.delay, _ = h.delay(now)
	r.due = now + r.delay
}

func (h *Hedge) beginPlain() {
	h.tellBudget()
	h.counts.calls.Add(1)
	h.counts.plain.Add(1)
}

// tellBudget says that a call begins, to a budget that hears it from us.
func (h *Hedge) tellBudget() {
	if h.budget != nil && !h.shared {
		h.budget.Begin()
	}
}

// Next returns when the next extra attempt is due, and false if there will be none.
// An attempt that ends can change both.
func (r *Race) Next() (at time.Duration, ok bool) {
	if r.decision != Open || r.extra == 0 {
		return 0, false
	}
	return r.due, true
}

// Start asks for an extra attempt, and returns its number, from 2. It returns false if
// none is due yet, or if there will be none: the race is decided, the most allowed have
// been made, the budget refuses, or [WithProbing] or [Config.MaxAbandoned] forbids it.
// After one refusal there is no other try.
func (r *Race) Start(now time.Duration) (attempt int, ok bool) {
	attempt, w, ok := r.start(now)
	if ok {
		r.withdrawals = append(r.withdrawals, w)
	}
	return attempt, ok
}

// start is Start for whoever settles the withdrawal himself.
func (r *Race) start(now time.Duration) (attempt int, w budget.Withdrawal, ok bool) {
	if at, ok := r.Next(); !ok || now < at {
		return 0, w, false
	}
	h := r.h
	if h.crowded() || h.probing != nil && h.probing() {
		r.extra = 0
		h.counts.suppressed.Add(1)
		return 0, w, false
	}
	if h.budget != nil {
		if w, ok = h.budget.Withdraw(); !ok {
			r.extra = 0
			h.counts.refused.Add(1)
			return 0, w, false
		}
	}
	r.extra--
	r.attempts++
	r.running++
	r.due = now + r.delay
	h.counts.hedges.Add(1)
	h.running.Add(1)
	return r.attempts, w, true
}

// End says that an attempt has ended and how it was judged, and returns what this means
// for the race. A success wins. Anything else is a failure: if Repeat is RepeatNever
// there will be no further extra attempts, and with a NotBefore none earlier than that.
//
// The end of an attempt that was not started, or ended before, changes nothing and is
// Late.
func (r *Race) End(attempt int, now time.Duration, j switchgear.Judgement) Verdict {
	if !r.out(attempt) {
		return Late
	}
	h, v := r.h, r.end(attempt, now, j)
	if !r.plain {
		switch v {
		case Won:
			h.abandoned.Add(int64(r.running))
		case Late:
			h.counts.late.Add(1)
			h.abandoned.Add(-1)
		default:
			h.counts.failures.Add(1)
		}
		h.running.Add(-1)
	}
	var w budget.Withdrawal
	if attempt > 1 {
		w = r.withdrawals[attempt-2]
	}
	h.settleBudget(attempt, w, j.Health)
	return v
}

// out reports whether the attempt has been started and has not ended.
func (r *Race) out(attempt int) bool {
	return attempt >= 1 && attempt <= r.attempts && r.ended&(1<<attempt) == 0
}

// end is End without what concerns the attempt alone. The attempt must be out.
func (r *Race) end(attempt int, now time.Duration, j switchgear.Judgement) Verdict {
	r.ended |= 1 << attempt
	r.running--
	switch {
	case r.decision != Open:
		return Late
	case j.Health == switchgear.Success:
		r.decision = Won
		r.countWin(attempt, now)
		return Won
	}
	if j.Repeat == switchgear.RepeatNever {
		r.extra = 0
	}
	if j.NotBefore > 0 {
		r.due = max(r.due, now+min(j.NotBefore, check.MaxDuration))
	}
	if r.running > 0 {
		return Open
	}
	r.decision = Failed
	if !r.plain {
		r.h.counts.failed.Add(1)
	}
	return Failed
}

func (r *Race) countWin(attempt int, now time.Duration) {
	if r.plain {
		return
	}
	h := r.h
	h.counts.won.Add(1)
	if attempt > 1 {
		h.counts.wonByHedge.Add(1)
	}
	if h.tail != nil {
		h.tail.add(now-r.began, now)
	}
}

// NoMore forbids further extra attempts, as the function [NoMore] does from inside an
// attempt.
func (r *Race) NoMore() { r.extra = 0 }

// Stop ends an undecided race without a decision: the caller has gone. Nothing starts
// any more, and attempts that still run should be cancelled.
func (r *Race) Stop() {
	if r.stop() && !r.plain {
		r.h.abandoned.Add(int64(r.running))
	}
}

// stop is Stop without what concerns the attempts. It reports whether the race was
// undecided.
func (r *Race) stop() bool {
	if r.decision != Open {
		return false
	}
	r.decision = Late
	if !r.plain {
		r.h.counts.stopped.Add(1)
	}
	return true
}
