package metrics

import (
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/inject"
	"github.com/switchgear-go/switchgear/ratelimit"
	"github.com/switchgear-go/switchgear/throttle"
	"github.com/switchgear-go/switchgear/timeout"
)

func bulkheadOf(r *Reading) *bulkhead.Snapshot   { return r.Bulkhead }
func rateLimitOf(r *Reading) *ratelimit.Snapshot { return r.RateLimit }
func adaptiveOf(r *Reading) *AdaptiveReading     { return r.Adaptive }
func throttleOf(r *Reading) *throttle.Snapshot   { return r.Throttle }
func injectorOf(r *Reading) *inject.Snapshot     { return r.Injector }

var ofBulkhead = []Metric{
	{
		Name: "bulkhead.running", Unit: "{call}",
		Help: "Calls under way",
		Read: one(bulkheadOf, func(s *bulkhead.Snapshot) float64 { return float64(s.Running) }),
	},
	{
		Name: "bulkhead.limit", Unit: "{call}",
		Help: "Most calls that may be under way",
		Read: one(bulkheadOf, func(s *bulkhead.Snapshot) float64 { return float64(s.Limit) }),
	},
	{
		Name: "bulkhead.waiting", Unit: "{call}",
		Help: "Calls in the queue",
		Read: one(bulkheadOf, func(s *bulkhead.Snapshot) float64 { return float64(s.Waiting) }),
	},
	{
		Name: "bulkhead.admissions", Kind: Counter, Unit: "{call}",
		Help: "Calls admitted, at once or after a wait",
		Read: count(bulkheadOf, func(s *bulkhead.Snapshot) uint64 { return s.Counters.Admitted }),
	},
	{
		Name: "bulkhead.rejections", Kind: Counter, Unit: "{call}", Label: "reason",
		Help: "Calls not admitted, by reason",
		Read: part(bulkheadOf, func(s *bulkhead.Snapshot, yield func(string, float64)) {
			yield(bulkhead.Full.String(), float64(s.Counters.Refused))
			yield(bulkhead.TimedOut.String(), float64(s.Counters.TimedOut))
			yield(bulkhead.GaveUp.String(), float64(s.Counters.GaveUp))
		}),
	},
}

var ofRateLimit = []Metric{
	{
		Name: "ratelimit.available", Unit: "{call}",
		Help: "Calls that would be admitted at once",
		Read: one(rateLimitOf, func(s *ratelimit.Snapshot) float64 { return s.Available }),
	},
	{
		Name: "ratelimit.burst", Unit: "{call}",
		Help: "Most that available can be; 0 without a limit",
		Read: one(rateLimitOf, func(s *ratelimit.Snapshot) float64 { return float64(s.Burst) }),
	},
	{
		Name: "ratelimit.admissions", Kind: Counter, Unit: "{call}",
		Help: "Calls admitted, at once or after a wait",
		Read: count(rateLimitOf, func(s *ratelimit.Snapshot) uint64 { return s.Admitted }),
	},
	{
		Name: "ratelimit.delays", Kind: Counter, Unit: "{call}",
		Help: "Calls admitted that had to wait",
		Read: count(rateLimitOf, func(s *ratelimit.Snapshot) uint64 { return s.Delayed }),
	},
	{
		Name: "ratelimit.rejections", Kind: Counter, Unit: "{call}",
		Help: "Calls not admitted",
		Read: count(rateLimitOf, func(s *ratelimit.Snapshot) uint64 { return s.Refused }),
	},
}

var ofAdaptive = []Metric{
	{
		Name: "adaptive.running", Unit: "{call}",
		Help: "Calls under way",
		Read: one(adaptiveOf, func(s *AdaptiveReading) float64 { return float64(s.Running) }),
	},
	{
		Name: "adaptive.limit", Unit: "{call}",
		Help: "Most calls that may be under way, as the limiter has found",
		Read: one(adaptiveOf, func(s *AdaptiveReading) float64 { return float64(s.Limit) }),
	},
	{
		Name: "adaptive.rtt", Unit: Seconds, Apart: true,
		Help: "Duration of calls in the newest step of the algorithm",
		Read: one(adaptiveOf, func(s *AdaptiveReading) float64 { return s.RTT.Seconds() }),
	},
	{
		Name: "adaptive.base_rtt", Unit: Seconds, Apart: true,
		Help: "Duration that the newest one is compared with; 0 if there is none",
		Read: one(adaptiveOf, func(s *AdaptiveReading) float64 { return s.Base.Seconds() }),
	},
	{
		Name: "adaptive.calls", Kind: Counter, Unit: "{call}", Label: "kind",
		Help: "Calls admitted that have ended, by what they counted as",
		Read: part(adaptiveOf, func(s *AdaptiveReading, yield func(string, float64)) {
			yield("succeeded", float64(s.Counters.Succeeded))
			yield("dropped", float64(s.Counters.Dropped))
			yield("ignored", float64(s.Counters.Ignored))
			yield("released", float64(s.Counters.Released))
		}),
	},
	{
		Name: "adaptive.rejections", Kind: Counter, Unit: "{call}",
		Help: "Calls not admitted",
		Read: count(adaptiveOf, func(s *AdaptiveReading) uint64 { return s.Counters.Rejected }),
	},
	{
		Name: "adaptive.limit_changes", Kind: Counter, Unit: "{change}", Label: "direction",
		Help: "Changes of the limit",
		Read: part(adaptiveOf, func(s *AdaptiveReading, yield func(string, float64)) {
			yield("up", float64(s.Counters.Raised))
			yield("down", float64(s.Counters.Lowered))
		}),
	},
}

var ofThrottle = []Metric{
	{
		Name: "throttle.refusal", Unit: Ratio, Apart: true,
		Help: "Share of calls that are refused at present",
		Read: one(throttleOf, func(s *throttle.Snapshot) float64 { return float64(s.Refusal) / 100 }),
	},
	{
		Name: "throttle.calls", Kind: Counter, Unit: "{call}", Label: "kind",
		Help: "Calls admitted that have ended, by what they counted as",
		Read: part(throttleOf, func(s *throttle.Snapshot, yield func(string, float64)) {
			yield("accepted", float64(s.Counters.Accepted))
			yield("failed", float64(s.Counters.Failed))
			yield("ignored", float64(s.Counters.Ignored))
			yield("released", float64(s.Counters.Released))
		}),
	},
	{
		Name: "throttle.rejections", Kind: Counter, Unit: "{call}",
		Help: "Calls not admitted",
		Read: count(throttleOf, func(s *throttle.Snapshot) uint64 { return s.Counters.Refused }),
	},
}

// timeouts makes the Read of a metric about both limits on time.
func timeouts(value func(*timeout.Snapshot) float64) func(*Reading, func(string, float64)) {
	return func(r *Reading, yield func(string, float64)) {
		if r.Total != nil {
			yield("total", value(r.Total))
		}
		if r.Attempt != nil {
			yield("attempt", value(r.Attempt))
		}
	}
}

var ofTimeout = []Metric{
	{
		Name: "timeout.timeouts", Kind: Counter, Unit: "{call}", Label: "scope",
		Help: "Calls, or attempts, that took their limit or longer",
		Read: timeouts(func(s *timeout.Snapshot) float64 { return float64(s.Counters.TimedOut) }),
	},
	{
		Name: "timeout.rejections", Kind: Counter, Unit: "{call}", Label: "scope",
		Help: "Calls, or attempts, not made because too little time was left or too many are left behind",
		Read: timeouts(func(s *timeout.Snapshot) float64 { return float64(s.Counters.Rejected) }),
	},
	{
		Name: "timeout.abandoned", Unit: "{call}", Label: "scope",
		Help: "Functions still running that were left behind",
		Read: timeouts(func(s *timeout.Snapshot) float64 { return float64(s.Abandoned) }),
	},
}

var ofInjector = []Metric{
	{
		Name: "inject.enabled", Unit: "{injector}",
		Help: "1 while faults are injected; under the name other, by how many injectors",
		Read: one(injectorOf, func(s *inject.Snapshot) float64 { return oneIf(s.On) }),
	},
	{
		Name: "inject.disturbed", Kind: Counter, Unit: "{call}",
		Help: "Calls struck by an injected fault",
		Read: count(injectorOf, func(s *inject.Snapshot) uint64 { return s.Counters.Disturbed }),
	},
}
