package explain

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/event"
)

// String returns the record as one line for people, for example
//
//	payments: CLOSED → OPEN after 12 of 20 calls failed (60 % ≥ 50 %), mostly dial tcp: connection refused; next probe in 27 s
//
// or, of a state,
//
//	payments: OPEN since 03:12:44 (2 min), because 12 of 20 calls failed (60 % ≥ 50 %), mostly dial tcp: connection refused; next probe in 12 s
//
// Clock times are in the zone of the record's Time. The package comment says what
// becomes of foreign text.
func (r Record) String() string {
	var b strings.Builder
	b.WriteString(named(r.Name))
	b.WriteString(": ")
	switch r.Kind {
	case State:
		r.writeState(&b)
	case event.Reconfigured:
		r.writeChanges(&b)
	default:
		r.writeTransition(&b)
	}
	return b.String()
}

func (r *Record) writeTransition(b *strings.Builder) {
	if r.Kind == event.Renewed {
		fmt.Fprintf(b, "%s renewed", word(r.To))
	} else {
		fmt.Fprintf(b, "%s → %s", word(r.From), word(r.To))
	}
	switch r.Cause {
	case Operator:
		fmt.Fprintf(b, " by %s: %s", author(r.Author), quoted(r.Reason, maxReason))
		r.writeEnded(b, ", after ")
	case Expired:
		b.WriteString(": the operator's move has expired")
		r.writeEnded(b, " after ")
	case Restored:
		fmt.Fprintf(b, ": %s", plain(r.Reason, maxReason))
	case IntervalPassed:
		r.writeEnded(b, " after ")
		b.WriteString("; probing")
	case Recovered:
		good := r.Numbers.Calls - r.Numbers.Failed
		fmt.Fprintf(b, " after %d of %s succeeded", good, count(uint64(max(r.Numbers.Calls, 0)), "probe"))
		if r.Numbers.Slow > 0 {
			fmt.Fprintf(b, " (%d slow)", r.Numbers.Slow)
		}
		r.writeEnded(b, " in ")
	default:
		if r.Trip == nil {
			break
		}
		if r.Trip.Evidence != nil {
			b.WriteString(" on ")
		} else {
			b.WriteString(" after ")
		}
		writeTrip(b, r.Trip)
	}
	r.writeNext(b)
}

// writeEnded tells how long the state that ended lasted and what it refused.
func (r *Record) writeEnded(b *strings.Builder, preposition string) {
	b.WriteString(preposition + span(r.Lasted))
	if r.Refused > 0 {
		fmt.Fprintf(b, ", %s refused", count(r.Refused, "call"))
	}
}

// writeNext tells when the breaker will go on by itself.
func (r *Record) writeNext(b *strings.Builder) {
	if !r.Expires.IsZero() {
		fmt.Fprintf(b, "; until %s (%s)", r.clock(r.Expires), span(r.Expires.Sub(r.Time)))
	}
	switch {
	case r.NextProbe.IsZero():
	case !r.NextProbe.After(r.Time):
		b.WriteString("; the next call probes")
	default:
		fmt.Fprintf(b, "; next probe in %s", span(r.NextProbe.Sub(r.Time)))
	}
}

func (r *Record) writeState(b *strings.Builder) {
	fmt.Fprintf(b, "%s since %s (%s)", word(r.To), r.clock(r.Since), span(r.Lasted))
	switch {
	case r.Cause == Operator:
		fmt.Fprintf(b, ", by %s: %s", author(r.Author), quoted(r.Reason, maxReason))
	case r.Reason != "":
		fmt.Fprintf(b, ", because %s", quoted(r.Reason, maxReason))
	}
	n := r.Numbers
	switch r.To {
	case breaker.HalfOpen.String():
		fmt.Fprintf(b, ", probing: %d out, %d in, %d of them failed", r.ProbesOut, n.Calls, n.Failed)
	case breaker.Closed.String(), breaker.MetricsOnly.String():
		fmt.Fprintf(b, ", %d of %s failed", n.Failed, count(uint64(max(n.Calls, 0)), "call"))
		if rate, ok := n.FailureRate(); ok {
			fmt.Fprintf(b, " (%s %%)", number(rate))
		} else {
			fmt.Fprintf(b, " (%d make a rate)", n.Minimum)
		}
	}
	switch {
	case r.Trip == nil || r.Cause == Operator && refuses(r.To):
	case refuses(r.To) && r.Reason == "":
		b.WriteString(", because ")
		writeTrip(b, r.Trip)
	default:
		fmt.Fprintf(b, "; last opened %s, because ", r.clock(r.Trip.Time))
		writeTrip(b, r.Trip)
	}
	r.writeNext(b)
}

func (r *Record) writeChanges(b *strings.Builder) {
	fmt.Fprintf(b, "reconfigured to version %d", r.ConfigVersion)
	for i, d := range r.Changes {
		separator := ", "
		if i == 0 {
			separator = ": "
		}
		b.WriteString(separator + plain(d.String(), maxReason))
	}
}

// writeTrip tells why a breaker opened, as a clause.
func writeTrip(b *strings.Builder, t *breaker.Trip) {
	switch {
	case t.Rule == breaker.RuleOperator:
		fmt.Fprintf(b, "%s ordered it: %s", author(t.Author), quoted(t.Reason, maxReason))
	case t.Rule == breaker.RuleProbesLate:
		fmt.Fprintf(b, "the probes brought no verdict in time, %d were in", t.Numbers.Calls)
	default:
		facts := *t
		facts.Errors = nil // their kinds are for machines
		if facts.Evidence == nil && (t.Rule == breaker.RuleEvidence || t.Rule == breaker.RuleSlowEvidence) {
			facts.Rule = "" // read from somewhere, and incomplete
		}
		text := facts.Text()
		if text == "" {
			text = "rule " + quoted(string(t.Rule), maxAuthor) + " fired"
		}
		b.WriteString(text)
	}
	if len(t.Errors) > 0 {
		sample := t.Errors[0].Sample
		if sample == "" {
			sample = t.Errors[0].Kind
		}
		fmt.Fprintf(b, ", mostly %s", plain(sample, maxSample))
	}
}

// author is who gave an order.
func author(name string) string {
	if name == "" {
		return "an operator"
	}
	return quoted(name, maxAuthor)
}

// word is the name of a state.
func word(state string) string { return plain(state, 32) }

// clock returns the time of day, with the date if that is not the record's.
func (r *Record) clock(t time.Time) string {
	t = t.In(r.Time.Location())
	if t.Format(time.DateOnly) == r.Time.Format(time.DateOnly) {
		return t.Format(time.TimeOnly)
	}
	return t.Format(time.DateTime)
}

// count returns "1 call", "20 calls".
func count(n uint64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.FormatUint(n, 10) + " " + noun
}

// number returns a number with at most one decimal.
func number(f float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0")
}

// span returns a duration as people say it, in one unit or two: "350 ms", "2.5 s",
// "27 s", "2 min 5 s", "3 h", "2 d 4 h". A negative one is 0.
func span(d time.Duration) string {
	const day = 24 * time.Hour
	two := func(big time.Duration, bigUnit string, small time.Duration, smallUnit string) string {
		d = d.Round(small)
		s := fmt.Sprintf("%d %s", d/big, bigUnit)
		if rest := d % big / small; rest > 0 {
			s += fmt.Sprintf(" %d %s", rest, smallUnit)
		}
		return s
	}
	switch {
	case d <= 0:
		return "0 s"
	case d < time.Millisecond:
		return "less than 1 ms"
	case d < time.Second-time.Millisecond/2:
		return fmt.Sprintf("%d ms", d.Round(time.Millisecond)/time.Millisecond)
	case d < 10*time.Second-50*time.Millisecond:
		return number(d.Seconds()) + " s"
	case d < time.Minute-time.Second/2:
		return fmt.Sprintf("%d s", d.Round(time.Second)/time.Second)
	case d < time.Hour-time.Second/2:
		return two(time.Minute, "min", time.Second, "s")
	case d < day-time.Minute/2:
		return two(time.Hour, "h", time.Minute, "min")
	}
	return two(day, "d", time.Hour, "h")
}
