package sim

import (
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
)

const second = time.Second

// steady is ten calls a second for ten seconds to one service that takes 50 ms,
// and whose callers wait for a second.
func steady(faults ...Fault) Config {
	return Config{
		Duration: 10 * second,
		Load:     Load{Kind: Constant, Rate: 10},
		Client:   Client{Call: Call{Timeout: second}},
		Services: []Service{{Latency: Distribution{Kind: Fixed, Mean: 50 * time.Millisecond}, Faults: faults}},
		Windows:  []Window{{"all", 0, 10 * second}},
	}
}

// bySecond counts the calls of each second that did not succeed.
func bySecond(r *Result) (bad [10]uint64) {
	for i := range bad {
		bad[i] = r.Rows[i].Requests - r.Rows[i].Succeeded
	}
	return bad
}

func TestFaults(t *testing.T) {
	t.Run("an outage times calls out, from its first instant to before its last", func(t *testing.T) {
		r := simulate(t, steady(Fault{From: 2 * second, To: 4 * second}), 1)
		equal(t, "bad", bySecond(r), [10]uint64{2: 10, 3: 10})
		equal(t, "TimedOut", r.Whole.TimedOut, 20)
		equal(t, "Max", r.Whole.Max, second)
		equal(t, "Mean in it", r.Rows[3].Mean, second)
		equal(t, "Ended", r.Ended, 9900*time.Millisecond+50*time.Millisecond)
	})
	t.Run("errors come with their probability, as slow as good answers", func(t *testing.T) {
		cfg := steady(Fault{Kind: Errors, Probability: 30})
		cfg.Load.Rate = 1000
		r := simulate(t, cfg, 1)
		near(t, "Failed", float64(r.Whole.Failed), 3000, 200)
		equal(t, "Max", r.Whole.Max, 50*time.Millisecond)
	})
	t.Run("errors can be quick", func(t *testing.T) {
		r := simulate(t, steady(Fault{Kind: Errors, Took: time.Millisecond}), 1)
		equal(t, "Failed", r.Whole.Failed, 100)
		equal(t, "Max", r.Whole.Max, time.Millisecond)
	})
	t.Run("a service's own errors, and those of a fault, are independent", func(t *testing.T) {
		cfg := steady(Fault{Kind: Errors, Probability: 50})
		cfg.Load.Rate = 1000
		cfg.Services[0].ErrorRate = 20
		r := simulate(t, cfg, 1)
		near(t, "Failed", float64(r.Whole.Failed), 10_000*(1-0.5*0.8), 250)
	})
	t.Run("slow is good, and late if it takes longer than the timeout", func(t *testing.T) {
		r := simulate(t, steady(Fault{Kind: Slow, Factor: 4, From: 0, To: 5 * second}, Fault{Kind: Slow, Factor: 7, From: 3 * second, To: 5 * second}), 1)
		equal(t, "Mean", r.Rows[0].Mean, 200*time.Millisecond)
		equal(t, "both", r.Rows[4].Mean, second) // 1.4 s would be too long
		equal(t, "Succeeded", r.Whole.Succeeded, 80)
		equal(t, "TimedOut", r.Whole.TimedOut, 20)
	})
	t.Run("flapping", func(t *testing.T) {
		r := simulate(t, steady(Fault{Kind: Errors, From: 1 * second, To: 9 * second, Every: 3 * second, For: second}), 1)
		equal(t, "bad", bySecond(r), [10]uint64{1: 10, 4: 10, 7: 10})
	})
	t.Run("partial: a share of the keys", func(t *testing.T) {
		cfg := steady(Fault{Kind: Errors, Share: 25})
		cfg.Load.Rate = 1000
		r := simulate(t, cfg, 1)
		near(t, "Failed", float64(r.Whole.Failed), 2500, 180)
	})
	t.Run("partial: one of four instances, each with a breaker", func(t *testing.T) {
		cfg := steady(Fault{Kind: Errors, Share: 25})
		cfg.Load.Rate = 1000
		cfg.Services[0].Instances = 4
		cfg.Client.Call.Breaker = &breaker.Config{Window: breaker.WindowConfig{Calls: 50}}
		cfg.Client.Call.PerInstance = true
		r := simulate(t, cfg, 1)
		for _, tr := range r.Transitions {
			equal(t, "Target", tr.Target, 0)
		}
		equal(t, "transitions", len(r.Transitions), 1)
		near(t, "Rejected", float64(r.Whole.Rejected), 2500-50, 180)
		equal(t, "Failed", r.Whole.Failed < 60, true)
	})
	t.Run("throttling lets its limit through", func(t *testing.T) {
		cfg := steady(Fault{Kind: Throttle, Limit: 4})
		r := simulate(t, cfg, 1)
		// A bucket of 4 is full at the beginning, and gets 4 a second.
		equal(t, "Succeeded", r.Whole.Succeeded >= 42 && r.Whole.Succeeded <= 44, true)
		equal(t, "quickly", r.Whole.P50, 0)
	})
	t.Run("the hint of a throttled answer reaches the breaker", func(t *testing.T) {
		cfg := steady(Fault{Kind: Throttle, Limit: 1, Hint: 3 * second})
		cfg.Client.Call.Breaker = &breaker.Config{
			ConsecutiveFailures: 2, Open: breaker.OpenConfig{Wait: 100 * time.Millisecond, Jitter: off},
		}
		r := simulate(t, cfg, 1)
		if len(r.Transitions) == 0 || r.Transitions[0].Trip == nil {
			t.Fatal("it did not trip")
		}
		equal(t, "Hint", r.Transitions[0].Trip.Hint, 3*second)
		equal(t, "Wait", r.Transitions[0].Trip.Wait, 3*second)
	})
	t.Run("the hint is that of the fault that refused", func(t *testing.T) {
		ample := Fault{Kind: Throttle, Limit: 1000, Hint: 7 * second}
		scarce := Fault{Kind: Throttle, Limit: 1, Hint: 3 * second}
		pool := Pool{Workers: 3}
		for name, change := range map[string]func(*Config){
			"straight":         func(*Config) {},
			"through policies": func(c *Config) { c.Client.Call.Total = 2 * second },
			"a pool":           func(c *Config) { c.Services[0].Pool = pool },
			"a pool, policies": func(c *Config) { c.Services[0].Pool, c.Client.Call.Total = pool, 2*second },
			"a chain":          func(c *Config) { c.Services = append(c.Services, Service{}) },
		} {
			cfg := steady(ample, scarce)
			cfg.Client.Call.Breaker = &breaker.Config{
				ConsecutiveFailures: 2, Open: breaker.OpenConfig{Wait: 100 * time.Millisecond, Jitter: off},
			}
			change(&cfg)
			r := simulate(t, cfg, 1)
			if len(r.Transitions) == 0 || r.Transitions[0].Trip == nil {
				t.Fatal(name + ": it did not trip")
			}
			equal(t, name+": Hint", r.Transitions[0].Trip.Hint, 3*second)
		}
	})
	t.Run("a hint goes no further than to the caller that was refused", func(t *testing.T) {
		for _, total := range []time.Duration{0, 2 * second} {
			cfg := steady(Fault{Kind: Throttle, Limit: 1000, Hint: 7 * second, To: second / 2})
			cfg.Services = append(cfg.Services, Service{Faults: []Fault{{Kind: Outage, To: 1}, {Kind: Throttle, Limit: 1, Hint: 3 * second}}})
			rules := &breaker.Config{ConsecutiveFailures: 2, Open: breaker.OpenConfig{Wait: 100 * time.Millisecond, Jitter: off}}
			cfg.Client.Call.Breaker, cfg.Client.Call.Total = rules, total
			cfg.Services[0].Call = Call{Timeout: second, Total: total}
			r := simulate(t, cfg, 1)
			if len(r.Transitions) == 0 || r.Transitions[0].Trip == nil {
				t.Fatal("it did not trip")
			}
			equal(t, "Hint", r.Transitions[0].Trip.Hint, 0)
		}
	})
	t.Run("a fragile service falls over when too many come within a second", func(t *testing.T) {
		cfg := steady(Fault{Kind: Fragile, From: 2 * second, To: 10 * second, Limit: 8, Down: 2 * second})
		r := simulate(t, cfg, 1)
		// The ninth call of second 2 brings it down, and full load keeps it there.
		equal(t, "bad", bySecond(r), [10]uint64{2: 2, 3: 10, 4: 10, 5: 10, 6: 10, 7: 10, 8: 10, 9: 10})
		cfg.Load.Rate = 8
		equal(t, "with less", simulate(t, cfg, 1).Whole.Succeeded, 80)
	})
}

// What faults do to a call is decided when it arrives, however long it then waits for a
// worker.
func TestFaultsAreDecidedAtArrival(t *testing.T) {
	pooled := func(arrivals []time.Duration, faults ...Fault) Config {
		cfg := recorded(arrivals, Service{Pool: Pool{Workers: 1, Queue: 2}, Latency: fixed(100 * ms), Faults: faults})
		cfg.Client.Call.Timeout = second
		return cfg
	}
	t.Run("an outage does not reach those that wait already, and stays with those that came in it", func(t *testing.T) {
		r := simulate(t, pooled([]time.Duration{0, 5, 15}, Fault{From: 10 * ms, To: 20 * ms}), 1)
		equal(t, "Succeeded", r.Whole.Succeeded, 2)
		equal(t, "TimedOut", r.Whole.TimedOut, 1)
		equal(t, "Max", r.Whole.Max, second)
	})
	t.Run("errors and slowness as well", func(t *testing.T) {
		r := simulate(t, pooled([]time.Duration{0, 5, 15}, Fault{Kind: Errors, From: 10 * ms, To: 20 * ms}, Fault{Kind: Slow, Factor: 2, From: 4 * ms, To: 6 * ms}), 1)
		equal(t, "Failed", r.Whole.Failed, 1)
		equal(t, "Ended", r.Ended, 400*ms)
	})
	t.Run("a throttled call is answered at once, and takes no worker or waiting place", func(t *testing.T) {
		r := simulate(t, pooled([]time.Duration{0, 1, 2, 3, 4}, Fault{Kind: Throttle, Limit: 2}), 1)
		equal(t, "Succeeded", r.Whole.Succeeded, 2)
		equal(t, "Failed", r.Whole.Failed, 3)
		equal(t, "P50", r.Whole.P50, 0)
		equal(t, "Arrived", r.Pools[0].Arrived, 5)
		equal(t, "Shed", r.Pools[0].Shed, 0)
	})
	t.Run("a fragile service counts arrivals, also those turned away", func(t *testing.T) {
		arrivals := []time.Duration{0, 1, 2, 3, 4, 900}
		r := simulate(t, pooled(arrivals, Fault{Kind: Fragile, Limit: 4, Down: second}), 1)
		equal(t, "Succeeded", r.Whole.Succeeded, 3)
		equal(t, "turned away", r.Whole.Failed, 2)
		equal(t, "TimedOut", r.Whole.TimedOut, 1) // the last: the fifth has brought it down
	})
}

// What is drawn for one purpose does not depend on what others draw.
func TestStreamsAreIndependent(t *testing.T) {
	base := Config{Load: Load{Rate: 100}, Duration: 10 * second}
	arrivals := func(r *Result) (n [10]uint64) {
		for i := range n {
			n[i] = r.Rows[i].Requests
		}
		return n
	}
	want := simulate(t, base, 1)
	for name, change := range map[string]func(*Config){
		"errors":    func(c *Config) { c.Services = []Service{{ErrorRate: 20}} },
		"latency":   func(c *Config) { c.Services = []Service{{Latency: Distribution{Kind: LogNormal}}} },
		"instances": func(c *Config) { c.Client.Instances = 7 },
		"keys":      func(c *Config) { c.Services = []Service{{Instances: 7}} },
		"a pool":    func(c *Config) { c.Services = []Service{{Pool: Pool{Workers: 1}}} },
		"a chain":   func(c *Config) { c.Services = make([]Service, 3) },
	} {
		cfg := base
		change(&cfg)
		equal(t, name+": arrivals", arrivals(simulate(t, cfg, 1)), arrivals(want))
	}
	t.Run("nor do latencies", func(t *testing.T) {
		for name, change := range map[string]func(*Config){
			"errors":    func(c *Config) { c.Services = []Service{{ErrorRate: 20}} },
			"instances": func(c *Config) { c.Client.Instances = 7 },
			"keys":      func(c *Config) { c.Services = []Service{{Instances: 7}} },
		} {
			cfg := base
			change(&cfg)
			r := simulate(t, cfg, 1)
			equal(t, name+": Mean", r.Whole.Mean, want.Whole.Mean)
			equal(t, name+": Max", r.Whole.Max, want.Whole.Max)
		}
	})
}
