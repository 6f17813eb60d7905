package pipeline

import (
	"fmt"
	"slices"
	"time"

	"github.com/switchgear-go/switchgear"
)

// checks are all there are.
var checks = []Check{
	AttemptNotShorter, SlowNotShorter, UnboundedRetry, UnbudgetedHedge, HedgeNotShorter, TooManyAttempts,
	ProbeLimitShorter, QueueNotShorter, RetryInside, QueueOutside, QueueCounted, TotalInside, AttemptOutside,
	InjectUnseen,
}

// maxAttempts is how many attempts of one call retries and hedges may make together.
const maxAttempts = 12

const off = switchgear.Off

// build checks a list of policies and builds the pipeline from it.
func (m *maker) build(p *Pipeline, list []Policy) {
	var place [kinds]int // of each kind, from 1
	for i, policy := range list {
		switch {
		case policy.layer == nil:
			m.Wrong(fmt.Sprintf("policies[%d]", i), nil, "must be made by a function of this package, from a policy that is not nil")
			continue
		case place[policy.kind] != 0:
			m.Wrong(fmt.Sprintf("policies[%d]", i), policy.kind, "must be there once: is already in place %d", place[policy.kind]-1)
			continue
		}
		place[policy.kind] = i + 1
		policy.layer.join(&p.parts)
		p.order = append(p.order, policy.kind)
		p.layers = append(p.layers, policy.layer)
	}
	p.layers = append(p.layers, attempt{})
	if at := place[breakers]; at != 0 && place[retries] > at {
		for i, l := range p.layers {
			if b, ok := l.(*breakerLayer); ok {
				p.layers[i] = &breakerLayer{b: b.b, around: true} // the policy may be in other pipelines too
			}
		}
	}
	for _, names := range m.named {
		for i, c := range names {
			if !slices.Contains(checks, c) {
				m.Wrong(fmt.Sprintf("Accept[%d]", i), c, "must be the name of a check")
			}
		}
	}
	m.checkOrder(place)
	m.checkNumbers(&p.parts, place)
	p.warnings = m.Warnings
}

// defeats reports a pipeline whose parts defeat each other, unless that was accepted.
func (m *maker) defeats(c Check, path string, value any, why string, args ...any) {
	if !slices.Contains(m.accept, c) {
		m.Wrong(path, value, why+fmt.Sprintf("; to have it anyway, accept %q", string(c)), args...)
	}
}

// checkOrder checks what stands outside of what.
func (m *maker) checkOrder(place [kinds]int) {
	outside := func(a, b kind) bool { return place[a] != 0 && place[b] != 0 && place[a] < place[b] }
	for _, again := range []kind{retries, hedges} {
		if outside(breakers, again) {
			m.defeats(RetryInside, again.String(), "inside Breaker", "must be outside: the breaker would see one outcome for many attempts, and could not end a loop")
		}
		if outside(again, total) {
			m.defeats(TotalInside, "Total", "inside "+again.String(), "must be outside: each attempt would have the whole time anew")
		}
		if outside(attemptLimit, again) {
			m.defeats(AttemptOutside, "Attempt", "outside "+again.String(), "must be inside: it would limit all attempts together")
		}
	}
	if outside(bulkheads, breakers) {
		m.defeats(QueueOutside, "Bulkhead", "outside Breaker", "must be inside: calls would queue in front of a dependency that is known to be down")
	}
	if outside(attemptLimit, bulkheads) {
		m.defeats(QueueCounted, "Bulkhead", "inside Attempt", "must be outside: time spent in our own queue would be held against the dependency")
	}
	if at := place[injection]; at != 0 && at != slices.Max(place[:]) {
		m.defeats(InjectUnseen, "Inject", "not innermost", "must be innermost: policies further in would not see the faults")
	}
}

// checkNumbers checks whether the limits leave each other room.
func (m *maker) checkNumbers(p *parts, place [kinds]int) {
	var whole, attempt time.Duration // 0 is no limit
	if p.total != nil {
		whole = p.total.Config().Limit
	}
	if p.attempt != nil {
		attempt = p.attempt.Config().Limit
	}
	if whole > 0 && attempt >= whole {
		m.defeats(AttemptNotShorter, "Attempt.Limit", attempt, "must be shorter than Total.Limit = %v, which would end the first attempt and leave no time for another", whole)
	}
	if p.breaker != nil {
		m.checkBreaker(p, place, whole, attempt)
	}
	attempts := 1
	if p.retry != nil {
		cfg := p.retry.Config()
		attempts = cfg.Attempts
		if cfg.Attempts == off && cfg.MaxElapsed == off && p.retry.Budget() == nil && (whole == 0 || place[total] > place[retries]) {
			m.defeats(UnboundedRetry, "Retry.Attempts", "off", "must be bounded, by attempts, by time or by a budget: every call would go on for as long as the dependency is down")
		}
		if whole > 0 && attempt > 0 && cfg.Attempts != 1 && attempt < whole && whole < 2*attempt {
			m.Doubt("Total.Limit", whole, "leaves no time for a second attempt of Attempt.Limit = %v", attempt)
		}
	}
	if p.hedge != nil {
		cfg := p.hedge.Config()
		if cfg.MaxExtra != off && p.hedge.Budget() == nil {
			m.defeats(UnbudgetedHedge, "Hedge", "without Budget", "must draw on a budget: when the dependency gets slow, all calls would be doubled at once")
		}
		if attempt > 0 && cfg.MaxExtra != off && cfg.Delay >= attempt {
			m.defeats(HedgeNotShorter, "Hedge.Delay", cfg.Delay, "must be shorter than Attempt.Limit = %v: the attempt before it would have ended", attempt)
		}
		if n := attempts * (1 + max(cfg.MaxExtra, 0)); p.retry != nil && (attempts == off || n > maxAttempts) && cfg.MaxExtra != off {
			m.defeats(TooManyAttempts, "Hedge.MaxExtra", cfg.MaxExtra, "must leave at most %d attempts of one call: with Retry.Attempts they multiply", maxAttempts)
		}
	}
	if whole > 0 && p.bulkhead != nil && p.bulkhead.Config().MaxWait >= whole {
		m.defeats(QueueNotShorter, "Bulkhead.MaxWait", p.bulkhead.Config().MaxWait, "must be shorter than Total.Limit = %v: calls would come to their turn when nobody waits for them", whole)
	}
	if whole > 0 && p.rateLimit != nil && p.rateLimit.Config().MaxWait >= whole {
		m.defeats(QueueNotShorter, "RateLimit.MaxWait", p.rateLimit.Config().MaxWait, "must be shorter than Total.Limit = %v: calls would come to their turn when nobody waits for them", whole)
	}
	if p.bulkhead != nil && p.attempt != nil && p.attempt.Config().Abandon {
		m.Doubt("Attempt.Abandon", true, "lets functions run on whose place in the bulkhead is free again; Attempt.MaxAbandoned = %d bounds them", p.attempt.Config().MaxAbandoned)
	}
}

// checkBreaker compares the breaker's times with the limit of what it admits: an
// attempt, or with the retry inside the whole call.
func (m *maker) checkBreaker(p *parts, place [kinds]int, whole, attempt time.Duration) {
	limit, path := attempt, "Attempt.Limit"
	if limit == 0 || place[retries] > place[breakers] {
		limit, path = whole, "Total.Limit"
	}
	if limit == 0 {
		return
	}
	cfg := p.breaker.Config()
	if slow := cfg.SlowCall.Duration; slow >= limit {
		m.defeats(SlowNotShorter, "Breaker.SlowCall.Duration", slow, "must be shorter than %s = %v: a slow call would be ended before it could be seen to be slow", path, limit)
	}
	if probe := cfg.HalfOpen.ProbeLimit; probe > 0 && probe < limit {
		m.defeats(ProbeLimitShorter, "Breaker.HalfOpen.ProbeLimit", probe, "must not be shorter than %s = %v: probes would count as failed that are still under way", path, limit)
	}
}
