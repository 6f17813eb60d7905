package sim

import (
	"context"
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/sim/internal/random"
	"github.com/switchgear-go/switchgear/sim/internal/stats"
)

// A place is one link of the chain: the client, or a service.
type place struct {
	name      string
	instances []instance
	workers   int // of each instance; 0 for no bound
	queue     int // waiting places of each instance

	serves  bool // a service: it takes time of its own
	direct  bool // and its answer is known at once: no bound, no next place
	latency sampler
	faults  faults
	own     random.Stream // of latency, unless MT19937 is wanted

	call     Call
	patience time.Duration // for how long a call waits for an answer that never comes
	guards   []guard       // of the call: one for each instance, or for each pair
	policed  bool          // there are policies, of each instance
	policies []policies
	calls    uint64 // through them
	attempts uint64 // sent

	arrived, shed, begun uint64
	waited               float64 // nanoseconds
	busy, waiting        *stats.Level
}

// An instance is one copy. Calls that wait are a list through the frames.
type instance struct {
	busy, queued int
	first, last  uint32
}

// A guard is the breaker of one caller towards one target.
type guard struct {
	*breaker.Breaker
	place, instance, target int
	round                   int // index of its half-open period, or -1
}

func newPlaces(cfg *Config) []place {
	places := make([]place, 1+len(cfg.Services))
	places[0] = place{name: "client", call: cfg.Client.Call, faults: faults{from: never}}
	places[0].bound(cfg.Client.Instances, cfg.Client.Pool, cfg.Duration)
	for i := range cfg.Services {
		svc := &cfg.Services[i]
		p := &places[i+1]
		*p = place{
			name: svc.Name, call: svc.Call, serves: true,
			latency: newSampler(svc.Latency), faults: newFaults(svc),
		}
		p.bound(svc.Instances, svc.Pool, cfg.Duration)
		p.direct = p.workers == 0 && i == len(cfg.Services)-1
	}
	for i := range places {
		p := &places[i]
		p.patience, p.policed = p.call.patience(), p.call.policed()
	}
	return places
}

func (p *place) bound(instances int, pool Pool, duration time.Duration) {
	p.instances = make([]instance, instances)
	p.workers, p.queue = max(pool.Workers, 0), max(pool.Queue, 0)
	p.busy, p.waiting = stats.NewLevel([]time.Duration{duration}), stats.NewLevel([]time.Duration{duration})
}

// startPlace makes a place as new, and its breakers.
func (s *Simulator) startPlace(i int, seed uint64) error {
	p := &s.places[i]
	for j := range p.instances {
		p.instances[j] = instance{first: none, last: none}
	}
	p.arrived, p.shed, p.begun, p.waited = 0, 0, 0, 0
	p.busy.Reset()
	p.waiting.Reset()
	if p.serves {
		p.own.Seed(random.PCG, seed, purposeLatency, uint64(i))
		p.latency.stream, p.latency.draws = &p.own, 0
		p.faults.start(seed, uint64(i))
	}
	if err := s.startPolicies(i, seed); err != nil {
		return err
	}
	p.guards = p.guards[:0]
	if p.call.Breaker == nil {
		return nil
	}
	targets := 1
	if p.call.PerInstance {
		targets = len(s.places[i+1].instances)
	}
	p.guards = make([]guard, len(p.instances)*targets)
	for j := range p.guards {
		if err := s.newGuard(p, i, j, targets, seed); err != nil {
			return err
		}
	}
	return nil
}

func (s *Simulator) newGuard(p *place, i, j, targets int, seed uint64) error {
	g := &p.guards[j]
	*g = guard{place: i, instance: j / targets, target: j % targets, round: -1}
	jitter := random.NewStream(random.PCG, seed, purposeJitter, uint64(i)<<32|uint64(j))
	b, err := breaker.New(fmt.Sprintf("%s-%d", p.name, j), *p.call.Breaker,
		breaker.WithClock(s.clock), breaker.WithRandom(jitter.Float64),
		breaker.WithRecent(0), breaker.WithListener(s.journal.listen(g)))
	g.Breaker = b
	return err
}

// guard returns the breaker for a call from an instance to a target, or nil.
func (p *place) guard(instance, target uint32) *guard {
	switch {
	case len(p.guards) == 0:
		return nil
	case p.call.PerInstance:
		return &p.guards[int(instance)*(len(p.guards)/len(p.instances))+int(target)]
	}
	return &p.guards[instance]
}

// answer decides what becomes of a call that arrives at the service now: how long its
// own work takes, and how it ends. In an outage it takes as long as whoever calls
// has patience. With replyThrottled comes the index of the fault that refused.
func (p *place) answer(now time.Duration, key float64, patience time.Duration) (took time.Duration, r reply, fault uint8) {
	if now >= p.faults.from && now < p.faults.to || p.faults.own > 0 {
		return p.answerBadly(now, key, patience)
	}
	return p.latency.draw(), replyOK, 0
}

func (p *place) answerBadly(now time.Duration, key float64, patience time.Duration) (took time.Duration, r reply, fault uint8) {
	e := p.faults.meet(now, key)
	switch {
	case e.outage:
		return patience, replyTimeout, 0
	case e.refused:
		return 0, replyThrottled, e.fault
	}
	failed := e.failure > 0 && p.faults.stream.Float64() < e.failure
	if failed && e.took > 0 {
		return e.took, replyError, 0
	}
	took = p.latency.draw()
	if e.factor != 1 {
		took = fromSeconds(took.Seconds() * e.factor)
	}
	if failed {
		return took, replyError, 0
	}
	return took, replyOK, 0
}

func (p *place) report(i int, res *Result, duration, now time.Duration) {
	sum := new(breaker.Counters)
	for j := range p.guards {
		addTo(&sum, p.guards[j].Counters())
	}
	res.Breakers = append(res.Breakers, *sum)
	p.reportPolicies(i, res)
	if p.workers == 0 {
		return
	}
	end := max(duration, now)
	p.busy.Add(end, 0)
	p.waiting.Add(end, 0)
	pr := PoolResult{Place: i, Name: p.name, Arrived: p.arrived, Shed: p.shed}
	_, _, pr.Busy = p.busy.Between(0, duration)
	pr.MostWaiting, _, pr.Waiting = p.waiting.Between(0, duration)
	if p.begun > 0 {
		pr.Wait = time.Duration(p.waited / float64(p.begun))
	}
	res.Pools = append(res.Pools, pr)
}

// nobody is the context of every simulated call: a caller that gives up does so by
// an event.
var nobody = context.Background()
