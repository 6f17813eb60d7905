package breaker

import (
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/evidence"
)

// Config says when a breaker trips, how long it stays open and how it finds
// its way back. It is plain data: the zero value is a sensible breaker, and a
// zero field means the default its comment names. Fields that can be switched
// off say so and take [switchgear.Off]; other negative values are errors.
//
// Any one trip rule that is on suffices to trip. By default that is
// FailureRate alone.
type Config struct {
	// Window is the set of outcomes that the rates look at. Default: the
	// last 60 seconds.
	Window WindowConfig

	// MinimumCalls is the number of outcomes the window must hold before
	// the two rates are defined. Default 20; from 1 to 1,000,000,000. With
	// a window of fewer calls than this, the window's size takes its place
	// and a warning says so (rule W3).
	MinimumCalls int

	// FailureRate trips when at least this share of the window's calls
	// failed (rule T1). Default 50; from 1 to 100, at most two decimals, or Off.
	FailureRate switchgear.Percent

	// SlowCall trips on calls that take too long (rule T2). Default off.
	SlowCall SlowCallConfig

	// ConsecutiveFailures trips after so many failures without a success
	// between them (rule T3). It needs no minimum; ignored calls do not
	// break the run. Default off; at most 1,000,000,000.
	ConsecutiveFailures int

	// FailureCount trips when the window holds so many failures (rule T4).
	// It needs no minimum. Default off; at most 1,000,000,000.
	FailureCount int

	// Evidence, when not nil, switches on a sequential test on failures:
	// trip when the evidence that the dependency has become sick passes a
	// threshold computed from the rate of false trips one can live with
	// (rule T6). A pointer to the zero value means its own defaults.
	Evidence *evidence.Config

	// SlowEvidence is the same test on slow calls; it needs
	// SlowCall.Duration. Its defaults are 5 % healthy, 50 % sick.
	SlowEvidence *evidence.Config

	// Grace is a time after New in which nothing trips. When it ends the
	// window is emptied (rule T7). Default 0.
	Grace time.Duration

	// EnoughTime is the time a caller's deadline must leave at admission
	// for a missed deadline to count against the dependency; with less, it
	// is ignored (rule C1.4). Default 0: every missed deadline counts.
	EnoughTime time.Duration

	// Open says how long the breaker stays open.
	Open OpenConfig

	// HalfOpen says how the breaker probes.
	HalfOpen HalfOpenConfig
}

// WindowConfig is the set of outcomes a breaker remembers while CLOSED: the last so
// many calls, or those of the last so long.
type WindowConfig struct {
	// Calls makes it a count window of so many outcomes (rule W1). From 1 to
	// 10,000,000. Memory is two bits a call.
	Calls int

	// Length makes it a time window (rule W2). Default 60 s, unless Calls is
	// set; from 1 ms to 30 days. Calls and Length exclude each other.
	Length time.Duration

	// Buckets divides Length: outcomes are forgotten a bucket at a time.
	// Default one a second up to 60, at least 1; at most 3,600, none shorter
	// than 1 ms. Only with a time window.
	Buckets int
}

// SlowCallConfig is the trip rule on slow calls.
type SlowCallConfig struct {
	// Duration makes a call slow that takes longer than this (rule C3). Calls
	// are timed only when it is set. Default off.
	Duration time.Duration

	// Rate trips when at least this share of the window's calls was slow.
	// Default 100 once Duration is set; from 1 to 100, or Off to count slow
	// calls without acting on them. It needs Duration.
	Rate switchgear.Percent
}

// OpenConfig is how long a breaker refuses calls before it probes.
type OpenConfig struct {
	// Wait is the base open interval (rule O1). Default 30 s; from 1 ns to
	// 30 days.
	Wait time.Duration

	// Factor multiplies the interval for each trip that follows another
	// without recovery (rule O1). It falls back one step per Wait spent
	// CLOSED. Default 1: no growth; from 1 to 100.
	Factor float64

	// MaxWait caps the grown interval, before jitter. Default ten times Wait;
	// at least Wait, at most 30 days.
	MaxWait time.Duration

	// Jitter spreads the interval by up to this share to either side, so that
	// a fleet that tripped together does not probe together (rule O2). Default
	// 10; from 1 to 50, or Off.
	Jitter switchgear.Percent

	// MaxHint caps the wait that a dependency may ask for, as with
	// Retry-After (rule O3). Default 5 min; at most 30 days, or Off to take no
	// hints.
	MaxHint time.Duration

	// Automatic moves to HALF_OPEN by a timer when the interval ends (rule
	// O5), instead of at the next call.
	Automatic bool
}

// Verdict is how the probes decide.
type Verdict uint8

const (
	// ByRate waits for min(MinimumCalls, Probes) outcomes and compares their
	// rates with the trip thresholds (rule H2). The default.
	ByRate Verdict = iota
	// ByStreak opens at the first failure and closes after a run of
	// successes (rule H3).
	ByStreak
)

// String returns "rate" or "streak".
func (v Verdict) String() string {
	if v == ByStreak {
		return "streak"
	}
	return "rate"
}

// MarshalText writes the verdict's name.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads "rate" or "streak".
func (v *Verdict) UnmarshalText(text []byte) error {
	switch string(text) {
	case "rate":
		*v = ByRate
	case "streak":
		*v = ByStreak
	default:
		return fmt.Errorf("breaker: %q is no verdict; verdicts are rate and streak", text)
	}
	return nil
}

// HalfOpenConfig is how a breaker finds out whether the dependency is back.
type HalfOpenConfig struct {
	// Probes bounds the calls let through (rule H1): by rate in all, by streak
	// at a time. Default 5; at most 10,000.
	Probes int

	// Verdict is how the probes decide. Default [ByRate].
	Verdict Verdict

	// Successes is the run of successes that closes the breaker by streak
	// (rule H3). Default Probes; at most 10,000. Only with [ByStreak].
	Successes int

	// MaxWait moves to OPEN when the verdict is not in after so long, by a
	// timer (rule H6). Default off; at most 30 days.
	MaxWait time.Duration

	// ProbeLimit is how long a probe may be out; then its slot is freed and it
	// counts as a slow failure (rule H8). Default Open.Wait; at most 30 days, or
	// Off.
	ProbeLimit time.Duration
}
