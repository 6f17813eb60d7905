package stats

import (
	"testing"
	"time"
)

func seriesOf(values ...time.Duration) *Series {
	s := new(Series)
	for _, v := range values {
		s.Add(v)
	}
	return s
}

func TestRank(t *testing.T) {
	for _, tt := range []struct {
		q    float64
		n    uint64
		want uint64
	}{
		{0, 10, 1}, {0.5, 10, 5}, {0.5, 11, 6}, {0.99, 100, 99}, {0.99, 101, 100}, {0.99, 50, 50},
		{0.07, 100, 7}, {1, 10, 10}, {0.999, 1000, 999}, {0.5, 1, 1},
	} {
		equal(t, "rank", Rank(tt.q, tt.n), tt.want)
	}
}

func TestSeries(t *testing.T) {
	var sorter Sorter
	t.Run("empty", func(t *testing.T) {
		var s Series
		equal(t, "Mean", s.Mean(), 0)
		equal(t, "Max", s.Max(), 0)
		equal(t, "At", s.At(0.5), 0)
		equal(t, "Linear", s.Linear(0.5), 0)
		nearest, linear := s.Upper(0.99, &sorter)
		equal(t, "Upper", nearest, 0)
		equal(t, "Upper", linear, 0)
	})
	t.Run("one value", func(t *testing.T) {
		s := seriesOf(7)
		s.Sort(&sorter)
		equal(t, "At", s.At(0.01), 7)
		equal(t, "Linear", s.Linear(0.99), 7)
	})
	t.Run("the two kinds of quantile", func(t *testing.T) {
		s := seriesOf(40, 10, 30, 20)
		s.Sort(&sorter)
		equal(t, "At", s.At(0.5), 20)
		equal(t, "Linear", s.Linear(0.5), 25)
		equal(t, "At", s.At(0.99), 40)
		equal(t, "Linear", s.Linear(0.9), 37)
		equal(t, "Mean", s.Mean(), 25)
		equal(t, "Max", s.Max(), 40)
		equal(t, "Count", s.Count(), 4)
	})
	t.Run("a negative value is none", func(t *testing.T) {
		s := seriesOf(-5, 3)
		s.Sort(&sorter)
		equal(t, "At", s.At(0.5), 0)
		equal(t, "Mean", s.Mean(), 2)
	})
	t.Run("exact up to the bound, a histogram with one more", func(t *testing.T) {
		var s Series
		for i := range Exact {
			s.Add(time.Duration(i+1) * time.Microsecond)
		}
		s.Sort(&sorter)
		equal(t, "exact", s.IsExact(), true)
		equal(t, "At", s.At(0.5), Exact/2*time.Microsecond)
		s.Add(time.Second)
		s.Sort(&sorter)
		equal(t, "exact", s.IsExact(), false)
		near(t, "At", float64(s.At(0.5)), float64(Exact/2*time.Microsecond), Error*float64(Exact/2*time.Microsecond))
		equal(t, "Max", s.Max(), time.Second)
		equal(t, "the last quantile", s.At(1), time.Second)
		equal(t, "Count", s.Count(), Exact+1)
		s.Reset()
		equal(t, "exact", s.IsExact(), true)
		s.Add(3)
		s.Sort(&sorter)
		equal(t, "At", s.At(1), 3)
	})
}

func TestSeriesDoesNotAllocate(t *testing.T) {
	var s Series
	for range Exact + 1 {
		s.Add(1)
	}
	equal(t, "allocations", testing.AllocsPerRun(10, func() {
		s.Reset()
		for i := range Exact + 10 {
			s.Add(time.Duration(i))
		}
	}), 0)
}
