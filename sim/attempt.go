package sim

import (
	"context"
	"slices"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/hedge"
)

// An attempt is one of a flight. It has a frame of its own, by which the next place
// knows it, so that several of a flight can be out. Attempts are reused.
type attempt struct {
	flight  *flight
	number  int // in its race
	frame   uint32
	began   time.Duration
	place   bulkhead.Permit
	granted func(bulkhead.Permit, error) // the method of that name: to bind it allocates
	asking  bool                         // the bulkhead has not answered
	cancel  func() bool                  // leaves its queue; nil outside of it
	next    *attempt                     // in the flight's list
}

// attempt makes the attempt of a number: asks the breaker and the bulkhead, and sends
// it.
func (s *Simulator) attempt(fl *flight, number int) {
	j, f := s.newFrame(s.clock.Mono())
	if f == nil {
		return
	}
	up := &s.frames[fl.frame]
	f.place, f.instance, f.target, f.key = up.place, up.instance, up.target, up.key
	var a *attempt
	if n := len(s.spareAttempts); n > 0 {
		a, s.spareAttempts = s.spareAttempts[n-1], s.spareAttempts[:n-1]
	} else {
		a = new(attempt)
		a.granted = a.grant
	}
	f.attempt = a
	a.flight, a.number, a.frame, a.next = fl, number, j, fl.first
	fl.first = a

	around := fl.p.call.RetryInsideBreaker
	if !around {
		if err := s.ask(fl, f, &f.permit); err != nil {
			s.conclude(a, err)
			return
		}
	}
	if fl.race != nil && (f.permit.Probe() || fl.permit.Probe()) {
		fl.race.NoMore()
	}
	b := fl.pol.bulkhead
	if b == nil {
		s.send(a)
		return
	}
	a.asking = true
	cancel := b.Enqueue(a.granted)
	if !a.asking {
		return
	}
	a.asking, a.cancel = false, cancel
	if fl.end != never && fl.limit == 0 {
		fl.limit = s.push(fl.end-s.clock.Mono(), kindTotal, fl.index)
	}
}

// grant is the answer of the bulkhead.
func (a *attempt) grant(place bulkhead.Permit, err error) {
	s := a.flight.s
	a.asking, a.cancel = false, nil
	if err != nil {
		s.conclude(a, err)
		return
	}
	a.place = place
	if a.flight.Err() != nil { // at the deadline, of which the queue knows nothing yet
		s.conclude(a, &bulkhead.Rejection{Name: a.flight.pol.bulkhead.Name(), Reason: bulkhead.GaveUp})
		return
	}
	s.frames[a.frame].permit.Start() // the wait was not the dependency's
	s.send(a)
}

// send sends an attempt to the next place.
func (s *Simulator) send(a *attempt) {
	fl, i, now := a.flight, a.frame, s.clock.Mono()
	a.began = now
	end := fl.end
	if t := fl.pol.attempt; t != nil {
		end, _ = t.Deadline(fl, now)
	}
	fl.p.attempts++
	s.frames[fl.frame].sent++
	f := &s.frames[i]
	f.calls++
	f.calling = true
	if f.place == 0 {
		s.rec.level.Add(now, 1)
	}
	to := &s.places[f.place+1]
	if to.direct {
		took, r, fault := to.answer(now, f.key, fl.p.patience)
		if took >= end-now {
			took, r = end-now, replyTimeout
		}
		f.reply, f.fault = r, fault
		f.timeout = s.push(took, kindAnswer, i)
		return
	}
	if end != never {
		f.timeout = s.push(end-now, kindTimeout, i)
	}
	s.callNext(i, now)
}

// answered: the answer to an attempt, whose frame this is, is there, or its time is over.
func (s *Simulator) answered(a *attempt, f *frame) {
	if f.reply == replyOK {
		s.conclude(a, nil)
		return
	}
	a.flight.last = f.reply
	err := s.errorOf(f)
	if f.reply == replyTimeout {
		err = a.outOfTime()
	}
	s.conclude(a, err)
}

// outOfTime is the error of an attempt that was ended, by its own limit or by another.
func (a *attempt) outOfTime() error {
	err := context.DeadlineExceeded
	if t := a.flight.pol.attempt; t != nil {
		err = t.Judge(a.began, a.flight.s.clock.Mono(), err)
	}
	return err
}

// conclude: an attempt has ended in err, or was refused.
func (s *Simulator) conclude(a *attempt, err error) {
	fl := a.flight
	if err != nil && fl.Err() != nil {
		s.over(fl, a, err)
		return
	}
	said, j := s.settled(a, err)
	if fl.race == nil {
		fl.judgement, fl.judged = j, err != nil
		s.drop(a)
		s.tried(fl, err)
		return
	}
	verdict := fl.race.End(a.number, s.clock.Mono(), said)
	if verdict == hedge.Won {
		s.lose(fl, a)
		s.drop(a)
		s.tried(fl, nil)
		return
	}
	fl.errs = append(fl.errs, hedge.AttemptError{Number: a.number, Err: err, Health: said.Health})
	s.drop(a)
	if verdict == hedge.Failed {
		if len(fl.errs) == 1 { // what is said of one attempt does not hold for them all
			fl.judgement, fl.judged = j, true
		}
		s.tried(fl, fl.failure(nil))
	}
}

// failure is the error of a race without a good answer.
func (fl *flight) failure(stopped error) error {
	switch {
	case len(fl.errs) == 0:
		return stopped
	case len(fl.errs) == 1 && stopped == nil:
		return fl.errs[0].Err
	}
	return &hedge.Error{Name: fl.pol.hedge.Name(), Attempts: slices.Clone(fl.errs), Stopped: stopped}
}

// settled tells the breaker how an attempt ended. It returns what was said of it, and
// what the breaker made of that.
func (s *Simulator) settled(a *attempt, err error) (said, j switchgear.Judgement) {
	permit := &s.frames[a.frame].permit
	if err == nil {
		permit.Success()
		said.Health = switchgear.Success
		return said, said
	}
	said = s.judge(a.flight, err)
	j = said
	permit.Settle(a.flight.health(permit, err, &j), err)
	return said, j
}

// lose ends all attempts of a race but the winner.
func (s *Simulator) lose(fl *flight, winner *attempt) {
	fl.leaveQueue()
	for a := fl.first; a != nil; {
		next := a.next
		if a != winner {
			permit := &s.frames[a.frame].permit
			// We cut it off, so that says nothing. But one that had been slow by then
			// was slow.
			health := switchgear.Ignored
			if permit.Slow() {
				health = switchgear.Success
			}
			permit.Settle(health, nil)
			fl.race.End(a.number, s.clock.Mono(), switchgear.Judgement{Health: switchgear.Ignored, Repeat: switchgear.RepeatNever})
			s.drop(a)
		}
		a = next
	}
}

// over ends all attempts of a flight whose total time is over. One of them may have
// ended by itself, in err.
func (s *Simulator) over(fl *flight, one *attempt, err error) {
	if fl.race != nil {
		fl.race.Stop()
	}
	queued := fl.leaveQueue()
	var last error
	for a := fl.first; a != nil; {
		next := a.next
		switch {
		case a == one:
			last = err
		case queued && !s.frames[a.frame].calling:
			last = &bulkhead.Rejection{Name: fl.pol.bulkhead.Name(), Reason: bulkhead.GaveUp}
		default:
			last = a.outOfTime()
			s.frames[a.frame].reply = replyTimeout
		}
		said, j := s.settled(a, last)
		if fl.race != nil {
			fl.race.End(a.number, s.clock.Mono(), said)
		} else {
			fl.judgement, fl.judged = j, true
		}
		s.drop(a)
		a = next
	}
	if fl.race != nil {
		last = fl.failure(context.DeadlineExceeded)
	}
	s.tried(fl, last)
}

// leaveQueue takes the attempts of a flight out of the bulkhead's queue, before
// anything makes room there. It reports whether there were any.
func (fl *flight) leaveQueue() (any bool) {
	for a := fl.first; a != nil; a = a.next {
		if a.cancel != nil {
			a.cancel()
			a.cancel = nil
			any = true
		}
	}
	return any
}

// drop gives back what an attempt holds, its breaker's permit apart. Whoever waits for
// its place in the bulkhead is sent before drop returns.
func (s *Simulator) drop(a *attempt) {
	now := s.clock.Mono()
	f := &s.frames[a.frame]
	if f.calling { // cut off
		f.calling = false
		f.calls++
		f.timeout = 0
		if f.place == 0 {
			s.rec.level.Add(now, -1)
		}
	}
	f.attempt, f.permit = nil, breaker.Permit{} // which remembers whether it was hurried
	s.freeFrame(a.frame)
	at := &a.flight.first
	for *at != a {
		at = &(*at).next
	}
	*at = a.next
	place := a.place
	a.place, a.next = bulkhead.Permit{}, nil
	s.spareAttempts = append(s.spareAttempts, a)
	place.Release()
}
