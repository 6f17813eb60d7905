package evidence

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestNewTest(t *testing.T) {
	t.Run("T6: the defaults", func(t *testing.T) {
		test := mustTest(t, Config{}, 1)
		equal(t, "config", test.Config(), Config{}.WithDefaults())
		equal(t, "points", test.Points(), 10)
		equal(t, "threshold", test.Threshold(), 75)
		equal(t, "a point fades in", test.per, 24*time.Second)
	})
	t.Run("T6: two tests share the budget", func(t *testing.T) {
		failures, slow := mustTest(t, Config{}, 2), mustTest(t, Config{}.WithSlowDefaults(), 2)
		equal(t, "failures: points", failures.Points(), 10)
		equal(t, "failures: threshold", failures.Threshold(), 79)
		equal(t, "slow: points", slow.Points(), 4)
		equal(t, "slow: threshold", slow.Threshold(), 44)
		joint := 1/failures.FalseTripCalls(0.01) + 1/slow.FalseTripCalls(0.05)
		if joint > 1e-8 {
			t.Errorf("together they trip falsely %v times per call", joint)
		}
		equal(t, "the config is the user's", failures.Config().CallsPerFalseTrip, 1e8)
	})
	t.Run("T6: shares out of bounds", func(t *testing.T) {
		for _, shares := range []int{0, -1, 3} {
			if _, err := NewTest(Config{}, shares); err == nil || !strings.Contains(err.Error(), "must be 1 or 2") {
				t.Errorf("shares %d: %v", shares, err)
			}
		}
	})
	t.Run("the error has every problem", func(t *testing.T) {
		_, err := NewTest(Config{Burst: 9, MaxRise: -1}, 1)
		equal(t, "error", err.Error(), "evidence: invalid configuration: "+
			"Burst = 9: must be from 1 to 4; MaxRise = -1: must be 0 (no limit) or more")
	})
	t.Run("T6: only a rise limit needs every outcome", func(t *testing.T) {
		equal(t, "without", mustTest(t, Config{}, 1).NeedsEveryOutcome(), false)
		equal(t, "with", mustTest(t, Config{MaxRise: 1}, 1).NeedsEveryOutcome(), true)
	})
	t.Run("T6: a rise limit out of reach cannot overflow", func(t *testing.T) {
		test := mustTest(t, Config{MaxRise: math.MaxInt}, 1)
		var s Score
		for range 7 {
			equal(t, "trip", s.Record(test, 0, true), false)
		}
		equal(t, "trip", s.Record(test, 0, true), true)
	})
}

func TestNumbersOfTest(t *testing.T) {
	test := mustTest(t, Config{}, 1)

	near(t, "T6: delay at 30 %", test.CallsToTrip(0.30), 33.2046, 1e-5)
	near(t, "T6: delay at 100 %", test.CallsToTrip(1), 8, 1e-12)
	near(t, "T6: guarantee", test.FalseTripCalls(0.01), 1.1214e8, 1e-4)
	equal(t, "T6: a rate that is none", math.IsNaN(test.FalseTripCalls(2)), true)

	t.Run("T6: daily chance of a false trip", func(t *testing.T) {
		near(t, "1/s", dailyChance(1e8, 1), 0.00086363, 1e-4)
		near(t, "1000/s", dailyChance(1e8, 1000), 0.578527, 1e-5)
		near(t, "small chances keep their digits", dailyChance(1e15, 1e-3), 8.64e-14, 1e-9)
		near(t, "of the test", test.DailyFalseTripChance(100), dailyChance(test.FalseTripCalls(0.01), 100), 1e-12)
		equal(t, "no traffic", test.DailyFalseTripChance(0), 0)
	})
	t.Run("T6: drift of the healthy rate", func(t *testing.T) {
		calls, exceeded := test.Drift(0.02)
		near(t, "twice", calls, RunLength(10, 75, 0.02, 1.1), 1e-12)
		equal(t, "exceeded at twice", exceeded, true)
		calls, exceeded = test.Drift(0.01)
		near(t, "as configured", calls, 1.1214e8, 1e-4)
		equal(t, "exceeded as configured", exceeded, false)
		calls, exceeded = test.Drift(0)
		equal(t, "never a failure", calls, math.Inf(1))
		equal(t, "exceeded without failures", exceeded, false)
		calls, exceeded = test.Drift(math.NaN())
		equal(t, "no observation", math.IsNaN(calls), true)
		equal(t, "exceeded without observation", exceeded, false)
	})
}
