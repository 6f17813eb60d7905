package proof

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/backoff"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/inject"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/ratelimit"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/throttle"
	"github.com/switchgear-go/switchgear/timeout"
)

// composedName is what all policies are called.
const composedName = "stock"

// A composition is one way to make a pipeline, and what follows from it.
type composition struct {
	cfg       pipeline.Config
	pipelines []*pipeline.Pipeline // that share all their policies
	listed    bool                 // made by Compose
	calm      bool                 // the breaker never trips
	injecting bool
	limits    []time.Duration
	cancels   []context.CancelFunc
	place     map[string]int // of each policy, from 1
}

// compose makes a pipeline at random.
func (c *composedCase) compose(t *testing.T) {
	c.drawConfig()
	c.note("policies in the common order")
	var err error
	if c.oneIn(4) {
		err = c.list()
	} else {
		var p *pipeline.Pipeline
		p, err = pipeline.New(composedName, c.cfg, pipeline.WithClassifier(c.classify), pipeline.WithRandom(c.random()))
		c.pipelines = []*pipeline.Pipeline{p}
	}
	if err != nil {
		t.Fatalf("composed %d: %v\n%s", c.seed, err, c.describe())
	}
	c.place = map[string]int{}
	for i, name := range c.pipelines[0].Order() {
		c.place[name] = i + 1
		c.note("policy " + name)
	}
	if i := c.pipelines[0].Injector(); i != nil && c.oneIn(2) {
		c.injecting = true
		if err := i.Enable("proof", "to see", 24*time.Hour); err != nil {
			t.Fatal(err)
		}
	}
}

// random is a source of chance that may be used concurrently.
func (c *composedCase) random() func() float64 {
	return func() float64 {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.rng.Float64()
	}
}

// outside reports whether both policies are there, and a stands outside b.
func (c *composition) outside(a, b string) bool {
	return c.place[a] != 0 && c.place[b] != 0 && c.place[a] < c.place[b]
}

func (c *composition) has(policy string) bool { return c.place[policy] != 0 }

// abandons reports whether a limit may leave functions behind. Such limits do not go with
// answers that go on after the call.
func (c *composition) abandons() bool {
	return c.cfg.Total != nil && c.cfg.Total.Abandon || c.cfg.Attempt != nil && c.cfg.Attempt.Abandon
}

// common reports whether the policies stand in the order of Config.
func (c *composition) common() bool { return !c.listed && !c.cfg.RetryInsideBreaker }

func (c *composition) describe() string {
	var b strings.Builder
	if len(c.pipelines) > 0 && c.pipelines[0] != nil {
		fmt.Fprintf(&b, "order %v, %d pipelines\n", c.pipelines[0].Order(), len(c.pipelines))
	}
	for _, part := range []struct {
		name string
		cfg  any
		on   bool
	}{
		{"Total", c.cfg.Total, c.cfg.Total != nil}, {"RateLimit", c.cfg.RateLimit, c.cfg.RateLimit != nil},
		{"Adaptive", c.cfg.Adaptive, c.cfg.Adaptive != nil}, {"Throttle", c.cfg.Throttle, c.cfg.Throttle != nil},
		{"Retry", c.cfg.Retry, c.cfg.Retry != nil}, {"Hedge", c.cfg.Hedge, c.cfg.Hedge != nil},
		{"Budget", c.cfg.Budget, c.cfg.Budget != nil}, {"Breaker", c.cfg.Breaker, c.cfg.Breaker != nil},
		{"Bulkhead", c.cfg.Bulkhead, c.cfg.Bulkhead != nil}, {"Attempt", c.cfg.Attempt, c.cfg.Attempt != nil},
		{"Inject", c.cfg.Inject, c.cfg.Inject != nil},
	} {
		if part.on {
			fmt.Fprintf(&b, "  %s: %+v\n", part.name, part.cfg)
		}
	}
	fmt.Fprintf(&b, "  injecting %v, calm %v, retry inside %v", c.injecting, c.calm, c.cfg.RetryInsideBreaker)
	return b.String()
}

// drawConfig draws which policies there are, and what they do. The numbers are small, so
// that much happens in little time, and fit each other, so that the pipeline is accepted.
func (c *composedCase) drawConfig() {
	cfg := &c.cfg
	some := func(percent int) bool { return c.rng.IntN(100) < percent }
	if some(75) {
		cfg.Attempt = &timeout.Config{Limit: drawFrom(c, 5*ms, 10*ms, 15*ms), Abandon: some(25), Minimum: drawFrom(c, 0, 0, 2*ms)}
		if cfg.Attempt.Abandon {
			cfg.Attempt.MaxAbandoned = drawFrom(c, 2, 1000)
		}
		c.limits = append(c.limits, cfg.Attempt.Limit)
	}
	if some(70) {
		cfg.Total = &timeout.Config{Limit: drawFrom(c, 22*ms, 41*ms, 83*ms), Abandon: some(12), Minimum: drawFrom(c, 0, 0, 5*ms)}
		if cfg.Total.Abandon {
			cfg.Total.MaxAbandoned = drawFrom(c, 2, 1000)
		}
		c.limits = append(c.limits, cfg.Total.Limit)
	}
	if some(25) {
		cfg.RateLimit = &ratelimit.Config{Rate: drawFrom(c, 100., 500., 2000), Burst: c.between(1, 20), MaxWait: drawFrom(c, 0, 5*ms, 15*ms)}
	}
	if some(30) {
		cfg.Adaptive = &adaptive.Config{Initial: c.between(2, 20), Max: 20, Algorithm: drawFrom(c, adaptive.ByGradient, adaptive.ByVegas, adaptive.ByAIMD)}
	}
	if some(30) {
		cfg.Throttle = &throttle.Config{MinimumRequests: c.between(2, 8), Window: 100 * ms, Buckets: 10, K: drawFrom(c, 1.1, 2)}
	}
	if some(75) {
		cfg.Retry = &retry.Config{
			Attempts:   c.between(1, 4),
			Backoff:    backoff.Config{Initial: drawFrom(c, ms, 3*ms), Max: 20 * ms},
			MaxElapsed: drawFrom(c, 0, 0, 30*ms), MaxHint: drawFrom(c, 0, 10*ms), WaitRejected: some(20),
		}
	}
	if some(55) {
		cfg.Hedge = &hedge.Config{
			Delay: drawFrom(c, ms, 2*ms, 4*ms), MaxExtra: c.between(1, 2), Always: some(25), MaxAbandoned: drawFrom(c, 2, 1000, 1000),
		}
	}
	if cfg.Hedge != nil || cfg.Retry != nil && some(50) {
		cfg.Budget = drawFrom(c,
			&budget.Config{Ratio: budget.RatioConfig{MinPerSecond: 100}},
			&budget.Config{Ratio: budget.RatioConfig{MinPerSecond: 0.5}},
			&budget.Config{Kind: budget.Quota, Quota: budget.QuotaConfig{Capacity: 60}},
			&budget.Config{Kind: budget.Throttling})
	}
	if some(70) {
		cfg.Bulkhead = &bulkhead.Config{MaxConcurrent: c.between(1, 10), MaxWaiting: drawFrom(c, 0, 3, 10)}
		if cfg.Bulkhead.MaxWaiting > 0 {
			cfg.Bulkhead.MaxWait = drawFrom(c, 2*ms, 10*ms)
		}
	}
	if some(80) {
		c.drawBreaker()
	}
	if some(30) {
		cfg.Inject = &inject.Config{MaxHang: 50 * ms, Seed: 1 + c.rng.Uint64()>>1}
		for _, f := range []inject.Fault{
			{Kind: inject.Latency, Probability: 20, Delay: 3 * ms}, {Kind: inject.Failure, Probability: 10},
			{Kind: inject.Hang, Probability: 5}, {Kind: inject.Panic, Probability: 3},
		} {
			if c.oneIn(2) {
				cfg.Inject.Faults = append(cfg.Inject.Faults, f)
			}
		}
	}
	c.limits = append(c.limits, 0)
}

func (c *composedCase) drawBreaker() {
	cfg := &c.cfg
	b := &breaker.Config{
		Window: breaker.WindowConfig{Calls: c.between(5, 30)}, MinimumCalls: c.between(2, 5),
		Open:       breaker.OpenConfig{Wait: drawFrom(c, 10*ms, 30*ms, 60*ms), Automatic: c.oneIn(3), MaxHint: 50 * ms},
		HalfOpen:   breaker.HalfOpenConfig{Probes: c.between(1, 4), Verdict: drawFrom(c, breaker.ByRate, breaker.ByStreak), MaxWait: drawFrom(c, 0, 40*ms)},
		EnoughTime: drawFrom(c, 0, 0, 3*ms),
	}
	inside := cfg.Retry != nil && c.oneIn(4)
	cfg.RetryInsideBreaker = inside
	var limit time.Duration
	switch {
	case cfg.Attempt != nil && !inside:
		limit = cfg.Attempt.Limit
	case cfg.Total != nil:
		limit = cfg.Total.Limit
	}
	// Not a round number, so that it is clear whether a call was slow.
	slow := breaker.SlowCallConfig{Duration: 2500 * time.Microsecond, Rate: drawFrom(c, 60, switchgear.Percent(switchgear.Off))}
	if c.oneIn(2) {
		b.SlowCall = slow
	}
	if b.HalfOpen.ProbeLimit = drawFrom(c, limit, switchgear.Off); limit == 0 {
		b.HalfOpen.ProbeLimit = 20 * ms
	}
	if c.calm = c.oneIn(2); c.calm {
		b.Window = breaker.WindowConfig{Calls: 1_000_000}
		b.MinimumCalls = 1_000_000
		b.HalfOpen, b.Open = breaker.HalfOpenConfig{ProbeLimit: switchgear.Off}, breaker.OpenConfig{}
		if b.SlowCall.Duration > 0 {
			b.SlowCall.Rate = switchgear.Off
		}
	}
	cfg.Breaker = b
}

// list makes the policies one by one and composes them, in any order, sometimes to two
// pipelines that share them.
func (c *composedCase) list() error {
	c.listed, c.cfg.RetryInsideBreaker = true, false
	list, err := c.parts()
	if err != nil {
		return err
	}
	c.rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	opts := []pipeline.Option{pipeline.WithClassifier(c.classify)}
	p, err := pipeline.Compose(composedName, list, opts...)
	for err != nil {
		var accept []pipeline.Check
		for _, problem := range checksIn(err) {
			c.note("refused: " + string(problem))
			accept = append(accept, problem)
		}
		if len(accept) == 0 {
			return err
		}
		// What was refused can be had by name, and by these names alone.
		p, err = pipeline.Compose(composedName, list, append(opts, pipeline.Accept(accept...))...)
		if err != nil {
			return fmt.Errorf("although accepted: %w", err)
		}
	}
	c.pipelines = append(c.pipelines, p)
	if c.oneIn(2) {
		other, err := pipeline.Compose("other", list, append(opts, pipeline.Accept(composedChecks...))...)
		if err != nil {
			return err
		}
		c.pipelines = append(c.pipelines, other)
	}
	return nil
}

// checksIn returns the checks that a refused pipeline could accept.
func checksIn(err error) (all []pipeline.Check) {
	if _, ok := errors.AsType[*switchgear.ConfigError](err); !ok {
		return nil
	}
	for _, check := range composedChecks {
		if strings.Contains(err.Error(), fmt.Sprintf("accept %q", string(check))) {
			all = append(all, check)
		}
	}
	return all
}

var composedChecks = []pipeline.Check{
	pipeline.AttemptNotShorter, pipeline.SlowNotShorter, pipeline.UnboundedRetry, pipeline.UnbudgetedHedge,
	pipeline.HedgeNotShorter, pipeline.TooManyAttempts, pipeline.ProbeLimitShorter, pipeline.QueueNotShorter,
	pipeline.RetryInside, pipeline.QueueOutside, pipeline.QueueCounted, pipeline.TotalInside,
	pipeline.AttemptOutside, pipeline.InjectUnseen,
}

// parts makes the policies of the configuration one by one.
func (c *composedCase) parts() (list []pipeline.Policy, err error) {
	cfg, random := c.cfg, c.random()
	var errs []error
	var shared *budget.Budget
	if cfg.Budget != nil {
		shared, err = budget.New(composedName, *cfg.Budget)
		errs = append(errs, err)
	}
	if cfg.Total != nil {
		p, err := timeout.New(composedName, *cfg.Total)
		list, errs = append(list, pipeline.Total(p)), append(errs, err)
	}
	if cfg.RateLimit != nil {
		p, err := ratelimit.New(composedName, *cfg.RateLimit)
		list, errs = append(list, pipeline.RateLimit(p)), append(errs, err)
	}
	if cfg.Adaptive != nil {
		p, err := adaptive.New(composedName, *cfg.Adaptive)
		list, errs = append(list, pipeline.Adaptive(p)), append(errs, err)
	}
	if cfg.Throttle != nil {
		p, err := throttle.New(composedName, *cfg.Throttle, throttle.WithRandom(random))
		list, errs = append(list, pipeline.Throttle(p)), append(errs, err)
	}
	if cfg.Retry != nil {
		p, err := retry.New(composedName, *cfg.Retry, retry.WithRandom(random), retry.WithBudget(shared))
		list, errs = append(list, pipeline.Retry(p)), append(errs, err)
	}
	if cfg.Hedge != nil {
		draw := hedge.WithSharedBudget(shared)
		if cfg.Retry == nil {
			draw = hedge.WithBudget(shared)
		}
		p, err := hedge.New(composedName, *cfg.Hedge, draw, hedge.WithClassifier(c.classify))
		list, errs = append(list, pipeline.Hedge(p)), append(errs, err)
	}
	if cfg.Breaker != nil {
		p, err := breaker.New(composedName, *cfg.Breaker, breaker.WithRandom(random))
		list, errs = append(list, pipeline.Breaker(p)), append(errs, err)
	}
	if cfg.Bulkhead != nil {
		p, err := bulkhead.New(composedName, *cfg.Bulkhead)
		list, errs = append(list, pipeline.Bulkhead(p)), append(errs, err)
	}
	if cfg.Attempt != nil {
		p, err := timeout.New(composedName, *cfg.Attempt)
		list, errs = append(list, pipeline.Attempt(p)), append(errs, err)
	}
	if cfg.Inject != nil {
		p, err := inject.New(composedName, *cfg.Inject)
		list, errs = append(list, pipeline.Inject(p)), append(errs, err)
	}
	return slices.Clip(list), errors.Join(errs...)
}
