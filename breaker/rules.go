package breaker

import (
	"math"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/evidence"
	"github.com/switchgear-go/switchgear/window"
)

// rules is a compiled configuration. It never changes once made.
type rules struct {
	cfg      Config // with every default filled in
	warnings []switchgear.Problem

	minimum      int64 // effective minimum of calls (W3)
	failureRate  int64 // T1, hundredths of a percent; 0 is off
	slowRate     int64 // T2, likewise
	slow         time.Duration
	consecutive  int64 // T3; 0 is off
	failureCount int64 // T4; 0 is off
	evidence     *evidence.Test
	slowEvidence *evidence.Test
	everyOutcome bool // the evidence test must see each outcome at its own time
	clocked      bool // a success must look at the clock

	jitter float64 // share of the wait, 0 is off

	probes      int
	needed      int64 // outcomes for a verdict by rate (H2)
	verdictRate int64
	probeLimit  time.Duration // MaxInt64 is off
}

func (r *rules) canTrip() bool {
	return r.failureRate > 0 || r.slowRate > 0 || r.consecutive > 0 || r.failureCount > 0 ||
		r.evidence != nil || r.slowEvidence != nil
}

// config returns a copy of the configuration that shares nothing with the rules.
func (r *rules) config() Config {
	cfg := r.cfg
	if cfg.Evidence != nil {
		e := *cfg.Evidence
		cfg.Evidence = &e
	}
	if cfg.SlowEvidence != nil {
		e := *cfg.SlowEvidence
		cfg.SlowEvidence = &e
	}
	return cfg
}

func (r *rules) timed() bool { return r.cfg.Window.Calls == 0 }

func (r *rules) newWindow() windowed {
	if r.timed() {
		return window.NewTime(r.cfg.Window.Length, r.cfg.Window.Buckets)
	}
	return window.NewCount(r.cfg.Window.Calls)
}

// windowed is what the breaker wants of a window.
type windowed interface {
	Record(now time.Duration, failed, slow bool)
	Good(now time.Duration, n int64)
	Counts(now time.Duration) window.Counts
	Reset()
}

// reached reports whether part/whole is at least a threshold in hundredths of
// a percent. It compares integers, so that a rate exactly on the threshold
// counts (T1). The threshold 0 is off.
func reached(part, whole, threshold int64) bool {
	return threshold > 0 && whole > 0 && part*100_00 >= threshold*whole
}

// tooSlow reports whether a call from start to now was slow (C3).
func (r *rules) tooSlow(start, now time.Duration) bool {
	return r.slow > 0 && start != untimed && now-start > r.slow
}

// interval returns the open interval after so many consecutive re-trips (O1),
// lengthened by the dependency's hint (O3) and jittered (O2); u is a number
// from 0 to 1 drawn for this period.
func (r *rules) interval(retrips int, hint time.Duration, u float64) time.Duration {
	o := &r.cfg.Open
	wait := o.Wait
	if o.Factor > 1 && retrips > 0 {
		grown := float64(o.Wait) * math.Pow(o.Factor, float64(retrips))
		wait = o.MaxWait
		if grown < float64(o.MaxWait) { // compare before converting: grown may be infinite
			wait = time.Duration(grown)
		}
	}
	if !(u >= 0 && u <= 1) {
		u = noDraw
	}
	jittered := func(d time.Duration, share float64) time.Duration { return d + time.Duration(float64(d)*share) }
	own := jittered(wait, r.jitter*(2*u-1))
	if o.MaxHint < 0 || hint <= 0 {
		return own
	}
	// A hint is spread upwards only: never back earlier than asked.
	return max(own, jittered(min(hint, o.MaxHint), r.jitter*u))
}
