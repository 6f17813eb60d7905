package random

import (
	"math"
	"slices"
	"testing"
)

func TestStreams(t *testing.T) {
	draw := func(s Stream) (list []float64) {
		for range 8 {
			list = append(list, s.Float64())
		}
		return list
	}
	t.Run("the same arguments, the same stream", func(t *testing.T) {
		for _, g := range []Generator{PCG, MT19937} {
			equal(t, "equal", slices.Equal(draw(NewStream(g, 1, 2, 3)), draw(NewStream(g, 1, 2, 3))), true)
		}
	})
	t.Run("any other argument, another stream", func(t *testing.T) {
		seen := map[float64]bool{}
		for seed := range uint64(20) {
			for purpose := range uint64(8) {
				for index := range uint64(20) {
					s := NewStream(PCG, seed, purpose, index)
					seen[s.Float64()] = true
				}
			}
		}
		equal(t, "different first numbers", len(seen), 20*8*20)
	})
	t.Run("MT19937 is CPython's for every purpose", func(t *testing.T) {
		s := NewStream(MT19937, 42, 0, 0)
		equal(t, "number", s.Float64(), 0.6394267984578837)
		s = NewStream(MT19937, 42, 3, 4)
		equal(t, "number", s.Float64(), 0.6394267984578837)
	})
	t.Run("a copy goes its own way", func(t *testing.T) {
		for _, g := range []Generator{PCG, MT19937} {
			a := NewStream(g, 1, 0, 0)
			a.Float64()
			var b Stream
			b.CopyFrom(&a)
			want := a.Float64()
			equal(t, "number", b.Float64(), want)
			b.Float64()
			b.CopyFrom(&a)
			equal(t, "number", b.Float64(), a.Float64())
		}
	})
	t.Run("from one generator to the other and back", func(t *testing.T) {
		var s Stream
		s.Seed(MT19937, 42, 0, 0)
		s.Seed(PCG, 42, 0, 0)
		fresh := NewStream(PCG, 42, 0, 0)
		equal(t, "number", s.Float64(), fresh.Float64())
		s.Seed(MT19937, 42, 0, 0)
		equal(t, "number", s.Float64(), 0.6394267984578837)
	})
}

// Neighbouring seeds must not give similar numbers: the correlation between the
// streams of seeds n and n+1 is what chance allows.
func TestNeighbouringSeeds(t *testing.T) {
	const n = 20_000
	sum := 0.0
	for seed := range uint64(n) {
		a, b := NewStream(PCG, seed, 0, 0), NewStream(PCG, seed+1, 0, 0)
		sum += (a.Float64() - 0.5) * (b.Float64() - 0.5) * 12
	}
	if r := sum / n; math.Abs(r) > 4/math.Sqrt(n) {
		t.Errorf("correlation %g", r)
	}
}

func TestDistributions(t *testing.T) {
	const n = 200_000
	for _, g := range []Generator{PCG, MT19937} {
		s := NewStream(g, 1, 0, 0)
		var uniform, exponential, normal, square, third float64
		for range n {
			u := s.Float64()
			if u < 0 || u >= 1 {
				t.Fatalf("%g is not from 0 up to 1", u)
			}
			uniform += u / n
			exponential += s.Exponential(50) / n
			z := s.Normal()
			normal += z / n
			square += z * z / n
			third += z * z * z / n
		}
		const sigmas = 4.5
		near := func(what string, got, want, deviation float64) {
			if math.Abs(got-want) > sigmas*deviation/math.Sqrt(n) {
				t.Errorf("generator %d: %s is %g, want %g", g, what, got, want)
			}
		}
		near("mean of uniform", uniform, 0.5, math.Sqrt(1.0/12))
		near("mean of exponential", exponential, 0.02, 0.02)
		near("mean of normal", normal, 0, 1)
		near("variance of normal", square, 1, math.Sqrt2)
		near("skewness of normal", third, 0, math.Sqrt(15))
	}
}

func TestDrawsDoNotAllocate(t *testing.T) {
	for _, g := range []Generator{PCG, MT19937} {
		s := NewStream(g, 1, 0, 0)
		equal(t, "allocations", testing.AllocsPerRun(1000, func() {
			s.Exponential(1)
			s.Normal()
		}), 0)
	}
}
