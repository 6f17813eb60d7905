package hedge

import (
	"math"
	"testing"
	"time"
	"unsafe"
)

func TestBuckets(t *testing.T) {
	t.Run("K65: each bucket ends where the next begins, and is narrow", func(t *testing.T) {
		lower := time.Duration(0)
		for i := range buckets {
			upper := upperOf(i)
			equal(t, "bucket of its lower end", bucketOf(lower), i)
			equal(t, "bucket of its upper end", bucketOf(upper), i)
			if width := upper - lower + 1; width > max(1024, lower/16) {
				t.Errorf("bucket %d, from %d to %d, is too wide", i, lower, upper)
			}
			lower = upper + 1
		}
		if lower < 26*24*time.Hour {
			t.Errorf("the last bucket ends at %v", lower)
		}
	})
	t.Run("K65: nothing falls outside", func(t *testing.T) {
		for d, want := range map[time.Duration]int{math.MinInt64: 0, -1: 0, 0: 0, 1023: 0, 1024: 1, math.MaxInt64: maxIndex} {
			equal(t, d.String(), bucketOf(d), want)
		}
	})
	t.Run("K65: nearest rank", func(t *testing.T) {
		for _, test := range []struct {
			hundredths int64
			n, want    uint64
		}{
			{1_00, 1, 1}, {100_00, 1, 1}, {50_00, 2, 1}, {50_00, 3, 2}, {95_00, 100, 95}, {95_01, 100, 96}, {99_90, 1000, 999},
			{100_00, 12345, 12345}, {1_00, 10_000, 100}, {1_00, 10_001, 101}, {99_99, 1 << 40, 1099401676614},
		} {
			equal(t, "rank", rankOf(test.hundredths, test.n), test.want)
		}
	})
}

func TestTailIsSmall(t *testing.T) {
	if n := unsafe.Sizeof(tail{}); n > 20<<10+512 {
		t.Errorf("a tail has %d bytes, want about 20 KiB", n)
	}
}

func TestTailForgets(t *testing.T) {
	const second = time.Second
	tl := newTail(100_00, 1, 6*second, 0)
	tl.add(30*ms, 0)
	tl.add(20*ms, 1*second)
	tl.add(10*ms, 5*second)
	equal(t, "all in the window", tl.value(6*second-1), 30*ms)
	equal(t, "the first is forgotten", tl.value(6*second), 20*ms)
	equal(t, "an old time goes into the newest slice", func() time.Duration { tl.add(15*ms, 0); return tl.value(7 * second) }(), 15*ms)
	equal(t, "that one alone is left", tl.samples(11*second), 1)
	equal(t, "and is told exactly", tl.value(11*second), 15*ms)
	equal(t, "none is left", tl.value(12*second), 0)
	equal(t, "after a very long time", tl.value(1000*month), 0)
	tl.add(40*ms, 1000*month)
	equal(t, "it goes on", tl.value(1000*month), 40*ms)
	equal(t, "an answer in no time", func() time.Duration { tl.add(-1, 2000*month); return tl.value(2000 * month) }(), 1)
}

func TestTailAllocatesNothing(t *testing.T) {
	tl := newTail(95_00, 1, time.Minute, 0)
	now := time.Duration(0)
	equal(t, "allocations", testing.AllocsPerRun(1000, func() {
		now += 50 * ms
		tl.add(now%97*ms, now)
		tl.value(now)
	}), 0)
}
