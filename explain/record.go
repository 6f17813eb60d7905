package explain

import (
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/event"
)

// State is the Kind of a record that [Now] made: nothing happened, this is how
// things are.
const State event.Kind = "state"

// A Cause says in a word why a breaker is in a state. For a trip it is the
// [breaker.Rule] that fired, such as "failure_rate"; the rest is below.
type Cause string

// Causes other than a trip rule.
const (
	Operator       Cause = "operator"        // somebody ordered it (rule S4)
	Expired        Cause = "expired"         // somebody's order has run out (rule S4)
	Restored       Cause = "restored"        // the program was started again (rule B7)
	IntervalPassed Cause = "interval_passed" // OPEN ended, probing begins (rules O4 and O5)
	Recovered      Cause = "recovered"       // the probes were good (rules H2 and H3)
	Reconfigured   Cause = "reconfigured"    // another configuration (rule R1)
)

// breakerSource is the Source of breakers' events.
const breakerSource = "breaker"

const (
	maxKinds  = 3   // kinds of errors in a record
	maxSample = 160 // bytes of an error's text
	maxAuthor = 128 // bytes
	maxReason = 256 // bytes
)

// A Record is a transition, or a state, explained. [Of] and [Now] make it. Durations
// are in nanoseconds in JSON; what does not apply is left out there.
type Record struct {
	// Name is the breaker's, Kind what sort of event it was, or [State].
	Name string     `json:"name"`
	Kind event.Kind `json:"kind"`
	// Seq is the number of the event in the breaker's own order.
	Seq uint64 `json:"seq,omitzero"`
	// Time is when it happened; of a state, when it was looked at.
	Time time.Time `json:"time"`
	// From and To are the states before and after; of a state, To alone.
	From string `json:"from,omitzero"`
	To   string `json:"to,omitzero"`
	// Period is the number of the period that began; of a state or a
	// reconfiguration, of the one that it belongs to.
	Period uint64 `json:"period"`
	// ConfigVersion is that of the configuration in effect, from 1. See
	// [breaker.Snapshot].
	ConfigVersion uint64 `json:"config_version,omitzero"`

	// Cause is why; empty where that is not known. Of a state it is empty if there is a
	// Reason and no Author, unless nothing but an order leads to that state: it is that of
	// an order, or says that an order has run out. Never is it guessed from a text.
	Cause Cause `json:"cause,omitzero"`
	// Trip has the rule that opened the breaker, the window's numbers with the
	// minimum, the threshold, the evidence and the most frequent errors: at most three
	// kinds, with a sample of at most 160 bytes each. Of a transition it is there if
	// this one opened the breaker. Of a state it is the last trip, if there was one.
	Trip *breaker.Trip `json:"trip,omitzero"`

	// Numbers are those of the state that ended; of a state, its own. In HALF_OPEN
	// they are what the probes saw.
	Numbers breaker.Numbers `json:"numbers"`
	// Lasted is how long the state lasted that ended; of a state, how long it has
	// lasted so far, since Since.
	Lasted time.Duration `json:"lasted_ns,omitzero"`
	Since  time.Time     `json:"since,omitzero"`
	// Refused is about how many calls the state that ended refused.
	Refused uint64 `json:"refused,omitzero"`
	// Probes are the probes admitted and GivenBack the slots they gave back, if the
	// state that ended was HALF_OPEN. ProbesOut are the probes out, if it is.
	Probes    uint64 `json:"probes,omitzero"`
	GivenBack uint64 `json:"given_back,omitzero"`
	ProbesOut int    `json:"probes_out,omitzero"`

	// NextProbe is the instant from which the next call is a probe. If it is not
	// after Time, the next call is one. Absent where no probe is due, or where it is
	// not known when.
	NextProbe time.Time `json:"next_probe,omitzero"`

	// Author, Reason and Expires belong to an operator's move. A reason is at most
	// 256 bytes of what was given, an author 128.
	Author  string    `json:"author,omitzero"`
	Reason  string    `json:"reason,omitzero"`
	Expires time.Time `json:"expires,omitzero"`

	// Changes is what a reconfiguration changed.
	Changes []breaker.Difference `json:"changes,omitempty"`
}

// refuses reports whether a state of that name lets no call through.
func refuses(state string) bool {
	return state == breaker.Open.String() || state == breaker.ForcedOpen.String()
}

// bounded returns a copy of a trip with no more of foreign texts than a record holds.
func bounded(t *breaker.Trip) *breaker.Trip {
	if t == nil {
		return nil
	}
	short := *t
	short.Author, short.Reason = clip(t.Author, maxAuthor), clip(t.Reason, maxReason)
	short.Errors = nil
	for _, g := range t.Errors[:min(len(t.Errors), maxKinds)] {
		g.Kind, g.Sample = clip(g.Kind, maxSample), clip(g.Sample, maxSample)
		short.Errors = append(short.Errors, g)
	}
	return &short
}
