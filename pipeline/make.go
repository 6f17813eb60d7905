package pipeline

import (
	"cmp"
	"time"

	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/inject"
	"github.com/switchgear-go/switchgear/internal/check"
	"github.com/switchgear-go/switchgear/ratelimit"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/throttle"
	"github.com/switchgear-go/switchgear/timeout"
)

// A maker makes one pipeline and collects what is wrong with it.
type maker struct {
	check.Checker
	options
	name   string
	budget *budget.Budget
	named  [][]Check // what was accepted, as it was written
}

// list makes the policies of a configuration, in the common order. Those that cannot be
// made are reported and left out, so that everything is reported at once.
func (m *maker) list(cfg Config) []Policy {
	var list []Policy
	add := func(p Policy) {
		if p.layer != nil {
			list = append(list, p)
		}
	}
	if cfg.Budget != nil {
		m.budget = made(m, "Budget", budget.New, *cfg.Budget, budget.WithClock, budget.WithListener)
		if m.budget == nil { // which is reported; that there is none would not be true
			m.accept = append(m.accept, UnboundedRetry, UnbudgetedHedge)
		}
		if cfg.Retry == nil && cfg.Hedge == nil {
			m.Wrong("Budget", "on", "needs Retry or Hedge: nothing else draws on it")
		}
	}
	if cfg.Total != nil {
		add(Total(made(m, "Total", timeout.New, *cfg.Total, timeout.WithClock, timeout.WithListener)))
	}
	if cfg.RateLimit != nil {
		add(RateLimit(made(m, "RateLimit", ratelimit.New, *cfg.RateLimit, ratelimit.WithClock, ratelimit.WithListener)))
	}
	if cfg.Adaptive != nil {
		add(Adaptive(made(m, "Adaptive", adaptive.New, *cfg.Adaptive, adaptive.WithClock, adaptive.WithListener, adaptive.WithRandom(m.random))))
	}
	if cfg.Throttle != nil {
		add(Throttle(made(m, "Throttle", throttle.New, *cfg.Throttle, throttle.WithClock, throttle.WithListener, throttle.WithRandom(m.random))))
	}
	var outer, inner []Policy
	if cfg.Retry != nil {
		opts := []retry.Option{retry.WithRandom(m.random), retry.WithBudget(m.budget)}
		inner = append(inner, Retry(made(m, "Retry", retry.New, *cfg.Retry, retry.WithClock, retry.WithListener, opts...)))
	}
	if cfg.Hedge != nil {
		opts := []hedge.Option{hedge.WithClassifier(m.classify), hedge.WithBudget(m.budget)}
		if cfg.Retry != nil {
			opts = append(opts, hedge.WithSharedBudget(m.budget))
		}
		inner = append(inner, Hedge(made(m, "Hedge", hedge.New, *cfg.Hedge, hedge.WithClock, hedge.WithListener, opts...)))
	}
	if cfg.Breaker != nil {
		outer = append(outer, Breaker(made(m, "Breaker", breaker.New, patient(cfg), breaker.WithClock, breaker.WithListener, breaker.WithRandom(m.random))))
	}
	if cfg.RetryInsideBreaker {
		if cfg.Retry == nil || cfg.Breaker == nil {
			m.Wrong("RetryInsideBreaker", true, "needs Retry and Breaker")
		}
		m.accept = append(m.accept, RetryInside)
	} else {
		inner, outer = outer, inner
	}
	for _, p := range append(outer, inner...) {
		add(p)
	}
	if cfg.Bulkhead != nil {
		add(Bulkhead(made(m, "Bulkhead", bulkhead.New, *cfg.Bulkhead, bulkhead.WithClock, bulkhead.WithListener)))
	}
	if cfg.Attempt != nil {
		add(Attempt(made(m, "Attempt", timeout.New, *cfg.Attempt, timeout.WithClock, timeout.WithListener)))
	}
	if cfg.Inject != nil {
		opt := inject.WithRandom(m.random)
		add(Inject(made(m, "Inject", inject.New, *cfg.Inject, inject.WithClock, inject.WithListener, opt)))
	}
	m.accept = append(m.accept, cfg.Accept...)
	m.named = append(m.named, cfg.Accept)
	return list
}

// patient returns the configuration of the breaker, with a probe limit, where none is
// set, that leaves a probe the time it may take.
func patient(cfg Config) breaker.Config {
	b, limit := *cfg.Breaker, cfg.Attempt
	if limit == nil || cfg.RetryInsideBreaker {
		limit = cfg.Total
	}
	wait := cmp.Or(b.Open.Wait, 30*time.Second) // which the probe limit would be
	if limit != nil && b.HalfOpen.ProbeLimit == 0 && limit.Limit > wait {
		b.HalfOpen.ProbeLimit = limit.Limit
	}
	return b
}

// made makes one policy, or reports why it cannot be made and returns nil.
func made[T, C any, O ~func(*P), P any](m *maker, path string, make func(string, C, ...O) (*T, error), cfg C, withClock func(clock.Clock) O, withListener func(event.Listener) O, opts ...O) *T {
	opts = append(opts, withClock(m.clk))
	for _, l := range m.listeners {
		opts = append(opts, withListener(l))
	}
	part, err := make(m.name, cfg, opts...)
	if !m.Part(path, err) {
		return nil
	}
	return part
}
