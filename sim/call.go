package sim

import (
	"context"
	"time"
)

// arrive lets a call arrive at the client.
func (s *Simulator) arrive(now time.Duration, user uint32) {
	i, f := s.newFrame(now)
	if f == nil {
		return
	}
	f.place, f.instance, f.user = 0, 0, user
	if s.keyed {
		f.key = s.keys.Float64()
	}
	if n := len(s.places[0].instances); n > 1 {
		f.instance = uint32(s.routing.Float64() * float64(n))
	}
	f.row, f.segment = s.rec.arrived(now)
	s.enter(i)
}

// enter lets a call in at its place: it gets a worker, waits for one, or is turned
// away. What the service's faults do to it is decided here, whenever a worker has time
// for it.
func (s *Simulator) enter(i uint32) {
	f := &s.frames[i]
	p := &s.places[f.place]
	if p.serves {
		f.took, f.own, f.fault = p.answer(s.clock.Mono(), f.key, s.places[f.place-1].patience)
	}
	if p.workers == 0 {
		s.begin(i)
		return
	}
	p.arrived++
	if f.own == replyThrottled { // at once: that takes no worker
		s.turnAway(i, replyThrottled)
		return
	}
	in := &p.instances[f.instance]
	now := s.clock.Mono()
	switch {
	case in.busy < p.workers:
		in.busy++
		p.begun++
		p.busy.Add(now, 1)
		s.begin(i)
	case in.queued < p.queue:
		f.next = none
		if in.queued++; in.last == none {
			in.first = i
		} else {
			s.frames[in.last].next = i
		}
		in.last = i
		p.waiting.Add(now, 1)
	default:
		p.shed++
		s.turnAway(i, replyOverloaded)
	}
}

// turnAway ends a call that comes to no worker. The answer of a service is an
// event of its own, although it takes no time: otherwise a long queue of callers,
// each turned away in turn, would be a deep recursion.
func (s *Simulator) turnAway(i uint32, r reply) {
	f := &s.frames[i]
	if f.place == 0 {
		s.leave(i, Shed)
		return
	}
	up := &s.frames[f.parent]
	up.reply, up.fault = r, f.fault // it waits: it has called at this instant
	if up.attempt != nil {          // but may be gone before this instant is over
		up.timeout = s.push(0, kindAnswer, f.parent)
	} else {
		s.push(0, kindReply, f.parent)
	}
	s.freeFrame(i)
}

// release gives a worker back, and lets the call in that waits for it.
func (s *Simulator) release(p *place, instance uint32) {
	if p.workers == 0 {
		return
	}
	in := &p.instances[instance]
	now := s.clock.Mono()
	if in.queued == 0 {
		in.busy--
		p.busy.Add(now, -1)
		return
	}
	i := in.first
	in.first = s.frames[i].next
	if in.queued--; in.queued == 0 {
		in.last = none
	}
	p.waiting.Add(now, -1)
	p.begun++
	p.waited += float64(now - s.frames[i].arrived)
	s.begin(i)
}

// begin lets a worker start on a call.
func (s *Simulator) begin(i uint32) {
	f := &s.frames[i]
	p := &s.places[f.place]
	if !p.serves {
		s.call(i)
		return
	}
	s.push(f.took, kindServed, i)
}

// served: the service's own work on a call is done.
func (s *Simulator) served(i uint32) {
	f := &s.frames[i]
	if f.own == replyOK && int(f.place)+1 < len(s.places) {
		s.call(i)
		return
	}
	f.reply = f.own
	s.finish(i)
}

// call makes the call to the next place.
func (s *Simulator) call(i uint32) {
	f := &s.frames[i]
	p, to := &s.places[f.place], &s.places[f.place+1]
	if p.policed {
		s.depart(i)
		return
	}
	f.target = s.target(f)
	if g := p.guard(f.instance, f.target); g != nil {
		permit, err := g.Acquire(nobody)
		if err != nil {
			s.refused(i, p)
			return
		}
		f.permit = permit
		if f.permit.Probe() {
			f.round, f.probe = s.journal.probe(g, s.clock.Mono())
		}
	}
	now := s.clock.Mono()
	f.calls++
	f.calling = true
	f.sent = 1
	if f.place == 0 {
		s.rec.level.Add(now, 1)
	}
	patience := p.call.Timeout
	if to.direct {
		took, r, fault := to.answer(now, f.key, patience)
		if patience >= 0 && took > patience {
			took, r = patience, replyTimeout
		}
		f.reply, f.fault = r, fault
		s.push(took, kindReply, i)
		return
	}
	if patience >= 0 {
		f.timeout = s.push(patience, kindTimeout, i)
	}
	s.callNext(i, now)
}

// target returns which instance of the next place a call goes to.
func (s *Simulator) target(f *frame) uint32 {
	if n := len(s.places[f.place+1].instances); n > 1 {
		return uint32(f.key * float64(n))
	}
	return 0
}

// callNext lets a call arrive at the next place.
func (s *Simulator) callNext(i uint32, now time.Duration) {
	j, child := s.newFrame(now)
	if child == nil {
		return
	}
	f := &s.frames[i] // here: the frames may have moved
	child.place, child.instance, child.key = f.place+1, f.target, f.key
	child.parent, child.expect = i, f.calls
	s.enter(j)
}

// refused: a policy said no, and nothing was sent. The caller has that answer at once,
// and has lost what a refusal costs.
func (s *Simulator) refused(i uint32, p *place) {
	f := &s.frames[i]
	f.reply = replyRejected
	cost := max(p.call.Refused, 0)
	if f.place == 0 && p.workers == 0 && f.user == none {
		// Nothing waits for the end of those moments, so it needs no event.
		s.ended = s.clock.Mono() + cost
		s.rec.ended(f.row, f.segment, Rejected, 0, s.ended-f.arrived)
		s.freeFrame(i)
		return
	}
	s.push(cost, kindReply, i)
}

// timedOut: the caller has no patience left, if it still waits for that call.
func (s *Simulator) timedOut(i uint32, event uint64) {
	f := &s.frames[i]
	if f.timeout != event {
		return
	}
	f.reply = replyTimeout
	s.replied(i)
}

// answer: the answer to an attempt, unless it is gone.
func (s *Simulator) answer(i uint32, event uint64) {
	if s.frames[i].timeout == event {
		s.replied(i)
	}
}

// replied: the call to the next place is over, for its caller.
func (s *Simulator) replied(i uint32) {
	f := &s.frames[i]
	f.timeout = 0
	if f.calling {
		f.calling = false
		f.calls++ // whatever comes now is late
		if f.probe >= 0 {
			s.journal.probed(f, s.clock.Mono())
			f.probe = -1
		}
		if f.place == 0 {
			s.rec.level.Add(s.clock.Mono(), -1)
		}
		if f.attempt != nil {
			s.answered(f.attempt, f)
			return
		}
		s.settle(f)
	}
	s.finish(i)
}

// settle tells the breaker how the call ended.
func (s *Simulator) settle(f *frame) {
	if f.reply == replyOK {
		f.permit.Success()
		return
	}
	f.permit.Done(s.errorOf(f))
}

// errorOf is the error with which the call of a frame to the next place has ended.
func (s *Simulator) errorOf(f *frame) error {
	switch f.reply {
	case replyError:
		return errBroken
	case replyTimeout:
		return context.DeadlineExceeded
	case replyThrottled:
		if f.fault == noFault {
			return errThrottled
		}
		return s.places[f.place+1].faults.list[f.fault].refusal
	case replyOverloaded:
		return errOverloaded
	}
	return errUnavailable
}

// finish ends a call at its place and gives its worker back.
func (s *Simulator) finish(i uint32) {
	f := &s.frames[i]
	place, instance := &s.places[f.place], f.instance
	s.leave(i, f.reply.outcome())
	s.release(place, instance)
}

// leave ends a call at its place: the caller has its answer, or the statistics
// have it.
func (s *Simulator) leave(i uint32, o Outcome) {
	f := &s.frames[i]
	now := s.clock.Mono()
	if f.place == 0 {
		user := f.user
		s.ended = max(s.ended, now)
		s.rec.ended(f.row, f.segment, o, f.sent, now-f.arrived)
		s.freeFrame(i)
		if user != none {
			s.thinkNext(user)
		}
		return
	}
	parent, expect, r, fault := f.parent, f.expect, f.reply, f.fault
	if f.own != replyThrottled {
		fault = noFault
	}
	s.freeFrame(i)
	up := &s.frames[parent]
	if up.calls != expect {
		return // it has gone
	}
	switch r {
	case replyRejected, replyUnavailable:
		r = replyUnavailable
	case replyTimeout:
		// A service that waited for the next one in vain says so. One that had
		// an outage itself says nothing: its caller has run out of patience by
		// itself, at this very instant or before.
		r = replyError
	}
	up.reply, up.fault = r, fault
	s.replied(parent)
}
