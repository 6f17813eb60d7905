package sim

import (
	"math"
	"slices"
	"testing"
	"time"
)

// instants returns all arrivals of a scenario with one seed.
func instants(t *testing.T, cfg Config, seed uint64) (list []time.Duration) {
	t.Helper()
	cfg, _, err := settle(cfg)
	if err != nil {
		t.Fatal(err)
	}
	a := newArrivals(&cfg)
	a.start(cfg.Generator, seed)
	for at := a.next(); at != never; at = a.next() {
		list = append(list, at)
	}
	equal(t, "after the last", a.next(), never)
	return list
}

func TestLoads(t *testing.T) {
	const ms = time.Millisecond
	t.Run("constant", func(t *testing.T) {
		got := instants(t, Config{Duration: time.Second, Load: Load{Kind: Constant, Rate: 3}}, 1)
		equal(t, "arrivals", slices.Equal(got, []time.Duration{0, 333333333, 666666667}), true)
	})
	t.Run("a constant load does not drift", func(t *testing.T) {
		got := instants(t, Config{Duration: 1000 * time.Second, Load: Load{Kind: Constant, Rate: 3}}, 1)
		equal(t, "arrivals", len(got), 3000)
		equal(t, "last", got[2999], 999666666667)
	})
	t.Run("bursts", func(t *testing.T) {
		got := instants(t, Config{Duration: 25 * ms, Load: Load{Kind: Bursts, Size: 2, Every: 10 * ms}}, 1)
		equal(t, "arrivals", slices.Equal(got, []time.Duration{0, 0, 10 * ms, 10 * ms, 20 * ms, 20 * ms}), true)
	})
	t.Run("recorded, up to the end", func(t *testing.T) {
		got := instants(t, Config{Duration: 10 * ms, Load: Load{Kind: Recorded, Arrivals: []time.Duration{0, 3, 3, 10 * ms}}}, 1)
		equal(t, "arrivals", slices.Equal(got, []time.Duration{0, 3, 3}), true)
	})
	t.Run("Poisson", func(t *testing.T) {
		for _, g := range []Generator{PCG, MT19937} {
			got := instants(t, Config{Generator: g, Duration: 1000 * time.Second, Load: Load{Rate: 200}}, 1)
			near(t, "arrivals", float64(len(got)), 200_000, 4*math.Sqrt(200_000))
			// The gaps are exponential: their standard deviation is their mean.
			var gaps sample
			for i := 1; i < len(got); i++ {
				gaps = append(gaps, (got[i] - got[i-1]).Seconds())
			}
			near(t, "deviation of gaps", gaps.deviation(), 0.005, 0.0001)
			equal(t, "in order", slices.IsSorted(got), true)
		}
	})
	t.Run("arrivals drawn ahead are the same whether there was room to keep them or not", func(t *testing.T) {
		cfg, _, err := settle(Config{Generator: MT19937, Duration: 10 * time.Second, Load: Load{Rate: 10_000}})
		if err != nil {
			t.Fatal(err)
		}
		a := newArrivals(&cfg)
		a.start(MT19937, 7)
		if a.total <= aheadCalls {
			t.Fatalf("only %d arrivals", a.total)
		}
		plain := newArrivals(&cfg)
		plain.inAdvance = false
		plain.start(MT19937, 7)
		for range a.total {
			equal(t, "arrival", a.next(), plain.next())
		}
		equal(t, "after the last", a.next(), never)
		equal(t, "after the last", plain.next(), never)
		equal(t, "draws", a.draws, plain.draws)
		equal(t, "the generator after them", a.stream.Float64(), plain.stream.Float64())
	})
}

func TestClosedLoadEnds(t *testing.T) {
	cfg := Config{
		Duration: 10 * time.Second,
		Load:     Load{Kind: Closed, Users: 3, Think: Distribution{Kind: Fixed, Mean: 900 * time.Millisecond}},
		Services: []Service{{Latency: Distribution{Kind: Fixed, Mean: 100 * time.Millisecond}}},
	}
	r := simulate(t, cfg, 1)
	// The first call of each comes at 0.9 s, then one a second, the last at 9.9 s.
	equal(t, "Requests", r.Whole.Requests, 30)
	equal(t, "Ended", r.Ended, 10*time.Second)
	equal(t, "Mean", r.Whole.Mean, 100*time.Millisecond)
	equal(t, "Peak", len(r.Rows), 10)
}

func TestDistributionMeans(t *testing.T) {
	const mean = 20 * time.Millisecond
	for name, d := range map[string]Distribution{
		"exponential": {Mean: mean},
		"lognormal":   {Kind: LogNormal, Mean: mean, Sigma: 0.7},
		"constant":    {Kind: Fixed, Mean: mean},
		"empirical":   {Kind: Empirical, Values: []time.Duration{10 * time.Millisecond, 30 * time.Millisecond}},
	} {
		r := simulate(t, Config{Load: Load{Rate: 1000}, Services: []Service{{Latency: d}}}, 1)
		near(t, name, r.Whole.Mean.Seconds(), mean.Seconds(), 0.0005)
	}
	t.Run("nothing takes longer than thirty days", func(t *testing.T) {
		equal(t, "longest", fromSeconds(math.Inf(1)), 30*24*time.Hour)
		equal(t, "rounded", fromSeconds(1.4999999999), 1500000000)
	})
}
