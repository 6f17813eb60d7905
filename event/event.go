package event

import (
	"fmt"
	"strconv"
	"time"
)

// A Kind says what sort of thing happened. Policies may add kinds of their own;
// a listener should let those pass that it does not know.
type Kind string

const (
	// Transition: the state changed, from From to To.
	Transition Kind = "transition"

	// Renewed: an operator moved the policy to the state it was already in. A
	// new period has begun, perhaps with a new expiry; From and To are equal
	// (rule S4).
	Renewed Kind = "renewed"

	// Reconfigured: another configuration is in effect; Detail tells what changed.
	Reconfigured Kind = "reconfigured"

	// Warning: the policy works, but probably not as was meant. Reason tells.
	Warning Kind = "warning"
)

// An Event is one thing that happened to one policy. It is a value: whoever
// receives one may keep it and change it. Only what Detail refers to is shared.
type Event struct {
	// Seq is the place of the event in its stream, from 1 without gaps; a
	// receiver that sees a gap has missed something. Set by the stream.
	Seq uint64 `json:"seq"`

	// Time is the wall-clock time of the event, for people. Durations must not
	// be computed from it (rule C5).
	Time time.Time `json:"time"`

	// Source is the sort of policy the event comes from, such as "breaker".
	Source string `json:"source"`

	// Name is the name of the policy, such as "stock".
	Name string `json:"name"`

	Kind Kind `json:"kind"`

	// From and To are the states before and after, by the policy's own names.
	// Empty where the kind has none.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`

	// Period is the number of the period that the event began or, where it
	// began none, belongs to (rule S5). 0 where the policy has no periods.
	Period uint64 `json:"period,omitempty"`

	// Author is the operator behind the event; empty if the policy acted by itself.
	Author string `json:"author,omitempty"`

	// Reason is the why in a few words: the operator's, or the policy's.
	Reason string `json:"reason,omitempty"`

	// Detail holds further facts, of a type that the source documents; nil if
	// there are none. All receivers share it, so it must not be changed once it
	// is in an event; a held event gets a new one when it is released.
	Detail any `json:"detail,omitempty"`
}

// String returns the event as one line for people, for example
//
//	2026-03-01T03:12:44.120Z breaker "stock" #7 transition CLOSED -> FORCED_OPEN by "ana": "maintenance"
//
// Text from outside is quoted, so that it cannot break the line. Detail is
// appended if it is a string, an error or a fmt.Stringer. String runs the Detail's
// method, which may be user code. The format may change; programs should read the
// fields.
func (e Event) String() string {
	b := make([]byte, 0, 128)
	b = e.Time.AppendFormat(b, "2006-01-02T15:04:05.000Z07:00")
	b = fmt.Appendf(b, " %s %q #%d %s", e.Source, e.Name, e.Seq, e.Kind)
	if e.From != "" && e.From != e.To {
		b = append(b, ' ')
		b = append(b, e.From...)
		b = append(b, " ->"...)
	}
	if e.To != "" {
		b = append(b, ' ')
		b = append(b, e.To...)
	}
	if e.Author != "" {
		b = append(b, " by "...)
		b = strconv.AppendQuote(b, e.Author)
	}
	if e.Reason != "" {
		b = append(b, ": "...)
		b = strconv.AppendQuote(b, e.Reason)
	}
	switch e.Detail.(type) {
	case string, error, fmt.Stringer:
		// Through fmt, because it survives a String method that panics.
		if s := fmt.Sprint(e.Detail); s != "" {
			b = fmt.Appendf(b, " (%q)", s)
		}
	}
	return string(b)
}
