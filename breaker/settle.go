package breaker

import (
	"math"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/window"
)

// outcome is how one call ended. The health Undecided stands for a release.
type outcome struct {
	health switchgear.Outcome
	slow   bool
	err    error
	hint   time.Duration
}

func (o *outcome) failed() bool { return o.health == switchgear.Failure }

// counts reports whether the outcome goes into a window.
func (o *outcome) counts() bool { return o.failed() || o.health == switchgear.Success }

// settle records how a call ended that period p admitted.
func (b *Breaker) settle(p *period, probe uint64, start time.Duration, health switchgear.Outcome, err error) {
	if health == switchgear.Success && p.state.admits() && b.countSuccess(p, start) {
		return
	}
	b.settleSlowly(p, probe, start, health, err)
}

// countSuccess is the fast path of a success: one addition to a cell of the
// caller's own, if nothing else can come of it.
func (b *Breaker) countSuccess(p *period, start time.Duration) bool {
	tag, r := p.tag.Load(), b.rules.Load() // in this order: see period.tag
	if r.clocked {
		now := b.clk.Mono()
		if r.tooSlow(start, now) {
			return false
		}
		// fastUntil is read before the cell. If the bucket ends in between, the
		// cells are sealed first, so a cell that still counts is either that of
		// the bucket seen, or of a newer one; and an outcome stamped older than
		// the newest bucket goes into the newest (W2).
		if int64(now) >= b.fastUntil.Load() {
			return false
		}
	}
	return b.cells.mine().count(tag)
}

// settleSlowly is every other way to settle.
func (b *Breaker) settleSlowly(p *period, probe uint64, start time.Duration, health switchgear.Outcome, err error) {
	o := outcome{health: health, err: err}
	defer b.settleLocked(p, probe, start, b.clk.Mono(), &o) // also if what follows ends the goroutine
	if o.failed() && err != nil {
		o.hint = hintOf(err) // the user's code: before the lock
	}
}

// settleLocked records the outcome of a call that ended at now.
func (b *Breaker) settleLocked(p *period, probe uint64, start, now time.Duration, o *outcome) {
	if probe == 0 && b.cur.Load() != p { // S5; periods never come back
		b.cells.mine().late.Add(1)
		return
	}
	b.mu.Lock()
	defer b.unlock()
	o.slow = o.counts() && b.rules.Load().tooSlow(start, now)
	switch {
	case probe != 0:
		b.report(p, probe, now, *o)
	case b.cur.Load() != p:
		b.total.Late++
	default:
		b.countOutcome(*o, now)
		switch {
		case !o.counts():
		case p.state.records():
			b.record(p, now, *o)
		default: // DISABLED: what brought it here may be a cell that is full
			b.stop(p)
			b.resume(p, now)
		}
	}
}

// hintOf returns the wait that an error asks for, or 0. A panic in the error's own
// method takes the hint away, and nothing else.
func hintOf(err error) (wait time.Duration) {
	defer func() {
		if recover() != nil {
			wait = 0
		}
	}()
	wait, _ = switchgear.RetryAfter(err)
	return wait
}

// countOutcome is rule N1. Called under mu.
func (b *Breaker) countOutcome(o outcome, now time.Duration) {
	switch o.health {
	case switchgear.Success:
		b.total.Successful++
	case switchgear.Failure:
		b.total.Failed++
		b.lastFailure = now
	case switchgear.Ignored:
		b.total.Ignored++
	default:
		b.total.Released++
	}
	if o.slow {
		b.total.Slow++
	}
}

// noteError keeps an error for the trip record (T5). Called under mu.
func (b *Breaker) noteError(err error) {
	if err == nil {
		return
	}
	if b.errs == nil {
		b.errs = new(lastErrors)
	}
	b.errs.add(err)
}

// noteHint keeps the longest wait that failures of this period asked for (O3).
func (b *Breaker) noteHint(d time.Duration) { b.hint = max(b.hint, d) }

// record files an outcome in the window and acts on it (W4). Called under mu, in
// CLOSED and METRICS_ONLY.
//
// Successes that sit in the cells came before this outcome, so they are booked
// first. While the cells are open more may be coming in. That is no matter if
// this outcome can neither trip the breaker nor put it into a mode in which the
// next success could: then those that come in now simply come after it. Otherwise
// the cells are sealed first, and the decision is made on exact numbers.
func (b *Breaker) record(p *period, now time.Duration, o outcome) {
	b.book(p)
	calm := b.counting && b.calm(p, now, o)
	if !calm {
		b.stop(p)
		b.endGrace(now)
	}
	b.file(p, now, o)
	if calm {
		return
	}
	if trip := b.judgeWindow(p, now); trip != nil {
		b.trip(p, now, trip)
		return
	}
	b.resume(p, now)
}

// file puts one outcome into window, run and evidence. Called under mu.
func (b *Breaker) file(p *period, now time.Duration, o outcome) {
	b.latest = max(b.latest, now)
	b.main.Record(now, o.failed(), o.slow)
	if o.failed() {
		b.noteError(o.err)
		b.noteHint(o.hint)
	}
	if p.state != Closed {
		return
	}
	if o.failed() {
		b.run++
	} else {
		b.run = 0
	}
	b.scores.record(b.rules.Load(), now, o)
}

// book files the successes that the cells have counted since the last booking.
// Called under mu.
func (b *Breaker) book(p *period) {
	if b.counting {
		b.bookSum(p, b.cells.sum())
	}
}

func (b *Breaker) bookSum(p *period, sum int64) {
	n := sum - b.booked
	b.booked = sum
	if n == 0 {
		return
	}
	b.total.Successful += uint64(n)
	if !p.state.records() {
		return
	}
	// All of them ended in the newest bucket: the cells are sealed when it ends.
	b.main.Good(b.latest, n)
	if p.state != Closed {
		return
	}
	b.run = 0
	b.scores.good(b.rules.Load(), b.latest, n)
}

// stop seals the cells and books what they held. Until resume or the next period,
// every outcome comes through the lock. Called under mu.
func (b *Breaker) stop(p *period) {
	if b.counting {
		sum := b.cells.seal()
		b.counting = false
		b.bookSum(p, sum)
		b.booked = 0
	}
}

// resume lets successes be counted in the cells again, if no success can make a
// difference. It could trip the breaker by bringing the window to its minimum
// while there are failures in it; or right away, if new rules find in the window
// what was no reason to trip before. Called under mu, in a state that admits.
func (b *Breaker) resume(p *period, now time.Duration) {
	if b.counting || b.grace > 0 || !b.successesCanWait(p, now) {
		return
	}
	end := forever
	if w, ok := b.main.(*window.Time); ok && p.state.records() {
		b.latest = max(b.latest, now)
		end = w.End(b.latest)
	}
	b.fastUntil.Store(int64(end)) // while sealed: see countSuccess
	b.counting = true
	b.cells.open(p.tag.Load())
}

func (b *Breaker) successesCanWait(p *period, now time.Duration) bool {
	if p.state != Closed {
		return true
	}
	r := b.rules.Load()
	if r.everyOutcome || b.judgeWindow(p, now) != nil {
		return false
	}
	c := b.main.Counts(now)
	return c.Calls >= r.minimum ||
		(c.Failed == 0 || r.failureRate == 0) && (c.Slow == 0 || r.slowRate == 0)
}

// calm reports whether the outcome surely changes nothing but numbers, judged
// from the numbers before it, on the careful side. Called under mu, after book.
func (b *Breaker) calm(p *period, now time.Duration, o outcome) bool {
	if int64(now) >= b.fastUntil.Load() || !o.failed() && !o.slow {
		return false
	}
	if p.state != Closed {
		return true
	}
	r, c := b.rules.Load(), b.main.Counts(now)
	failed, slow := c.Failed, c.Slow
	if o.failed() {
		failed++
	}
	if o.slow {
		slow++
	}
	return c.Calls >= r.minimum &&
		!reached(failed, c.Calls, r.failureRate) &&
		!reached(slow, c.Calls, r.slowRate) &&
		(r.consecutive == 0 || b.run+1 < r.consecutive) &&
		(r.failureCount == 0 || failed < r.failureCount) &&
		b.scores.quiet(r, now)
}

// endGrace empties the window when the grace has ended (T7); one that OPEN shows
// stays as it was (W5). Called under mu, with the cells sealed, before anything is
// made of the window.
func (b *Breaker) endGrace(now time.Duration) {
	if b.grace == 0 || now < b.grace {
		return
	}
	b.grace = 0
	if b.cur.Load().state.records() {
		b.clearRecord()
	}
}

// judgeWindow returns the record of the first trip rule that is met, or nil.
// Called under mu, with the cells sealed.
func (b *Breaker) judgeWindow(p *period, now time.Duration) *Trip {
	if p.state != Closed || b.grace > 0 {
		return nil
	}
	r, c := b.rules.Load(), b.main.Counts(now)
	enough := c.Calls >= r.minimum
	switch {
	case enough && reached(c.Failed, c.Calls, r.failureRate):
		return &Trip{Rule: RuleFailureRate, Threshold: r.cfg.FailureRate}
	case enough && reached(c.Slow, c.Calls, r.slowRate):
		return &Trip{Rule: RuleSlowRate, Threshold: r.cfg.SlowCall.Rate}
	case r.consecutive > 0 && b.run >= r.consecutive:
		return &Trip{Rule: RuleConsecutive, Limit: r.consecutive}
	case r.failureCount > 0 && c.Failed >= r.failureCount:
		return &Trip{Rule: RuleFailureCount, Limit: r.failureCount}
	}
	return b.scores.judge(r, now)
}

// trip opens the breaker. Called under mu, in CLOSED and HALF_OPEN.
func (b *Breaker) trip(p *period, now time.Duration, t *Trip) {
	b.easeGrowth(p, now)
	t.Time = b.clk.Now()
	t.Numbers = p.numbers(now)
	if p.state == Closed {
		t.Consecutive = b.run
	}
	t.Hint, t.Retrips = b.hint, b.retrips
	s := step{to: Open, at: now, kind: event.Transition, trip: t, errs: b.errs.take(), draw: b.draw(), hint: b.hint}
	t.Wait = b.rules.Load().interval(b.retrips, s.hint, s.draw)
	s.until = after(now, t.Wait)
	s.retrips = b.retrips
	b.retrips = min(b.retrips+1, math.MaxInt32)
	b.total.Trips++
	b.enter(s)
}

// easeGrowth takes the growth of the open interval back, a step per base wait
// spent CLOSED (O1). Called under mu, before p ends.
func (b *Breaker) easeGrowth(p *period, now time.Duration) { b.retrips = b.eased(p, now) }

func (b *Breaker) eased(p *period, now time.Duration) int {
	if p.state != Closed {
		return b.retrips
	}
	return eased(b.retrips, max(now-p.start, 0)/b.rules.Load().cfg.Open.Wait)
}

func eased(retrips int, steps time.Duration) int {
	return retrips - int(min(steps, time.Duration(retrips)))
}

const (
	noDraw     = 0.5 // a draw that changes nothing
	noInterval = -1  // for an OPEN period that starts with its interval passed
)

// draw takes the random number of one open period (O2).
func (b *Breaker) draw() float64 {
	if b.rules.Load().jitter == 0 {
		return noDraw
	}
	return b.random()
}
