//go:build !race

// Millions of calls, each run in one goroutine: the race detector would find nothing, and
// take long.

package sim

import (
	"runtime"
	"testing"
)

// Ten million calls leave no more behind than ten thousand.
func TestMemory(t *testing.T) {
	dense := ReferenceConfig(true)
	dense.Load.Rate = 10e6 / 60
	dense.Client.Call.Timeout = 100 * ms // or a third of a million calls would be in progress
	dense.Client.Call.Breaker.Window.Calls = 10_000
	long := ReferenceConfig(true)
	long.Duration = 200_000 * second
	for name, cfg := range map[string]Config{"in a minute": dense, "in two days": long} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		r := simulate(t, cfg, 1)
		runtime.ReadMemStats(&after)
		if r.Whole.Requests < 9_900_000 {
			t.Errorf("%s: only %d calls", name, r.Whole.Requests)
		}
		// All that was ever allocated, freed or not, bounds what was in use.
		const bound = 64 << 20
		if total := after.TotalAlloc - before.TotalAlloc; total > bound {
			t.Errorf("%s: %d calls have allocated %d MiB", name, r.Whole.Requests, total>>20)
		} else {
			t.Logf("%s: %d calls have allocated %.1f MiB", name, r.Whole.Requests, float64(total)/(1<<20))
		}
		equal(t, "QuantileError", r.Whole.QuantileError > 0, true)
	}
}
