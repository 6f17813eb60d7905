package window

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"unsafe"
)

func TestCount(t *testing.T) {
	t.Run("W1: holds the last N outcomes", func(t *testing.T) {
		w := NewCount(4)
		equal(t, "empty", w.Counts(0), Counts{})
		failed(w, 0, 1)
		slow(w, 0, 1)
		slowFailed(w, 0, 1)
		equal(t, "not full yet", w.Counts(0), Counts{Calls: 3, Failed: 2, Slow: 2, SlowFailed: 1})
		good(w, 0, 1)
		equal(t, "full", w.Counts(0), Counts{Calls: 4, Failed: 2, Slow: 2, SlowFailed: 1})
		good(w, 0, 1)
		equal(t, "without the failure", w.Counts(0), Counts{Calls: 4, Failed: 1, Slow: 2, SlowFailed: 1})
		good(w, 0, 1)
		equal(t, "without the slow one", w.Counts(0), Counts{Calls: 4, Failed: 1, Slow: 1, SlowFailed: 1})
		good(w, 0, 1)
		equal(t, "without the slow failure", w.Counts(0), Counts{Calls: 4})
	})
	t.Run("W1: a failure stays for exactly N outcomes", func(t *testing.T) {
		for _, size := range []int{1, 2, 63, 64, 65, 128, 1000} {
			w := NewCount(size)
			failed(w, 0, 1)
			good(w, 0, size-1)
			equal(t, fmt.Sprint("after N-1 more, N = ", size), w.Counts(0).Failed, 1)
			good(w, 0, 1)
			equal(t, fmt.Sprint("after N more, N = ", size), w.Counts(0).Failed, 0)
		}
	})
	t.Run("C3: a slow success is no failure, a slow failure is both", func(t *testing.T) {
		w := NewCount(10)
		slow(w, 0, 3)
		slowFailed(w, 0, 2)
		equal(t, "counts", w.Counts(0), Counts{Calls: 5, Failed: 2, Slow: 5, SlowFailed: 2})
	})
	t.Run("time is of no consequence", func(t *testing.T) {
		w := NewCount(10)
		failed(w, math.MaxInt64, 1)
		failed(w, math.MinInt64, 1)
		equal(t, "counts", w.Counts(7), Counts{Calls: 2, Failed: 2})
	})
	t.Run("a size below 1 is taken as 1", func(t *testing.T) {
		for _, size := range []int{0, -1, math.MinInt} {
			w := NewCount(size)
			failed(w, 0, 3)
			equal(t, "counts", w.Counts(0), Counts{Calls: 1, Failed: 1})
		}
	})
}

func TestCountGood(t *testing.T) {
	t.Run("none for zero or less", func(t *testing.T) {
		w := NewCount(3)
		failed(w, 0, 3)
		w.Good(0, 0)
		w.Good(0, -1)
		w.Good(0, math.MinInt64)
		equal(t, "counts", w.Counts(0), Counts{Calls: 3, Failed: 3})
	})
	t.Run("as many as there are, or more, push everything out", func(t *testing.T) {
		for _, n := range []int64{100, 101, 1 << 40, math.MaxInt64} {
			w := NewCount(100)
			slowFailed(w, 0, 130)
			w.Good(0, n)
			equal(t, "counts", w.Counts(0), Counts{Calls: 100})
		}
	})
	t.Run("push out the oldest", func(t *testing.T) {
		w := NewCount(100)
		failed(w, 0, 50)
		slow(w, 0, 50)
		w.Good(0, 30)
		equal(t, "counts", w.Counts(0), Counts{Calls: 100, Failed: 20, Slow: 50})
		w.Good(0, 30)
		equal(t, "counts", w.Counts(0), Counts{Calls: 100, Slow: 40})
	})
	t.Run("do not fill more than the window", func(t *testing.T) {
		w := NewCount(100)
		w.Good(0, 60)
		w.Good(0, math.MaxInt64)
		equal(t, "counts", w.Counts(0), Counts{Calls: 100})
	})
}

func TestCountReset(t *testing.T) {
	w := NewCount(100)
	slowFailed(w, 0, 70)
	w.Reset()
	equal(t, "empty", w.Counts(0), Counts{})
	good(w, 0, 100)
	equal(t, "nothing comes back", w.Counts(0), Counts{Calls: 100})
	w.Reset()
	equal(t, "empty again", w.Counts(0), Counts{})
	failed(w, 0, 1)
	equal(t, "usable", w.Counts(0), Counts{Calls: 1, Failed: 1})
}

func TestCountRuns(t *testing.T) {
	runs := func(w *Count) []Run { return slices.Collect(w.Runs()) }
	same := func(t *testing.T, got []Run, want ...Run) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	t.Run("none in an empty window", func(t *testing.T) { same(t, runs(NewCount(10))) })
	t.Run("one for good outcomes", func(t *testing.T) {
		w := NewCount(10)
		w.Good(0, 7)
		same(t, runs(w), Run{N: 7})
	})
	t.Run("one per kind, oldest first", func(t *testing.T) {
		w := NewCount(10)
		good(w, 0, 5) // two of which are pushed out
		failed(w, 0, 3)
		slow(w, 0, 1)
		slowFailed(w, 0, 2)
		good(w, 0, 1)
		same(t, runs(w), Run{N: 3}, Run{N: 3, Failed: true}, Run{N: 1, Slow: true},
			Run{N: 2, Failed: true, Slow: true}, Run{N: 1})
	})
	t.Run("the reader may stop", func(t *testing.T) {
		w := NewCount(10)
		failed(w, 0, 2)
		good(w, 0, 2)
		failed(w, 0, 2)
		for run := range w.Runs() {
			equal(t, "first", run, Run{N: 2, Failed: true})
			break
		}
	})
	t.Run("a run that cannot be true does no harm", func(t *testing.T) {
		w := NewCount(10)
		w.Add(Run{N: math.MinInt64, Failed: true})
		w.Add(Run{N: -1})
		equal(t, "nothing", w.Counts(0), Counts{})
		w.Add(Run{N: math.MaxInt64, Failed: true})
		equal(t, "as many as fit", w.Counts(0), Counts{Calls: 10, Failed: 10})
	})
}

func TestCountResize(t *testing.T) {
	t.Run("W6: a smaller window keeps the newest", func(t *testing.T) {
		w := NewCount(100)
		failed(w, 0, 60)
		slow(w, 0, 30)
		good(w, 0, 10)
		equal(t, "of 50", w.Resize(50).Counts(0), Counts{Calls: 50, Failed: 10, Slow: 30})
		equal(t, "of 10", w.Resize(10).Counts(0), Counts{Calls: 10})
		equal(t, "the old one", w.Counts(0), Counts{Calls: 100, Failed: 60, Slow: 30})
	})
	t.Run("W6: a larger one has all, and room", func(t *testing.T) {
		w := NewCount(3)
		good(w, 0, 2)
		failed(w, 0, 3)
		w = w.Resize(5)
		equal(t, "at first", w.Counts(0), Counts{Calls: 3, Failed: 3})
		good(w, 0, 2)
		equal(t, "full", w.Counts(0), Counts{Calls: 5, Failed: 3})
		good(w, 0, 1)
		equal(t, "the oldest goes first", w.Counts(0), Counts{Calls: 5, Failed: 2})
	})
}

func TestCountMemory(t *testing.T) {
	size := func(w *Count) int { return int(unsafe.Sizeof(*w)) + 8*(cap(w.failed)+cap(w.slow)) }
	w := NewCount(10_000)
	failed(w, 0, 20_000)
	if got := size(w); got > 1380 {
		t.Errorf("10,000 outcomes take %d bytes while none is slow", got)
	}
	slow(w, 0, 20_000)
	if got := size(w); got > 2660 {
		t.Errorf("10,000 outcomes take %d bytes", got)
	}
	w.Reset()
	equal(t, "K2: allocations", testing.AllocsPerRun(100, func() {
		failed(w, 0, 1)
		slow(w, 0, 1)
		w.Good(0, 7)
		w.Counts(0)
		w.Reset()
	}), 0)
}

func TestCountFixedPoint(t *testing.T) {
	w := NewCount(100)
	w.Good(0, 100)
	before := *w
	w.Record(0, false, false)
	w.Good(0, 17)
	equal(t, "K1: next", w.next, before.next)
	equal(t, "K1: total", w.total, before.total)
}
