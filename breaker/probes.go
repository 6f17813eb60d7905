package breaker

import (
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/window"
)

// probes is what a HALF_OPEN period knows about its probes. It is guarded by
// Breaker.mu, also after the period has ended.
type probes struct {
	window *window.Count // of their own outcomes (W5)
	out    map[uint64]probe
	// running counts those in out that are not overdue, settled the successes
	// and failures, and streak the successes since the last failure.
	running, settled int
	streak           int
	admitted         uint64
	givenBack        uint64
}

// A probe is one that has not reported yet. Each has a number of its own, so that
// a copy of a settled permit finds nothing, and no slot is returned twice (P2).
type probe struct {
	since   time.Duration
	overdue bool // the breaker has settled it itself (H8)
}

func newProbes(r *rules) *probes {
	return &probes{window: window.NewCount(r.probes), out: make(map[uint64]probe, min(r.probes, 8))}
}

// free reports whether another probe may be let through (H1).
func (s *probes) free(r *rules) bool {
	if r.cfg.HalfOpen.Verdict == ByStreak {
		return s.running < r.probes
	}
	return s.running+s.settled < r.probes
}

// issueProbe takes a slot and returns the probe's number, or 0 if there is none.
// Called under mu, in HALF_OPEN.
func (b *Breaker) issueProbe(p *period, now time.Duration) uint64 {
	s := p.probes
	if !s.free(b.rules.Load()) {
		return 0
	}
	b.probe++
	b.total.Probes++
	s.admitted++
	s.running++
	s.out[b.probe] = probe{since: now}
	b.updateSlots(p)
	return b.probe
}

// updateSlots publishes whether a slot is free, so that callers who find none
// need no lock. Called under mu whenever slots were taken or freed.
func (b *Breaker) updateSlots(p *period) {
	s := p.probes
	if s.free(b.rules.Load()) {
		p.until.Store(0)
		return
	}
	oldest := forever
	for _, probe := range s.out {
		if !probe.overdue {
			oldest = min(oldest, probe.since)
		}
	}
	p.until.Store(int64(after(oldest, b.rules.Load().probeLimit)))
}

// after adds a wait to an instant, and stops at the end of time.
func after(t, wait time.Duration) time.Duration {
	if t > forever-wait {
		return forever
	}
	return t + wait
}

// reclaimProbes settles every probe that has been out for the probe limit, as a
// slow failure, and reports whether there was one (H8). Called under mu.
func (b *Breaker) reclaimProbes(p *period, now time.Duration) (found bool) {
	s := p.probes
	for number, probe := range s.out {
		if probe.overdue || now < after(probe.since, b.rules.Load().probeLimit) {
			continue
		}
		found = true
		probe.overdue = true
		s.out[number] = probe
		b.total.Overdue++
		b.lastFailure = now
		b.settleProbe(p, now, true, true, errOverdue)
		if b.cur.Load() != p {
			break
		}
	}
	return found
}

// report handles what a probe reports. Called under mu.
func (b *Breaker) report(p *period, number uint64, now time.Duration, o outcome) {
	s := p.probes
	probe, ok := s.out[number]
	if !ok { // a copy of a permit that is settled
		return
	}
	delete(s.out, number)
	if b.cur.Load() != p || probe.overdue {
		b.total.Late++
		return
	}
	b.countOutcome(o, now)
	if !o.counts() {
		s.running--
		s.givenBack++
		b.total.GivenBack++
		b.updateSlots(p) // H4
		return
	}
	b.noteHint(o.hint)
	b.settleProbe(p, now, o.failed(), o.slow, o.err)
}

// settleProbe records a probe's outcome and gives the verdict if it is in.
// Called under mu, in HALF_OPEN.
func (b *Breaker) settleProbe(p *period, now time.Duration, failed, slow bool, err error) {
	s := p.probes
	s.running--
	s.settled++
	s.window.Record(now, failed, slow)
	if failed {
		b.total.ProbesFailed++
		b.noteError(err)
		s.streak = 0
	} else {
		b.total.ProbesGood++
		s.streak++
	}
	if !b.decide(p, now, failed) {
		b.updateSlots(p) // not before: a slot must not seem free in a period that ends
	}
}

// decide leaves HALF_OPEN if the verdict is in, and reports whether it did; failed
// tells of the newest outcome, if there is one. Called under mu.
func (b *Breaker) decide(p *period, now time.Duration, failed bool) bool {
	trip, in := b.verdict(p.probes, failed)
	switch {
	case !in:
	case trip == nil:
		b.enter(step{to: Closed, at: now, kind: event.Transition})
	default:
		b.trip(p, now, trip)
	}
	return in
}

// verdict decides on the probes' outcomes: the record of the rule that opens the
// breaker, or nil, and whether the decision is in.
func (b *Breaker) verdict(s *probes, failed bool) (trip *Trip, in bool) {
	r := b.rules.Load()
	if r.cfg.HalfOpen.Verdict == ByStreak { // H3
		if failed {
			return &Trip{Rule: RuleProbesFailed, Limit: 1}, true
		}
		return nil, s.streak >= r.cfg.HalfOpen.Successes
	}
	c := s.window.Counts(0)
	switch { // H2
	case c.Calls < r.needed:
		return nil, false
	case reached(c.Failed, c.Calls, r.verdictRate):
		return &Trip{Rule: RuleProbesFailed, Threshold: switchgear.Percent(r.verdictRate) / 100}, true
	case reached(c.Slow, c.Calls, r.slowRate):
		return &Trip{Rule: RuleProbesSlow, Threshold: r.cfg.SlowCall.Rate}, true
	}
	return nil, true
}

// giveUpProbing is rule H6: no verdict within HalfOpen.MaxWait.
func (b *Breaker) giveUpProbing(p *period, at time.Duration) {
	b.trip(p, at, &Trip{Rule: RuleProbesLate})
}
