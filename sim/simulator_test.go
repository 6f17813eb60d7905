package sim

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/bulkhead"
)

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s, err := New(ReferenceConfig(true))
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(ctx, 42)
	if !errors.Is(err, context.Canceled) || r == nil {
		t.Errorf("got %v, %v", r, err)
	}
	t.Run("and the next run is as if there had been none", func(t *testing.T) {
		r, err := s.Run(context.Background(), 42)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "result", inJSON(t, r), inJSON(t, simulate(t, ReferenceConfig(true), 42)))
	})
	t.Run("Many as well", func(t *testing.T) {
		err := Many(ctx, ReferenceConfig(true), 1, 1000, func(*Result) error { return nil })
		equal(t, "canceled", errors.Is(err, context.Canceled), true)
	})
	t.Run("Many ends when its caller has enough", func(t *testing.T) {
		enough := errors.New("enough")
		n := 0
		err := Many(context.Background(), ReferenceConfig(true), 1, 1000, func(r *Result) error {
			if n++; n == 5 {
				equal(t, "Seed", r.Seed, 5)
				return enough
			}
			return nil
		})
		equal(t, "error", err, enough)
		equal(t, "results", n, 5)
	})
	t.Run("Many refuses what New refuses", func(t *testing.T) {
		err := Many(context.Background(), Config{Duration: -1}, 1, 1, nil)
		equal(t, "error", err != nil, true)
	})
}

func TestTooManyInProgress(t *testing.T) {
	cfg := Config{
		Duration: time.Minute, Load: Load{Kind: Constant, Rate: 1e6},
		Services: []Service{{Latency: Distribution{Kind: Fixed, Mean: time.Hour}}},
	}
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(context.Background(), 1)
	if !errors.Is(err, ErrTooMany) || !strings.Contains(err.Error(), "at 1.04857") {
		t.Errorf("got %v", err)
	}
	equal(t, "arrived", r.Events > MaxInFlight, true)
}

func TestTooManyTimers(t *testing.T) {
	cfg := Config{
		Duration: second, Load: Load{Kind: Constant, Rate: 1000},
		Client: Client{Call: Call{Bulkhead: &bulkhead.Config{MaxConcurrent: 1, MaxWaiting: 100, MaxWait: time.Hour}}},
		// Two calls wait at a time, and each leaves a stopped timer behind.
		Services: []Service{{Latency: Distribution{Kind: Fixed, Mean: 1500 * time.Microsecond}}},
	}
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s.clock.Most = 100
	if _, err = s.Run(context.Background(), 1); !errors.Is(err, ErrTooManyTimers) {
		t.Errorf("got %v", err)
	}
	s.clock.Most = 1000
	if _, err = s.Run(context.Background(), 1); err != nil {
		t.Errorf("got %v", err)
	}
}

// Timers of policies are events like others, and do not keep a run alive.
func TestTimers(t *testing.T) {
	cfg := ReferenceConfig(true)
	cfg.Client.Call.Breaker.Open.Automatic = true
	cfg.Client.Call.Breaker.HalfOpen.MaxWait = second
	cfg.Services[0].Faults[0].To = cfg.Duration
	cfg.Windows = nil
	r := simulate(t, cfg, 42)
	if len(r.Transitions) < 3 {
		t.Fatalf("only %d transitions", len(r.Transitions))
	}
	for i, tr := range r.Transitions[1:] {
		before := r.Transitions[i]
		switch {
		case tr.To == breaker.HalfOpen:
			equal(t, "after an open interval, to the nanosecond", tr.At-before.At, 5*second)
		case before.To == breaker.HalfOpen:
			equal(t, "after the longest wait for a verdict", tr.At-before.At, second)
			equal(t, "Rule", tr.Trip.Rule, breaker.RuleProbesLate)
		}
	}
}

// The lists of a result are bounded; their totals are not.
func TestListsAreBounded(t *testing.T) {
	cfg := Config{
		Duration: 2000 * second, Load: Load{Kind: Constant, Rate: 100},
		Client: Client{Call: Call{Breaker: &breaker.Config{
			ConsecutiveFailures: 1, FailureRate: off,
			Open:     breaker.OpenConfig{Wait: 20 * ms, Jitter: off},
			HalfOpen: breaker.HalfOpenConfig{Probes: 1},
		}}},
		Services: []Service{{Latency: Distribution{Kind: Fixed, Mean: ms}, Faults: []Fault{{Kind: Errors}}}},
	}
	r := simulate(t, cfg, 1)
	equal(t, "transitions kept", len(r.Transitions), maxTransitions)
	equal(t, "rounds kept", len(r.Rounds), maxRounds)
	if r.TransitionsTotal < 50_000 {
		t.Errorf("only %d transitions", r.TransitionsTotal)
	}
	equal(t, "Row", r.RowLength, second)
}

// Sums must agree with each other however a run is cut up.
func TestSumsAgree(t *testing.T) {
	fleet := ReferenceConfig(true)
	fleet.Client.Instances = 5
	fleet.Client.Pool = Pool{Workers: 10, Queue: 5}
	fleet.Services = append(fleet.Services, Service{Instances: 3, Pool: Pool{Workers: 2, Queue: 4}, ErrorRate: 10})
	fleet.Services[0].Call = Call{Timeout: 100 * ms, Breaker: &breaker.Config{}, PerInstance: true}
	for name, cfg := range map[string]Config{"reference": ReferenceConfig(true), "fleet": fleet} {
		for seed := range uint64(20) {
			r := simulate(t, cfg, seed)
			var rows, windows Counts
			add := func(to *Counts, c Counts) {
				to.Requests += c.Requests
				to.Reached += c.Reached
				to.Attempts += c.Attempts
				to.Rejected += c.Rejected
				to.Shed += c.Shed
				to.Succeeded += c.Succeeded
				to.Failed += c.Failed
				to.TimedOut += c.TimedOut
				equal(t, name+": parts", c.Succeeded+c.Failed+c.TimedOut+c.Rejected+c.Shed, c.Requests)
				equal(t, name+": reached", c.Succeeded+c.Failed+c.TimedOut, c.Reached)
			}
			for _, row := range r.Rows {
				add(&rows, row.Counts)
			}
			for _, w := range r.Windows[:3] {
				add(&windows, w.Counts)
			}
			equal(t, name+": rows", rows, r.Whole.Counts)
			equal(t, name+": windows", windows, r.Whole.Counts)
			b := r.Breakers[0]
			equal(t, name+": admitted", b.Successful+b.Failed+b.Late+b.Ignored+b.Released, r.Whole.Reached)
			equal(t, name+": Rejected", b.Rejected, r.Whole.Rejected)
			equal(t, name+": transitions", int(r.TransitionsTotal), len(r.Transitions))
		}
	}
}

// Between two runs only what goes into the result is allocated.
func TestRunsReuseMemory(t *testing.T) {
	s, err := New(ReferenceConfig(false))
	if err != nil {
		t.Fatal(err)
	}
	run := func() {
		if _, err := s.Run(context.Background(), 42); err != nil {
			t.Fatal(err)
		}
	}
	run()
	if n := testing.AllocsPerRun(5, run); n > 100 {
		t.Errorf("%v allocations for a run of 2,946 calls", n)
	}
}
