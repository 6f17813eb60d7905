package stats

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func BenchmarkAdd(b *testing.B) {
	b.Run("values", func(b *testing.B) {
		var s Series
		for i := 0; b.Loop(); i++ {
			if i%Exact == 0 {
				s.Reset()
			}
			s.Add(time.Duration(i))
		}
	})
	b.Run("histogram", func(b *testing.B) {
		var s Series
		for range Exact + 1 {
			s.Add(1)
		}
		for i := 0; b.Loop(); i++ {
			s.Add(time.Duration(i) << 8)
		}
	})
}

// Sorting a copy of so many latencies, beside the standard library.
func BenchmarkSort(b *testing.B) {
	for _, n := range []int{100, 3000, Exact} {
		rng := rand.New(rand.NewPCG(1, 0))
		values := make([]time.Duration, n)
		for i := range values {
			values[i] = time.Duration(rng.ExpFloat64() * 2e7)
		}
		work := make([]time.Duration, n)
		var s Sorter
		b.Run(fmt.Sprint("digits/", n), func(b *testing.B) {
			for b.Loop() {
				copy(work, values)
				s.Sort(work)
			}
		})
		b.Run(fmt.Sprint("slices.Sort/", n), func(b *testing.B) {
			for b.Loop() {
				copy(work, values)
				slices.Sort(work)
			}
		})
	}
}
