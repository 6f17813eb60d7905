package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// draw makes values like those of a simulation: many equal, some huge.
func draw(rng *rand.Rand, n int) []time.Duration {
	values := make([]time.Duration, n)
	for i := range values {
		switch rng.IntN(4) {
		case 0:
			values[i] = 500 * time.Microsecond
		case 1:
			values[i] = time.Duration(rng.IntN(300))
		case 2:
			values[i] = time.Duration(rng.ExpFloat64() * 2e7)
		default:
			values[i] = time.Duration(rng.Int64N(1 << (10 + rng.IntN(52))))
		}
	}
	return values
}

// The naive quantiles: sort, and count.
func naiveAt(sorted []time.Duration, q float64) time.Duration {
	for i, v := range sorted {
		if float64(i+1) >= q*float64(len(sorted))-1e-9 {
			return v
		}
	}
	return sorted[len(sorted)-1]
}

func naiveLinear(sorted []time.Duration, q float64) time.Duration {
	place := q * float64(len(sorted)-1)
	low := int(math.Floor(place))
	high := min(low+1, len(sorted)-1)
	return sorted[low] + time.Duration(math.Round((place-float64(low))*float64(sorted[high]-sorted[low])))
}

func TestSeriesEqualsAModel(t *testing.T) {
	var sorter Sorter
	var s Series
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 0))
		values := draw(rng, 1+rng.IntN(1+rng.IntN(1500)))
		s.Reset()
		sum := 0.0
		for _, v := range values {
			s.Add(v)
			sum += float64(v)
		}
		sorted := slices.Sorted(slices.Values(values))
		name := fmt.Sprintf("seed %d: ", seed)

		nearest, linear := s.Upper(0.99, &sorter)
		equal(t, name+"Upper", nearest, naiveAt(sorted, 0.99))
		equal(t, name+"Upper, linear", linear, naiveLinear(sorted, 0.99))
		s.Sort(&sorter)
		for _, q := range []float64{0, 0.01, 0.5, 0.9, 0.99, 0.999, 1, rng.Float64()} {
			equal(t, name+"At", s.At(q), naiveAt(sorted, q))
			equal(t, name+"Linear", s.Linear(q), naiveLinear(sorted, q))
		}
		equal(t, name+"Max", s.Max(), sorted[len(sorted)-1])
		near(t, name+"Mean", float64(s.Mean()), sum/float64(len(values)), 1+1e-12*sum)

		// Any way to cut the values into parts gives the same union.
		var whole Series
		var parts []*Series
		for rest := values; len(rest) > 0; {
			n := 1 + rng.IntN(len(rest))
			p := seriesOf(rest[:n]...)
			p.Sort(&sorter)
			parts, rest = append(parts, p), rest[n:]
		}
		whole.Union(parts, &sorter)
		equal(t, name+"Count of the union", whole.Count(), s.Count())
		for _, q := range []float64{0, 0.5, 0.99, 1} {
			equal(t, name+"At of the union", whole.At(q), s.At(q))
		}
		if t.Failed() {
			return
		}
	}
}

func TestSorterEqualsAModel(t *testing.T) {
	var s Sorter
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 0))
		values := draw(rng, rng.IntN(3000))
		want := slices.Sorted(slices.Values(values))
		s.Sort(values)
		if !slices.Equal(values, want) {
			t.Fatalf("seed %d: not in order", seed)
		}
	}
}

func TestHistogramKeepsItsError(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for _, n := range []int{1, 10, 5000} {
		var h Histogram
		values := draw(rng, n)
		for _, v := range values {
			h.Add(v)
		}
		slices.Sort(values)
		for i, v := range values {
			got := h.Rank(uint64(i + 1))
			near(t, fmt.Sprintf("rank %d of %d", i+1, n), float64(got), float64(v), Error*float64(v))
		}
		equal(t, "beyond the last", h.Rank(uint64(n+1)), 0)
	}
	for v := time.Duration(1); v > 0; v <<= 1 { // around powers of two, to the largest
		for _, d := range []time.Duration{v - 1, v, v + 1} {
			near(t, "middle", float64(middle(bucketOf(d))), float64(d), Error*float64(d))
		}
	}
	near(t, "the largest", float64(middle(bucketOf(never))), float64(never), Error*float64(never))
}

func TestUnionOfHistograms(t *testing.T) {
	var sorter Sorter
	rng := rand.New(rand.NewPCG(1, 0))
	for name, sizes := range map[string][]int{
		"of values, too many": {60_000, 60_000},
		"of both":             {10, Exact + 1},
		"of histograms":       {Exact + 1, Exact + 1},
	} {
		var all []time.Duration
		var parts []*Series
		for _, n := range sizes {
			values := draw(rng, n)
			all = append(all, values...)
			p := seriesOf(values...)
			p.Sort(&sorter)
			parts = append(parts, p)
		}
		slices.Sort(all)
		var s Series
		s.Union(parts, &sorter)
		equal(t, name+": exact", s.IsExact(), false)
		equal(t, name+": Count", s.Count(), uint64(len(all)))
		equal(t, name+": Max", s.Max(), all[len(all)-1])
		for _, q := range []float64{0.1, 0.5, 0.9, 0.99} {
			want := float64(naiveAt(all, q))
			near(t, name+": At", float64(s.At(q)), want, Error*want)
		}
	}
}

func FuzzBucket(f *testing.F) {
	f.Add(int64(0))
	f.Add(int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, v int64) {
		if v < 0 {
			return // there are no such durations
		}
		b := bucketOf(time.Duration(v))
		if b < 0 || b >= buckets {
			t.Fatalf("%d falls into bucket %d of %d", v, b, buckets)
		}
		near(t, "middle", float64(middle(b)), float64(v), Error*float64(v))
	})
}
