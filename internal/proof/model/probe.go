package model

import (
	"slices"
	"time"
)

// Running returns how many slots of this period are taken by permits that are out.
func (b *Breaker) Running() (n int) {
	for _, p := range b.Out {
		if p.Period == b.Period && !p.Overdue {
			n++
		}
	}
	return n
}

// free reports whether a probe may be let through (H1).
func (b *Breaker) free() bool {
	if b.cfg.Streak {
		return b.Running() < b.cfg.Probes
	}
	return b.Running()+b.Settled < b.cfg.Probes
}

// take removes a probe by its token, whichever period issued it.
func (b *Breaker) take(number uint64) (Probe, bool) {
	for i, p := range b.Out {
		if p.Number == number {
			b.Out = slices.Concat(b.Out[:i], b.Out[i+1:])
			return p, true
		}
	}
	return Probe{}, false
}

// settleOverdue settles every probe of this period that has been out for the probe
// limit as a slow failure, as long as the period lasts (H8), and reports whether
// there was one. The lifetime counters hear of it under a name of its own, since the
// outcome itself is still to come, and will be late.
func (b *Breaker) settleOverdue(now time.Duration) (found bool) {
	period := b.Period
	for i := range b.Out {
		p := &b.Out[i]
		if b.cfg.ProbeLimit == 0 || b.Period != period || p.Period != period || p.Overdue || now-p.Since < b.cfg.ProbeLimit {
			continue
		}
		found = true
		p.Overdue = true
		b.Counters.Overdue++
		b.LastFailed = now
		b.probed(now, Ending{Health: Failure, Kind: Overdue}, true)
	}
	return found
}

// Overdue is the kind of the error of a probe that the breaker settled itself.
const Overdue = "overdue"

// probed files the outcome of a probe and gives the verdict if it is in.
func (b *Breaker) probed(now time.Duration, e Ending, slow bool) {
	failed := e.Health == Failure
	b.Shown.Record(now, failed, slow)
	b.note(e)
	b.Settled++
	b.Streak++
	if failed {
		b.Streak = 0
		b.Counters.ProbesFailed++
	} else {
		b.Counters.ProbesGood++
	}
	c, n := &b.cfg, b.Shown.Counts(now)
	switch {
	case c.Streak && failed: // H3
		b.trip(now, Trip{Rule: "probes_failed", Limit: 1})
	case c.Streak && b.Streak >= c.Successes:
		b.enter(Closed, now, Event{})
	case c.Streak || n.Calls < c.needed(): // H2: no verdict yet
	case reached(n.Failed, n.Calls, c.verdictRate()):
		b.trip(now, Trip{Rule: "probes_failed", Threshold: c.verdictRate()})
	case reached(n.Slow, n.Calls, c.SlowRate):
		b.trip(now, Trip{Rule: "probes_slow", Threshold: c.SlowRate})
	default:
		b.enter(Closed, now, Event{})
	}
}
