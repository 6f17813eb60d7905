package model

import (
	"slices"
	"time"
)

// Ready reports whether a call is worth making: the state admits calls, the open interval
// has passed, a slot is free, or a probe is overdue. In the last case only the call itself
// finds that probe (H8), and what then becomes of the call is open.
func (b *Breaker) Ready(now time.Duration) bool {
	switch b.State {
	case Open, ForcedOpen:
		return now >= b.Until
	case HalfOpen:
		return b.free() || b.Late(now)
	}
	return true
}

// Late reports whether a probe of this period is overdue and still to be settled.
func (b *Breaker) Late(now time.Duration) bool {
	return b.cfg.ProbeLimit > 0 && slices.ContainsFunc(b.Out, func(p Probe) bool {
		return p.Period == b.Period && !p.Overdue && now-p.Since >= b.cfg.ProbeLimit
	})
}

// Grace reports whether nothing trips yet (T7).
func (b *Breaker) Grace(now time.Duration) bool { return b.graceEnd > 0 && now < b.graceEnd }

// GraceEnd returns the instant at which the grace ends, 0 if it is over.
func (b *Breaker) GraceEnd() time.Duration { return b.graceEnd }

// Growth returns the growth steps that the next interval will have if the breaker trips
// at now (O1).
func (b *Breaker) Growth(now time.Duration) int {
	c := *b
	c.ease(now)
	return c.Retrips
}

// Refusal returns what a call refused now would get, without refusing one.
func (b *Breaker) Refusal() *Rejection { return b.rejection() }

// PassTime makes what depends on time alone true as of now. Whoever reads fields of
// the model after time has passed calls it first.
func (b *Breaker) PassTime(now time.Duration) { b.passTime(now) }
