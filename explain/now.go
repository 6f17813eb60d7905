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
	r.Cause = causeOf(r.Author, r.Reason)
	switch {
	case r.Cause != "":
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
