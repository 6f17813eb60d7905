package adaptive

import (
	"time"

	"github.com/switchgear-go/switchgear"
)

// settle gives a place back and takes what the call's end says into account.
func (l *Limiter) settle(start time.Duration, inFlight int, o switchgear.Outcome) {
	s := sample{start: start, inFlight: inFlight}
	says := o == switchgear.Success || o == switchgear.Failure
	if says {
		s.end = max(l.clk.Mono(), start)
		s.dropped = o == switchgear.Failure || l.tooSlow(s.end-start)
	}
	l.mu.Lock()
	// In the same critical section as the counters, so that those who read both see
	// every call in exactly one of them. A permit settled through two copies must not
	// borrow from the limit.
	if l.state.Load()&halfMask > 0 {
		l.state.Add(^uint64(0))
	}
	l.ended.count(o, s.dropped)
	if says {
		if done, ok := l.sampler.add(s, l.Limit()); ok {
			l.take(done, s.end)
		}
	}
	l.mu.Unlock()
	l.events.Deliver()
}

// tooSlow reports whether a success counts as dropped for its duration.
func (l *Limiter) tooSlow(d time.Duration) bool {
	cfg := &l.rules.cfg
	return cfg.Algorithm == ByAIMD && cfg.AIMD.Timeout != off && d > cfg.AIMD.Timeout
}

// take lets the algorithm take a step. Called under mu.
func (l *Limiter) take(s step, now time.Duration) {
	if s.rtt > 0 {
		l.rtt = s.rtt
	}
	was, is := l.Limit(), int(l.estimator.update(s))
	l.ended.Steps++
	if d := is - was; d != 0 {
		// Only the upper half changes: whatever d is, its lower bits are shifted in as
		// zeros.
		l.state.Add(uint64(d) << halfBits)
		if d > 0 {
			l.ended.Raised++
		} else {
			l.ended.Lowered++
		}
	}
	l.tell(is, now)
}
