// Package stats sums up what a simulation measures, in memory that does not grow
// with the number of measurements.
//
// # Model
//
// A [Series] takes durations. Up to [Exact] of them it keeps, and its quantiles
// are exact; with one more it becomes a histogram, whose quantiles are off by at
// most [Error]. A [Level] follows a number that goes up and down with time.
//
// # Contract
//
// Nothing here is safe for concurrent use. Adding does not allocate once a series
// has its memory; [Series.Reset] keeps it.
package stats

import (
	"math"
	"time"
)

// Exact is how many values a series keeps.
const Exact = 100_000

// A Series is a set of durations. The zero value is empty.
type Series struct {
	count  uint64
	sum    float64 // of nanoseconds; counts up to 2⁵³ ns, three months, without rounding
	max    time.Duration
	values []time.Duration
	hist   *Histogram
	over   bool // hist holds everything, values nothing
	sorted bool
}

// Add puts one value in. A negative one counts as zero.
func (s *Series) Add(d time.Duration) {
	d = max(d, 0)
	s.count++
	s.sum += float64(d)
	s.max = max(s.max, d)
	if s.over {
		s.hist.Add(d)
		return
	}
	if len(s.values) == Exact {
		s.spill()
		s.hist.Add(d)
		return
	}
	s.values = append(s.values, d)
	s.sorted = false
}

// spill moves the values into the histogram.
func (s *Series) spill() {
	if s.hist == nil {
		s.hist = new(Histogram)
	}
	for _, v := range s.values {
		s.hist.Add(v)
	}
	s.values, s.over = s.values[:0], true
}

// Reset empties the series and keeps its memory.
func (s *Series) Reset() {
	if s.over {
		s.hist.Reset()
	}
	*s = Series{values: s.values[:0], hist: s.hist}
}

// Count returns the number of values.
func (s *Series) Count() uint64 { return s.count }

// Mean returns the arithmetic mean, rounded to a nanosecond; 0 if there are no
// values.
func (s *Series) Mean() time.Duration {
	if s.count == 0 {
		return 0
	}
	return time.Duration(math.Round(s.sum / float64(s.count)))
}

// Max returns the largest value, 0 if there is none. It is always exact.
func (s *Series) Max() time.Duration { return s.max }

// IsExact reports whether the quantiles are those of the values themselves.
func (s *Series) IsExact() bool { return !s.over }

// Sort puts what is kept in order, as [Series.At] and [Union] need it.
func (s *Series) Sort(with *Sorter) {
	if !s.sorted {
		with.Sort(s.values)
		s.sorted = true
	}
}

// At returns the quantile q, from 0 to 1, by nearest rank: the smallest value that
// has at least a share q of all values at or below it. It is 0 if there are none.
// The series must be sorted.
func (s *Series) At(q float64) time.Duration {
	switch {
	case s.count == 0:
		return 0
	case s.over:
		return min(s.hist.Rank(Rank(q, s.count)), s.max)
	}
	return s.values[Rank(q, s.count)-1]
}

// Linear returns the quantile by linear interpolation between the two nearest
// values, at the place q × (n−1) from 0: the default of NumPy and R. Of a
// histogram it is the same as At. The series must be sorted.
func (s *Series) Linear(q float64) time.Duration {
	if s.count == 0 || s.over {
		return s.At(q)
	}
	place := q * float64(len(s.values)-1)
	i := int(place)
	return between(place, s.values[i], s.values[min(i+1, len(s.values)-1)])
}

// between interpolates at the fraction of place.
func between(place float64, low, high time.Duration) time.Duration {
	return low + time.Duration(math.Round((place-math.Floor(place))*float64(high-low)))
}

// highest is how many of the largest values Upper looks for without sorting.
const highest = 8

// Upper returns At and Linear of a high quantile. If it is among the few largest
// values, a look at each is enough, and the series need not be sorted; else it is.
func (s *Series) Upper(q float64, with *Sorter) (nearest, linear time.Duration) {
	n := len(s.values)
	place := q * float64(n-1)
	if n == 0 || s.over || n-int(place) > highest {
		s.Sort(with)
		return s.At(q), s.Linear(q)
	}
	var top [highest]time.Duration // in falling order
	keep := n - int(place)
	for _, v := range s.values {
		if v <= top[keep-1] {
			continue
		}
		i := keep - 1
		for ; i > 0 && top[i-1] < v; i-- {
			top[i] = top[i-1]
		}
		top[i] = v
	}
	return top[n-int(Rank(q, s.count))], between(place, top[keep-1], top[max(keep-2, 0)])
}

// Union makes s hold all values of parts, which must be sorted. It is sorted, too.
func (s *Series) Union(parts []*Series, with *Sorter) {
	s.Reset()
	for _, p := range parts {
		s.count, s.sum, s.max = s.count+p.count, s.sum+p.sum, max(s.max, p.max)
		s.over = s.over || p.over
	}
	if s.count > Exact {
		s.over = true
	}
	if !s.over {
		s.sorted = true
		for _, p := range parts {
			with.other = merge(with.other[:0], s.values, p.values)
			s.values, with.other = with.other, s.values
		}
		return
	}
	if s.hist == nil {
		s.hist = new(Histogram)
	}
	for _, p := range parts {
		if p.over {
			s.hist.Merge(p.hist)
			continue
		}
		for _, v := range p.values {
			s.hist.Add(v)
		}
	}
}

// Rank is the nearest rank of a quantile among n values, from 1 to n. A share that
// binary fractions cannot say exactly does not push the rank up: 0.99 of 100 is
// the 99th.
func Rank(q float64, n uint64) uint64 {
	r := math.Ceil(q*float64(n) - 1e-9)
	return uint64(min(max(r, 1), float64(n)))
}
