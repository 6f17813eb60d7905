package explain

import (
	"time"

	"github.com/switchgear-go/switchgear/breaker"
)

// Now explains the state that a breaker is in: why, since when, and when it will
// probe. at is the wall-clock time at which the snapshot was taken.
func Now(s breaker.Snapshot, at time.Time) Record {
	r := Record{
		Name: s.Name, Kind: State, Time: at, To: s.State.String(), Period: s.Period, ConfigVersion: s.ConfigVersion,
		Trip: bounded(s.LastTrip), Numbers: s.Numbers, Since: s.Since, Lasted: max(at.Sub(s.Since), 0),
		ProbesOut: s.ProbesOut,
		Author:    clip(s.Author, maxAuthor), Reason: clip(s.Reason, maxReason), Expires: s.Expires,
	}
	switch {
	case ordered(s):
		r.Cause = Operator
	case r.Reason != "":
		// An order without an author, or the end of one: a snapshot does not tell which.
	case s.State == breaker.HalfOpen:
		r.Cause = IntervalPassed
	case s.State == breaker.Open && s.LastTrip != nil:
		r.Cause = Cause(s.LastTrip.Rule)
	case s.State == breaker.Closed && s.LastTrip != nil:
		r.Cause = Recovered
	}
	if s.State == breaker.Open {
		r.NextProbe = at.Add(s.RetryAfter)
	}
	return r
}

// ordered reports whether it is certain that an operator's move led to the state: one that
// nothing else leads to, or one with an author. The reason is no sign, since anybody can
// write what the breaker itself says when a move has run out.
func ordered(s breaker.Snapshot) bool {
	switch s.State {
	case breaker.ForcedOpen, breaker.Disabled, breaker.MetricsOnly:
		return true
	case breaker.HalfOpen:
		return s.Reason != ""
	}
	return s.Author != ""
}
