package metrics

import (
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/retry"
)

func retryOf(r *Reading) *retry.Snapshot   { return r.Retry }
func budgetOf(r *Reading) *budget.Snapshot { return r.Budget }
func hedgeOf(r *Reading) *HedgeReading     { return r.Hedge }

var ofRetry = []Metric{
	{
		Name: "retry.calls", Kind: Counter, Unit: "{call}",
		Help: "Calls begun, each with all its attempts",
		Read: count(retryOf, func(s *retry.Snapshot) uint64 { return s.Counters.Calls }),
	},
	{
		Name: "retry.retries", Kind: Counter, Unit: "{attempt}",
		Help: "Second and later attempts that have ended",
		Read: count(retryOf, func(s *retry.Snapshot) uint64 { return s.Counters.Retries }),
	},
	{
		Name: "retry.recovered", Kind: Counter, Unit: "{call}",
		Help: "Calls that ended well after a retry",
		Read: count(retryOf, func(s *retry.Snapshot) uint64 { return s.Counters.Recovered }),
	},
	{
		Name: "retry.final", Kind: Counter, Unit: "{call}",
		Help: "Calls that ended with an error that no further attempt could cure",
		Read: count(retryOf, func(s *retry.Snapshot) uint64 { return s.Counters.Final }),
	},
	{
		Name: "retry.gave_up", Kind: Counter, Unit: "{call}", Label: "limit",
		Help: "Calls that ended at a limit, by limit",
		Read: part(retryOf, func(s *retry.Snapshot, yield func(string, float64)) {
			g := s.Counters.GaveUp
			yield("attempts", float64(g.Attempts))
			yield("elapsed", float64(g.Elapsed))
			yield("budget", float64(g.Budget))
			yield("deadline", float64(g.Deadline))
			yield("hint", float64(g.Hint))
			yield("refused", float64(g.Refused))
			yield("cancelled", float64(g.Cancelled))
		}),
	},
	{
		Name: "retry.waiting", Unit: "{call}",
		Help: "Calls that wait for their next attempt",
		Read: one(retryOf, func(s *retry.Snapshot) float64 { return float64(s.Waiting) }),
	},
}

var ofBudget = []Metric{
	{
		Name: "budget.available", Unit: "{attempt}",
		Help: "Extra attempts, or tokens, that are left",
		Read: one(budgetOf, func(s *budget.Snapshot) float64 { return s.Available }),
	},
	{
		Name: "budget.capacity", Unit: "{attempt}",
		Help: "What available would be if nothing were used",
		Read: one(budgetOf, func(s *budget.Snapshot) float64 { return s.Capacity }),
	},
	{
		Name: "budget.exhausted", Unit: "{budget}",
		Help: "1 if an extra attempt would be refused now; under the name other, how many budgets",
		Read: one(budgetOf, func(s *budget.Snapshot) float64 { return oneIf(!s.Grants) }),
	},
	{
		Name: "budget.grants", Kind: Counter, Unit: "{attempt}",
		Help: "Extra attempts granted",
		Read: count(budgetOf, func(s *budget.Snapshot) uint64 { return s.Granted }),
	},
	{
		Name: "budget.refusals", Kind: Counter, Unit: "{attempt}",
		Help: "Extra attempts refused",
		Read: count(budgetOf, func(s *budget.Snapshot) uint64 { return s.Refused }),
	},
	{
		Name: "budget.shortages", Kind: Counter, Unit: "{shortage}",
		Help: "Times that the budget became exhausted",
		Read: count(budgetOf, func(s *budget.Snapshot) uint64 { return s.Shortages }),
	},
}

var ofHedge = []Metric{
	{
		Name: "hedge.calls", Kind: Counter, Unit: "{call}",
		Help: "Calls begun",
		Read: count(hedgeOf, func(s *HedgeReading) uint64 { return s.Counters.Calls }),
	},
	{
		Name: "hedge.hedges", Kind: Counter, Unit: "{attempt}",
		Help: "Extra attempts started",
		Read: count(hedgeOf, func(s *HedgeReading) uint64 { return s.Counters.Hedges }),
	},
	{
		Name: "hedge.wins", Kind: Counter, Unit: "{call}",
		Help: "Calls whose answer came from an extra attempt",
		Read: count(hedgeOf, func(s *HedgeReading) uint64 { return s.Counters.WonByHedge }),
	},
	{
		Name: "hedge.withheld", Kind: Counter, Unit: "{attempt}", Label: "reason",
		Help: "Extra attempts not made: refused by the budget, or suppressed while the breaker probes or too many are left behind",
		Read: part(hedgeOf, func(s *HedgeReading, yield func(string, float64)) {
			yield("refused", float64(s.Counters.Refused))
			yield("suppressed", float64(s.Counters.Suppressed))
		}),
	},
	{
		Name: "hedge.delay", Unit: Seconds, Apart: true,
		Help: "Time after which a call that begins now would be hedged",
		Read: one(hedgeOf, func(s *HedgeReading) float64 { return s.Delay.Seconds() }),
	},
	{
		Name: "hedge.abandoned", Unit: "{attempt}",
		Help: "Attempts still running that their call has left behind",
		Read: one(hedgeOf, func(s *HedgeReading) float64 { return float64(s.Abandoned) }),
	},
}
