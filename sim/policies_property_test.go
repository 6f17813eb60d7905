package sim

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/backoff"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/ratelimit"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/throttle"
)

// policies puts any policies before a call.
func (c chance) policies(call *Call) {
	if c.one(2) {
		call.Total = call.Timeout/2 + c.duration(second)
		if c.one(3) {
			call.Timeout = off
		}
	}
	if c.one(3) {
		call.RateLimit = &ratelimit.Config{Kind: ratelimit.Kind(c.IntN(2)), Rate: 1 + 100*c.Float64(), Burst: 1 + c.IntN(50)}
		if c.one(2) {
			call.RateLimit.MaxWait = c.duration(300 * ms)
		}
	}
	if c.one(3) {
		call.Adaptive = &adaptive.Config{
			Algorithm: adaptive.Algorithm(c.IntN(3)), Initial: 1 + c.IntN(10),
			Window: adaptive.WindowConfig{Time: ms + c.duration(200*ms), Samples: 1 + c.IntN(5)},
		}
	}
	if c.one(3) {
		call.Throttle = &throttle.Config{K: 1 + c.Float64(), Window: second, MinimumRequests: 1 + c.IntN(10)}
	}
	if !c.one(3) {
		call.Retry = &retry.Config{
			Attempts: 1 + c.IntN(5), WaitRejected: c.one(3),
			Backoff: backoff.Config{Initial: ms + c.duration(100*ms), Jitter: backoff.Jitter(c.IntN(4))},
		}
		if c.one(3) {
			call.Retry.Attempts, call.Retry.MaxElapsed = off, c.duration(2*second)
		}
		if c.one(3) {
			call.Retry.MaxHint = c.duration(2 * second)
		}
	}
	if c.one(2) {
		call.Hedge = &hedge.Config{Always: true, MaxExtra: 1 + c.IntN(3), MaxAbandoned: 1 + c.IntN(20)}
		if c.one(2) {
			call.Hedge.Delay = c.duration(100 * ms)
		} else {
			call.Hedge.MinimumSamples, call.Hedge.MinDelay = 1+c.IntN(20), c.duration(10*ms)
		}
	}
	if (call.Retry != nil || call.Hedge != nil) && c.one(2) {
		call.Budget = &budget.Config{Kind: budget.Kind(c.IntN(3))}
		if call.Budget.Kind == budget.Ratio {
			call.Budget.Ratio = budget.RatioConfig{Percent: c.share(), MinPerSecond: 0.1 + c.Float64(), Window: second + c.duration(second)}
		}
	}
	if c.one(2) {
		call.Bulkhead = &bulkhead.Config{MaxConcurrent: 1 + c.IntN(5)}
		if c.one(2) {
			call.Bulkhead.MaxWaiting, call.Bulkhead.MaxWait = 1+c.IntN(5), c.duration(300*ms)
			if c.one(3) {
				call.Bulkhead.MaxWait = off
			}
		}
	}
	call.RetryInsideBreaker = call.Retry != nil && call.Breaker != nil && c.one(2)
	if call.Breaker != nil && c.one(3) {
		call.Breaker.EnoughTime = c.duration(200 * ms)
	}
}

func (c chance) policed() Config {
	cfg := c.config()
	c.policies(&cfg.Client.Call)
	for i := range len(cfg.Services) - 1 {
		c.policies(&cfg.Services[i].Call)
	}
	return cfg
}

// idle checks that nothing is held of any policy.
func idle(t *testing.T, s *Simulator) {
	t.Helper()
	equal(t, "flights given back", len(s.spareFlights), len(s.flights))
	for _, fl := range s.flights {
		equal(t, "a flight's permit", fl.permit, breaker.Permit{})
		equal(t, "attempts of a flight", fl.first == nil, true)
	}
	for i := range s.frames { // another call will use it
		equal(t, "a frame's permit is hurried", s.frames[i].permit.Hurried(), false)
	}
	for i := range s.places {
		for j := range s.places[i].policies {
			p := &s.places[i].policies[j]
			if p.bulkhead != nil {
				equal(t, "bulkhead: running", p.bulkhead.Snapshot().Running, 0)
				equal(t, "bulkhead: waiting", p.bulkhead.Snapshot().Waiting, 0)
			}
			if p.adaptive != nil {
				equal(t, "adaptive: running", p.adaptive.Running(), 0)
			}
			if p.budget != nil {
				equal(t, "budget: in use", p.budget.Snapshot().InUse, 0)
			}
			if p.hedge != nil {
				equal(t, "hedge: running", p.hedge.Snapshot().Running, 0)
				equal(t, "hedge: abandoned", p.hedge.Snapshot().Abandoned, 0)
			}
		}
	}
}

// conserved follows the calls of a place through its policies: what one lets through
// is what the next one is asked for, down to the attempts that were sent.
func conserved(t *testing.T, call *Call, p *PolicyResult, b *breaker.Counters) {
	t.Helper()
	settled := b.Successful + b.Failed + b.Late + b.Ignored + b.Released
	n := p.Calls
	if r := p.RateLimit; r != nil {
		equal(t, "rate limit: asked", r.Admitted+r.Refused, n)
		equal(t, "rate limit: cancelled", r.Cancelled, 0)
		n = r.Admitted
	}
	if a := p.Adaptive; a != nil {
		equal(t, "adaptive: asked", a.Admitted+a.Rejected, n)
		equal(t, "adaptive: settled", a.Succeeded+a.Dropped+a.Ignored, a.Admitted)
		equal(t, "adaptive: limits in order", a.Lowest <= a.Highest && float64(a.Lowest) <= a.Last && a.Last <= float64(a.Highest), true)
		n = a.Admitted
	}
	if h := p.Throttle; h != nil {
		equal(t, "throttle: asked", h.Accepted+h.Failed+h.Ignored+h.Refused, n)
		n -= h.Refused
	}
	if call.RetryInsideBreaker {
		equal(t, "breaker around: asked", settled+b.Rejected, n)
		n -= b.Rejected
	}
	extra := uint64(0)
	if r := p.Retry; r != nil {
		equal(t, "retry: asked", r.Calls, n)
		n, extra = r.Attempts, extra+r.Retries
		if most := uint64(call.Retry.Attempts); call.Retry.Attempts > 0 && n > r.Calls*most {
			t.Errorf("retry: %d attempts of %d calls, at most %d each", n, r.Calls, most)
		}
	}
	if h := p.Hedge; h != nil {
		equal(t, "hedge: asked", h.Calls, n)
		equal(t, "hedge: ended", h.Plain+h.Won+h.Failed+h.Stopped, h.Calls)
		equal(t, "hedge: attempts", h.Won+h.Failures+h.Late, h.Calls-h.Plain+h.Hedges)
		n, extra = n+h.Hedges, extra+h.Hedges
	}
	if u := p.Budget; u != nil {
		equal(t, "budget: granted", u.Granted, extra)
		equal(t, "budget: settled", u.Settled+u.Cancelled, u.Granted)
	}
	if call.Breaker != nil && !call.RetryInsideBreaker {
		equal(t, "breaker: asked", settled+b.Rejected, n)
		n -= b.Rejected
	}
	if k := p.Bulkhead; k != nil {
		equal(t, "bulkhead: asked", k.Admitted+k.Refused+k.TimedOut+k.GaveUp, n)
		n = k.Admitted
	}
	if call.Bulkhead != nil && call.Total > 0 && p.Attempts < n {
		n = p.Attempts // a place that was granted at the very deadline is not used
	}
	equal(t, "attempts sent", p.Attempts, n)
}

// Whatever the policies and the faults: calls in are calls out, each policy counts
// what the simulation does, everything acquired is released, and it all happens again
// with the same seed.
func TestAnyPolicies(t *testing.T) {
	count := uint64(2000)
	if raceEnabled || testing.Short() {
		count = 150
	}
	for seed := range count {
		cfg := chance{rand.New(rand.NewPCG(seed, 2))}.policed()
		anyPolicies(t, cfg, seed)
		if t.Failed() {
			t.Fatalf("scenario of seed %d: %s", seed, inJSON(t, cfg))
		}
	}
}

func anyPolicies(t *testing.T, cfg Config, seed uint64) {
	t.Helper()
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	cfg = s.Config()
	r, err := s.Run(context.Background(), seed)
	if err != nil {
		t.Fatal(err)
	}
	atRest(t, s)
	idle(t, s)
	w := r.Whole
	equal(t, "outcomes", w.Succeeded+w.Failed+w.TimedOut, w.Reached)
	equal(t, "requests", w.Reached+w.Rejected+w.Shed, w.Requests)

	calls := []*Call{&cfg.Client.Call}
	for i := range cfg.Services {
		calls = append(calls, &cfg.Services[i].Call)
	}
	sent := map[int]uint64{}
	for i := range r.Policies {
		p := &r.Policies[i]
		sent[p.Place] = p.Attempts
		conserved(t, calls[p.Place], p, &r.Breakers[p.Place])
		if p.Place == 0 {
			equal(t, "calls", p.Calls, w.Requests-w.Shed)
			equal(t, "attempts", p.Attempts, w.Attempts)
		}
	}
	for _, p := range r.Pools {
		if n, ok := sent[p.Place-1]; ok {
			equal(t, "arrived at "+p.Name, p.Arrived, n)
		}
	}
	var rows, inRows uint64
	for _, row := range r.Rows {
		rows += row.Attempts
		inRows += row.Sent
		if b := cfg.Client.Call.Bulkhead; b != nil && row.Peak > int64(b.MaxConcurrent*cfg.Client.Instances) {
			t.Errorf("%d attempts in flight at %v", row.Peak, row.At)
		}
	}
	equal(t, "attempts of all rows", rows, w.Attempts)
	if inRows > w.Attempts || r.Ended < cfg.Duration && inRows != w.Attempts {
		t.Errorf("sent in all rows: %d of %d", inRows, w.Attempts)
	}
	if total := cfg.Client.Call.Total; total > 0 && cfg.Client.Pool.Workers <= 0 {
		cost := max(cfg.Client.Call.Refused, 0) // on top, for those refused
		equal(t, "nothing takes longer than the total time", w.Max <= total+cost, true)
	}
	again, err := s.Run(context.Background(), seed)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the same again", inJSON(t, again), inJSON(t, r))
}

func FuzzAnyPolicies(f *testing.F) {
	f.Add(uint64(1), uint64(1))
	f.Fuzz(func(t *testing.T, a, b uint64) {
		anyPolicies(t, chance{rand.New(rand.NewPCG(a, b))}.policed(), a)
	})
}
