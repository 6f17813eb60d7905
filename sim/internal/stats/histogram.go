package stats

import (
	"math/bits"
	"time"
)

// A Histogram counts durations in buckets that grow with the value: exact below
// 256 ns, and from there on 128 buckets for every doubling. The zero value is
// empty.
type Histogram struct {
	counts [buckets]uint64
}

const (
	fineBits = 7
	fine     = 1 << fineBits
	buckets  = (64 - fineBits) * fine

	// Error bounds the relative error of a quantile of a histogram: half the
	// width of a bucket.
	Error = 1.0 / (2 * fine)
)

// bucketOf returns the bucket of a value: its octave and the seven bits that
// follow the leading one.
func bucketOf(d time.Duration) int {
	v := uint64(d)
	if v < 2*fine {
		return int(v)
	}
	shift := bits.Len64(v) - fineBits - 1
	return shift*fine + int(v>>shift)
}

// middle returns the value that stands for a bucket.
func middle(bucket int) time.Duration {
	if bucket < 2*fine {
		return time.Duration(bucket)
	}
	shift := bucket/fine - 1
	return time.Duration((uint64(bucket-shift*fine) << shift) + 1<<(shift-1))
}

// Add counts one value, which must not be negative.
func (h *Histogram) Add(d time.Duration) { h.counts[bucketOf(d)]++ }

// Merge adds the counts of o.
func (h *Histogram) Merge(o *Histogram) {
	for i, n := range o.counts {
		h.counts[i] += n
	}
}

// Reset empties the histogram.
func (h *Histogram) Reset() { *h = Histogram{} }

// Rank returns the value of rank r in order of size, the smallest being 1. It is 0
// if there are fewer.
func (h *Histogram) Rank(r uint64) time.Duration {
	for i, n := range h.counts {
		if r <= n {
			return middle(i)
		}
		r -= n
	}
	return 0
}
