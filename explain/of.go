package explain

import (
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/event"
)

// Of explains a breaker's event: a transition, a renewed order, or a
// reconfiguration. It returns false for every other event.
func Of(e event.Event) (Record, bool) {
	r := Record{
		Name: e.Name, Kind: e.Kind, Seq: e.Seq, Time: e.Time, From: e.From, To: e.To, Period: e.Period,
		Author: clip(e.Author, maxAuthor), Reason: clip(e.Reason, maxReason),
	}
	switch d := e.Detail.(type) {
	case *breaker.Change:
		if d == nil || e.Kind != event.Transition && e.Kind != event.Renewed {
			return Record{}, false
		}
		r.change(d)
	case *breaker.Reconfiguration:
		if d == nil || e.Kind != event.Reconfigured {
			return Record{}, false
		}
		r.Cause, r.ConfigVersion, r.Changes = Reconfigured, d.Version, d.Changes
	default:
		return Record{}, false
	}
	return r, true
}

// change fills in what a transition tells.
func (r *Record) change(c *breaker.Change) {
	r.Numbers, r.Lasted, r.Refused = c.Numbers, c.Lasted, c.Refused
	r.Probes, r.GivenBack, r.Expires = c.Probes, c.GivenBack, c.Expires
	r.ConfigVersion = c.ConfigVersion
	switch {
	case c.Expired:
		r.Cause = Expired
	case c.Restored:
		r.Cause = Restored
	case r.Reason != "" || r.Author != "": // an operator gives one, and nobody else does
		r.Cause = Operator
	case c.Trip != nil:
		r.Cause = Cause(c.Trip.Rule)
	case r.To == breaker.HalfOpen.String():
		r.Cause = IntervalPassed
	case r.To == breaker.Closed.String():
		r.Cause = Recovered
	}
	// After a restart, trip and wait are those of the process before.
	if r.Cause != Restored {
		r.Trip = bounded(c.Trip)
	}
	switch {
	case r.To != breaker.Open.String() || r.Cause == Restored:
	case r.Trip != nil:
		r.NextProbe = r.Time.Add(r.Trip.Wait)
	default: // an order to refuse everything has run out
		r.NextProbe = r.Time
	}
}
