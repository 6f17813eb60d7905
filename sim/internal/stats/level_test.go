package stats

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

func TestLevel(t *testing.T) {
	l := NewLevel([]time.Duration{10, 20})
	l.Add(2, 1)
	l.Add(4, 1)
	l.Add(8, 1)
	l.Add(12, -1)
	l.Add(14, 1)
	l.Add(16, -3)
	l.Add(25, 0)

	peak, at, average := l.Between(0, 10)
	equal(t, "peak", peak, 3)
	equal(t, "at", at, 8)
	near(t, "average", average, (2*1+4*2+2*3)/10.0, 1e-12)

	peak, at, average = l.Between(10, 20)
	equal(t, "peak, which a change within has reached again", peak, 3)
	equal(t, "at", at, 14)
	near(t, "average", average, (2*3+2*2+2*3)/10.0, 1e-12)

	peak, at, _ = l.Between(0, 20)
	equal(t, "peak", peak, 3)
	equal(t, "at", at, 8)
	equal(t, "Number", l.Number(), 0)

	t.Run("what there was to begin with counts if nothing reaches it", func(t *testing.T) {
		l := NewLevel([]time.Duration{10, 20})
		l.Add(5, 7)
		l.Add(15, -2)
		l.Add(30, 0)
		peak, at, average := l.Between(10, 20)
		equal(t, "peak", peak, 7)
		equal(t, "at", at, 10)
		near(t, "average", average, 6, 1e-12)
	})
	t.Run("Reset", func(t *testing.T) {
		l.Reset()
		l.Add(20, 0)
		peak, _, average := l.Between(0, 20)
		equal(t, "peak", peak, 0)
		equal(t, "average", average, 0)
	})
	t.Run("several cuts in one step", func(t *testing.T) {
		l := NewLevel([]time.Duration{1, 2, 3, 4})
		l.Add(0, 5)
		l.Add(100, -5)
		peak, at, average := l.Between(2, 3)
		equal(t, "peak", peak, 5)
		equal(t, "at", at, 2)
		near(t, "average", average, 5, 1e-12)
	})
}

// The model keeps the number for every nanosecond.
func TestLevelEqualsAModel(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 0))
		const end = 200
		cuts := []time.Duration{time.Duration(20 + rng.IntN(40)), time.Duration(80 + rng.IntN(40)), end}
		l := NewLevel(cuts)
		var number [end]int64
		var now time.Duration
		for now < end {
			delta := int64(rng.IntN(7) - 3)
			l.Add(now, delta)
			for i := now; i < end; i++ {
				number[i] += delta
			}
			now += time.Duration(rng.IntN(10))
		}
		l.Add(max(now, end), 0)
		from := time.Duration(0)
		for _, to := range cuts {
			var sum int64
			for _, n := range number[from:to] {
				sum += n
			}
			_, _, average := l.Between(from, to)
			near(t, fmt.Sprintf("seed %d, average from %d to %d", seed, from, to), average, float64(sum)/float64(to-from), 1e-9)
			from = to
		}
		if t.Failed() {
			return
		}
	}
}
