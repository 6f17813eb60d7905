package sim

import (
	"time"

	"github.com/switchgear-go/switchgear/breaker"
)

// reply is how a call ended, as its caller sees it.
type reply uint8

const (
	replyOK          reply = iota
	replyError             // an error answer
	replyTimeout           // none in time
	replyThrottled         // a refusal by a fault of the service, or of one behind it
	replyOverloaded        // the service's pool was full
	replyUnavailable       // the service could not do its own calls
	replyRejected          // the caller's breaker refused: nothing was sent
)

// outcome is the same as the client's statistics see it.
func (r reply) outcome() Outcome {
	switch r {
	case replyOK:
		return Succeeded
	case replyTimeout:
		return TimedOut
	case replyRejected:
		return Rejected
	}
	return Failed
}

// A frame is one call at one place, from its arrival there to its end, together
// with the call that it makes to the next place. Frames are reused.
type frame struct {
	permit  breaker.Permit // of the call to the next place
	attempt *attempt       // that it is of a flight, or nil
	arrived time.Duration
	took    time.Duration // by the service's own work
	key     float64
	timeout uint64 // Seq of the event that ends the wait for the next place, 0 if none

	parent uint32 // the frame that waits for this one, or none
	expect uint32 // the parent's call as it was made
	calls  uint32 // how many calls the frame has made: late answers are told by it
	next   uint32 // in a list: of free frames, or of those that wait for a worker

	user     uint32 // of a closed load, or none
	sent     uint32 // how often something was sent to the next place for it
	row      uint32
	round    int32 // of the probe that its call is
	probe    int32 // or -1
	instance uint32
	target   uint32 // instance of the next place
	segment  uint16
	place    uint8
	reply    reply
	own      reply // how the service's own work ends
	fault    uint8 // with replyThrottled, the index of the one that refused, or noFault
	calling  bool  // a call to the next place is out
}

// none is the index of no frame, and no user.
const none = ^uint32(0)

// noFault is the index of no fault: a service passes a refusal on that it has had from
// behind, but not the hint, which was for itself.
const noFault = ^uint8(0)

// newFrame returns a frame for a call that arrives now.
func (s *Simulator) newFrame(now time.Duration) (uint32, *frame) {
	i := s.free
	if i != none {
		s.free = s.frames[i].next
	} else {
		if len(s.frames) >= MaxInFlight {
			s.err = ErrTooMany
			return none, nil
		}
		i = uint32(len(s.frames))
		s.frames = append(s.frames, frame{})
	}
	f := &s.frames[i]
	f.arrived, f.timeout, f.probe = now, 0, -1
	f.calling = false
	f.sent, f.parent, f.own = 0, none, replyOK
	return i, f
}

func (s *Simulator) freeFrame(i uint32) {
	s.frames[i].next = s.free
	s.free = i
}
