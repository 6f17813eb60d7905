package sim

import (
	"context"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/throttle"
)

// A flight is one call of a place with policies on its way through them, in the order
// of package pipeline: total, rate limit, adaptive, throttle, retry, hedge, breaker,
// bulkhead, timeout. What is blocking code there is a state here, and an event that
// ends it. All decisions are those of the policies; what one layer tells the next is
// as in pipeline/layer_*.go.
//
// An event stays in the queue when nobody waits for it any more. Five ways tell a stale
// one, or a late answer, for its frame or flight may by then be another call's:
//
//	kindTimeout, kindAnswer  frame.timeout is not its Seq
//	an answer from behind    frame.calls is not what it was: the child's expect
//	kindHedge, kindTotal     flight.tick, flight.limit are not its Seq
//	a call made meanwhile    flight.turn is not what it was: the race is over
//	kindWake                 never stale: nothing ends the wait, which ends in time
//
// kindReply and kindServed are never stale either: a frame is not freed before them.
//
// A flight is the context of its call, too: nothing else of a context is ever asked
// than its deadline. Flights are reused.
type flight struct {
	s     *Simulator
	p     *place
	pol   *policies
	index uint32 // slot of its events
	frame uint32 // the call
	turn  uint64 // counts the races, and the calls it has been used for

	began time.Duration
	end   time.Duration // of the total time, or never

	// Seq of the event that is waited for, 0 if none: the next hedge, the end of the
	// total time. The waits of the rate limit and the retry end before that time, and
	// so nothing ends them.
	tick, limit uint64

	load    adaptive.Permit
	share   throttle.Permit
	permit  breaker.Permit // of a breaker around all attempts
	loop    retry.Loop
	looping bool        // the loop has begun
	race    *hedge.Race // the one under way: own, or nil
	own     hedge.Race
	first   *attempt             // of those under way
	errs    []hedge.AttemptError // of the race

	// The one judgement of the last error, if there is one.
	judgement switchgear.Judgement
	judged    bool

	last reply // of the last attempt that failed
}

var _ context.Context = (*flight)(nil)

// Deadline implements [context.Context].
func (fl *flight) Deadline() (time.Time, bool) {
	if fl.end == never {
		return time.Time{}, false
	}
	return epoch.Add(fl.end), true
}

// Err implements [context.Context].
func (fl *flight) Err() error {
	if fl.s.clock.Mono() >= fl.end {
		return context.DeadlineExceeded
	}
	return nil
}

// Done implements [context.Context]. Nobody waits for it.
func (fl *flight) Done() <-chan struct{} { return nil }

// Value implements [context.Context].
func (fl *flight) Value(any) any { return nil }

// judge gives the last error both answers, once for all policies.
func (fl *flight) judge(err error) switchgear.Judgement {
	if !fl.judged {
		fl.judgement, fl.judged = fl.s.judge(fl, err), true
	}
	return fl.judgement
}

func (s *Simulator) judge(fl *flight, err error) switchgear.Judgement {
	return switchgear.Judge(fl, err, s.now, nil)
}

// depart begins a call through policies.
func (s *Simulator) depart(i uint32) {
	f := &s.frames[i]
	p := &s.places[f.place]
	p.calls++
	var fl *flight
	if n := len(s.spareFlights); n > 0 {
		fl, s.spareFlights = s.spareFlights[n-1], s.spareFlights[:n-1]
	} else {
		fl = &flight{s: s, index: uint32(len(s.flights))}
		s.flights = append(s.flights, fl)
	}
	now := s.clock.Mono()
	fl.p, fl.pol, fl.frame = p, &p.policies[f.instance], i
	fl.began, fl.end, fl.last = now, never, replyOK
	f.target = s.target(f)
	if t := fl.pol.total; t != nil {
		fl.end, _ = t.Deadline(fl, now) // it refuses nobody: it has no minimum
	}
	if fl.pol.rate != nil && !s.takeTurn(fl) {
		return
	}
	s.admit(fl)
}

// takeTurn asks the rate limit, and reports whether the call may go on at once.
func (s *Simulator) takeTurn(fl *flight) bool {
	l := fl.pol.rate
	most := l.Config().MaxWait
	if most > 0 && fl.end != never { // a call that begins at its deadline begins in vain
		most = max(min(most, fl.end-s.clock.Mono()-1), 0)
	}
	r, err := l.Reserve(1, most)
	if err != nil {
		s.land(fl, err)
		return false
	}
	wait := r.Wait()
	if wait > 0 {
		s.push(wait, kindWake, fl.index)
	}
	return wait == 0
}

// woken: a flight's turn has come, or its backoff is over.
func (s *Simulator) woken(fl *flight) {
	if fl.looping {
		s.try(fl)
	} else {
		s.admit(fl)
	}
}

// admit asks the policies that may refuse a call before it begins.
func (s *Simulator) admit(fl *flight) {
	var err error
	if l := fl.pol.adaptive; l != nil {
		if fl.load, err = l.Acquire(fl); err != nil {
			s.land(fl, err)
			return
		}
	}
	if t := fl.pol.throttle; t != nil {
		if fl.share, err = t.Acquire(fl); err != nil {
			s.land(fl, err)
			return
		}
	}
	if fl.p.call.RetryInsideBreaker {
		f := &s.frames[fl.frame]
		if err = s.ask(fl, f, &fl.permit); err != nil {
			s.land(fl, err)
			return
		}
	}
	if r := fl.pol.retry; r != nil {
		fl.loop = r.Begin()
	}
	fl.looping = true
	s.try(fl)
}

// ask asks the breaker for a permit, for an attempt or the whole call, whose frame
// notes the probe.
func (s *Simulator) ask(fl *flight, f *frame, permit *breaker.Permit) error {
	g := fl.p.guard(f.instance, f.target)
	if g == nil {
		return nil
	}
	if err := g.AcquireInto(fl, permit); err != nil {
		return err
	}
	if permit.Probe() {
		f.round, f.probe = s.journal.probe(g, s.clock.Mono())
	}
	return nil
}

// try makes the next attempt of the loop: one, or a race of several.
func (s *Simulator) try(fl *flight) {
	fl.judged = false
	h := fl.pol.hedge
	if h == nil {
		s.attempt(fl, 1)
		return
	}
	now, turn := s.clock.Mono(), fl.turn
	// A simulated call may always be made twice, but for the probe that it may be.
	h.BeginInto(&fl.own, now, !fl.permit.Probe())
	fl.race, fl.errs = &fl.own, fl.errs[:0]
	s.attempt(fl, 1)
	if fl.turn == turn { // else it is over already
		s.arm(fl)
	}
}

// arm waits for the next hedge.
func (s *Simulator) arm(fl *flight) {
	if at, ok := fl.race.Next(); ok {
		fl.tick = s.push(at-s.clock.Mono(), kindHedge, fl.index)
	}
}

// hedged: an extra attempt may be due.
func (s *Simulator) hedged(index uint32, event uint64) {
	fl := s.flights[index]
	if fl.tick != event {
		return
	}
	fl.tick = 0
	turn := fl.turn
	if n, ok := fl.race.Start(s.clock.Mono()); ok {
		s.attempt(fl, n)
	}
	if fl.turn == turn {
		s.arm(fl)
	}
}

// tried: the attempt, or the race of attempts, has ended in err.
func (s *Simulator) tried(fl *flight, err error) {
	fl.race, fl.tick = nil, 0
	fl.turn++
	if fl.pol.retry == nil {
		s.land(fl, err)
		return
	}
	if err == nil {
		fl.loop.Done(switchgear.Success)
		s.land(fl, nil)
		return
	}
	j := fl.judge(err)
	if around := fl.p.call.RetryInsideBreaker; around && (fl.permit.Probe() || !fl.permit.Current()) {
		// A probe is one attempt, and a loop whose period has ended has nothing left
		// to tell.
		fl.loop.Done(j.Health)
		s.land(fl, err)
		return
	}
	delay, again := fl.loop.Next(fl, err, j)
	if !again {
		if fl.p.call.RetryInsideBreaker { // which may keep it
			err = fl.loop.Err(err)
		}
		s.land(fl, err)
		return
	}
	s.push(delay, kindWake, fl.index)
}

// expired: the total time is over while an attempt waits in a queue.
func (s *Simulator) expired(index uint32, event uint64) {
	if fl := s.flights[index]; fl.limit == event {
		fl.limit = 0
		s.over(fl, nil, nil)
	}
}

// land ends a call: each policy that has admitted it is told how it ended, from the
// inside outwards, and gets back what it gave.
func (s *Simulator) land(fl *flight, err error) {
	i, pol, now := fl.frame, fl.pol, s.clock.Mono()
	f := &s.frames[i]
	if pol.total != nil && err != nil {
		_ = pol.total.Judge(fl.began, now, err) // which counts
	}
	ended := switchgear.Success
	switch {
	case err == nil:
		f.reply = replyOK
	case f.sent == 0:
		f.reply = replyRejected
	case now >= fl.end:
		f.reply = replyTimeout
	default:
		f.reply = fl.last
	}
	if err != nil {
		fl.judge(err)
		ended = fl.health(&fl.permit, err, &fl.judgement)
	}
	if f.probe >= 0 {
		s.journal.probed(f, now)
		f.probe = -1
	}
	fl.permit.Settle(ended, err)
	fl.share.Done(ended)
	if pol.adaptive != nil {
		fl.load.Done(ended)
		limit := pol.adaptive.Limit()
		pol.lowest, pol.highest = min(pol.lowest, limit), max(pol.highest, limit)
	}
	s.freeFlight(fl)
	if f.reply == replyRejected {
		s.refused(i, &s.places[f.place])
		return
	}
	s.finish(i)
}

// health is what an error judged j says to a breaker that gave a permit, and changes j
// where it was a hurried one.
func (fl *flight) health(permit *breaker.Permit, err error, j *switchgear.Judgement) switchgear.Outcome {
	if permit.Hurried() {
		if o := switchgear.JudgeError(fl, err, fl.s.now, true); o != switchgear.Undecided {
			j.Health = o
		}
	}
	return j.Health
}

func (s *Simulator) freeFlight(fl *flight) {
	fl.turn++
	fl.tick, fl.limit, fl.looping, fl.judged, fl.permit = 0, 0, false, false, breaker.Permit{}
	s.spareFlights = append(s.spareFlights, fl)
}
