package main

import (
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
)

// report is the result of a run.
type report struct {
	Seed       uint64  `json:"seed"`
	Ended      string  `json:"ended"`
	Asked      uint64  `json:"operations_asked_for"`
	Operations uint64  `json:"operations"`
	Seconds    float64 `json:"seconds"`
	PerSecond  float64 `json:"operations_per_second"`
	Go         string  `json:"go"`
	Processors int     `json:"processors"`

	Rounds         int    `json:"rounds"`
	VirtualRounds  int    `json:"rounds_in_virtual_time"`
	BareRounds     int    `json:"rounds_without_observers"`
	Configurations int    `json:"configurations"`
	Events         uint64 `json:"events"`
	MaxHeap        uint64 `json:"max_heap_bytes"`
	MaxLiveHeap    uint64 `json:"max_live_heap_bytes"`

	Kinds       map[string]uint64       `json:"operations_by_kind"`
	Outcomes    map[string]uint64       `json:"outcomes"`
	Counters    map[string]uint64       `json:"counters"`
	States      map[string]uint64       `json:"periods_by_state"`
	Transitions map[string]uint64       `json:"transitions"`
	Trips       map[breaker.Rule]uint64 `json:"trips"`
	Happenings  map[string]uint64       `json:"happenings"`

	Missing   []string   `json:"never_reached,omitempty"`
	Violation *violation `json:"violation,omitempty"`
}

// Ways for a run to end.
const (
	endedByItself = "all operations made"
	endedByLimit  = "stopped at the limit on its duration"
	endedByUser   = "interrupted"
	endedByFault  = "violated"
)

// everyRule lists what opens a breaker.
var everyRule = []breaker.Rule{
	breaker.RuleFailureRate, breaker.RuleSlowRate, breaker.RuleConsecutive, breaker.RuleFailureCount, breaker.RuleEvidence,
	breaker.RuleSlowEvidence, breaker.RuleProbesFailed, breaker.RuleProbesSlow, breaker.RuleProbesLate, breaker.RuleOperator,
}

func (r *run) report(took time.Duration, interrupted bool) *report {
	operations, found := r.totals.operations(), r.violation()
	t := &r.totals
	t.mu.Lock()
	defer t.mu.Unlock()
	rep := &report{
		Seed: r.p.seed, Ended: endedByItself, Asked: r.p.ops, Operations: operations, Seconds: took.Seconds(), PerSecond: float64(operations) / took.Seconds(),
		Go: runtime.Version(), Processors: runtime.GOMAXPROCS(0),
		Rounds: t.rounds, VirtualRounds: t.virtual, BareRounds: t.bare, Configurations: t.configs, Events: t.sums.events,
		MaxHeap: max(t.maxHeap, t.maxLive), MaxLiveHeap: t.maxLive,
		Kinds: map[string]uint64{}, Outcomes: map[string]uint64{}, Counters: map[string]uint64{}, States: map[string]uint64{},
		Transitions: map[string]uint64{}, Trips: map[breaker.Rule]uint64{}, Happenings: map[string]uint64{}, Violation: found,
	}
	switch {
	case found != nil:
		rep.Ended = endedByFault
	case interrupted:
		rep.Ended = endedByUser
	case r.limited.Load():
		rep.Ended = endedByLimit
	}
	for k, n := range t.kinds {
		rep.Kinds[opNames[k]] = n
	}
	for k, n := range t.books.settled {
		rep.Outcomes[kindNames[k]] = n
	}
	rep.Outcomes["refused"] = t.books.refused
	for i, n := range t.counter {
		rep.Counters[countNames[i]] = n
	}
	for from := range breaker.State(states) {
		for to := range breaker.State(states) {
			n := t.sums.pairs[from][to]
			rep.States[to.String()] += n
			if n > 0 {
				rep.Transitions[from.String()+" → "+to.String()] = n
			}
		}
	}
	for _, rule := range everyRule {
		rep.Trips[rule] = t.sums.rules[rule]
	}
	for h, n := range t.events {
		rep.Happenings[happeningNames[h]] = n
	}
	for name, n := range map[string]uint64{
		"expiries of an operator's move":         t.sums.expired,
		"restored states":                        t.sums.restored,
		"changed configurations":                 t.sums.reconfigured,
		"warnings":                               t.sums.warnings,
		"open intervals with a hint":             t.sums.hinted,
		"open intervals that had grown":          t.sums.grown,
		"panics of listeners":                    t.panics,
		"goexits of listeners and errors":        t.quits,
		"timers that fired":                      t.timers,
		"events by way of an asynchronous queue": t.queued,
		"calls that were surely late":            t.books.surelyLate,
		"calls that were surely in time":         t.books.surelyInTime,
	} {
		rep.Happenings[name] = n
	}
	if operations >= enough && r.p.round < 0 {
		rep.Missing = rep.missing()
	}
	rep.Happenings["events dropped"] = t.dropped // which nothing guarantees
	return rep
}

// enough is the number of operations from which a run must have come by everything.
const enough = 1e7

// missing lists what never happened.
func (r *report) missing() (names []string) {
	for what, of := range map[string]map[string]uint64{
		"operation": r.Kinds, "outcome": r.Outcomes, "counter": r.Counters, "state": r.States, "happening": r.Happenings,
	} {
		for name, n := range of {
			if n == 0 {
				names = append(names, what+": "+name)
			}
		}
	}
	for rule, n := range r.Trips {
		if n == 0 {
			names = append(names, "trip rule: "+string(rule))
		}
	}
	slices.Sort(names)
	return names
}

func (r *report) exitCode() int {
	switch {
	case r.Violation != nil || len(r.Missing) > 0:
		return exitViolated
	case r.Ended == endedByUser:
		return exitInterrupted
	}
	return exitHeld
}

func (r *report) print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "soak, seed %d: %s\n\n", r.Seed, r.Ended)
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(name string, value any) { fmt.Fprintf(t, "  %s\t%v\n", name, value) }
	row("operations", thousands(r.Operations))
	row("time", fmt.Sprintf("%.1f s on %d processors, %s", r.Seconds, r.Processors, r.Go))
	row("operations per second", thousands(uint64(r.PerSecond)))
	row("rounds", fmt.Sprintf("%d, %d in virtual time, %d without observers", r.Rounds, r.VirtualRounds, r.BareRounds))
	row("configurations", r.Configurations)
	row("events", thousands(r.Events))
	row("heap", fmt.Sprintf("at most %.1f MB, and %.1f MB alive after a round", float64(r.MaxHeap)/1e6, float64(r.MaxLiveHeap)/1e6))
	t.Flush()
	section(&b, "operations by kind", r.Kinds)
	section(&b, "outcomes of calls", r.Outcomes)
	section(&b, "counters", r.Counters)
	section(&b, "periods", r.States)
	section(&b, "transitions", r.Transitions)
	section(&b, "trips by rule", r.Trips)
	section(&b, "besides", r.Happenings)
	if len(r.Missing) > 0 {
		fmt.Fprintf(&b, "\nNEVER REACHED, so this run has tested less than it should:\n")
		for _, name := range r.Missing {
			fmt.Fprintf(&b, "  %s\n", name)
		}
	}
	if v := r.Violation; v != nil {
		fmt.Fprintf(&b, "\nVIOLATION in round %d of seed %d\n  %s\n\nscenario: %s\n", v.Round, r.Seed, strings.ReplaceAll(v.Text, "\n", "\n  "), v.Scenario)
		for _, f := range v.Facts {
			fmt.Fprintf(&b, "  %s\n", f)
		}
		fmt.Fprintf(&b, "\nagain: go run ./internal/proof/soak --ops %d --seed %d --round %d\n", r.Asked, r.Seed, v.Round)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// section prints counts, the largest first.
func section[K ~string](w io.Writer, title string, counts map[K]uint64) {
	fmt.Fprintf(w, "\n%s\n", title)
	names := slices.SortedFunc(maps.Keys(counts), func(a, b K) int {
		if counts[a] != counts[b] {
			if counts[a] > counts[b] {
				return -1
			}
			return 1
		}
		return strings.Compare(string(a), string(b))
	})
	for _, name := range names {
		fmt.Fprintf(w, "  %15s  %s\n", thousands(counts[name]), name)
	}
}

// thousands writes a number with spaces between groups of digits.
func thousands(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}
