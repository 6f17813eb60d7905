package sim

import (
	"slices"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/retry"
)

func TestWarnings(t *testing.T) {
	values := []time.Duration{1}
	latency := func(d Distribution) Config { return Config{Services: []Service{{Latency: d}}} }
	fault := func(f Fault) Config {
		return Config{Client: Client{Call: Call{Timeout: second}}, Services: []Service{{Faults: []Fault{f}}}}
	}
	call := func(c Call) Config { return Config{Client: Client{Call: c}} }
	for name, tt := range map[string]struct {
		cfg  Config
		want []string
	}{
		"none":      {Config{}, nil},
		"reference": {ReferenceConfig(true), nil},
		"a poisson load with settings of others": {
			Config{Load: Load{Size: 5, Every: time.Minute, Users: 3, Arrivals: values, Think: Distribution{Mean: 1}}},
			[]string{
				"Load.Size = 5: has no effect with Kind = poisson", "Load.Every = 1m0s: has no effect with Kind = poisson",
				"Load.Users = 3: has no effect with Kind = poisson", "Load.Arrivals = 1: has no effect with Kind = poisson",
				"Load.Think = set: has no effect with Kind = poisson",
			},
		},
		"bursts have a size, not a rate": {
			Config{Load: Load{Kind: Bursts, Size: 5, Every: time.Minute, Rate: 7}},
			[]string{"Load.Rate = 7: has no effect with Kind = bursts"},
		},
		"a closed load":   {Config{Load: Load{Kind: Closed, Users: 3, Think: Distribution{Mean: second / 2}}}, nil},
		"a recorded load": {Config{Load: Load{Kind: Recorded, Arrivals: values}}, nil},
		"what users think": {
			Config{Load: Load{Kind: Closed, Think: Distribution{Sigma: 2}}},
			[]string{"Load.Think.Sigma = 2: has no effect with Kind = exponential"},
		},
		"a distribution": {
			latency(Distribution{Values: values, Sigma: 2}),
			[]string{
				"Services[0].Latency.Sigma = 2: has no effect with Kind = exponential",
				"Services[0].Latency.Values = 1: has no effect with Kind = exponential",
			},
		},
		"an empirical one has its own mean": {
			latency(Distribution{Kind: Empirical, Values: values, Mean: 3}),
			[]string{"Services[0].Latency.Mean = 3ns: has no effect with Kind = empirical"},
		},
		"an outage has no more than a time": {
			fault(Fault{Probability: 5, Took: 1, Factor: 2, Limit: 3, Hint: 4, Down: time.Minute, Share: 50}),
			[]string{
				"Services[0].Faults[0].Probability = 5: has no effect with Kind = outage",
				"Services[0].Faults[0].Took = 1ns: has no effect with Kind = outage",
				"Services[0].Faults[0].Factor = 2: has no effect with Kind = outage",
				"Services[0].Faults[0].Limit = 3: has no effect with Kind = outage",
				"Services[0].Faults[0].Hint = 4ns: has no effect with Kind = outage",
				"Services[0].Faults[0].Down = 1m0s: has no effect with Kind = outage",
			},
		},
		"errors":   {fault(Fault{Kind: Errors, Probability: 5, Took: 1}), nil},
		"slow":     {fault(Fault{Kind: Slow, Factor: 3}), nil},
		"throttle": {fault(Fault{Kind: Throttle, Limit: 3, Hint: 4}), nil},
		"fragile":  {fault(Fault{Kind: Fragile, Limit: 3, Down: time.Minute}), nil},
		"a fault after the end": {
			fault(Fault{From: time.Minute}),
			[]string{"Services[0].Faults[0].From = 1m0s: is not before the end of the run, 1m0s: the fault never begins"},
		},
		"a breaker's own": {
			call(Call{Breaker: &breaker.Config{Window: breaker.WindowConfig{Calls: 10}, MinimumCalls: 20}}),
			[]string{"Client.Call.Breaker.MinimumCalls = 20: is more than Window.Calls = 10, so 10 calls are enough"},
		},
		"an adaptive limit's, of a service": {
			Config{Services: []Service{{Call: Call{Adaptive: &adaptive.Config{Min: 5, Max: 5, Initial: 5}}}, {}}},
			[]string{"Services[0].Call.Adaptive.Max = 5: equals Min, so the limit never moves"},
		},
		"a hedge's without a budget": {
			call(Call{Hedge: &hedge.Config{}}),
			[]string{"Client.Call.Hedge.MaxExtra = 1: draws on no budget, so a dependency that gets slow as a whole is sent its calls more than once"},
		},
		"a hedge with a budget": {call(Call{Hedge: &hedge.Config{}, Budget: &budget.Config{}}), nil},
		"a retry's without an end of its own": {
			call(Call{Total: second, Retry: &retry.Config{Attempts: off, MaxElapsed: off}}),
			[]string{"Client.Call.Retry.Attempts = off: nothing but the caller's context ends the loop: MaxElapsed is off, and there is no budget"},
		},
		"a retry that a budget ends": {call(Call{Total: second, Retry: &retry.Config{Attempts: off, MaxElapsed: off}, Budget: &budget.Config{}}), nil},
	} {
		s, err := New(tt.cfg)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for _, w := range s.Warnings() {
			got = append(got, w.String())
		}
		slices.Sort(got)
		slices.Sort(tt.want)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got\n\t%q\nwant\n\t%q", name, got, tt.want)
		}
	}
	t.Run("defaults that are filled in are no reason to warn", func(t *testing.T) {
		s, err := New(fault(Fault{}))
		if err != nil {
			t.Fatal(err)
		}
		again, err := New(s.Config())
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "warnings", len(again.Warnings()), 0)
	})
}
