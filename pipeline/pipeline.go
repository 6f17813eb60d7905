package pipeline

import (
	"slices"
	"sync"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/inject"
	"github.com/switchgear-go/switchgear/ratelimit"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/throttle"
	"github.com/switchgear-go/switchgear/timeout"
)

// source is the kind of policy in configuration errors.
const source = "pipeline"

// A Pipeline is policies around a call. Make it with [New] or [Compose]; it must not be
// copied. All its methods are safe for concurrent use.
type Pipeline struct {
	name     string
	order    []kind
	layers   []layer // in this order, and the attempt
	parts    parts
	clk      clock.Clock
	classify func(error) switchgear.Judgement
	warnings []switchgear.Problem
	flights  sync.Pool // of *typed[T], of whatever T was last
}

// parts are the policies of a pipeline, nil where there is none.
type parts struct {
	total     *timeout.Timeout
	rateLimit *ratelimit.Limiter
	adaptive  *adaptive.Limiter
	throttle  *throttle.Throttle
	retry     *retry.Retry
	hedge     *hedge.Hedge
	budget    *budget.Budget
	breaker   *breaker.Breaker
	bulkhead  *bulkhead.Bulkhead
	attempt   *timeout.Timeout
	injector  *inject.Injector
}

// New makes a pipeline, and all the policies that cfg names, which get its name. If the
// configuration is not valid, or the policies defeat each other, the error is a
// [*switchgear.ConfigError] that lists everything wrong with it.
func New(name string, cfg Config, opts ...Option) (*Pipeline, error) {
	o := gather(opts)
	m := maker{name: name, options: o, named: [][]Check{o.accept}}
	list := m.list(cfg)
	p := &Pipeline{name: name, clk: o.clk, classify: o.classify}
	m.build(p, list)
	if err := m.Err(source, name); err != nil {
		return nil, err
	}
	p.parts.budget = m.budget
	p.warn(o.listeners)
	return p, nil
}

// Compose makes a pipeline from ready policies, the outermost first. There may be one
// of each kind, and a limit both on the total and on an attempt. Orders that defeat
// their purpose are refused as by [New], unless they are [Accept]-ed.
//
// Of the options, [WithClock], [WithClassifier] and [WithListener] have an effect, on the
// pipeline itself; the policies keep their own.
func Compose(name string, policies []Policy, opts ...Option) (*Pipeline, error) {
	o := gather(opts)
	m := maker{name: name, options: o, named: [][]Check{o.accept}}
	p := &Pipeline{name: name, clk: o.clk, classify: o.classify}
	m.build(p, policies)
	if err := m.Err(source, name); err != nil {
		return nil, err
	}
	p.warn(o.listeners)
	return p, nil
}

// warn makes events of the warnings.
func (p *Pipeline) warn(listeners []event.Listener) {
	var events event.Stream
	events.Init(0, listeners...)
	for _, w := range p.warnings {
		events.Append(event.Event{Time: p.clk.Now(), Source: source, Name: p.name, Kind: event.Warning, Reason: w.String()})
	}
	events.Deliver()
}

// Must returns p, or panics if err is not nil. It is for package variables.
func Must(p *Pipeline, err error) *Pipeline {
	if err != nil {
		panic(err)
	}
	return p
}

// Name returns the pipeline's name.
func (p *Pipeline) Name() string { return p.name }

// Warnings returns what the checks found doubtful about the composition. They are also
// events, the pipeline's only ones. Each policy has warnings of its own.
func (p *Pipeline) Warnings() []switchgear.Problem { return slices.Clone(p.warnings) }

// Breaker returns the pipeline's breaker, nil if it has none.
func (p *Pipeline) Breaker() *breaker.Breaker { return p.parts.breaker }

// Retry returns the pipeline's retry, nil if it has none.
func (p *Pipeline) Retry() *retry.Retry { return p.parts.retry }

// Hedge returns the pipeline's hedge, nil if it has none.
func (p *Pipeline) Hedge() *hedge.Hedge { return p.parts.hedge }

// Budget returns the budget of a pipeline made by [New], nil if it has none.
func (p *Pipeline) Budget() *budget.Budget { return p.parts.budget }

// Bulkhead returns the pipeline's bulkhead, nil if it has none.
func (p *Pipeline) Bulkhead() *bulkhead.Bulkhead { return p.parts.bulkhead }

// RateLimit returns the pipeline's rate limiter, nil if it has none.
func (p *Pipeline) RateLimit() *ratelimit.Limiter { return p.parts.rateLimit }

// Adaptive returns the pipeline's adaptive limiter, nil if it has none.
func (p *Pipeline) Adaptive() *adaptive.Limiter { return p.parts.adaptive }

// Throttle returns the pipeline's throttle, nil if it has none.
func (p *Pipeline) Throttle() *throttle.Throttle { return p.parts.throttle }

// Total returns the limit on the whole call, nil if there is none.
func (p *Pipeline) Total() *timeout.Timeout { return p.parts.total }

// Attempt returns the limit on an attempt, nil if there is none.
func (p *Pipeline) Attempt() *timeout.Timeout { return p.parts.attempt }

// Injector returns the switch for injected faults, nil if there is none.
func (p *Pipeline) Injector() *inject.Injector { return p.parts.injector }

// Order returns the names of the policies as they stand, the outermost first. They are
// those of the fields of [Config].
func (p *Pipeline) Order() []string {
	names := make([]string, len(p.order))
	for i, k := range p.order {
		names[i] = k.String()
	}
	return names
}

// Close stops the timers of the policies that have some. The pipeline goes on working.
// Close is needed only where a policy has timers, see [breaker.Breaker.Close].
func (p *Pipeline) Close() {
	if b := p.parts.breaker; b != nil {
		b.Close()
	}
}
