package metrics

import (
	"strings"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
)

func breakerOf(r *Reading) *breaker.Snapshot { return r.Breaker }

// States are the values of the label state, in the order of [breaker.State].
var States = func() (names []string) {
	for s := breaker.Closed; s <= breaker.ForcedOpen; s++ {
		names = append(names, strings.ToLower(s.String()))
	}
	return names
}()

var ofBreaker = []Metric{
	{
		Name: "breaker.state", Unit: "{breaker}", Label: "state",
		Help: "1 for the state that the breaker is in, 0 for every other; under the name other, how many are in that state",
		Read: part(breakerOf, func(b *breaker.Snapshot, yield func(string, float64)) {
			for s, name := range States {
				yield(name, oneIf(int(b.State) == s))
			}
		}),
	},
	{
		Name: "breaker.state_since_timestamp", Unit: Seconds, Apart: true,
		Help: "Unix time at which the breaker entered its state",
		Read: one(breakerOf, func(b *breaker.Snapshot) float64 { return instant(b.Since) }),
	},
	{
		Name: "breaker.calls", Kind: Counter, Unit: "{call}", Label: "kind",
		Help: "Calls admitted that have ended, by what they counted as",
		Read: part(breakerOf, func(b *breaker.Snapshot, yield func(string, float64)) {
			yield("successful", float64(b.Counters.Successful))
			yield("failed", float64(b.Counters.Failed))
			yield("ignored", float64(b.Counters.Ignored))
			yield("released", float64(b.Counters.Released))
			yield("late", float64(b.Counters.Late))
		}),
	},
	{
		Name: "breaker.slow_calls", Kind: Counter, Unit: "{call}",
		Help: "Calls, successful or failed, that took longer than the slow-call duration",
		Read: count(breakerOf, func(b *breaker.Snapshot) uint64 { return b.Counters.Slow }),
	},
	{
		Name: "breaker.rejections", Kind: Counter, Unit: "{call}",
		Help: "Calls that the breaker refused",
		Read: count(breakerOf, func(b *breaker.Snapshot) uint64 { return b.Counters.Rejected }),
	},
	{
		Name: "breaker.open_time", Kind: Counter, Unit: Seconds,
		Help: "Time that the breaker has been OPEN in all",
		Read: one(breakerOf, func(b *breaker.Snapshot) float64 { return b.OpenTime.Seconds() }),
	},
	{
		Name: "breaker.trips", Kind: Counter, Unit: "{trip}",
		Help: "Times that a rule opened the breaker, failed recoveries included",
		Read: count(breakerOf, func(b *breaker.Snapshot) uint64 { return b.Counters.Trips }),
	},
	{
		Name: "breaker.transitions", Kind: Counter, Unit: "{transition}",
		Help: "Changes of state, and renewals of one by an operator",
		Read: count(breakerOf, func(b *breaker.Snapshot) uint64 { return max(b.Period, 1) - 1 }),
	},
	{
		Name: "breaker.last_trip_timestamp", Unit: Seconds, Label: "rule", Apart: true,
		Help: "Unix time at which the breaker last opened, and the rule that opened it; absent if it never did",
		Read: part(breakerOf, func(b *breaker.Snapshot, yield func(string, float64)) {
			if t := b.LastTrip; t != nil {
				yield(string(t.Rule), instant(t.Time))
			}
		}),
	},
	{
		Name: "breaker.failure", Unit: Ratio, Apart: true,
		Help: "Share of the calls in the window that failed; absent below the minimum number of calls",
		Read: part(breakerOf, func(b *breaker.Snapshot, yield func(string, float64)) {
			if percent, ok := b.Numbers.FailureRate(); ok {
				yield("", percent/100)
			}
		}),
	},
	{
		Name: "breaker.slow", Unit: Ratio, Apart: true,
		Help: "Share of the calls in the window that were slow; absent below the minimum number of calls",
		Read: part(breakerOf, func(b *breaker.Snapshot, yield func(string, float64)) {
			if percent, ok := b.Numbers.SlowRate(); ok {
				yield("", percent/100)
			}
		}),
	},
	{
		Name: "breaker.window_calls", Unit: "{call}", Label: "kind",
		Help: "Calls in the window that decides; in HALF_OPEN the probes",
		Read: part(breakerOf, func(b *breaker.Snapshot, yield func(string, float64)) {
			yield("successful", float64(b.Numbers.Calls-b.Numbers.Failed))
			yield("failed", float64(b.Numbers.Failed))
		}),
	},
	{
		Name: "breaker.window_slow_calls", Unit: "{call}", Label: "kind",
		Help: "Slow calls in the window that decides; in HALF_OPEN the probes",
		Read: part(breakerOf, func(b *breaker.Snapshot, yield func(string, float64)) {
			yield("successful", float64(b.Numbers.Slow-b.Numbers.SlowFailed))
			yield("failed", float64(b.Numbers.SlowFailed))
		}),
	},
	{
		Name: "breaker.consecutive_failures", Unit: "{call}", Apart: true,
		Help: "Failures in a row, in CLOSED",
		Read: one(breakerOf, func(b *breaker.Snapshot) float64 { return float64(b.Consecutive) }),
	},
	{
		Name: "breaker.evidence", Unit: Ratio, Label: "kind", Apart: true,
		Help: "Evidence that the dependency is down, as a share of what opens the breaker, in CLOSED",
		Read: part(breakerOf, func(b *breaker.Snapshot, yield func(string, float64)) {
			yield("failure", b.Evidence)
			yield("slow", b.SlowEvidence)
		}),
	},
	{
		Name: "breaker.probes", Kind: Counter, Unit: "{call}",
		Help: "Calls admitted in HALF_OPEN",
		Read: count(breakerOf, func(b *breaker.Snapshot) uint64 { return b.Counters.Probes }),
	},
	{
		Name: "breaker.probe_outcomes", Kind: Counter, Unit: "{call}", Label: "kind",
		Help: "Probes that said something about the dependency; overdue ones count as failed",
		Read: part(breakerOf, func(b *breaker.Snapshot, yield func(string, float64)) {
			yield("successful", float64(b.Counters.ProbesGood))
			yield("failed", float64(b.Counters.ProbesFailed))
		}),
	},
	{
		Name: "breaker.probes_given_back", Kind: Counter, Unit: "{call}",
		Help: "Probes that said nothing about the dependency",
		Read: count(breakerOf, func(b *breaker.Snapshot) uint64 { return b.Counters.GivenBack }),
	},
	{
		Name: "breaker.probes_overdue", Kind: Counter, Unit: "{call}",
		Help: "Probes that were out too long and counted as failed",
		Read: count(breakerOf, func(b *breaker.Snapshot) uint64 { return b.Counters.Overdue }),
	},
	{
		Name: "breaker.probes_running", Unit: "{call}",
		Help: "Probes that are out now",
		Read: one(breakerOf, func(b *breaker.Snapshot) float64 { return float64(b.ProbesOut) }),
	},
	{
		Name: "breaker.events_dropped", Kind: Counter, Unit: "{event}",
		Help: "Events that a blocked listener lost",
		Read: count(breakerOf, func(b *breaker.Snapshot) uint64 { return b.EventsDropped }),
	},
	{
		Name: "breaker.listener_panics", Kind: Counter, Unit: "{panic}",
		Help: "Panics in listeners",
		Read: count(breakerOf, func(b *breaker.Snapshot) uint64 { return b.ListenerPanics }),
	},
}

// instant is t as Unix time, in whole milliseconds. Instants are computed anew from two
// clocks for each snapshot, and the last digits of that would look like changes.
func instant(t time.Time) float64 { return float64(t.Round(time.Millisecond).UnixMilli()) / 1000 }
