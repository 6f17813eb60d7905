package sim

import (
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
)

const ms = time.Millisecond

// recorded is a scenario with these arrivals, given in milliseconds, and services
// that take a constant time.
func recorded(arrivals []time.Duration, services ...Service) Config {
	cfg := Config{Duration: second, Load: Load{Kind: Recorded}, Services: services, Windows: []Window{{"all", 0, second}}}
	for _, at := range arrivals {
		cfg.Load.Arrivals = append(cfg.Load.Arrivals, at*ms)
	}
	for i := range cfg.Services {
		cfg.Services[i].Latency.Kind = Fixed
	}
	return cfg
}

func fixed(d time.Duration) Distribution { return Distribution{Mean: d} }

func TestPools(t *testing.T) {
	t.Run("first come, first served", func(t *testing.T) {
		r := simulate(t, recorded([]time.Duration{0, 1, 2}, Service{Pool: Pool{Workers: 1}, Latency: fixed(10 * ms)}), 1)
		equal(t, "Mean", r.Whole.Mean, (10+19+28)*ms/3)
		equal(t, "Ended", r.Ended, 30*ms)
		equal(t, "Wait", r.Pools[0].Wait, (0+9+18)*ms/3)
		near(t, "Busy", r.Pools[0].Busy, 0.030, 1e-9)
		near(t, "Waiting", r.Pools[0].Waiting, 0.027, 1e-9)
		equal(t, "MostWaiting", r.Pools[0].MostWaiting, 2)
	})
	t.Run("beyond the waiting places calls are turned away, as the service's error", func(t *testing.T) {
		r := simulate(t, recorded([]time.Duration{0, 1, 2, 3}, Service{Pool: Pool{Workers: 1, Queue: 1}, Latency: fixed(10 * ms)}), 1)
		equal(t, "Succeeded", r.Whole.Succeeded, 2)
		equal(t, "Failed", r.Whole.Failed, 2)
		equal(t, "Reached", r.Whole.Reached, 4)
		equal(t, "Shed by the service", r.Pools[0].Shed, 2)
	})
	t.Run("no waiting places at all", func(t *testing.T) {
		r := simulate(t, recorded([]time.Duration{0, 1, 11}, Service{Pool: Pool{Workers: 1, Queue: off}, Latency: fixed(10 * ms)}), 1)
		equal(t, "Failed", r.Whole.Failed, 1)
	})
	t.Run("the client's own pool sheds, and nothing is sent", func(t *testing.T) {
		cfg := recorded([]time.Duration{0, 1, 2, 3}, Service{Latency: fixed(10 * ms)})
		cfg.Client.Pool = Pool{Workers: 1, Queue: 1}
		cfg.Client.Call.Breaker = &breaker.Config{}
		r := simulate(t, cfg, 1)
		equal(t, "Shed", r.Whole.Shed, 2)
		equal(t, "Reached", r.Whole.Reached, 2)
		equal(t, "Mean", r.Whole.Mean, (10+19+0+0)*ms/4)
		equal(t, "held against the service", r.Breakers[0].Failed, 0)
		equal(t, "Successful", r.Breakers[0].Successful, 2)
	})
	t.Run("a client's worker is busy while its call is out", func(t *testing.T) {
		cfg := recorded([]time.Duration{0, 1}, Service{Latency: fixed(100 * ms), Faults: []Fault{{}}})
		cfg.Client.Pool = Pool{Workers: 1}
		cfg.Client.Call.Timeout = 20 * ms
		r := simulate(t, cfg, 1)
		equal(t, "TimedOut", r.Whole.TimedOut, 2)
		equal(t, "Ended", r.Ended, 40*ms)
	})
	t.Run("each instance has its own", func(t *testing.T) {
		cfg := Config{
			Duration: 100 * second, Load: Load{Rate: 100},
			Services: []Service{{Instances: 10, Pool: Pool{Workers: 1}, Latency: Distribution{Mean: 20 * ms}}},
		}
		r := simulate(t, cfg, 1)
		near(t, "Busy", r.Pools[0].Busy, 2, 0.1) // of ten
		near(t, "Wait", r.Pools[0].Wait.Seconds(), 0.2/(50-10), 0.0008)
	})
	t.Run("many callers turned away at once do not pile up on the stack", func(t *testing.T) {
		cfg := Config{
			Duration: second, Load: Load{Kind: Bursts, Size: 100_000, Every: 10 * second},
			Client: Client{Pool: Pool{Workers: 1, Queue: 1_000_000}},
			Services: []Service{{
				Pool: Pool{Workers: 1, Queue: off}, Latency: Distribution{Kind: Fixed, Mean: 50 * ms},
				Faults: []Fault{{Kind: Throttle, Limit: 1}},
			}},
		}
		r := simulate(t, cfg, 1)
		equal(t, "Requests", r.Whole.Requests, 100_000)
		equal(t, "all ended", r.Whole.Succeeded+r.Whole.Failed, 100_000)
	})
}

func TestTimeouts(t *testing.T) {
	t.Run("a service does not notice that its caller has gone", func(t *testing.T) {
		cfg := recorded([]time.Duration{0, 10}, Service{Pool: Pool{Workers: 1}, Latency: fixed(50 * ms)})
		cfg.Client.Call.Timeout = 20 * ms
		r := simulate(t, cfg, 1)
		// The second call waits for a worker that works for nobody.
		equal(t, "TimedOut", r.Whole.TimedOut, 2)
		equal(t, "Ended", r.Ended, 30*ms)
		near(t, "Busy", r.Pools[0].Busy, 0.1, 1e-9)
	})
	t.Run("a late answer does not settle another call of the same frame", func(t *testing.T) {
		cfg := recorded([]time.Duration{0, 25, 60}, Service{Pool: Pool{Workers: 5}, Latency: fixed(50 * ms)})
		cfg.Client.Call = Call{Timeout: 20 * ms, Breaker: &breaker.Config{}}
		r := simulate(t, cfg, 1)
		equal(t, "TimedOut", r.Whole.TimedOut, 3)
		equal(t, "Failed", r.Breakers[0].Failed, 3)
		equal(t, "Successful", r.Breakers[0].Successful, 0)
	})
	t.Run("an answer in time calls the timeout off", func(t *testing.T) {
		cfg := recorded([]time.Duration{0, 6, 12}, Service{Pool: Pool{Workers: 1}, Latency: fixed(5 * ms)})
		cfg.Client.Call.Timeout = 8 * ms
		r := simulate(t, cfg, 1)
		equal(t, "Succeeded", r.Whole.Succeeded, 3)
		equal(t, "Ended", r.Ended, 17*ms)
	})
}

func TestChains(t *testing.T) {
	t.Run("times add up, and workers are held for those behind", func(t *testing.T) {
		r := simulate(t, recorded([]time.Duration{0, 0},
			Service{Pool: Pool{Workers: 1}, Latency: fixed(10 * ms)}, Service{Latency: fixed(20 * ms)}, Service{Latency: fixed(5 * ms)}), 1)
		equal(t, "Mean", r.Whole.Mean, (35+70)*ms/2)
		equal(t, "Max", r.Whole.Max, 70*ms)
	})
	t.Run("an outage at the end fails the whole chain", func(t *testing.T) {
		cfg := recorded([]time.Duration{0},
			Service{Latency: fixed(10 * ms), Call: Call{Timeout: 30 * ms}},
			Service{Latency: fixed(10 * ms), Faults: []Fault{{}}})
		r := simulate(t, cfg, 1)
		equal(t, "Failed", r.Whole.Failed, 1)
		equal(t, "Max", r.Whole.Max, 40*ms)
	})
	t.Run("cascade: a sick service behind exhausts the pool before it, and a breaker between them helps", func(t *testing.T) {
		cascade := func(b *breaker.Config) *Result {
			return simulate(t, Config{
				Duration: 60 * second, Load: Load{Rate: 100},
				Client: Client{Call: Call{Timeout: 5 * second}},
				Services: []Service{
					{Pool: Pool{Workers: 20, Queue: 20}, Latency: Distribution{Mean: 5 * ms}, Call: Call{Timeout: 2 * second, Breaker: b}},
					{Latency: Distribution{Mean: 20 * ms}, Faults: []Fault{{From: 20 * second, To: 40 * second}}},
				},
			}, 1)
		}
		naive, guarded := cascade(nil), cascade(&breaker.Config{
			Window: breaker.WindowConfig{Calls: 20}, Open: breaker.OpenConfig{Wait: 5 * second},
		})
		fault := 1
		if naive.Pools[0].Shed < 1000 || naive.Windows[fault].P99 < 2*second {
			t.Errorf("without a breaker: %d shed, p99 %v", naive.Pools[0].Shed, naive.Windows[fault].P99)
		}
		if guarded.Pools[0].Shed > naive.Pools[0].Shed/4 || guarded.Windows[fault].P50 > 50*ms {
			t.Errorf("with one: %d shed, median %v", guarded.Pools[0].Shed, guarded.Windows[fault].P50)
		}
		equal(t, "place of the breaker", guarded.Transitions[0].Place, 1)
		equal(t, "trips", guarded.Breakers[1].Trips > 0, true)
	})
	t.Run("a refusal behind is a failure before", func(t *testing.T) {
		cfg := recorded([]time.Duration{0, 100, 200, 300},
			Service{Latency: fixed(ms), Call: Call{Timeout: 10 * ms, Refused: 2 * ms, Breaker: &breaker.Config{ConsecutiveFailures: 2}}},
			Service{Latency: fixed(ms), Faults: []Fault{{}}})
		cfg.Client.Call.Breaker = &breaker.Config{ConsecutiveFailures: 3}
		r := simulate(t, cfg, 1)
		equal(t, "Failed", r.Whole.Failed, 3)
		equal(t, "Rejected", r.Whole.Rejected, 1)
		equal(t, "refused behind", r.Breakers[1].Rejected, 1)
		equal(t, "Max", r.Rows[0].Max, 11*ms)
	})
}

// A herd of breakers that tripped together probes together, unless their intervals
// are spread.
func TestFleet(t *testing.T) {
	// together is the largest number of breakers that went to HALF_OPEN within the
	// same 100 ms.
	together := func(jitter breaker.OpenConfig) (most int) {
		cfg := Config{
			Duration: 40 * second, Load: Load{Rate: 4000},
			Client: Client{Instances: 200, Call: Call{
				Timeout: 500 * ms,
				Breaker: &breaker.Config{ConsecutiveFailures: 5, FailureRate: off, Open: jitter},
			}},
			Services: []Service{{Faults: []Fault{{Kind: Errors, From: 5 * second, To: 6 * second}}}},
		}
		bins := map[time.Duration]int{}
		for _, tr := range simulate(t, cfg, 1).Transitions {
			if tr.To == breaker.HalfOpen {
				bins[tr.At/(100*ms)]++
			}
		}
		for _, n := range bins {
			most = max(most, n)
		}
		return most
	}
	alike := together(breaker.OpenConfig{Wait: 20 * second, Jitter: off})
	spread := together(breaker.OpenConfig{Wait: 20 * second, Jitter: 50})
	if alike < 2*spread {
		t.Errorf("%d at once without jitter, %d with", alike, spread)
	}
}
