package model

import "time"

// State is one of the six states, by its name.
type State string

// The states (S1 to S4).
const (
	Closed      State = "CLOSED"
	Open        State = "OPEN"
	HalfOpen    State = "HALF_OPEN"
	Disabled    State = "DISABLED"
	MetricsOnly State = "METRICS_ONLY"
	ForcedOpen  State = "FORCED_OPEN"
)

// admits reports whether every call is let through (S1, S4).
func (s State) admits() bool { return s == Closed || s == Disabled || s == MetricsOnly }

// records reports whether outcomes go into the window (S1, S4).
func (s State) records() bool { return s == Closed || s == MetricsOnly }

// Health is what a permit is settled with.
type Health string

// The four ways to settle a permit (P2).
const (
	Success  Health = "success"
	Failure  Health = "failure"
	Ignored  Health = "ignored"
	Released Health = "released"
)

// An Ending is everything that a caller reports when a call is over.
type Ending struct {
	Health Health
	Kind   string        // of the error that came with a failure; "" if none did
	Hint   time.Duration // the dependency's wish (O3)
}

// A Permit belongs to the period that issued it (S5).
type Permit struct {
	Period uint64
	Probe  uint64 // the slot's own token (P2); 0 if it holds none
	Start  time.Duration
}

// A Rejection is the answer to a call that is refused (P1).
type Rejection struct {
	State  State
	Period uint64
	until  time.Duration
}

// RetryAfter returns how long it is from now until a probe may be admitted, and
// whether that is known.
func (r Rejection) RetryAfter(now time.Duration) (time.Duration, bool) {
	if r.until == Never {
		return 0, false
	}
	return max(r.until-now, 0), true
}

// Numbers are a window's counts, and the number of calls that makes a rate.
type Numbers struct {
	Counts
	Minimum int64
}

// A Probe is a permit of HALF_OPEN that has not been settled by its holder.
type Probe struct {
	Number  uint64
	Period  uint64
	Since   time.Duration
	Overdue bool // the breaker has settled it (H8)
}

// Counters are the lifetime counters (N1).
type Counters struct {
	Successful, Failed, Slow, Ignored, Released, Rejected, Late uint64
	Trips, Probes, GivenBack, Overdue, ProbesGood, ProbesFailed uint64
}

// A Trip is the record of why the breaker opened (T5).
type Trip struct {
	Rule        string
	At          time.Duration
	Threshold   int64 // the rate that the rule compares with, hundredths of a percent
	Limit       int64 // the number of failures that it compares with
	Numbers     Numbers
	Consecutive int64
	Evidence    *Score // as it was, where the rule is T6
	Wait, Hint  time.Duration
	Retrips     int
	Author      string
	Reason      string
	Errors      map[string]int // the last errors: how many of each kind
}

// An Event is one transition, or a period that was renewed (S7).
type Event struct {
	Renewed        bool
	From, To       State
	At             time.Duration // when it happened
	Period         uint64        // the new one
	Author, Reason string

	// Of the period that ended.
	Numbers           Numbers
	Lasted            time.Duration
	Refused           uint64
	Probes, GivenBack uint64

	Trip    *Trip
	Expires time.Duration // Never if it does not
	Expired bool          // it is the end of a move
}
