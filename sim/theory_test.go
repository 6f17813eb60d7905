//go:build !race

// Millions of calls, each run in one goroutine: the race detector would find nothing, and
// take long.

package sim

import (
	"context"
	"math"
	"testing"
	"time"
)

// Queueing theory knows the answer to some scenarios. Each test makes many short
// runs and asks whether the theory's value lies within the confidence interval of
// their mean (99.99 %), which must itself be narrow.

const (
	theoryRuns = 60
	theoryTime = 120 * time.Second
	// The first seconds of a run, in which queues fill, are left out.
	theoryWarm = 20 * time.Second
)

// theory runs a scenario over seeds and returns the samples of named values.
func theory(t *testing.T, cfg Config, measure func(r *Result) map[string]float64) map[string]sample {
	t.Helper()
	cfg.Duration = theoryTime
	cfg.Windows = []Window{{"settled", theoryWarm, theoryTime}}
	samples := map[string]sample{}
	err := Many(context.Background(), cfg, 1, theoryRuns, func(r *Result) error {
		for name, v := range measure(r) {
			samples[name] = append(samples[name], v)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return samples
}

// agrees checks a sample against its theoretical mean.
func agrees(t *testing.T, what string, s sample, want float64) {
	t.Helper()
	half := s.halfWidth()
	near(t, what, s.mean(), want, half)
	if half > 0.12*math.Abs(want) {
		t.Errorf("%s: the interval ± %g around %g is too wide to tell anything", what, half, want)
	}
}

// service is a scenario with one station for the calls of a Poisson load.
func service(rate float64, pool Pool, latency Distribution) Config {
	return Config{Load: Load{Rate: rate}, Services: []Service{{Pool: pool, Latency: latency}}}
}

// waits are the mean and the median time from arrival to answer, and the mean time
// in the queue.
func waits(r *Result) map[string]float64 {
	return map[string]float64{
		"sojourn": r.Windows[0].Mean.Seconds(),
		"median":  r.Windows[0].P50.Seconds(),
		"wait":    r.Pools[0].Wait.Seconds(),
		"busy":    r.Pools[0].Busy,
		"waiting": r.Pools[0].Waiting,
		"shed":    float64(r.Pools[0].Shed) / float64(r.Pools[0].Arrived),
	}
}

const manyPlaces = 1_000_000

func TestMM1(t *testing.T) {
	const lambda, mu = 60.0, 100.0
	const rho = lambda / mu
	s := theory(t, service(lambda, Pool{Workers: 1, Queue: manyPlaces}, Distribution{Mean: 10 * time.Millisecond}), waits)
	agrees(t, "sojourn", s["sojourn"], 1/(mu-lambda))
	agrees(t, "median", s["median"], math.Ln2/(mu-lambda)) // the sojourn is exponential
	agrees(t, "wait", s["wait"], rho/(mu-lambda))
	agrees(t, "busy", s["busy"], rho)
	agrees(t, "waiting", s["waiting"], rho*rho/(1-rho))
}

// erlangC is the probability that a call has to wait in M/M/c.
func erlangC(c int, load float64) float64 {
	sum, term := 0.0, 1.0 // load^n/n!
	for n := range c {
		sum += term
		term *= load / float64(n+1)
	}
	last := term * float64(c) / (float64(c) - load)
	return last / (sum + last)
}

func TestMMc(t *testing.T) {
	for _, c := range []int{2, 5, 20} {
		const mu = 50.0
		lambda := 0.8 * float64(c) * mu
		load := lambda / mu
		wait := erlangC(c, load) / (float64(c)*mu - lambda)
		s := theory(t, service(lambda, Pool{Workers: c, Queue: manyPlaces}, Distribution{Mean: 20 * time.Millisecond}), waits)
		agrees(t, "wait", s["wait"], wait)
		agrees(t, "sojourn", s["sojourn"], wait+1/mu)
		agrees(t, "busy", s["busy"], load)
		agrees(t, "waiting", s["waiting"], lambda*wait)
	}
}

// mmck returns the loss probability, and the mean numbers in the queue and at work,
// of M/M/c with room for K.
func mmck(c, K int, load float64) (loss, queued, busy float64) {
	p, sum := make([]float64, K+1), 0.0
	for n := range p {
		p[n] = 1
		if n > 0 {
			p[n] = p[n-1] * load / float64(min(n, c))
		}
		sum += p[n]
	}
	for n := range p {
		p[n] /= sum
		queued += float64(max(n-c, 0)) * p[n]
		busy += float64(min(n, c)) * p[n]
	}
	return p[K], queued, busy
}

func TestMMcK(t *testing.T) {
	for _, tt := range []struct{ c, K int }{{1, 4}, {3, 3}, {4, 10}} {
		const mu = 50.0
		lambda := 1.1 * float64(tt.c) * mu // more than can be served
		loss, queued, busy := mmck(tt.c, tt.K, lambda/mu)
		queue := tt.K - tt.c
		if queue == 0 {
			queue = off
		}
		pool, latency := Pool{Workers: tt.c, Queue: queue}, Distribution{Mean: 20 * time.Millisecond}
		atClient := service(lambda, Pool{}, latency)
		atClient.Client.Pool = pool // a worker of the client is busy as long as its call is
		for name, cfg := range map[string]Config{"service": service(lambda, pool, latency), "client": atClient} {
			s := theory(t, cfg, waits)
			agrees(t, name+": loss", s["shed"], loss)
			agrees(t, name+": busy", s["busy"], busy)
			if queued > 0 {
				agrees(t, name+": waiting", s["waiting"], queued)
				agrees(t, name+": wait", s["wait"], queued/(lambda*(1-loss)))
			}
		}
	}
}

// Pollaczek and Khinchine: with one worker and any service time S, the mean wait is
// λE[S²]/2(1-ρ).
func TestMG1(t *testing.T) {
	const lambda, mean = 60.0, 0.01
	values := []time.Duration{2 * time.Millisecond, 4 * time.Millisecond, 24 * time.Millisecond}
	for name, tt := range map[string]struct {
		d      Distribution
		second float64 // E[S²]
	}{
		"constant":  {Distribution{Kind: Fixed, Mean: 10 * time.Millisecond}, mean * mean},
		"lognormal": {Distribution{Kind: LogNormal, Mean: 10 * time.Millisecond, Sigma: 0.8}, mean * mean * math.Exp(0.8*0.8)},
		"empirical": {Distribution{Kind: Empirical, Values: values}, (4e-6 + 16e-6 + 576e-6) / 3},
	} {
		s := theory(t, service(lambda, Pool{Workers: 1, Queue: manyPlaces}, tt.d), waits)
		agrees(t, name+": wait", s["wait"], lambda*tt.second/2/(1-lambda*mean))
		agrees(t, name+": busy", s["busy"], lambda*mean)
	}
}

// A closed load in front of one worker is the machine repair model. Its mean
// response time follows from mean value analysis.
func TestClosedLoad(t *testing.T) {
	const think, serve = 0.1, 0.01
	for _, users := range []int{1, 5, 15} {
		queue, response, rate := 0.0, 0.0, 0.0
		for n := 1; n <= users; n++ {
			response = serve * (1 + queue)
			rate = float64(n) / (response + think)
			queue = rate * response
		}
		cfg := service(0, Pool{Workers: 1, Queue: manyPlaces}, Distribution{Mean: 10 * time.Millisecond})
		cfg.Load = Load{Kind: Closed, Users: users, Think: Distribution{Mean: 100 * time.Millisecond}}
		s := theory(t, cfg, func(r *Result) map[string]float64 {
			w := r.Windows[0]
			return map[string]float64{
				"response": w.Mean.Seconds(),
				"rate":     float64(w.Requests) / (w.To - w.From).Seconds(),
			}
		})
		agrees(t, "response", s["response"], response)
		agrees(t, "rate", s["rate"], rate)
	}
}

// Little's law: the mean number in a system is the rate of arrivals times the mean
// time spent there. It needs no assumption, so it must hold in every scenario, save
// for what happens at the ends of a run.
func TestLittlesLaw(t *testing.T) {
	outage := ReferenceConfig(false)
	outage.Services[0].Faults[0].From, outage.Services[0].Faults[0].To = 0, theoryTime
	pools := service(90, Pool{Workers: 2, Queue: 20}, Distribution{Kind: LogNormal, Mean: 20 * time.Millisecond})
	pools.Services = append(pools.Services, Service{Pool: Pool{Workers: 1, Queue: 5}, Latency: Distribution{Mean: 5 * time.Millisecond}})
	for name, cfg := range map[string]Config{
		"free":    service(50, Pool{}, Distribution{}),
		"outage":  outage,
		"pools":   pools,
		"bursts":  {Load: Load{Kind: Bursts, Size: 20, Every: 500 * time.Millisecond}},
		"timeout": {Client: Client{Call: Call{Timeout: 15 * time.Millisecond}}},
	} {
		s := theory(t, cfg, func(r *Result) map[string]float64 {
			w := r.Windows[0]
			rate := float64(w.Requests) / (w.To - w.From).Seconds()
			return map[string]float64{"ratio": w.InFlight / (rate * w.Mean.Seconds())}
		})
		near(t, name+": L/λW", s["ratio"].mean(), 1, 0.01)
	}
	if n := simulate(t, outage, 1).Windows[1].InFlight; math.Abs(n-100) > 10 {
		t.Errorf("50 calls a second of 2 s each: %g in flight", n)
	}
}
