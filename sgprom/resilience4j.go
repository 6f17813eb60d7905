package sgprom

import (
	"github.com/switchgear-go/switchgear/internal/metrics"
	"github.com/switchgear-go/switchgear/timeout"
)

// callsSeconds is the one summary among the metrics.
const callsSeconds = "resilience4j_circuitbreaker_calls_seconds"

// resilience4j are the metrics of Resilience4j's Micrometer binder, by the names that a
// Prometheus registry of Micrometer gives them.
var resilience4j = []metrics.Metric{
	{
		Name: "resilience4j_circuitbreaker_state", Label: "state",
		Help: "The states of the circuit breaker",
		Read: func(r *metrics.Reading, yield func(string, float64)) {
			if b := r.Breaker; b != nil {
				for s, name := range metrics.States {
					v := 0.0
					if int(b.State) == s {
						v = 1
					}
					yield(name, v)
				}
			}
		},
	},
	{
		Name: "resilience4j_circuitbreaker_buffered_calls", Label: "kind",
		Help: "The number of buffered calls stored in the ring buffer",
		Read: func(r *metrics.Reading, yield func(string, float64)) {
			if b := r.Breaker; b != nil {
				yield("failed", float64(b.Numbers.Failed))
				yield("successful", float64(b.Numbers.Calls-b.Numbers.Failed))
			}
		},
	},
	{
		Name: "resilience4j_circuitbreaker_slow_calls", Label: "kind",
		Help: "The number of slow calls which were slower than a certain threshold",
		Read: func(r *metrics.Reading, yield func(string, float64)) {
			if b := r.Breaker; b != nil {
				yield("failed", float64(b.Numbers.SlowFailed))
				yield("successful", float64(b.Numbers.Slow-b.Numbers.SlowFailed))
			}
		},
	},
	{
		Name: "resilience4j_circuitbreaker_failure_rate", Apart: true,
		Help: "The failure rate of the circuit breaker in percent, -1 if there are too few calls",
		Read: func(r *metrics.Reading, yield func(string, float64)) {
			if b := r.Breaker; b != nil {
				yield("", orMinusOne(b.Numbers.FailureRate()))
			}
		},
	},
	{
		Name: "resilience4j_circuitbreaker_slow_call_rate", Apart: true,
		Help: "The slow call rate of the circuit breaker in percent, -1 if there are too few calls",
		Read: func(r *metrics.Reading, yield func(string, float64)) {
			if b := r.Breaker; b != nil {
				yield("", orMinusOne(b.Numbers.SlowRate()))
			}
		},
	},
	{
		Name: callsSeconds, Kind: metrics.Counter, Label: "kind",
		Help: "Total number and duration of calls by kind",
		Read: func(r *metrics.Reading, yield func(string, float64)) {
			if b := r.Breaker; b != nil {
				yield("successful", float64(b.Counters.Successful))
				yield("failed", float64(b.Counters.Failed))
				yield("ignored", float64(b.Counters.Ignored))
			}
		},
	},
	{
		Name: "resilience4j_circuitbreaker_not_permitted_calls_total", Kind: metrics.Counter, Label: "kind",
		Help: "Total number of not permitted calls",
		Read: func(r *metrics.Reading, yield func(string, float64)) {
			if b := r.Breaker; b != nil {
				yield("not_permitted", float64(b.Counters.Rejected))
			}
		},
	},
	{
		Name: "resilience4j_retry_calls_total", Kind: metrics.Counter, Label: "kind",
		Help: "The number of calls by kind",
		Read: func(r *metrics.Reading, yield func(string, float64)) {
			if s := r.Retry; s != nil {
				// Whether a failed call had been retried is not counted for each way of
				// failing; a limit is met after retries, as a rule, and what is final
				// is so at once.
				c := s.Counters
				g := c.GaveUp
				gaveUp := g.Attempts + g.Elapsed + g.Budget + g.Deadline + g.Hint + g.Refused + g.Cancelled
				yield("successful_without_retry", float64(c.Calls-min(c.Calls, c.Recovered+c.Final+gaveUp)))
				yield("successful_with_retry", float64(c.Recovered))
				yield("failed_without_retry", float64(c.Final))
				yield("failed_with_retry", float64(gaveUp))
			}
		},
	},
	{
		Name: "resilience4j_bulkhead_available_concurrent_calls",
		Help: "The number of available permissions",
		Read: func(r *metrics.Reading, yield func(string, float64)) {
			if s := r.Bulkhead; s != nil {
				yield("", float64(s.Available))
			}
		},
	},
	{
		Name: "resilience4j_bulkhead_max_allowed_concurrent_calls",
		Help: "The maximum number of available permissions",
		Read: func(r *metrics.Reading, yield func(string, float64)) {
			if s := r.Bulkhead; s != nil {
				yield("", float64(s.Limit))
			}
		},
	},
	{
		Name: "resilience4j_ratelimiter_available_permissions",
		Help: "The number of available permissions",
		Read: func(r *metrics.Reading, yield func(string, float64)) {
			if s := r.RateLimit; s != nil {
				yield("", s.Available)
			}
		},
	},
	{
		Name: "resilience4j_timelimiter_calls_total", Kind: metrics.Counter, Label: "kind",
		Help: "The number of timed out calls",
		Read: func(r *metrics.Reading, yield func(string, float64)) {
			var n uint64
			for _, s := range []*timeout.Snapshot{r.Total, r.Attempt} {
				if s != nil {
					n += s.Counters.TimedOut
				}
			}
			if r.Total != nil || r.Attempt != nil {
				yield("timeout", float64(n))
			}
		},
	},
}

func orMinusOne(percent float64, ok bool) float64 {
	if !ok {
		return -1
	}
	return percent
}
