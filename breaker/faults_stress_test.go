package breaker_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/evidence"
)

// TestFaultsUnderLoad holds the known faults that show only with many goroutines.
func TestFaultsUnderLoad(t *testing.T) {
	for _, fault := range []struct {
		name string
		test func(*testing.T)
	}{
		{"K05 state and open time fall out of step", faultStuckOpen},
		{"K08 events recorded right after an idle gap are wiped", faultIdleGap},
		{"K11 single-bucket window returns no counter at the boundary", faultSingleBucket},
		{"K18 listener runs under the breaker lock", faultListenerLocked},
		{"K60 breakers share one mutable settings object", faultSharedSettings},
		{"K61 every breaker ever made stays referenced", faultReferenced},
	} {
		t.Run(fault.name, fault.test)
	}
}

// scale returns a number of rounds, smaller under -short and under the race detector,
// which takes ten times as long for each.
func scale(full, short int) int {
	if testing.Short() || raceDetector {
		return short
	}
	return full
}

func faultStuckOpen(t *testing.T) {
	noLeak(t)
	b := breaker.Must(breaker.New("stock", breaker.Config{
		Window: breaker.WindowConfig{Calls: 100}, MinimumCalls: 20,
		Open: breaker.OpenConfig{Wait: 3 * time.Millisecond, Jitter: 50},
	}))
	var healthy atomic.Bool
	call := func(r *rand.Rand) {
		p, err := b.Acquire(context.Background())
		if err != nil {
			return
		}
		if state, _ := p.IssuedBy(); state != breaker.Closed && state != breaker.HalfOpen {
			t.Errorf("a call was admitted in %v", state)
		}
		if healthy.Load() || r.Float64() >= 0.6 {
			p.Success()
		} else {
			p.Failure(errDown)
		}
	}
	var group sync.WaitGroup
	for seed := range uint64(100) {
		group.Go(func() {
			r := rand.New(rand.NewPCG(seed, 5))
			for range scale(10_000_000, 1_000_000) / 100 {
				call(r)
			}
		})
	}
	group.Wait()
	probesBounded(t, b, 5)

	healthy.Store(true)
	r := rand.New(rand.NewPCG(0, 0))
	for giveUp := time.Now().Add(10 * time.Second); b.State() != breaker.Closed; call(r) {
		if time.Now().After(giveUp) {
			t.Fatalf("stuck in %v", b.State())
		}
	}
}

// probesBounded checks that no half-open period that is on record let more than
// limit probes through, those given back aside (H1, by rate).
func probesBounded(t *testing.T, b *breaker.Breaker, limit uint64) {
	t.Helper()
	for _, e := range b.Events() {
		c := e.Detail.(*breaker.Change)
		if e.From == "HALF_OPEN" && c.Probes-c.GivenBack > limit {
			t.Errorf("period %d: %d probes, %d given back", e.Period-1, c.Probes, c.GivenBack)
		}
		if e.From == "OPEN" && c.Numbers.Calls == 0 {
			t.Errorf("period %d: an open period without a window", e.Period-1)
		}
	}
}

func faultIdleGap(t *testing.T) {
	clk := clock.NewVirtual(start)
	b := breaker.Must(breaker.New("stock", breaker.Config{
		Window:      breaker.WindowConfig{Length: 10 * time.Second, Buckets: 10},
		FailureRate: off,
	}, breaker.WithClock(clk)))
	for round := range scale(10_000, 500) {
		for range 3 {
			p, _ := b.Acquire(context.Background())
			p.Success()
		}
		clk.Advance(time.Minute)
		var group sync.WaitGroup
		for range 64 {
			group.Go(func() {
				p, _ := b.Acquire(context.Background())
				p.Failure(errDown)
			})
		}
		group.Wait()
		if n := b.Snapshot().Numbers; n.Calls != 64 || n.Failed != 64 {
			t.Fatalf("round %d: %d calls, %d failed, want 64 of 64", round, n.Calls, n.Failed)
		}
	}
}

func faultSingleBucket(t *testing.T) {
	clk := clock.NewVirtual(start)
	b := breaker.Must(breaker.New("stock", breaker.Config{
		Window:       breaker.WindowConfig{Length: time.Second, Buckets: 1},
		MinimumCalls: 1, FailureRate: 100,
	}, breaker.WithClock(clk)))
	for boundary := range 5 {
		clk.AdvanceTo(time.Duration(boundary+1)*time.Second - 50*ns)
		before := b.Counters()
		var admitted atomic.Uint64
		var group sync.WaitGroup
		for range 100 {
			group.Go(func() {
				for range 20 {
					p, err := b.Acquire(context.Background())
					if err == nil {
						admitted.Add(1)
						p.Failure(errDown)
					}
				}
			})
		}
		group.Go(func() { // over the boundary
			for range 100 {
				clk.Advance(ns)
				runtime.Gosched()
			}
		})
		group.Wait()
		equal(t, "state", b.State(), breaker.Open)
		c := b.Counters()
		equal(t, "failed", c.Failed-before.Failed, 1) // the first opens, the rest are late
		equal(t, "failed and late", c.Failed-before.Failed+c.Late-before.Late, admitted.Load())
		equal(t, "rejected", c.Rejected-before.Rejected, 2000-admitted.Load())
		if err := b.Reset("ana", "next round"); err != nil {
			t.Fatal(err)
		}
	}
}

func faultListenerLocked(t *testing.T) {
	noLeak(t)
	for range scale(200, 50) {
		var b *breaker.Breaker
		var heard atomic.Int64
		b = breaker.Must(breaker.New("stock", breaker.Config{
			Window: breaker.WindowConfig{Calls: 10}, MinimumCalls: 5,
		}, breaker.WithListener(event.Func(func(e event.Event) {
			heard.Add(1)
			if s := b.State(); s != breaker.Open {
				t.Errorf("%v: the listener sees %v", e, s)
			}
			b.Counters()
			b.Events()
			if n := b.Snapshot().Numbers; n.Failed < 5 {
				t.Errorf("the listener sees %d failures", n.Failed)
			}
			if err := b.Do(context.Background(), func(context.Context) error { return nil }); err == nil {
				t.Error("the listener's call went through an open breaker")
			}
		}))))
		done := make(chan struct{})
		go func() {
			defer close(done)
			var group sync.WaitGroup
			for range 8 {
				group.Go(func() {
					for range 10 {
						_ = b.Do(context.Background(), func(context.Context) error { return errDown })
					}
				})
			}
			group.Wait()
		}()
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			t.Fatal("deadlock")
		}
		equal(t, "events", heard.Load(), 1)
	}
}

func faultSharedSettings(t *testing.T) {
	cfg := with(func(c *breaker.Config) {
		c.SlowCall.Duration = time.Second
		c.Evidence, c.SlowEvidence = &evidence.Config{Sick: 0.4}, &evidence.Config{Sick: 0.6}
	})
	breakers := make([]*breaker.Breaker, 100)
	var group sync.WaitGroup
	for i := range breakers {
		group.Go(func() {
			b, err := breaker.New(strconv.Itoa(i), cfg)
			if err != nil {
				t.Error(err)
				return
			}
			got := b.Config() // a copy: whoever changes it changes nothing else
			got.Evidence.Sick, got.SlowEvidence.Sick, got.MinimumCalls = 0.9, 0.9, 9
			breakers[i] = b
		})
	}
	group.Wait()
	cfg.Evidence.Sick, cfg.SlowEvidence.Sick, cfg.MinimumCalls = 0.8, 0.8, 8
	for _, b := range breakers {
		got := b.Config()
		equal(t, "Evidence.Sick", got.Evidence.Sick, 0.4)
		equal(t, "SlowEvidence.Sick", got.SlowEvidence.Sick, 0.6)
		equal(t, "MinimumCalls", got.MinimumCalls, 4)
	}
	equal(t, "the caller's value is the caller's", cfg.Evidence.CallsPerFalseTrip, 0)
}

func faultReferenced(t *testing.T) {
	noLeak(t)
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	clk := clock.NewVirtual(start)
	heard := 0
	listener := event.Func(func(event.Event) { heard++ })
	cfg := with(func(c *breaker.Config) { c.Open.Automatic = true })
	n := scale(30_000, 10_000)
	before := heap()
	for i := range n {
		b := breaker.Must(breaker.New(strconv.Itoa(i), cfg, breaker.WithClock(clk), breaker.WithListener(listener)))
		for range 4 {
			p, _ := b.Acquire(context.Background())
			p.Failure(errDown)
		}
		b.Close()
	}
	// 50 MiB for a million breakers: a hundredth of what they would take.
	if growth := heap() - before; growth > int64(50<<20)*int64(n)/1_000_000 {
		t.Errorf("the heap grew by %d KiB over %d breakers", growth>>10, n)
	}
	equal(t, "events", heard, n)
	equal(t, "timers", clk.Pending(), 0)
}
