package sim

import (
	"testing"

	"github.com/switchgear-go/switchgear/backoff"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/retry"
)

// A retry storm that outlives its cause. Ten workers can do 500 calls a second and get
// 350. For five seconds they are ten times slower, and the queue fills. From then on an
// answer takes longer than anybody waits, so that all calls time out and all are made
// three times; the workers answer callers who have long gone. More than twice what they
// can do keeps the queue full, for good, although nothing is wrong any more. With a
// budget a tenth is added to the load, and the queue empties.
func TestMetastable(t *testing.T) {
	call := Call{
		Timeout: 300 * ms,
		Retry:   &retry.Config{Attempts: 3, Backoff: backoff.Config{Initial: 50 * ms}},
	}
	cfg := Config{
		Duration: 60 * second, Load: Load{Rate: 350}, Client: Client{Call: call},
		Services: []Service{{
			Latency: Distribution{Mean: 20 * ms},
			Pool:    Pool{Workers: 10, Queue: 300},
			Faults:  []Fault{{Kind: Slow, Factor: 10, From: 10 * second, To: 15 * second}},
		}},
		Windows: []Window{{"before", 0, 10 * second}, {"end", 40 * second, 60 * second}},
	}
	share := func(w *WindowResult) float64 { return 100 * float64(w.Succeeded) / float64(w.Requests) }
	for seed := range uint64(5) {
		storm := simulate(t, cfg, seed)
		bounded := cfg
		bounded.Client.Call.Budget = &budget.Config{Ratio: budget.RatioConfig{Percent: 10}}
		calm := simulate(t, bounded, seed)
		single := cfg
		single.Client.Call.Retry = nil
		none := simulate(t, single, seed)
		for _, r := range []*Result{storm, calm, none} {
			if good := share(&r.Windows[0]); good < 99.9 {
				t.Errorf("seed %d: only %.1f %% succeed before the fault", seed, good)
			}
		}
		if good := share(&storm.Windows[1]); good > 5 {
			t.Errorf("seed %d: the storm is over: %.1f %% succeed", seed, good)
		}
		if n := storm.Windows[1]; float64(n.Attempts) < 2.9*float64(n.Requests) {
			t.Errorf("seed %d: %d attempts of %d calls in the storm", seed, n.Attempts, n.Requests)
		}
		for _, r := range []*Result{calm, none} {
			if good := share(&r.Windows[1]); good < 99.9 {
				t.Errorf("seed %d: only %.1f %% succeed without the storm", seed, good)
			}
		}
	}
}
