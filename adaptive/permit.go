package adaptive

import (
	"time"

	"github.com/switchgear-go/switchgear"
)

// A Permit is the right to make one call, and the duty to say how it ended.
// [Limiter.TryAcquire] issues it. Settle it once, with Done, Success, Dropped, Ignore
// or Release; what comes after the first does nothing, so that
//
//	defer permit.Release()
//
// is the safe habit. A Permit is a small value and may be moved, but must not be
// settled through two copies, which would give back two places. (The number of running
// calls never falls below zero for that, so the fault is gone when the limiter is next
// idle.) A Permit itself is not safe for concurrent use.
//
// The zero Permit is settled.
type Permit struct {
	l        *Limiter
	start    time.Duration
	inFlight int
}

// Done settles the permit with how the call ended: a success is a sample, a failure
// is a dropped call, and anything else says nothing.
func (p *Permit) Done(o switchgear.Outcome) { p.settle(o) }

// Success settles the permit as a success; the time since the permit was issued is a
// sample.
func (p *Permit) Success() { p.settle(switchgear.Success) }

// Dropped settles the permit as a failure that speaks of overload: refused by the
// dependency, or not answered in time.
func (p *Permit) Dropped() { p.settle(switchgear.Failure) }

// Ignore settles the permit without saying anything about the dependency.
func (p *Permit) Ignore() { p.settle(switchgear.Ignored) }

// Release gives the permit up: there was no call, or no outcome. It differs from
// Ignore only in the counter.
func (p *Permit) Release() { p.settle(switchgear.Undecided) }

func (p *Permit) settle(o switchgear.Outcome) {
	if l := p.l; l != nil {
		p.l = nil
		l.settle(p.start, p.inFlight, o)
	}
}
