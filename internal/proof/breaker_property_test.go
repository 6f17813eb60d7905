package proof

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestBreakerEqualsTheModel is the specification held against the breaker: whatever
// happens, in whatever order, both must show the same.
func TestBreakerEqualsTheModel(t *testing.T) {
	var ledger ledger
	ran := 0
	for _, h := range themes {
		t.Run(h.name, func(t *testing.T) {
			ran++
			rapid.Check(t, func(t *rapid.T) {
				s := h.drawSetup(t)
				d := newDriver(t, &s)
				t.Repeat(map[string]func(*rapid.T){"op": func(t *rapid.T) {
					d.t = t
					d.run(h.drawOp(t))
				}})
				d.t = t
				d.observe()
				ledger.add(d.tally)
			})
		})
	}
	if ran < len(themes) {
		return // only some were asked for
	}
	const (
		all    = "CLOSED OPEN HALF_OPEN DISABLED METRICS_ONLY FORCED_OPEN"
		admits = "CLOSED HALF_OPEN DISABLED METRICS_ONLY"
	)
	ledger.require(t, 100, slices.Concat(
		each("in ", all), each("admitted in ", admits), each("refused in ", "OPEN HALF_OPEN FORCED_OPEN"),
		each("success in ", admits), each("failure in ", admits),
		[]string{
			"CLOSED to OPEN", "OPEN to HALF_OPEN", "HALF_OPEN to OPEN", "HALF_OPEN to CLOSED",
			"late: success", "late: failure", "copy of a probe settled", "settled twice",
			"rule failure_rate", "rule consecutive_failures", "rule probes_failed", "rule operator",
		},
	)...)
	ledger.require(t, 500, slices.Concat(
		each("observed in ", all), each("ignored in ", admits), each("released in ", admits),
		each("moved from CLOSED to ", all), each("moved from OPEN to ", all), each("moved from HALF_OPEN to ", all),
		each("moved from DISABLED to ", all), each("moved from METRICS_ONLY to ", all), each("moved from FORCED_OPEN to ", all),
		each("renewed ", all), each("expired ", "DISABLED METRICS_ONLY FORCED_OPEN"),
		each("timer in ", "OPEN HALF_OPEN DISABLED METRICS_ONLY FORCED_OPEN"),
		each("overdue probe found, then ", "HALF_OPEN OPEN CLOSED"),
		each("rule ", "failure_rate slow_rate consecutive_failures failure_count evidence evidence_slow"),
		each("rule ", "probes_failed probes_slow probes_late operator"),
		each("detour in ", all), each("restored in ", "CLOSED DISABLED METRICS_ONLY FORCED_OPEN"), detourNames(),
		[]string{
			"the grace ended in CLOSED", "late: ignored", "late: released", "tripped by a success", "moved by a listener", "closed", "evidence that has faded",
			"trip with a hint", "interval made longer by a hint", "interval grown", "growth taken back",
			"trip with several kinds of errors",
			"do: nil", "do: error", "do: ignored", "do: panic", "do: goexit", "do: judged -", "do: judged +", "do: judge panics",
		},
	)...)
}
