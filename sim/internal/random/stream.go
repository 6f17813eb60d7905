// Package random is where chance in a simulation comes from: independent streams
// of random numbers, one for each purpose, all from one seed.
//
// # Model
//
// A [Stream] is a generator that was seeded with the seed of the run, a purpose
// and an index (of an instance, for example). So what one purpose draws never
// shifts what another one gets: a run with twice the errors has the same arrivals.
//
// # Contract
//
// Streams are deterministic and not safe for concurrent use. A draw does not
// allocate. Numbers are the same on every machine; functions of them that need a
// logarithm may differ in the last bit between processors.
package random

import (
	"math"
	"math/rand/v2"
)

// A Generator is an algorithm that makes random numbers.
type Generator uint8

const (
	// PCG is the permuted congruential generator PCG-DXSM of math/rand/v2:
	// small and fast. The default.
	PCG Generator = iota
	// MT19937 is the Mersenne Twister. See [Twister].
	MT19937
)

// A Stream is a sequence of random numbers. Use [NewStream].
type Stream struct {
	pcg     rand.PCG
	twister *Twister // nil for PCG
}

// NewStream returns the stream of a purpose under a seed. Streams with different
// arguments have nothing to do with each other.
//
// The stream of MT19937 is the same for all purposes: it is CPython's
// random.Random(seed), for those who want what that has drawn.
func NewStream(g Generator, seed, purpose, index uint64) Stream {
	var s Stream
	s.Seed(g, seed, purpose, index)
	return s
}

// Seed starts the stream anew, as [NewStream] does, and keeps its memory.
func (s *Stream) Seed(g Generator, seed, purpose, index uint64) {
	if g == MT19937 {
		if s.twister == nil {
			s.twister = new(Twister)
		}
		s.twister.Seed(twisterKey(seed)...)
		return
	}
	s.twister = nil
	// Neighbouring seeds must not give similar streams, and PCG by itself does
	// not see to that.
	a := mix(mix(mix(seed)+purpose) + index)
	s.pcg.Seed(a, mix(a+0x9e3779b97f4a7c15))
}

// twisterKey is the key that CPython makes of a whole number.
func twisterKey(seed uint64) []uint32 {
	if seed > math.MaxUint32 {
		return []uint32{uint32(seed), uint32(seed >> 32)}
	}
	return []uint32{uint32(seed)}
}

// mix is the finalizer of SplitMix64: every bit of x changes half of the result.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// CopyFrom makes s continue as from would, independently of it.
func (s *Stream) CopyFrom(from *Stream) {
	s.pcg = from.pcg
	if from.twister == nil {
		s.twister = nil
		return
	}
	if s.twister == nil {
		s.twister = new(Twister)
	}
	*s.twister = *from.twister
}

// Float64 returns a number from 0 up to but not including 1, in steps of 2⁻⁵³.
func (s *Stream) Float64() float64 {
	if s.twister != nil {
		return s.twister.Float64()
	}
	return float64(s.pcg.Uint64()>>11) * 0x1p-53
}

// Exponential returns an exponentially distributed number: the time to the next
// event of a Poisson process that has rate events in a unit of time. It takes one
// number of the stream.
func (s *Stream) Exponential(rate float64) float64 { return -Log(1-s.Float64()) / rate }

// Normal returns a normally distributed number with mean 0 and deviation 1. It
// takes one number of the stream, so that a stream of other distributions stays
// in step.
func (s *Stream) Normal() float64 {
	u := min(s.Float64()+0x1p-54, 1-0x1p-53) // 0 and 1 would be infinitely far away
	return math.Sqrt2 * math.Erfinv(2*u-1)
}
