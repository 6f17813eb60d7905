//go:build !race

// Millions of calls, each run in one goroutine: the race detector would find nothing, and
// take long.

package sim

import (
	"fmt"
	"testing"
)

// The same generator and the same 10,000 seeds: every published digit.
func TestOtherSeedsExactly(t *testing.T) {
	samples := manySeeds(t, MT19937, 10_000)
	for name, b := range publishedBands(t) {
		s := samples[name]
		equal(t, name+": runs", len(s), 10_000)
		const tolerance = 5e-5 + 1e-6 // four decimals
		near(t, name+": mean", s.mean(), b.Mean, tolerance)
		near(t, name+": deviation", s.deviation(), b.SD, tolerance)
		for _, q := range []struct{ at, want float64 }{
			{0, b.Min}, {0.005, b.Half}, {0.05, b.P5}, {0.5, b.P50}, {0.95, b.P95}, {0.995, b.Most}, {1, b.Max},
		} {
			near(t, fmt.Sprintf("%s: quantile %g", name, q.at), s.quantile(q.at), q.want, tolerance)
		}
	}
}
