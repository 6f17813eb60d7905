package window

import (
	"fmt"
	"math"
	"testing"
	"time"
	"unsafe"
)

const second = time.Second

func TestTime(t *testing.T) {
	t.Run("C3: the four kinds", func(t *testing.T) {
		w := NewTime(10*second, 10)
		equal(t, "empty", w.Counts(0), Counts{})
		good(w, 0, 4)
		failed(w, second, 3)
		slow(w, 2*second, 2)
		slowFailed(w, 3*second, 1)
		equal(t, "counts", w.Counts(3*second), Counts{Calls: 10, Failed: 4, Slow: 3, SlowFailed: 1})
	})
	t.Run("W2: visible for between N-1 buckets and N", func(t *testing.T) {
		for _, buckets := range []int{1, 2, 10, 60} {
			w := NewTime(time.Duration(buckets)*second, buckets)
			first, last := 5*second, 6*second-1 // of one bucket
			failed(w, first, 1)
			failed(w, last, 1)
			end := last + time.Duration(buckets-1)*second
			name := fmt.Sprint("buckets: ", buckets)
			equal(t, name+", the last instant", w.Counts(end), Counts{Calls: 2, Failed: 2})
			equal(t, name+", an instant later", w.Counts(end+1), Counts{})
		}
	})
	t.Run("W2: buckets are cut at multiples of their length since the clock's origin", func(t *testing.T) {
		w := NewTime(2*second, 2)
		failed(w, second-1, 1)
		failed(w, second, 1)
		equal(t, "both", w.Counts(2*second-1), Counts{Calls: 2, Failed: 2})
		equal(t, "the later one", w.Counts(2*second), Counts{Calls: 1, Failed: 1})
		equal(t, "none", w.Counts(3*second), Counts{})
	})
	t.Run("W2: also before the origin", func(t *testing.T) {
		w := NewTime(2*second, 2)
		failed(w, -1, 1)
		failed(w, 0, 1)
		equal(t, "both", w.Counts(second-1), Counts{Calls: 2, Failed: 2})
		equal(t, "the later one", w.Counts(second), Counts{Calls: 1, Failed: 1})
	})
	t.Run("W2: an outcome older than the newest bucket goes into the newest", func(t *testing.T) {
		w := NewTime(10*second, 10)
		failed(w, 100*second, 1)
		slow(w, 20*second, 1)
		good(w, -20*second, 1)
		all := Counts{Calls: 3, Failed: 1, Slow: 1}
		equal(t, "at once", w.Counts(100*second), all)
		equal(t, "just before the newest leaves", w.Counts(110*second-1), all)
		equal(t, "when it leaves", w.Counts(110*second), Counts{})
	})
	t.Run("W2: after any idle gap only what came after it counts", func(t *testing.T) {
		for _, gap := range []time.Duration{10 * second, 11 * second, time.Hour, 1e6 * time.Hour} {
			w := NewTime(10*second, 10)
			for at := range 10 {
				slowFailed(w, time.Duration(at)*second, 3)
			}
			good(w, 9*second+gap, 1)
			equal(t, gap.String(), w.Counts(9*second+gap), Counts{Calls: 1})
		}
	})
	t.Run("S6: asking changes nothing, however far ahead", func(t *testing.T) {
		w := NewTime(10*second, 10)
		failed(w, 5*second, 1)
		equal(t, "ahead", w.Counts(time.Hour), Counts{})
		equal(t, "End ahead", w.End(time.Hour), time.Hour+second)
		for range w.Buckets(time.Hour) {
			t.Error("there is a bucket")
		}
		w.Resize(time.Hour, time.Minute, 60)
		good(w, 6*second, 1)
		equal(t, "back again", w.Counts(6*second), Counts{Calls: 2, Failed: 1})
		equal(t, "a bucket of its own", w.Counts(15*second), Counts{Calls: 1})
	})
	t.Run("a question about the past is one about the newest bucket", func(t *testing.T) {
		w := NewTime(10*second, 10)
		failed(w, 50*second, 1)
		failed(w, 59*second, 1)
		equal(t, "counts", w.Counts(0), Counts{Calls: 2, Failed: 2})
	})
}

func TestTimeBucketLength(t *testing.T) {
	tests := []struct {
		length  time.Duration
		buckets int
		want    time.Duration
	}{
		{60 * second, 60, second},
		{10, 3, 4}, // rounded up
		{9, 3, 3},
		{second, 7, 142_857_143},
		{3, 10, 1}, // more buckets than nanoseconds
		{0, 5, 1},
		{-second, 5, 1},
		{second, 0, second},
		{second, -5, second},
		{math.MaxInt64, 1, math.MaxInt64},
		{math.MaxInt64, 2, 1 << 62},
	}
	for _, test := range tests {
		w := NewTime(test.length, test.buckets)
		equal(t, fmt.Sprintf("%d in %d buckets", test.length, test.buckets), w.End(0), test.want)
	}
}

func TestTimeEnd(t *testing.T) {
	w := NewTime(10*second, 10)
	equal(t, "of an empty window", w.End(1500*time.Millisecond), 2*second)
	equal(t, "before the origin", w.End(-1), 0)
	failed(w, 5*second, 1)
	equal(t, "of the newest bucket", w.End(5*second), 6*second)
	equal(t, "an instant before it", w.End(6*second-1), 6*second)
	equal(t, "of the next", w.End(6*second), 7*second)
	equal(t, "for an older time, that of the newest", w.End(0), 6*second)
	equal(t, "at the end of time", w.End(math.MaxInt64), math.MaxInt64)
	w.Reset()
	equal(t, "after a reset", w.End(0), second)
}

func TestTimeGood(t *testing.T) {
	t.Run("none for zero or less", func(t *testing.T) {
		w := NewTime(10*second, 10)
		failed(w, 0, 1)
		w.Good(time.Hour, 0)
		w.Good(time.Hour, -1)
		w.Good(time.Hour, math.MinInt64)
		equal(t, "counts", w.Counts(0), Counts{Calls: 1, Failed: 1})
		equal(t, "the newest bucket", w.End(0), second)
	})
	t.Run("any number, filed at its time", func(t *testing.T) {
		w := NewTime(10*second, 10)
		w.Good(0, 1e15)
		w.Good(second, 5)
		failed(w, second, 1)
		equal(t, "all", w.Counts(second), Counts{Calls: 1e15 + 6, Failed: 1})
		equal(t, "the later ones", w.Counts(10*second), Counts{Calls: 6, Failed: 1})
	})
	t.Run("saved up until the bucket ends", func(t *testing.T) {
		one, lump := NewTime(3*second, 3), NewTime(3*second, 3)
		for now := time.Duration(0); now < second; now += 50 * time.Millisecond {
			good(one, now, 1)
		}
		lump.Good(second-1, 20)
		for now := range 5 * second / (100 * time.Millisecond) {
			at := now * 100 * time.Millisecond
			equal(t, at.String(), lump.Counts(at), one.Counts(at))
		}
	})
}

func TestTimeAdd(t *testing.T) {
	t.Run("like single outcomes", func(t *testing.T) {
		w := NewTime(10*second, 10)
		w.Add(second, Counts{Calls: 10, Failed: 4, Slow: 3, SlowFailed: 1})
		w.Add(0, Counts{Calls: 1, Failed: 1})
		equal(t, "counts", w.Counts(second), Counts{Calls: 11, Failed: 5, Slow: 3, SlowFailed: 1})
		equal(t, "later", w.Counts(11*second), Counts{})
	})
	t.Run("what no list of outcomes can have is ignored", func(t *testing.T) {
		w := NewTime(10*second, 10)
		for _, c := range []Counts{
			{},
			{Calls: -1},
			{Calls: 1, Failed: 2},
			{Calls: 1, Slow: 2},
			{Calls: 2, Failed: -1},
			{Calls: 2, Slow: -1},
			{Calls: 2, Failed: 1, Slow: 1, SlowFailed: -1},
			{Calls: 3, Failed: 1, Slow: 2, SlowFailed: 2},
			{Calls: 3, Failed: 2, Slow: 2, SlowFailed: 0}, // four outcomes at least
			{Calls: 1<<62 + 1},
			{Calls: math.MaxInt64, Failed: math.MaxInt64, Slow: math.MaxInt64},
		} {
			w.Add(0, c)
			equal(t, fmt.Sprintf("after %+v", c), w.Counts(0), Counts{})
		}
		w.Add(0, Counts{Calls: 1 << 62})
		w.Add(0, Counts{Calls: 1})
		equal(t, "more than it can count", w.Counts(0), Counts{Calls: 1 << 62})
	})
}

func TestTimeReset(t *testing.T) {
	w := NewTime(10*second, 10)
	slowFailed(w, 5*second, 3)
	slowFailed(w, 100*second, 3)
	w.Reset()
	equal(t, "empty", w.Counts(100*second), Counts{})
	failed(w, 50*second, 1)
	equal(t, "the newest bucket is forgotten", w.End(50*second), 51*second)
	for at := 50 * second; at < 60*second; at += second {
		good(w, at, 1)
	}
	equal(t, "nothing comes back", w.Counts(59*second), Counts{Calls: 11, Failed: 1})
}

func TestTimeBuckets(t *testing.T) {
	w := NewTime(5*second, 5)
	list := func(now time.Duration) (s string) {
		for start, c := range w.Buckets(now) {
			s += fmt.Sprintf("%v:%d/%d/%d/%d ", start, c.Calls, c.Failed, c.Slow, c.SlowFailed)
		}
		return s
	}
	equal(t, "none in an empty window", list(0), "")
	good(w, 100*second, 1)
	failed(w, 102*second+1, 2)
	slowFailed(w, 103*second-1, 3)
	slow(w, 104*second, 4)
	equal(t, "oldest first, without empty ones", list(104*second), "1m40s:1/0/0/0 1m42s:5/5/3/3 1m44s:4/0/4/0 ")
	equal(t, "only what is visible", list(105*second), "1m42s:5/5/3/3 1m44s:4/0/4/0 ")
	equal(t, "the last", list(108*second), "1m44s:4/0/4/0 ")
	equal(t, "all gone", list(109*second), "")
	equal(t, "long gone", list(math.MaxInt64), "")
	for start := range w.Buckets(104 * second) {
		equal(t, "the reader may stop", start, 100*second)
		break
	}
	w = NewTime(7, 1)
	failed(w, math.MinInt64, 1)
	for start := range w.Buckets(math.MinInt64) {
		equal(t, "a bucket cut off by the beginning of time", start, math.MinInt64)
	}
}

func TestTimeResize(t *testing.T) {
	filled := func() *Time {
		w := NewTime(10*second, 10)
		for at := range 10 {
			failed(w, time.Duration(at)*second, 1)
		}
		return w
	}
	t.Run("W6: fewer buckets keep the newest", func(t *testing.T) {
		w := filled().Resize(9*second, 4*second, 4)
		equal(t, "at once", w.Counts(9*second), Counts{Calls: 4, Failed: 4})
		equal(t, "later", w.Counts(11*second), Counts{Calls: 2, Failed: 2})
		equal(t, "the bucket goes on", w.End(9*second), 10*second)
	})
	t.Run("W6: more buckets keep all, and keep it longer", func(t *testing.T) {
		w := filled().Resize(9*second, 20*second, 20)
		equal(t, "at once", w.Counts(9*second), Counts{Calls: 10, Failed: 10})
		equal(t, "in the last instant", w.Counts(20*second-1), Counts{Calls: 10, Failed: 10})
		equal(t, "later", w.Counts(20*second), Counts{Calls: 9, Failed: 9})
	})
	t.Run("W6: what had left the window does not come back in a larger one", func(t *testing.T) {
		// At 15 s the window shows 6 … 9; nothing recorded since has made it drop the rest.
		w := filled().Resize(15*second, 20*second, 20)
		equal(t, "counts", w.Counts(15*second), Counts{Calls: 4, Failed: 4})
		equal(t, "from an idle window", filled().Resize(time.Hour, 2*time.Hour, 60).Counts(time.Hour), Counts{})
	})
	t.Run("W6: longer buckets", func(t *testing.T) {
		w := filled().Resize(9*second, 10*second, 2) // now of 5 s: 0 … 4 and 5 … 9
		equal(t, "at once", w.Counts(9*second), Counts{Calls: 10, Failed: 10})
		equal(t, "later", w.Counts(10*second), Counts{Calls: 5, Failed: 5})
	})
	t.Run("W6: shorter buckets take an old one as of its start", func(t *testing.T) {
		w := NewTime(2*second, 2)
		failed(w, second+900*time.Millisecond, 1)
		w = w.Resize(second+900*time.Millisecond, 2*second, 20)
		equal(t, "at once", w.Counts(second+900*time.Millisecond), Counts{Calls: 1, Failed: 1})
		equal(t, "until", w.Counts(3*second-1), Counts{Calls: 1, Failed: 1})
		equal(t, "not longer", w.Counts(3*second), Counts{})
	})
	t.Run("an empty window", func(t *testing.T) {
		w := NewTime(10*second, 10).Resize(second, second, 1)
		equal(t, "counts", w.Counts(second), Counts{})
	})
}

func TestTimeMemory(t *testing.T) {
	size := func(w *Time) int {
		return int(unsafe.Sizeof(*w)) + int(unsafe.Sizeof(tally{}))*(cap(w.calls)+cap(w.slow))
	}
	w := NewTime(60*second, 60)
	failed(w, 0, 10)
	if got := size(w); got > 1100 {
		t.Errorf("60 buckets take %d bytes while no call is slow", got)
	}
	slow(w, 0, 10)
	if got := size(w); got > 2060 {
		t.Errorf("60 buckets take %d bytes", got)
	}
	now := time.Duration(0)
	equal(t, "K2: allocations", testing.AllocsPerRun(100, func() {
		now += 7 * second
		failed(w, now, 1)
		slow(w, now, 1)
		w.Good(now, 7)
		w.Counts(now + time.Minute)
		w.End(now)
	}), 0)
}
