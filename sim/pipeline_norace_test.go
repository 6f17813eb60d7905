//go:build !race

// The streams of random numbers belong to one goroutine each. Here many draw from them,
// one after the other, in the order that a bubble's time gives them: the race detector does
// not know of that order.

package sim

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear/backoff"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/sim/internal/random"
)

// bubbleClock is the time of a synctest bubble, with the zero of a simulation.
type bubbleClock struct{ start time.Time }

func (c bubbleClock) Now() time.Time      { return time.Now() }
func (c bubbleClock) Mono() time.Duration { return time.Since(c.start) }
func (c bubbleClock) AfterFunc(d time.Duration, f func()) clock.Timer {
	return time.AfterFunc(d, f)
}

// A real is a scenario that the product's own blocking code goes through, one
// goroutine for each call, in the time of a bubble.
type real struct {
	s *Simulator // for its service

	mu       sync.Mutex
	counts   Counts
	latency  []time.Duration
	policies policies
	breaker  *breaker.Breaker
}

// Every check is accepted: chance makes many a pipeline that defeats itself.
var everyCheck = []pipeline.Check{
	pipeline.AttemptNotShorter, pipeline.SlowNotShorter, pipeline.UnboundedRetry, pipeline.UnbudgetedHedge,
	pipeline.HedgeNotShorter, pipeline.TooManyAttempts, pipeline.ProbeLimitShorter, pipeline.QueueNotShorter,
	pipeline.RetryInside, pipeline.QueueOutside, pipeline.QueueCounted, pipeline.TotalInside,
	pipeline.AttemptOutside, pipeline.InjectUnseen,
}

func (r *real) pipeline(t *testing.T, clk clock.Clock, seed uint64) *pipeline.Pipeline {
	call := &r.s.cfg.Client.Call
	m := maker{clk: clk, name: "client-0", seed: seed}
	p := &r.policies
	if m.make(p, call); m.err != nil {
		t.Fatal(m.err)
	}
	var list []pipeline.Policy
	add := func(there bool, p pipeline.Policy) {
		if there {
			list = append(list, p)
		}
	}
	guard := func() {
		if call.Breaker == nil {
			return
		}
		jitter := random.NewStream(random.PCG, seed, purposeJitter, 0)
		b, err := breaker.New("client-0", *call.Breaker, breaker.WithClock(clk), breaker.WithRandom(jitter.Float64))
		if err != nil {
			t.Fatal(err)
		}
		r.breaker = b
		list = append(list, pipeline.Breaker(b))
	}
	add(p.total != nil, pipeline.Total(p.total))
	add(p.rate != nil, pipeline.RateLimit(p.rate))
	add(p.adaptive != nil, pipeline.Adaptive(p.adaptive))
	add(p.throttle != nil, pipeline.Throttle(p.throttle))
	if call.RetryInsideBreaker {
		guard()
	}
	add(p.retry != nil, pipeline.Retry(p.retry))
	add(p.hedge != nil, pipeline.Hedge(p.hedge))
	if !call.RetryInsideBreaker {
		guard()
	}
	add(p.bulkhead != nil, pipeline.Bulkhead(p.bulkhead))
	add(p.attempt != nil, pipeline.Attempt(p.attempt))
	made, err := pipeline.Compose("client-0", list, pipeline.WithClock(clk), pipeline.Accept(everyCheck...))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// run lets all calls arrive, and returns when the last one has ended.
func (r *real) run(t *testing.T, seed uint64) {
	if err := r.s.start(seed); err != nil { // for the service's random numbers
		t.Fatal(err)
	}
	start := time.Now()
	p := r.pipeline(t, bubbleClock{start}, seed)
	var wg sync.WaitGroup
	for _, at := range r.s.cfg.Load.Arrivals {
		wg.Go(func() {
			time.Sleep(at)
			r.call(p, start)
		})
	}
	wg.Wait()
	synctest.Wait() // for the losers
}

func (r *real) call(p *pipeline.Pipeline, start time.Time) {
	var (
		attempts uint64
		last     Outcome
	)
	began := time.Now()
	err := p.Do(hedge.Safe(context.Background()), func(ctx context.Context) error {
		r.mu.Lock()
		attempts++
		took, reply, fault := r.s.places[1].answer(time.Since(start), 0, r.s.places[0].patience)
		r.mu.Unlock()
		answer := time.After(took)
		if reply == replyTimeout {
			answer = nil
		}
		select {
		case <-ctx.Done():
			r.mu.Lock()
			defer r.mu.Unlock()
			last = TimedOut
			return ctx.Err()
		case <-answer:
		}
		if reply == replyOK {
			return nil
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		last = reply.outcome()
		return r.s.errorOf(&frame{reply: reply, fault: fault})
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	took := time.Since(began)
	r.latency = append(r.latency, took)
	n := &r.counts
	n.Requests++
	n.Attempts += attempts
	if attempts == 0 {
		n.Rejected++
		return
	}
	n.Reached++
	switch total := r.s.cfg.Client.Call.Total; {
	case err == nil:
		n.Succeeded++
	case total > 0 && took >= total, last == TimedOut:
		n.TimedOut++
	default:
		n.Failed++
	}
}

// unique makes a scenario in which no two things happen at the same instant, so that
// its order does not depend on that of goroutines.
func (c chance) unique() Config {
	cfg := Config{
		Duration: 5 * second, Load: Load{Kind: Recorded},
		Client:   Client{Call: c.call()},
		Services: []Service{{Latency: Distribution{Kind: DistributionKind(c.IntN(2)), Mean: c.duration(100 * ms)}}},
	}
	cfg.Client.Call.Refused = off
	cfg.Client.Call.PerInstance = false
	c.policies(&cfg.Client.Call)
	// Three things about races are left to the scheduler: what is said of attempts that the
	// total time ends, all at the same instant; which of several losers the breaker hears
	// of first; and how far a hedge gets that has waited in a queue for the very place
	// that its own winner gives back.
	if call := &cfg.Client.Call; call.Hedge != nil {
		if call.Total = 0; call.Timeout == off {
			call.Timeout = c.duration(second)
		}
		if call.Retry != nil && call.Retry.Attempts == off {
			call.Retry.Attempts = 5
		}
		if call.Breaker != nil {
			call.Hedge.MaxExtra = 1
		}
		if call.Bulkhead != nil {
			call.Bulkhead.MaxWaiting, call.Bulkhead.MaxWait = 0, 0
		}
	}
	if r := cfg.Client.Call.Retry; r != nil && r.Backoff.Jitter == backoff.None {
		r.Backoff.Jitter = backoff.Full
	}
	for range c.IntN(4) {
		f := c.fault(cfg.Duration)
		f.Share = 100
		if b := cfg.Client.Call.Bulkhead; b != nil && b.MaxWaiting > 0 && f.Kind == Throttle {
			f.Kind = Errors // which answers later than at once, when others leave the queue
		}
		cfg.Services[0].Faults = append(cfg.Services[0].Faults, f)
	}
	for range 200 {
		cfg.Load.Arrivals = append(cfg.Load.Arrivals, c.duration(cfg.Duration-1))
	}
	slices.Sort(cfg.Load.Arrivals)
	return cfg
}

// The engine puts the policies together anew, without blocking. So it has to do what
// package pipeline does: the same scenario, with goroutines in a bubble, must give the
// same counts, in every policy, and the same latencies, to a nanosecond.
func TestEqualsPipeline(t *testing.T) {
	count := uint64(1000)
	if testing.Short() {
		count = 50
	}
	for seed := range count {
		cfg := chance{rand.New(rand.NewPCG(seed, 3))}.unique()
		s, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		got := simulate(t, cfg, seed)
		want := &real{s: s}
		synctest.Test(t, func(t *testing.T) { want.run(t, seed) })

		equal(t, "counts", got.Whole.Counts, want.counts)
		sum := time.Duration(0)
		for _, d := range want.latency {
			sum += d
		}
		near(t, "mean latency", float64(got.Whole.Mean), float64(sum)/float64(len(want.latency)), 1)
		equal(t, "longest latency", got.Whole.Max, slices.Max(want.latency))
		if want.breaker != nil {
			equal(t, "breaker", got.Breakers[0], want.breaker.Counters())
		}
		if len(got.Policies) > 0 {
			p := &place{name: "client", policed: true, policies: []policies{want.policies}, calls: want.counts.Requests, attempts: want.counts.Attempts}
			var res Result
			p.reportPolicies(0, &res)
			if a := res.Policies[0].Adaptive; a != nil {
				a.Lowest, a.Highest = got.Policies[0].Adaptive.Lowest, got.Policies[0].Adaptive.Highest
			}
			equal(t, "policies", inJSON(t, got.Policies[0]), inJSON(t, res.Policies[0]))
		}
		if t.Failed() {
			t.Fatalf("scenario of seed %d: %s", seed, inJSON(t, cfg))
		}
	}
}
