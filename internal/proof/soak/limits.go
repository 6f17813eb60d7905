package main

import (
	"fmt"
	"math"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
)

const off = switchgear.Off

// limits is a configuration, defaults filled in, in the form in which trips and
// verdicts are judged. It is derived from the specification and not from the breaker's
// own compiled rules.
type limits struct {
	cfg breaker.Config

	minimum     int64 // W3
	needed      int64 // H2
	failureRate int64 // hundredths of a percent; 0 is off
	slowRate    int64
	verdictRate int64
	jitter      float64 // a share
}

// newLimits takes what [breaker.Breaker.Config] returns.
func newLimits(cfg breaker.Config) *limits {
	l := &limits{
		cfg:         cfg,
		minimum:     int64(cfg.MinimumCalls),
		failureRate: hundredths(cfg.FailureRate),
		jitter:      float64(hundredths(cfg.Open.Jitter)) / 100_00,
	}
	if n := int64(cfg.Window.Calls); n > 0 {
		l.minimum = min(l.minimum, n)
	}
	l.needed = min(l.minimum, int64(cfg.HalfOpen.Probes))
	if cfg.SlowCall.Duration > 0 {
		l.slowRate = hundredths(cfg.SlowCall.Rate)
	}
	if l.verdictRate = l.failureRate; l.verdictRate == 0 {
		l.verdictRate = 50_00
	}
	return l
}

func hundredths(p switchgear.Percent) int64 {
	if p == off {
		return 0
	}
	return int64(math.Round(float64(p) * 100))
}

// met reports whether part of whole is at or above a rate that is on (T1).
func met(part, whole, rate int64) bool {
	return rate > 0 && whole > 0 && part*100_00 >= rate*whole
}

// probeLimit is H8's, or for ever.
func (l *limits) probeLimit() time.Duration {
	if d := l.cfg.HalfOpen.ProbeLimit; d > 0 {
		return d
	}
	return math.MaxInt64
}

// interval returns what an open interval may be (O1, O2, O3), with some nanoseconds of
// room for rounding.
func (l *limits) interval(retrips int, hint time.Duration) (least, most time.Duration) {
	o := &l.cfg.Open
	base := float64(o.Wait)
	if o.Factor > 1 && retrips > 0 {
		base = min(base*math.Pow(o.Factor, float64(retrips)), float64(o.MaxWait))
	}
	low, high := base*(1-l.jitter), base*(1+l.jitter)
	if o.MaxHint > 0 && hint > 0 {
		h := float64(min(hint, o.MaxHint))
		low, high = max(low, h), max(high, h*(1+l.jitter))
	}
	room := 2 + base*1e-9
	return time.Duration(low - room), time.Duration(high + room)
}

// longest returns the longest interval that there can be.
func (l *limits) longest() time.Duration {
	_, most := l.interval(math.MaxInt32, math.MaxInt64)
	return most
}

// checkTrip says whether the numbers of a trip justify it. untouched tells that the period
// that ends began with nothing recorded and was never reconfigured; then a rule that counts
// is met exactly, since it is asked after each outcome (W4).
func (l *limits) checkTrip(t *breaker.Trip, from breaker.State, lasted time.Duration, untouched bool) error {
	n, cfg := t.Numbers, &l.cfg
	least, most := l.interval(t.Retrips, t.Hint)
	if t.Retrips < 0 || t.Wait < max(least, 0) || t.Wait > most {
		return fmt.Errorf("O1: a wait of %v with %d re-trips and a hint of %v; it may be from %v to %v",
			t.Wait, t.Retrips, t.Hint, least, most)
	}
	ok, rule, want := false, "T1", breaker.Closed
	switch t.Rule {
	case breaker.RuleFailureRate:
		ok = n.Minimum == l.minimum && n.Calls >= l.minimum && met(n.Failed, n.Calls, l.failureRate) && t.Threshold == cfg.FailureRate
	case breaker.RuleSlowRate:
		rule = "T2"
		ok = n.Minimum == l.minimum && n.Calls >= l.minimum && met(n.Slow, n.Calls, l.slowRate) && t.Threshold == cfg.SlowCall.Rate
	case breaker.RuleConsecutive:
		rule = "T3"
		ok = counted(t.Consecutive, t.Limit, cfg.ConsecutiveFailures, untouched)
	case breaker.RuleFailureCount:
		rule = "T4"
		ok = counted(n.Failed, t.Limit, cfg.FailureCount, untouched)
	case breaker.RuleEvidence:
		rule = "T6"
		ok = cfg.Evidence != nil && t.Evidence != nil && t.Evidence.Score >= t.Evidence.Threshold
	case breaker.RuleSlowEvidence:
		rule = "T6"
		ok = cfg.SlowEvidence != nil && t.Evidence != nil && t.Evidence.Score >= t.Evidence.Threshold
	case breaker.RuleProbesFailed:
		rule, want = "H2", breaker.HalfOpen
		if ok = l.verdictDue(n, untouched) && met(n.Failed, n.Calls, l.verdictRate); cfg.HalfOpen.Verdict == breaker.ByStreak {
			rule, ok = "H3", n.Failed == 1 || n.Failed > 1 && !untouched
		}
	case breaker.RuleProbesSlow:
		rule, want = "H2", breaker.HalfOpen
		ok = cfg.HalfOpen.Verdict == breaker.ByRate && l.verdictDue(n, untouched) && met(n.Slow, n.Calls, l.slowRate)
	case breaker.RuleProbesLate:
		rule, want = "H6", breaker.HalfOpen
		ok = cfg.HalfOpen.MaxWait > 0 && lasted >= cfg.HalfOpen.MaxWait
	}
	if !ok || from != want {
		return fmt.Errorf("%s: a trip by rule %q out of %v after %v that the numbers do not justify: %+v", rule, t.Rule, from, lasted, *t)
	}
	return nil
}

// counted judges a rule that counts up to a limit.
func counted(n, limit int64, configured int, exactly bool) bool {
	return configured > 0 && limit == int64(configured) && (n == limit || n > limit && !exactly)
}

// verdictDue reports whether a verdict by rate may be given on so many outcomes.
func (l *limits) verdictDue(n breaker.Numbers, untouched bool) bool {
	return n.Minimum == l.needed && (n.Calls == l.needed || n.Calls > l.needed && !untouched)
}

// checkRecovery says whether the numbers of a half-open period justify CLOSED.
func (l *limits) checkRecovery(c *breaker.Change, untouched bool) error {
	n, h := c.Numbers, &l.cfg.HalfOpen
	if h.Verdict == breaker.ByStreak {
		// The window is as long as the probes, so it need not hold the whole streak; and after a
		// reconfiguration it holds what is left of a shorter one.
		held := int64(min(h.Successes, h.Probes))
		if untouched && (n.Failed > 0 || n.Calls != held || c.Probes < uint64(h.Successes)) {
			return fmt.Errorf("H3: closed after %d probes, %+v, where %d successes are needed", c.Probes, n, h.Successes)
		}
		return nil
	}
	if !l.verdictDue(n, untouched) || met(n.Failed, n.Calls, l.verdictRate) || met(n.Slow, n.Calls, l.slowRate) {
		return fmt.Errorf("H2: closed on %+v, where %d outcomes are needed", n, l.needed)
	}
	return nil
}

func (l *limits) byRate() bool { return l.cfg.HalfOpen.Verdict == breaker.ByRate }
