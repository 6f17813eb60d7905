package evidence

import (
	"sync"
	"testing"
	"time"
)

// TestOneTestForManyScores: a Test may be shared by goroutines, each with a
// score of its own. The race detector watches.
func TestOneTestForManyScores(t *testing.T) {
	test := mustTest(t, Config{MaxRise: 3}, 2)
	var wg sync.WaitGroup
	trips := make([]int, 8)
	for g := range trips {
		wg.Go(func() {
			var s Score
			for i := range time.Duration(2000) {
				if s.Record(test, i*time.Millisecond, i%3 == 0) {
					trips[g]++
					s.Reset()
				}
			}
			_ = s.Report(test, time.Second).Text("failure")
			_, _ = test.Drift(0.02)
		})
	}
	wg.Wait()
	for _, n := range trips {
		equal(t, "T6: trips", n, trips[0])
		equal(t, "T6: at a third bad it trips", n > 0, true)
	}
}
