package breaker_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/evidence"
)

// checkValues are those of package evidence; here they go through a whole breaker.
type checkValues struct {
	Rows []struct {
		Healthy           float64            `json:"healthy"`
		Sick              float64            `json:"sick"`
		CallsPerFalseTrip float64            `json:"calls_per_false_trip"`
		Burst             float64            `json:"burst"`
		Points            int                `json:"points_per_failure"`
		Threshold         int                `json:"threshold_points"`
		Delay             map[string]float64 `json:"mean_delay_from_zero"`
	} `json:"rows"`
	Traces []struct {
		Name       string  `json:"name"`
		Points     int     `json:"points_per_failure"`
		Threshold  int     `json:"threshold_points"`
		Memory     int64   `json:"memory_ns"`
		MaxRise    int     `json:"max_rise_failures"`
		RiseWindow int64   `json:"max_rise_window_ns"`
		Events     [][]any `json:"events"` // t_ns, failed, score_after, points_forgotten, trips
	} `json:"traces"`
}

func loadCheckValues(t *testing.T) (v checkValues) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "evidence", "testdata", "evidence-rule.json"))
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Rows) == 0 || len(v.Traces) == 0 {
		t.Fatal("no check values")
	}
	return v
}

func TestEvidence(t *testing.T) {
	values := loadCheckValues(t)
	alone := func(e evidence.Config) breaker.Config {
		return with(func(c *breaker.Config) { c.FailureRate, c.Evidence = off, &e })
	}

	for _, row := range values.Rows {
		t.Run(fmt.Sprintf("T6: healthy %v, sick %v, budget %g, burst %v", row.Healthy, row.Sick, row.CallsPerFalseTrip, row.Burst), func(t *testing.T) {
			r := newRig(t, alone(evidence.Config{
				Healthy: row.Healthy, Sick: row.Sick, CallsPerFalseTrip: row.CallsPerFalseTrip, Burst: row.Burst,
			}))
			r.succeed(1000)
			r.fail(1)
			equal(t, "level after one failure", r.Snapshot().Evidence, min(1, float64(row.Points)/float64(row.Threshold)))
			r.succeed(row.Points)
			equal(t, "level after as many successes as it weighs", r.Snapshot().Evidence, 0)
			n := int(row.Delay["1"])
			r.fail(n - 1)
			r.in(breaker.Closed)
			r.fail(1)
			r.in(breaker.Open)
			trip := r.Snapshot().LastTrip
			equal(t, "rule", trip.Rule, breaker.RuleEvidence)
			equal(t, "failures", trip.Evidence.Failures, int64(n))
			equal(t, "threshold", trip.Evidence.Threshold, row.Threshold)
			equal(t, "points", trip.Evidence.PointsPerFailure, row.Points)
		})
	}

	for _, tr := range values.Traces {
		var cfg evidence.Config
		for _, row := range values.Rows {
			if row.Points == tr.Points && row.Threshold == tr.Threshold {
				cfg = evidence.Config{Healthy: row.Healthy, Sick: row.Sick, CallsPerFalseTrip: row.CallsPerFalseTrip, Burst: row.Burst}
			}
		}
		if cfg.Sick == 0 {
			t.Errorf("no row leads to the points of trace %q", tr.Name)
			continue
		}
		if cfg.Memory = time.Duration(tr.Memory); tr.Memory == 0 {
			cfg.Memory = off
		}
		cfg.MaxRise, cfg.MaxRiseWindow = tr.MaxRise, time.Duration(tr.RiseWindow)
		for name, look := range map[string]bool{"watched": true, "unwatched": false} {
			t.Run("T6: "+tr.Name+", "+name, func(t *testing.T) {
				r := newRig(t, alone(cfg))
				for i, e := range tr.Events {
					at, failed, score, trips := e[0].(float64), e[1].(bool), e[2].(float64), e[4].(bool)
					r.clock.AdvanceTo(time.Duration(at))
					if failed {
						r.fail(1)
					} else {
						r.succeed(1)
					}
					if trips != (r.State() == breaker.Open) {
						t.Fatalf("event %d: trips: got %v, want %v", i, !trips, trips)
					}
					if trips {
						equal(t, "score in the record", r.Snapshot().LastTrip.Evidence.Score, int(score))
						break
					}
					if look || i == len(tr.Events)-1 {
						equal(t, fmt.Sprintf("level after event %d", i), r.Snapshot().Evidence, score/float64(tr.Threshold))
					}
				}
			})
		}
	}

	t.Run("T6: the defaults need no minimum and no window", func(t *testing.T) {
		cfg := alone(evidence.Config{})
		cfg.Window.Calls, cfg.MinimumCalls = 1, 1
		r := newRig(t, cfg)
		r.fail(7)
		r.in(breaker.Closed)
		r.fail(1)
		r.in(breaker.Open)
		if text := r.Snapshot().LastTrip.Text(); !strings.HasPrefix(text, "evidence ") || !strings.Contains(text, "8 failures in 8 calls") {
			t.Errorf("text: %s", text)
		}
	})
	t.Run("T6: it works beside the other rules", func(t *testing.T) {
		cfg := with(func(c *breaker.Config) { c.Window.Calls, c.MinimumCalls, c.Evidence = 1000, 1000, &evidence.Config{} })
		r := newRig(t, cfg)
		r.succeed(1000)
		r.fail(8)
		r.in(breaker.Open)
		equal(t, "rule", r.Snapshot().LastTrip.Rule, breaker.RuleEvidence)
		cfg.Window.Calls, cfg.MinimumCalls = 4, 4
		r = newRig(t, cfg)
		r.fail(4)
		equal(t, "rule", r.Snapshot().LastTrip.Rule, breaker.RuleFailureRate)
	})
	t.Run("T6: points fade with time, also while successes wait to be booked", func(t *testing.T) {
		r := newRig(t, alone(evidence.Config{Memory: 75 * time.Second})) // a point a second
		r.fail(7)
		r.succeed(3)
		r.clock.Advance(30 * time.Second)
		equal(t, "level", r.Snapshot().Evidence, (70.0-33)/75)
		r.succeed(3)
		r.clock.Advance(time.Hour)
		r.fail(7)
		r.in(breaker.Closed)
		r.fail(1)
		r.in(breaker.Open)
	})
	t.Run("T6: with a rise limit each outcome counts at its own time", func(t *testing.T) {
		r := newRig(t, alone(evidence.Config{MaxRise: 2, MaxRiseWindow: time.Second}))
		r.fail(50)
		r.in(breaker.Closed)
		equal(t, "level", r.Snapshot().Evidence, 20.0/75)
		r.clock.Advance(time.Second)
		r.succeed(5) // opens the window, at 20 points
		r.fail(50)
		equal(t, "level", r.Snapshot().Evidence, 40.0/75)
	})
	t.Run("T6: the score is zero after every change of state", func(t *testing.T) {
		r := newRig(t, alone(evidence.Config{}))
		r.fail(7)
		r.move(breaker.MetricsOnly)
		r.fail(7)
		r.move(breaker.Closed)
		equal(t, "level", r.Snapshot().Evidence, 0)
		r.fail(7)
		r.in(breaker.Closed)
	})
}

func TestSlowEvidence(t *testing.T) {
	cfg := with(func(c *breaker.Config) {
		c.FailureRate = off
		c.SlowCall = breaker.SlowCallConfig{Duration: time.Second, Rate: off}
		c.SlowEvidence = &evidence.Config{}
	})
	slow := 2 * time.Second
	t.Run("T6: a second score on slow calls, alone with the whole budget", func(t *testing.T) {
		test, err := evidence.NewTest(evidence.Config{}.WithSlowDefaults(), 1)
		if err != nil {
			t.Fatal(err)
		}
		n := (test.Threshold() + test.Points() - 1) / test.Points()
		r := newRig(t, cfg)
		for range n - 1 {
			r.take(slow)
		}
		r.in(breaker.Closed)
		r.take(slow)
		r.in(breaker.Open)
		trip := r.Snapshot().LastTrip
		equal(t, "rule", trip.Rule, breaker.RuleSlowEvidence)
		if !strings.Contains(trip.Text(), "slow calls in") {
			t.Errorf("text: %s", trip.Text())
		}
	})
	t.Run("T6: both on share the budget: 79 points for failures, 44 for slow calls", func(t *testing.T) {
		both := cfg
		both.Evidence = &evidence.Config{}
		both.Evidence.Memory = off
		r := newRig(t, both)
		r.fail(1)
		equal(t, "failure level", r.Snapshot().Evidence, 10.0/79)
		r.take(slow)
		s := r.Snapshot()
		equal(t, "failure level after a slow success", s.Evidence, 9.0/79)
		equal(t, "slow level", s.SlowEvidence, 4.0/44)
		for range 9 {
			r.take(slow)
		}
		r.in(breaker.Closed)
		r.take(slow)
		r.in(breaker.Open)
		equal(t, "rule", r.Snapshot().LastTrip.Rule, breaker.RuleSlowEvidence)
		equal(t, "threshold", r.Snapshot().LastTrip.Evidence.Threshold, 44)
	})
	t.Run("T6: quick outcomes take slow points away", func(t *testing.T) {
		r := newRig(t, cfg)
		r.take(slow)
		r.succeed(2)
		r.fail(1)
		equal(t, "points", r.Snapshot().SlowEvidence*float64(threshold(t, cfg)), 1)
		r.succeed(1)
		equal(t, "points", r.Snapshot().SlowEvidence, 0)
	})
}

// threshold returns the points that the slow score of cfg needs.
func threshold(t *testing.T, cfg breaker.Config) int {
	t.Helper()
	test, err := evidence.NewTest(cfg.SlowEvidence.WithSlowDefaults(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return test.Threshold()
}

// A countingClock counts how often it is read.
type countingClock struct {
	*clock.Virtual
	reads atomic.Int64
}

func (c *countingClock) Mono() time.Duration { c.reads.Add(1); return c.Virtual.Mono() }

func TestClockReads(t *testing.T) {
	// How often the clock is read by one call after the breaker was made and, where
	// asked for, after a failure.
	reads := func(t *testing.T, cfg breaker.Config, failures int, call func(*breaker.Breaker)) int64 {
		t.Helper()
		clk := &countingClock{Virtual: clock.NewVirtual(start)}
		b := breaker.Must(breaker.New("stock", cfg, breaker.WithClock(clk)))
		for range 100 {
			succeedOnce(b)
		}
		for range failures {
			p, _ := b.Acquire(context.Background())
			p.Failure(errDown)
		}
		clk.reads.Store(0)
		call(b)
		return clk.reads.Load()
	}
	counted := with(func(c *breaker.Config) { c.MinimumCalls = 10 })
	t.Run("T6: a success with no evidence does not read the clock", func(t *testing.T) {
		cfg := counted
		cfg.Evidence = &evidence.Config{}
		equal(t, "reads", reads(t, cfg, 0, succeedOnce), 0)
	})
	t.Run("K1: a success in a count window does not read the clock", func(t *testing.T) {
		equal(t, "reads", reads(t, counted, 1, succeedOnce), 0)
		equal(t, "reads by Do", reads(t, counted, 0, func(b *breaker.Breaker) {
			_ = b.Do(context.Background(), func(context.Context) error { return nil })
		}), 0)
	})
	t.Run("K1: in a time window it reads it once, with slow calls once at either end", func(t *testing.T) {
		timed := breaker.Config{}
		equal(t, "reads", reads(t, timed, 0, succeedOnce), 1)
		timed.SlowCall.Duration = time.Second
		equal(t, "reads", reads(t, timed, 0, succeedOnce), 2)
	})
	t.Run("K2: a refusal reads it once", func(t *testing.T) {
		equal(t, "reads", reads(t, counted, 10, succeedOnce), 1)
	})
}

func succeedOnce(b *breaker.Breaker) {
	if p, err := b.Acquire(context.Background()); err == nil {
		p.Success()
	}
}
