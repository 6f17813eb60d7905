package hedge

import (
	"math/bits"
	"time"
)

// The histogram's buckets: those below 16 units are one unit wide, and from there on
// each power of two is divided into 16. So a bucket is never wider than 1/16 of the
// values in it, or than one unit where that is more.
const (
	unitBits = 10 // a unit is 1.024 µs
	steps    = 16 // buckets to a power of two
	maxIndex = 623
	buckets  = maxIndex + 1 // up to 2^41 units, 26 days; the last one takes the rest
)

// bucketOf returns the number of the bucket that holds d.
func bucketOf(d time.Duration) int {
	units := uint64(max(d, 0)) >> unitBits
	power := bits.Len64(units) - bits.Len64(2*steps-1)
	if power <= 0 {
		return int(units)
	}
	return min(power*steps+int(units>>power), maxIndex)
}

// upperOf returns the longest duration that bucket i holds.
func upperOf(i int) time.Duration {
	power := max(i/steps-1, 0)
	units := int64(i-power*steps+1) << power
	return time.Duration(units<<unitBits - 1)
}

// rankOf returns which of n samples in ascending order is the percentile, given in
// hundredths of a percent: the nearest rank, from 1 to n.
func rankOf(hundredths int64, n uint64) uint64 {
	// Split so that no product overflows: n is h·10000 + l.
	h, l := n/100_00, n%100_00
	p := uint64(hundredths)
	return max(h*p+(l*p+99_99)/100_00, 1)
}
