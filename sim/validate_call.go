package sim

import (
	"slices"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/internal/check"
	"github.com/switchgear-go/switchgear/ratelimit"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/throttle"
)

// Bounds on what the policies of a whole fleet remember.
const (
	maxBreakers    = 10_000
	maxPercentiles = 1000       // of hedges, 20 KiB each
	maxBuckets     = 1_000_000  // of throttles
	maxRemembered  = 10_000_000 // calls, by sliding windows of rate limits
)

func settleCall(c *check.Checker, path string, call *Call, instances int, to *Service) {
	c.Duration(path+".Timeout", &call.Timeout, off, 1, check.MaxDuration, true)
	c.Duration(path+".Total", &call.Total, off, 1, check.MaxDuration, true)
	c.Duration(path+".Refused", &call.Refused, 500*time.Microsecond, 1, time.Minute, true)
	if call.Timeout == off && call.Total == off && slices.ContainsFunc(to.Faults, func(f Fault) bool { return f.Kind == Outage || f.Kind == Fragile }) {
		c.Wrong(path+".Timeout", "off", "must be set, or Total: the service it calls can have an outage, and nobody would wait for ever")
	}
	settlePolicies(c, path, call, instances)
	if call.PerInstance && call.Breaker == nil {
		c.Wrong(path+".PerInstance", true, "needs a Breaker")
	}
	if call.Breaker == nil {
		return
	}
	if call.PerInstance {
		instances *= max(to.Instances, 1)
	}
	if instances > maxBreakers {
		c.Wrong(path+".Breaker", instances, "would make more breakers than %d", maxBreakers)
	}
	settlePart(c, path+".Breaker", &call.Breaker, breaker.New, (*breaker.Breaker).Config, breaker.WithRecent(0))
}

func settlePolicies(c *check.Checker, path string, call *Call, instances int) {
	instances = max(instances, 1) // which may be wrong, too
	settlePart(c, path+".RateLimit", &call.RateLimit, ratelimit.New, (*ratelimit.Limiter).Config)
	settlePart(c, path+".Adaptive", &call.Adaptive, adaptive.New, (*adaptive.Limiter).Config)
	settlePart(c, path+".Throttle", &call.Throttle, throttle.New, (*throttle.Throttle).Config)
	b := settlePart(c, path+".Budget", &call.Budget, budget.New, (*budget.Budget).Config)
	settlePart(c, path+".Retry", &call.Retry, retry.New, (*retry.Retry).Config, retry.WithBudget(b))
	settlePart(c, path+".Hedge", &call.Hedge, hedge.New, (*hedge.Hedge).Config, hedge.WithBudget(b))
	settlePart(c, path+".Bulkhead", &call.Bulkhead, bulkhead.New, (*bulkhead.Bulkhead).Config)

	if call.Budget != nil && call.Retry == nil && call.Hedge == nil {
		c.Wrong(path+".Budget", "set", "needs Retry or Hedge: nothing else draws on it")
	}
	if call.RetryInsideBreaker && (call.Retry == nil || call.Breaker == nil) {
		c.Wrong(path+".RetryInsideBreaker", true, "needs Retry and Breaker")
	}
	if r := call.Retry; r != nil && r.Attempts == off && r.MaxElapsed == off && call.Total == off {
		c.Wrong(path+".Retry.Attempts", "off", "must be bounded, or MaxElapsed or Total be set: a call might never end, and neither would the run")
	}
	if h := call.Hedge; h != nil && h.Percentile != off && instances > maxPercentiles {
		c.Wrong(path+".Hedge.Percentile", h.Percentile, "must be off with more than %d instances, which measure one each", maxPercentiles)
	}
	if t := call.Throttle; t != nil && t.Buckets*instances > maxBuckets {
		c.Wrong(path+".Throttle.Buckets", t.Buckets, "must be at most %d: no more than %d on %d instances", maxBuckets/instances, maxBuckets, instances)
	}
	if l := call.RateLimit; l != nil && l.Kind == ratelimit.SlidingWindow && l.Burst*instances > maxRemembered {
		c.Wrong(path+".RateLimit.Burst", l.Burst, "must be at most %d: no more than %d calls on %d instances", maxRemembered/instances, maxRemembered, instances)
	}
}

// settlePart replaces a policy's configuration by a copy with its defaults filled in,
// and adds the policy's warnings, or adds what is wrong with it. It returns the policy,
// nil if there is none.
func settlePart[T, C, O any](c *check.Checker, path string, cfg **C, make func(string, C, ...O) (*T, error), settled func(*T) C, opts ...O) *T {
	if *cfg == nil {
		return nil
	}
	own := **cfg
	*cfg = &own
	part, err := make("check", own, opts...)
	if !c.Part(path, err) {
		return nil
	}
	own = settled(part)
	if p, ok := any(part).(interface{ Warnings() []switchgear.Problem }); ok {
		for _, w := range p.Warnings() {
			c.Doubt(path+"."+w.Path, w.Value, "%s", w.Bound)
		}
	}
	return part
}
