package report_test

import (
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/sim"
)

// crowded is the configuration of crowd.
func crowded() sim.Config {
	b := &breaker.Config{Window: breaker.WindowConfig{Calls: 10}, MinimumCalls: 5, Open: breaker.OpenConfig{Wait: time.Second}}
	return sim.Config{
		Duration: 90 * time.Second,
		Load:     sim.Load{Rate: 200},
		Client:   sim.Client{Instances: 5, Call: sim.Call{Timeout: time.Second, Breaker: b, PerInstance: true}},
		Services: []sim.Service{
			{Instances: 4, Call: sim.Call{Timeout: 500 * time.Millisecond, Breaker: b}},
			{Faults: []sim.Fault{
				{Kind: sim.Errors, Probability: 70, From: 20 * time.Second, To: 60 * time.Second, Every: 10 * time.Second, For: 4 * time.Second},
				{Kind: sim.Slow, Factor: 50, From: 70 * time.Second, To: 75 * time.Second},
			}},
		},
	}
}
