package random

import (
	"math"
	"math/rand/v2"
	"testing"
)

var sink float64

func BenchmarkLog(b *testing.B) {
	x := 0.3
	for b.Loop() {
		x += 1e-9
		sink += Log(x)
	}
}

func BenchmarkMathLog(b *testing.B) {
	x := 0.3
	for b.Loop() {
		x += 1e-9
		sink += math.Log(x)
	}
}

func BenchmarkFloat64(b *testing.B) {
	for name, g := range map[string]Generator{"pcg": PCG, "mt19937": MT19937} {
		b.Run(name, func(b *testing.B) {
			s := NewStream(g, 1, 0, 0)
			for b.Loop() {
				sink += s.Float64()
			}
		})
	}
	b.Run("math/rand/v2", func(b *testing.B) {
		r := rand.New(rand.NewPCG(1, 2))
		for b.Loop() {
			sink += r.Float64()
		}
	})
}

func BenchmarkSeed(b *testing.B) {
	for name, g := range map[string]Generator{"pcg": PCG, "mt19937": MT19937} {
		b.Run(name, func(b *testing.B) {
			var s Stream
			for seed := uint64(0); b.Loop(); seed++ {
				s.Seed(g, seed, 0, 0)
			}
		})
	}
}
