package sim

import (
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/ratelimit"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/sim/internal/random"
	"github.com/switchgear-go/switchgear/throttle"
	"github.com/switchgear-go/switchgear/timeout"
)

// policies are those of one instance that calls, all but the breaker, which is a
// [guard]. What is nil is not there.
type policies struct {
	total, attempt *timeout.Timeout
	rate           *ratelimit.Limiter
	adaptive       *adaptive.Limiter
	throttle       *throttle.Throttle
	retry          *retry.Retry
	hedge          *hedge.Hedge
	budget         *budget.Budget
	bulkhead       *bulkhead.Bulkhead

	lowest, highest int // of the adaptive limit so far

	backoff, probing, chance random.Stream // of retry, adaptive and throttle
}

// policed reports whether a call needs more than a breaker and a timeout. Those that
// do not take a shorter way.
func (c *Call) policed() bool {
	return c.Total > 0 || c.RateLimit != nil || c.Adaptive != nil || c.Throttle != nil ||
		c.Retry != nil || c.Hedge != nil || c.Bulkhead != nil
}

// patience is how long a call with no answer at all lasts.
func (c *Call) patience() time.Duration {
	if c.Timeout == off {
		return c.Total
	}
	return c.Timeout
}

// startPolicies makes the policies of each instance of a place.
func (s *Simulator) startPolicies(i int, seed uint64) error {
	p := &s.places[i]
	p.calls, p.attempts = 0, 0
	if !p.policed {
		return nil
	}
	p.policies = make([]policies, len(p.instances))
	for j := range p.policies {
		m := maker{clk: s.clock, name: fmt.Sprintf("%s-%d", p.name, j), seed: seed, index: uint64(i)<<32 | uint64(j)}
		if m.make(&p.policies[j], &p.call); m.err != nil {
			return m.err
		}
	}
	return nil
}

// A maker makes the policies of one instance. Their configurations are valid, so that
// an error is not to be expected.
type maker struct {
	clk   clock.Clock
	name  string
	seed  uint64
	index uint64 // of the instance, in the streams of random numbers
	err   error
}

func (m *maker) make(p *policies, call *Call) {
	clk := m.clk
	if call.Total > 0 {
		p.total = made(m, timeout.New, timeout.Config{Limit: call.Total}, timeout.WithClock(clk))
	}
	if call.Timeout > 0 {
		p.attempt = made(m, timeout.New, timeout.Config{Limit: call.Timeout}, timeout.WithClock(clk))
	}
	if call.RateLimit != nil {
		p.rate = made(m, ratelimit.New, *call.RateLimit, ratelimit.WithClock(clk))
	}
	if call.Adaptive != nil {
		p.adaptive = made(m, adaptive.New, *call.Adaptive, adaptive.WithClock(clk), adaptive.WithRecent(0),
			adaptive.WithRandom(m.stream(&p.probing, purposeProbing)))
		if p.adaptive != nil {
			p.lowest, p.highest = p.adaptive.Limit(), p.adaptive.Limit()
		}
	}
	if call.Throttle != nil {
		p.throttle = made(m, throttle.New, *call.Throttle, throttle.WithClock(clk),
			throttle.WithRandom(m.stream(&p.chance, purposeChance)))
	}
	if call.Budget != nil {
		p.budget = made(m, budget.New, *call.Budget, budget.WithClock(clk))
	}
	if call.Retry != nil {
		p.retry = made(m, retry.New, *call.Retry, retry.WithClock(clk), retry.WithBudget(p.budget),
			retry.WithRandom(m.stream(&p.backoff, purposeBackoff)))
	}
	if call.Hedge != nil {
		tells := hedge.WithBudget
		if call.Retry != nil { // which tells the budget of each call
			tells = hedge.WithSharedBudget
		}
		p.hedge = made(m, hedge.New, *call.Hedge, hedge.WithClock(clk), tells(p.budget))
	}
	if call.Bulkhead != nil {
		p.bulkhead = made(m, bulkhead.New, *call.Bulkhead, bulkhead.WithClock(clk))
	}
}

// stream starts a stream of random numbers that only this policy draws from.
func (m *maker) stream(s *random.Stream, purpose uint64) func() float64 {
	s.Seed(random.PCG, m.seed, purpose, m.index)
	return s.Float64
}

func made[T, C any, O ~func(*P), P any](m *maker, make func(string, C, ...O) (*T, error), cfg C, opts ...O) *T {
	part, err := make(m.name, cfg, opts...)
	if err != nil {
		m.err = err
		return nil
	}
	return part
}
