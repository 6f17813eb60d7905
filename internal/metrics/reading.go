package metrics

import (
	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/inject"
	"github.com/switchgear-go/switchgear/ratelimit"
	"github.com/switchgear-go/switchgear/registry"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/throttle"
	"github.com/switchgear-go/switchgear/timeout"
)

// Reading is what the policies of one entry had to tell. The parts are nil for policies
// that the entry does not have. They are read one after the other, while calls go on.
type Reading struct {
	Breaker   *breaker.Snapshot
	Retry     *retry.Snapshot
	Hedge     *HedgeReading
	Budget    *budget.Snapshot
	Bulkhead  *bulkhead.Snapshot
	RateLimit *ratelimit.Snapshot
	Adaptive  *AdaptiveReading
	Throttle  *throttle.Snapshot
	Total     *timeout.Snapshot
	Attempt   *timeout.Snapshot
	Injector  *inject.Snapshot
}

// HedgeReading is what a hedge tells.
type HedgeReading struct {
	hedge.Snapshot
	Counters hedge.Counters
}

// AdaptiveReading is what an adaptive limiter tells.
type AdaptiveReading struct {
	adaptive.Snapshot
	Counters adaptive.Counters
}

// Read asks the policies of e. It takes their locks for a moment, each in turn, and may
// deliver an event that is due.
func Read(e registry.Entry) *Reading {
	r := new(Reading)
	if e.Breaker != nil {
		r.Breaker = new(e.Breaker.Snapshot())
	}
	p := e.Pipeline
	if p == nil {
		return r
	}
	if x := p.Retry(); x != nil {
		r.Retry = new(x.Snapshot())
	}
	if x := p.Hedge(); x != nil {
		r.Hedge = &HedgeReading{x.Snapshot(), x.Counters()}
	}
	if x := p.Budget(); x != nil {
		r.Budget = new(x.Snapshot())
	}
	if x := p.Bulkhead(); x != nil {
		r.Bulkhead = new(x.Snapshot())
	}
	if x := p.RateLimit(); x != nil {
		r.RateLimit = new(x.Snapshot())
	}
	if x := p.Adaptive(); x != nil {
		r.Adaptive = &AdaptiveReading{x.Snapshot(), x.Counters()}
	}
	if x := p.Throttle(); x != nil {
		r.Throttle = new(x.Snapshot())
	}
	if x := p.Total(); x != nil {
		r.Total = new(x.Snapshot())
	}
	if x := p.Attempt(); x != nil {
		r.Attempt = new(x.Snapshot())
	}
	if x := p.Injector(); x != nil {
		r.Injector = new(x.Snapshot())
	}
	return r
}
