package evidence

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// randomConfig returns a valid configuration whose threshold is moderate.
func randomConfig(r *rand.Rand) Config {
	for {
		healthy := math.Exp(-7 * r.Float64()) // 0.001 … 1
		cfg := Config{
			Healthy:           healthy,
			Sick:              healthy * (2 + 40*r.Float64()),
			CallsPerFalseTrip: math.Pow(10, 12*r.Float64()),
			Burst:             1 + max(0, 2*r.Float64()-1),
		}
		if len(cfg.Problems("")) == 0 {
			return cfg
		}
	}
}

func TestRunLengthEqualsBackwardRecurrence(t *testing.T) {
	r := random(1)
	for range 2000 {
		m, h := 1+r.IntN(30), 1+r.IntN(200)
		rate, burst := r.Float64(), 1+2*r.Float64()
		if r.IntN(2) == 0 {
			rate *= rate * rate * rate
		}
		near(t, fmt.Sprintf("T6: m %d H %d rate %g burst %g", m, h, rate, burst),
			RunLength(m, h, rate, burst), backwardRunLength(m, h, rate, burst), 1e-12)
	}
}

func TestRunLengthSolvesTheEquations(t *testing.T) {
	r := random(2)
	compared := 0
	for range 200 {
		m, h := 1+r.IntN(12), 1+r.IntN(40)
		rate, burst := 0.05+0.95*r.Float64(), 1+2*r.Float64()
		got, want := RunLength(m, h, rate, burst), meanCallsToTrip(m, h, rate, burst)[0]
		if max(got, want) > 1e8 {
			continue // elimination loses too many digits
		}
		near(t, fmt.Sprintf("T6: m %d H %d rate %g burst %g", m, h, rate, burst), got, want, 1e-6)
		compared++
	}
	if compared < 100 {
		t.Errorf("only %d were compared", compared)
	}
}

func TestThresholdIsTheLowest(t *testing.T) {
	r := random(3)
	for range 500 {
		cfg := randomConfig(r)
		shares := 1 + r.IntN(2)
		test := mustTest(t, cfg, shares)
		m, h := test.Points(), test.Threshold()
		name := fmt.Sprintf("T6: %+v m %d H %d", cfg, m, h)
		budget := float64(shares) * cfg.CallsPerFalseTrip

		if at := RunLength(m, h, cfg.Healthy, cfg.Burst); at < budget {
			t.Errorf("%s: %v calls, fewer than the budget", name, at)
		}
		if h > 1 {
			if below := RunLength(m, h-1, cfg.Healthy, cfg.Burst); below >= budget {
				t.Errorf("%s: a point lower already gives %v calls", name, below)
			}
		}
		// The bound without iteration, and what makes it one: θ is the root.
		θ := test.NatsPerPoint()
		if at := RunLength(m, h, cfg.Healthy, 1); at < math.Exp(θ*float64(h))*(1-1e-9) {
			t.Errorf("%s: %v calls, fewer than e^θH = %v", name, at, math.Exp(θ*float64(h)))
		}
		near(t, name+": root", cfg.Healthy*math.Exp(float64(m)*θ)+(1-cfg.Healthy)*math.Exp(-θ), 1, 1e-12)
		near(t, name+": needed", test.Needed(), θ*float64(h), 1e-12)
	}
}

func TestRunLengthIsMonotone(t *testing.T) {
	r := random(4)
	for range 300 {
		m, h, rate, burst := 1+r.IntN(30), 1+r.IntN(200), r.Float64(), 1+r.Float64()
		base := RunLength(m, h, rate, burst) * (1 - 1e-12)
		name := fmt.Sprintf("T6: m %d H %d rate %g burst %g", m, h, rate, burst)
		if RunLength(m, h+1, rate, burst) < base {
			t.Errorf("%s: a higher threshold is reached sooner", name)
		}
		if RunLength(m, h, rate/2, burst) < base {
			t.Errorf("%s: a lower rate trips sooner", name)
		}
		if m > 1 && RunLength(m-1, h, rate, burst) < base {
			t.Errorf("%s: fewer points trip sooner", name)
		}
	}
}

// TestMonteCarlo lets real scores run on random outcomes: the mean number of
// calls to the trip must be the computed one, within 4 standard errors. The
// seed is fixed, so it either always passes or never does.
func TestMonteCarlo(t *testing.T) {
	for _, c := range []struct {
		cfg         Config
		rate, burst float64
		runs        int
	}{
		{Config{}, 0.20, 1, 2000},
		{Config{}, 0.30, 1, 5000},
		{Config{}, 0.50, 1, 5000},
		{Config{}.WithSlowDefaults(), 0.30, 1, 2000},
		{Config{Healthy: 0.01, Sick: 0.1, CallsPerFalseTrip: 1e4, Burst: 1}, 0.01, 1, 150},
		{Config{Healthy: 0.05, Sick: 0.3, CallsPerFalseTrip: 2e3, Burst: 1.25}, 0.05, 1.25, 400},
	} {
		c.cfg.Memory = off // the computed mean leaves forgetting out
		test := mustTest(t, c.cfg, 1)
		r := random(5)
		var sum, squares float64
		for range c.runs {
			var s Score
			bad := false
			for calls := 1.0; ; calls++ {
				chance := c.rate / c.burst
				if bad {
					chance = 1 - (1-c.rate)/c.burst
				}
				bad = r.Float64() < chance
				if s.Record(test, 0, bad) {
					sum += calls
					squares += calls * calls
					break
				}
			}
		}
		n := float64(c.runs)
		mean := sum / n
		standardError := math.Sqrt((squares/n - mean*mean) / n)
		want := RunLength(test.Points(), test.Threshold(), c.rate, c.burst)
		if math.Abs(mean-want) > 4*standardError {
			t.Errorf("T6: %+v at rate %g burst %g: mean %.4g ± %.2g calls to the trip, computed %.4g",
				c.cfg, c.rate, c.burst, mean, standardError, want)
		}
	}
}
