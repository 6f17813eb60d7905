package sim

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/sim/internal/events"
	"github.com/switchgear-go/switchgear/sim/internal/random"
)

// BenchmarkReference is the reference workload: one operation is a whole run of
// some 3,000 calls, each from another seed, with a new breaker, all rows and all
// quantiles. Compare it with BenchmarkBareLoop.
func BenchmarkReference(b *testing.B) {
	for _, guarded := range []bool{true, false} {
		for _, g := range []Generator{PCG, MT19937} {
			b.Run(fmt.Sprintf("breaker=%t/%v", guarded, g), func(b *testing.B) {
				cfg := ReferenceConfig(guarded)
				cfg.Generator = g
				s, err := New(cfg)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				var calls, happened uint64
				m := startMeter()
				for seed := uint64(0); b.Loop(); seed++ {
					r, err := s.Run(context.Background(), seed)
					if err != nil {
						b.Fatal(err)
					}
					calls += r.Whole.Requests
					happened += r.Events
				}
				m.report(b, calls, happened)
			})
		}
	}
}

// BenchmarkBareLoop is the least that a simulation of the reference workload can
// do: the same arrivals and latencies through the same queue, and nothing else. No
// call is refused, and a third of them takes two seconds, so the queue is as long
// as it gets.
func BenchmarkBareLoop(b *testing.B) {
	var q events.Queue
	var calls, happened uint64
	m := startMeter()
	for seed := uint64(0); b.Loop(); seed++ {
		q.Reset()
		stream := random.NewStream(random.PCG, seed, 0, 0)
		next := fromSeconds(stream.Exponential(50))
		for next < time.Minute || q.Len() > 0 {
			at, waiting := q.Next()
			if next < time.Minute && (!waiting || next <= at) {
				took := 2 * time.Second
				if next < 15*time.Second || next >= 35*time.Second {
					took = fromSeconds(stream.Exponential(50))
				}
				q.Push(next+took, 1, 0)
				next += fromSeconds(stream.Exponential(50))
				calls++
			} else {
				q.Pop()
			}
			happened++
		}
	}
	m.report(b, calls, happened)
}

// A long run: no set-up to speak of, and histograms instead of values.
func BenchmarkMillionCalls(b *testing.B) {
	cfg := ReferenceConfig(true)
	cfg.Generator = PCG
	cfg.Duration = 20_000 * time.Second
	cfg.Windows = nil
	s, err := New(cfg)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	var calls, happened uint64
	m := startMeter()
	for seed := uint64(0); b.Loop(); seed++ {
		r, err := s.Run(context.Background(), seed)
		if err != nil {
			b.Fatal(err)
		}
		calls += r.Whole.Requests
		happened += r.Events
	}
	m.report(b, calls, happened)
}

// The clock of the engine beside the one for tests: one step and one reading, as
// for every event.
func BenchmarkClocks(b *testing.B) {
	b.Run("engine", func(b *testing.B) {
		c := events.NewClock(epoch, new(events.Queue), kindTimer)
		read := clock.Clock(c)
		for i := time.Duration(0); b.Loop(); i++ {
			c.Set(i)
			read.Mono()
		}
	})
	b.Run("virtual", func(b *testing.B) {
		c := clock.NewVirtual(epoch)
		read := clock.Clock(c)
		for i := time.Duration(0); b.Loop(); i++ {
			c.AdvanceTo(i)
			read.Mono()
		}
	})
}

// Other models, for the price of their parts.
func BenchmarkScenarios(b *testing.B) {
	pool := Pool{Workers: 16, Queue: 1000}
	for name, cfg := range map[string]Config{
		"pools":  {Client: Client{Pool: pool}, Services: []Service{{Pool: pool}}},
		"chain":  {Services: []Service{{Pool: pool}, {Pool: pool}, {}}},
		"closed": {Load: Load{Kind: Closed, Users: 50, Think: Distribution{Mean: 20 * time.Millisecond}}},
		"fleet":  {Load: Load{Rate: 1000}, Client: Client{Instances: 200, Call: ReferenceConfig(true).Client.Call}},
	} {
		b.Run(name, func(b *testing.B) {
			s, err := New(cfg)
			if err != nil {
				b.Fatal(err)
			}
			var calls, happened uint64
			m := startMeter()
			for seed := uint64(0); b.Loop(); seed++ {
				r, err := s.Run(context.Background(), seed)
				if err != nil {
					b.Fatal(err)
				}
				calls += r.Whole.Requests
				happened += r.Events
			}
			m.report(b, calls, happened)
		})
	}
}

// The price of policies: a calm minute of 1,000 calls a second, through a breaker and a
// timeout alone, with one policy more, and with all.
func BenchmarkPolicies(b *testing.B) {
	bare := Call{Timeout: 200 * ms, Breaker: &breaker.Config{}}
	with := func(add func(*Call)) Call {
		c := bare
		add(&c)
		return c
	}
	for _, tt := range []struct {
		name string
		call Call
	}{
		{"none", bare},
		{"total", with(func(c *Call) { c.Total = second })},
		{"ratelimit", with(func(c *Call) { c.RateLimit = fullCall().RateLimit })},
		{"adaptive", with(func(c *Call) { c.Adaptive = &adaptive.Config{Initial: 100} })},
		{"throttle", with(func(c *Call) { c.Throttle = fullCall().Throttle })},
		{"retry", with(func(c *Call) { c.Retry = fullCall().Retry })},
		{"budget", with(func(c *Call) { c.Retry, c.Budget = fullCall().Retry, fullCall().Budget })},
		{"hedge", with(func(c *Call) { c.Hedge = fullCall().Hedge })},
		{"bulkhead", with(func(c *Call) { c.Bulkhead = fullCall().Bulkhead })},
		{"all but hedge", with(func(c *Call) { *c = fullCall(); c.Hedge = nil })},
		{"all", fullCall()},
	} {
		b.Run(tt.name, func(b *testing.B) {
			s, err := New(Config{Load: Load{Rate: 1000}, Client: Client{Call: tt.call}})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			var calls, happened uint64
			m := startMeter()
			for seed := uint64(0); b.Loop(); seed++ {
				r, err := s.Run(context.Background(), seed)
				if err != nil {
					b.Fatal(err)
				}
				calls += r.Whole.Requests
				happened += r.Events
			}
			m.report(b, calls, happened)
		})
	}
}

// All processors: the runs of a table of 2,000 seeds a row.
func BenchmarkMany(b *testing.B) {
	cfg := ReferenceConfig(true)
	cfg.Generator = PCG
	var calls, happened uint64
	m := startMeter()
	for b.Loop() {
		err := Many(context.Background(), cfg, 1, 2000, func(r *Result) error {
			calls += r.Whole.Requests
			happened += r.Events
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	m.report(b, calls, happened)
}
