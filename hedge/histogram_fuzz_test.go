package hedge

import (
	"math"
	"testing"
	"time"
)

// Every duration falls into a bucket that tells it with the error that is documented.
func FuzzBucket(f *testing.F) {
	for _, d := range []int64{0, 1, 1024, 31 << 10, 32 << 10, 1 << 51, math.MaxInt64, -1} {
		f.Add(d)
	}
	f.Fuzz(func(t *testing.T, n int64) {
		d := time.Duration(n)
		i := bucketOf(d)
		if i < 0 || i > maxIndex {
			t.Fatalf("bucket %d of %d", i, d)
		}
		if d < 0 || i == maxIndex {
			return
		}
		if upper := upperOf(i); upper < d || upper-d > max(1023, d/16) {
			t.Errorf("%d is told as %d", d, upper)
		}
	})
}
