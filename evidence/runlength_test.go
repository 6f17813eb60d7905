package evidence

import (
	"math"
	"testing"
)

func TestRunLength(t *testing.T) {
	t.Run("T6: if one bad outcome trips, it is the wait for it", func(t *testing.T) {
		near(t, "H = 1", RunLength(10, 1, 0.01, 1), 100, 1e-12)
		near(t, "H = m", RunLength(10, 10, 0.01, 1), 100, 1e-12)
		near(t, "in bursts", RunLength(10, 10, 0.01, 1.25), 125, 1e-12)
	})
	t.Run("T6: if all outcomes are bad, it is H/m rounded up", func(t *testing.T) {
		for _, c := range []struct{ m, h, want int }{{1, 1, 1}, {1, 7, 7}, {10, 75, 8}, {10, 70, 7}, {10, 71, 8}, {3, MaxThreshold, 33334}} {
			near(t, "mean calls", RunLength(c.m, c.h, 1, 1), float64(c.want), 1e-12)
		}
	})
	t.Run("T6: two in a row, by hand", func(t *testing.T) {
		// m 1, H 2, p 1/2: the mean e0 from 0 and e1 from 1 satisfy
		// e0 = 1 + e0/2 + e1/2 and e1 = 1 + e0/2, so e0 = 6.
		near(t, "mean calls", RunLength(1, 2, 0.5, 1), 6, 1e-12)
	})
	t.Run("T6: small rates keep their digits", func(t *testing.T) {
		// m 1, H 2 by hand again: (1 + 1/p) / p calls.
		near(t, "mean calls", RunLength(1, 2, 1e-9, 1), (1+1e9)*1e9, 1e-12)
	})
	t.Run("T6: no bad outcomes, no trip", func(t *testing.T) {
		equal(t, "independent", RunLength(10, 75, 0, 1), math.Inf(1))
		equal(t, "in bursts", RunLength(10, 75, 0, 2), math.Inf(1))
	})
	t.Run("T6: beyond float64 it is infinite, not nonsense", func(t *testing.T) {
		equal(t, "mean calls", RunLength(1, MaxThreshold, 0.001, 1), math.Inf(1))
	})
	t.Run("T6: arguments out of bounds", func(t *testing.T) {
		nan := math.NaN()
		for _, got := range []float64{
			RunLength(0, 1, 0.1, 1), RunLength(-1, 1, 0.1, 1),
			RunLength(1, 0, 0.1, 1), RunLength(1, -1, 0.1, 1), RunLength(1, MaxThreshold+1, 0.1, 1),
			RunLength(1, 1, -0.1, 1), RunLength(1, 1, 1.1, 1), RunLength(1, 1, nan, 1),
			RunLength(1, 1, 0.1, 0.9), RunLength(1, 1, 0.1, nan), RunLength(1, 1, 0.1, math.Inf(1)),
		} {
			if !math.IsNaN(got) {
				t.Errorf("got %v, want NaN", got)
			}
		}
	})
}
