package stats

import (
	"math/bits"
	"slices"
	"time"
)

const (
	digitBits = 11
	digits    = 1 << digitBits
	// radixFrom is the number of values from which sorting by digits is faster
	// than sorting by comparison.
	radixFrom = 256
)

// A Sorter puts durations in order. It keeps the memory that this takes. The zero
// value is ready.
type Sorter struct {
	other  []time.Duration
	counts [digits]uint32
}

// Sort sorts values that are not negative. Simulated latencies are many and not
// large, so it goes by their digits, the lowest first: three rounds up to eight
// seconds, and no branch that a processor could guess wrong.
func (s *Sorter) Sort(values []time.Duration) {
	if len(values) < radixFrom {
		slices.Sort(values)
		return
	}
	var top uint64
	for _, v := range values {
		top |= uint64(v)
	}
	s.other = slices.Grow(s.other[:0], len(values))[:len(values)]
	from, to := values, s.other
	for shift := 0; shift < bits.Len64(top); shift += digitBits {
		s.distribute(from, to, shift)
		from, to = to, from
	}
	if &from[0] != &values[0] {
		copy(values, from)
	}
}

// distribute puts the values in order of one digit, keeping the order of those
// where it is equal.
func (s *Sorter) distribute(from, to []time.Duration, shift int) {
	s.counts = [digits]uint32{}
	for _, v := range from {
		s.counts[uint64(v)>>shift%digits]++
	}
	sum := uint32(0)
	for i, n := range s.counts {
		s.counts[i] = sum
		sum += n
	}
	for _, v := range from {
		n := &s.counts[uint64(v)>>shift%digits]
		to[*n] = v
		*n++
	}
}

// merge appends the values of a and b, both in order, to dst in order.
func merge(dst, a, b []time.Duration) []time.Duration {
	for len(a) > 0 && len(b) > 0 {
		if a[0] <= b[0] {
			dst, a = append(dst, a[0]), a[1:]
		} else {
			dst, b = append(dst, b[0]), b[1:]
		}
	}
	return append(append(dst, a...), b...)
}
