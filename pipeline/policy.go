package pipeline

import (
	"context"

	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/inject"
	"github.com/switchgear-go/switchgear/ratelimit"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/throttle"
	"github.com/switchgear-go/switchgear/timeout"
)

// A Policy is one place in the list that [Compose] takes. The functions that return one
// are the only way to make it. Several pipelines may share what is in it.
type Policy struct {
	kind  kind
	layer policyLayer // nil if the policy was
}

// A layer is one place on the way through a pipeline.
type layer interface {
	// run asks the policy, goes on to layer i, and tells the policy how that ended.
	run(ctx context.Context, f *flight, i int) error
}

// A policyLayer is a policy's code in a pipeline.
type policyLayer interface {
	layer
	// join notes the policy among the parts of a pipeline.
	join(*parts)
}

// kind is what a policy is. Its value is its place in the common order.
type kind uint8

const (
	total kind = iota
	rateLimit
	adaptiveLimit
	throttling
	retries
	hedges
	breakers
	bulkheads
	attemptLimit
	injection
	kinds
)

// The names are those of the fields of Config.
var kindNames = [kinds]string{
	"Total", "RateLimit", "Adaptive", "Throttle", "Retry", "Hedge", "Breaker", "Bulkhead", "Attempt", "Inject",
}

func (k kind) String() string { return kindNames[k] }

// Total limits the time of everything further in.
func Total(t *timeout.Timeout) Policy {
	return policy(total, t, func() policyLayer { return limitLayer{t, total} })
}

// Attempt limits the time of an attempt.
func Attempt(t *timeout.Timeout) Policy {
	return policy(attemptLimit, t, func() policyLayer { return limitLayer{t, attemptLimit} })
}

// RateLimit bounds how many calls begin in a time.
func RateLimit(l *ratelimit.Limiter) Policy {
	return policy(rateLimit, l, func() policyLayer { return rateLayer{l} })
}

// Adaptive bounds the calls under way by a limit that it finds itself.
func Adaptive(l *adaptive.Limiter) Policy {
	return policy(adaptiveLimit, l, func() policyLayer { return adaptiveLayer{l} })
}

// Throttle refuses calls with a probability when the dependency refuses many.
func Throttle(t *throttle.Throttle) Policy {
	return policy(throttling, t, func() policyLayer { return throttleLayer{t} })
}

// Retry makes calls again that failed. Give it a budget of its own, or one it shares
// with a hedge: see [retry.WithBudget].
func Retry(r *retry.Retry) Policy {
	return policy(retries, r, func() policyLayer { return retryLayer{r} })
}

// Hedge makes a second attempt of calls that are marked safe and slow. Inside a retry
// it must share the retry's budget: see [hedge.WithSharedBudget]. It judges by its own
// classifier, which should be the pipeline's.
func Hedge(h *hedge.Hedge) Policy {
	return policy(hedges, h, func() policyLayer { return hedgeLayer{h} })
}

// Breaker refuses calls to a dependency that is down. Of the breaker's classifier
// nothing is asked: the pipeline's takes its place.
func Breaker(b *breaker.Breaker) Policy {
	return policy(breakers, b, func() policyLayer { return &breakerLayer{b: b} })
}

// Bulkhead bounds the attempts under way.
func Bulkhead(b *bulkhead.Bulkhead) Policy {
	return policy(bulkheads, b, func() policyLayer { return bulkheadLayer{b} })
}

// Inject makes faults, for tests and game days.
func Inject(i *inject.Injector) Policy {
	return policy(injection, i, func() policyLayer { return injectLayer{i} })
}

func policy[T any](k kind, part *T, make func() policyLayer) Policy {
	p := Policy{kind: k}
	if part != nil {
		p.layer = make()
	}
	return p
}
