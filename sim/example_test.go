package sim_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/sim"
)

// A dependency that is down for ten seconds, with a breaker in front of it.
func Example() {
	s, err := sim.New(sim.Config{
		Duration: 30 * time.Second,
		Load:     sim.Load{Rate: 100},
		Client: sim.Client{Call: sim.Call{
			Timeout: time.Second,
			Breaker: &breaker.Config{
				Window: breaker.WindowConfig{Length: 5 * time.Second},
				Open:   breaker.OpenConfig{Wait: 2 * time.Second, Jitter: switchgear.Off},
			},
		}},
		Services: []sim.Service{{
			Latency: sim.Distribution{Mean: 30 * time.Millisecond},
			Faults:  []sim.Fault{{Kind: sim.Outage, From: 10 * time.Second, To: 20 * time.Second}},
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := s.Run(context.Background(), 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range r.Transitions {
		fmt.Printf("%.2f s: %v -> %v\n", t.At.Seconds(), t.From, t.To)
	}
	f := r.Figures(1) // windows are before, fault, after
	fmt.Printf("%.0f %% of %d calls reached the service in its outage\n", f.Share(), f.Requests)
	// Output:
	// 13.01 s: CLOSED -> OPEN
	// 15.02 s: OPEN -> HALF_OPEN
	// 16.10 s: HALF_OPEN -> OPEN
	// 18.10 s: OPEN -> HALF_OPEN
	// 19.15 s: HALF_OPEN -> OPEN
	// 21.17 s: OPEN -> HALF_OPEN
	// 21.33 s: HALF_OPEN -> CLOSED
	// 27 % of 977 calls reached the service in its outage
}

// A storm of retries that outlives its cause, and what a budget does about it.
func Example_retryStorm() {
	cfg := sim.Config{
		Load: sim.Load{Rate: 350},
		Client: sim.Client{Call: sim.Call{
			Timeout: 300 * time.Millisecond,
			Retry:   &retry.Config{Attempts: 3},
		}},
		Services: []sim.Service{{
			Latency: sim.Distribution{Mean: 20 * time.Millisecond},
			Pool:    sim.Pool{Workers: 10, Queue: 300}, // 500 calls a second
			Faults:  []sim.Fault{{Kind: sim.Slow, From: 10 * time.Second, To: 15 * time.Second}},
		}},
	}
	for _, bound := range []*budget.Config{nil, {Ratio: budget.RatioConfig{Percent: 10}}} {
		cfg.Client.Call.Budget = bound
		s, err := sim.New(cfg)
		if err != nil {
			fmt.Println(err)
			return
		}
		r, err := s.Run(context.Background(), 1)
		if err != nil {
			fmt.Println(err)
			return
		}
		last := r.Rows[59] // three quarters of a minute after the fault
		fmt.Printf("budget: %-5t  %d calls, %d sent, %d succeeded; %d retries in all\n",
			bound != nil, last.Requests, last.Sent, last.Succeeded, r.Policies[0].Retry.Retries)
	}
	// Output:
	// budget: false  331 calls, 995 sent, 6 succeeded; 35052 retries in all
	// budget: true   331 calls, 331 sent, 331 succeeded; 905 retries in all
}

// Every problem of a configuration is reported at once.
func ExampleNew_problems() {
	_, err := sim.New(sim.Config{
		Load:   sim.Load{Rate: -1},
		Client: sim.Client{Pool: sim.Pool{Queue: 10}},
		Services: []sim.Service{
			{Faults: []sim.Fault{{Kind: sim.Outage, From: 20 * time.Second, To: 10 * time.Second}}},
		},
	})
	if invalid, ok := errors.AsType[*switchgear.ConfigError](err); ok {
		for _, p := range invalid.Problems {
			fmt.Println(p)
		}
	}
	// Output:
	// Load.Rate = -1: must be from 0.001 to 1e+07
	// Client.Pool.Queue = 10: must be empty without Workers: nobody waits
	// Services[0].Faults[0].To = 10s: must be later than From, and at most 720h0m0s
	// Client.Call.Timeout = off: must be set, or Total: the service it calls can have an outage, and nobody would wait for ever
}

// How far do the results of one seed tell the truth? Ask many.
func ExampleMany() {
	var least, most time.Duration = time.Hour, 0
	err := sim.Many(context.Background(), sim.ReferenceConfig(true), 1, 200, func(r *sim.Result) error {
		delay := r.Figures(1).TripDelay
		least, most = min(least, delay), max(most, delay)
		return nil
	})
	fmt.Printf("the breaker trips %v to %v after the fault begins (%v)\n", least.Round(10*time.Millisecond), most.Round(10*time.Millisecond), err)
	// Output:
	// the breaker trips 2.08s to 2.37s after the fault begins (<nil>)
}

func ExampleReference() {
	c, err := sim.Reference()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, check := range c.Reported[:3] {
		fmt.Printf("%s: published %s, measured %s %s\n", check.What, check.Published, check.Measured, check.Unit)
	}
	fmt.Println(len(c.Different()), "differ")
	// Output:
	// breaker CLOSED -> OPEN: published 17.17, measured 17.17 s
	// trip delay after fault start: published 2.17, measured 2.17 s
	// OPEN -> HALF_OPEN (1): published 22.17, measured 22.17 s
	// 0 differ
}
