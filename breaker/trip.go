package breaker

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/evidence"
	"github.com/switchgear-go/switchgear/window"
)

// Rule names what made a breaker open.
type Rule string

// The rules that open a breaker.
const (
	RuleFailureRate  Rule = "failure_rate"         // T1
	RuleSlowRate     Rule = "slow_rate"            // T2
	RuleConsecutive  Rule = "consecutive_failures" // T3
	RuleFailureCount Rule = "failure_count"        // T4
	RuleEvidence     Rule = "evidence"             // T6, on failures
	RuleSlowEvidence Rule = "evidence_slow"        // T6, on slow calls
	RuleProbesFailed Rule = "probes_failed"        // H2, H3: too many probes failed
	RuleProbesSlow   Rule = "probes_slow"          // H2: too many probes were slow
	RuleProbesLate   Rule = "probes_late"          // H6: no verdict in time
	RuleOperator     Rule = "operator"             // S4: somebody opened it
)

// Numbers are a window's counts, and how many calls make a rate.
type Numbers struct {
	window.Counts
	// Minimum is the number of calls below which the rates are undefined.
	Minimum int64 `json:"minimum"`
}

// FailureRate returns the share of calls that failed in percent, and whether
// it is defined: false while there are fewer calls than the minimum (rule W3).
func (n Numbers) FailureRate() (percent float64, ok bool) { return n.rate(n.Failed) }

// SlowRate is the same for slow calls.
func (n Numbers) SlowRate() (percent float64, ok bool) { return n.rate(n.Slow) }

func (n Numbers) rate(part int64) (float64, bool) {
	if n.Calls == 0 || n.Calls < n.Minimum {
		return 0, false
	}
	return float64(part) * 100 / float64(n.Calls), true
}

// Trip records why a breaker opened (rule T5). It never changes.
type Trip struct {
	// Rule is the condition that was met, and Time when.
	Rule Rule      `json:"rule"`
	Time time.Time `json:"time"`

	// Numbers are the window's, or after a failed recovery the probes', at
	// that moment.
	Numbers Numbers `json:"numbers"`
	// Threshold is the rate that the rule compares with, and Limit the number of
	// failures, where it is that kind of rule.
	Threshold switchgear.Percent `json:"threshold,omitzero"`
	Limit     int64              `json:"limit,omitzero"`
	// Consecutive is the run of failures up to that moment.
	Consecutive int64 `json:"consecutive,omitzero"`
	// Evidence tells how much evidence there was of how much was needed, where
	// the rule is one of the evidence rules.
	Evidence *evidence.Report `json:"evidence,omitzero"`

	// Wait is the open interval that follows, jitter included, and Hint the
	// dependency's own wish where it gave one.
	Wait time.Duration `json:"wait_ns"`
	Hint time.Duration `json:"hint_ns,omitzero"`
	// Retrips is the number of growth steps in Wait (rule O1).
	Retrips int `json:"retrips,omitzero"`

	// Author and Reason are the operator's, where it was one.
	Author string `json:"author,omitzero"`
	Reason string `json:"reason,omitzero"`

	// Errors groups the last errors, at most eight, by kind. It is filled in
	// just after the transition, outside the lock, before listeners hear of it.
	Errors []ErrorGroup `json:"errors,omitempty"`
}

// Text says in one line why the breaker opened, such as
// "12 of 20 calls failed (60 % ≥ 50 %), mostly *net.OpError: connection refused".
func (t *Trip) Text() string {
	var b strings.Builder
	switch n := t.Numbers; t.Rule {
	case RuleFailureRate:
		fmt.Fprintf(&b, "%d of %d calls failed (%s ≥ %v)", n.Failed, n.Calls, share(n.Failed, n.Calls), t.Threshold)
	case RuleSlowRate:
		fmt.Fprintf(&b, "%d of %d calls were slow (%s ≥ %v)", n.Slow, n.Calls, share(n.Slow, n.Calls), t.Threshold)
	case RuleConsecutive:
		fmt.Fprintf(&b, "%d failures in a row", t.Consecutive)
	case RuleFailureCount:
		fmt.Fprintf(&b, "%d failures in the window of %d calls", n.Failed, n.Calls)
	case RuleEvidence:
		b.WriteString(t.Evidence.Text("failure"))
	case RuleSlowEvidence:
		b.WriteString(t.Evidence.Text("slow call"))
	case RuleProbesFailed:
		fmt.Fprintf(&b, "%d of %d probes failed", n.Failed, n.Calls)
	case RuleProbesSlow:
		fmt.Fprintf(&b, "%d of %d probes were slow", n.Slow, n.Calls)
	case RuleProbesLate:
		fmt.Fprintf(&b, "no verdict of the probes in time, %d were in", n.Calls)
	case RuleOperator:
		fmt.Fprintf(&b, "opened by %s: %s", byName(t.Author), t.Reason)
	}
	if len(t.Errors) > 0 {
		fmt.Fprintf(&b, ", mostly %s", t.Errors[0])
	}
	return b.String()
}

func share(part, whole int64) string {
	return strings.TrimSuffix(strings.TrimSuffix(fmt.Sprintf("%.1f", float64(part)*100/float64(max(whole, 1))), "0"), ".") + " %"
}

func byName(author string) string {
	if author == "" {
		return "an operator"
	}
	return author
}

// tripBox holds the record of the last trip. Periods that follow it share the
// box. The record is replaced once, when its error texts have been made.
type tripBox struct{ atomic.Pointer[Trip] }

func newTripBox(t *Trip) *tripBox {
	box := new(tripBox)
	box.Store(t)
	return box
}

// record returns the last trip, or nil.
func (x *tripBox) record() *Trip {
	if x == nil {
		return nil
	}
	return x.Load()
}
