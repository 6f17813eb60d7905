package sim

import (
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/sim/internal/random"
)

// effect is what the faults of a service do to one call.
type effect struct {
	outage  bool
	refused bool          // throttled: the answer, at once
	fault   uint8         // the index of the fault that refused: the last that did
	failure float64       // probability of an error
	took    time.Duration // of that error, 0 if it takes as long as others
	factor  float64       // of the latency
}

// faults is the schedule of one service.
type faults struct {
	list     []faultState
	from, to time.Duration // bounds of them all: outside nothing is wrong
	own      float64       // the service's own probability of an error
	stream   random.Stream // of errors
}

type faultState struct {
	Fault
	share, probability float64
	refusal            error // Throttle: the answer

	tokens float64 // Throttle: left, at
	at     time.Duration
	second time.Duration // Fragile: the second that is being counted
	count  int           // of calls in it
	down   time.Duration // until when it has fallen over
}

func newFaults(s *Service) faults {
	f := faults{from: never}
	if s.ErrorRate != off {
		f.own = float64(s.ErrorRate) / 100
	}
	for _, one := range s.Faults {
		st := faultState{Fault: one, share: float64(one.Share) / 100, probability: float64(one.Probability) / 100}
		st.refusal = errThrottled
		if one.Hint != off {
			st.refusal = switchgear.WithRetryAfter(errThrottled, one.Hint)
		}
		f.list = append(f.list, st)
		f.from, f.to = min(f.from, one.From), max(f.to, one.To)
	}
	return f
}

// start begins a run.
func (f *faults) start(seed, service uint64) {
	f.stream.Seed(random.PCG, seed, purposeErrors, service)
	for i := range f.list {
		s := &f.list[i]
		s.tokens, s.at, s.second, s.count, s.down = float64(s.Limit), 0, -1, 0, 0
	}
}

// keyed reports whether the faults look at keys.
func (f *faults) keyed() bool {
	for i := range f.list {
		if f.list[i].Share < 100 {
			return true
		}
	}
	return false
}

// meet returns what happens to a call with this key that arrives now.
func (f *faults) meet(now time.Duration, key float64) effect {
	e := effect{factor: 1, failure: f.own}
	if now < f.from || now >= f.to {
		return e
	}
	for i := range f.list {
		if s := &f.list[i]; s.active(now) && (s.Share >= 100 || key < s.share) {
			s.apply(now, &e, uint8(i))
		}
	}
	return e
}

func (s *faultState) active(now time.Duration) bool {
	if now < s.From || now >= s.To {
		return false
	}
	return s.Every == 0 || (now-s.From)%s.Every < s.For
}

func (s *faultState) apply(now time.Duration, e *effect, index uint8) {
	switch s.Kind {
	case Outage:
		e.outage = true
	case Errors:
		// Either of two independent causes suffices.
		e.failure = 1 - float64((1-e.failure)*(1-s.probability))
		if s.Took > 0 {
			e.took = s.Took
		}
	case Slow:
		e.factor *= s.Factor
	case Throttle:
		if !s.take(now) {
			e.refused, e.fault = true, index
		}
	case Fragile:
		if s.fallen(now) {
			e.outage = true
		}
	}
}

// take asks a bucket that holds one second's worth of calls.
func (s *faultState) take(now time.Duration) bool {
	limit := float64(s.Limit)
	s.tokens = min(limit, s.tokens+float64((now-s.at).Seconds()*limit))
	s.at = now
	if s.tokens < 1 {
		return false
	}
	s.tokens--
	return true
}

// fallen counts the call in its second of the clock, and reports whether the service is down.
func (s *faultState) fallen(now time.Duration) bool {
	if second := now.Truncate(time.Second); second != s.second {
		s.second, s.count = second, 0
	}
	if s.count++; s.count > s.Limit {
		s.down = max(s.down, now+s.Down)
	}
	return now < s.down
}
