package window

import (
	"fmt"
	"testing"
	"time"
)

// The cost of an outcome must not depend on how many the window holds (W1, W2).

func BenchmarkCountRecord(b *testing.B) {
	for _, size := range []int{100, 10_000, 1_000_000} {
		b.Run(fmt.Sprint("good/size=", size), func(b *testing.B) {
			w := NewCount(size)
			w.Good(0, int64(size))
			b.ReportAllocs()
			for b.Loop() {
				w.Record(0, false, false)
			}
		})
		b.Run(fmt.Sprint("mixed/size=", size), func(b *testing.B) {
			w := NewCount(size)
			record(w, 0, size, true, true)
			x := uint32(1)
			b.ReportAllocs()
			for b.Loop() {
				x = x*1664525 + 1013904223
				w.Record(0, x>>28 == 0, x>>27 == 0)
			}
		})
	}
}

// Good outcomes by the lump: free in a window of good outcomes, else a step for 64.
func BenchmarkCountGood(b *testing.B) {
	for _, size := range []int{100, 10_000, 1_000_000} {
		for _, n := range []int64{1, 64, 1000} {
			b.Run(fmt.Sprintf("good/size=%d/n=%d", size, n), func(b *testing.B) {
				w := NewCount(size)
				w.Good(0, int64(size))
				for b.Loop() {
					w.Good(0, n)
				}
			})
			b.Run(fmt.Sprintf("mixed/size=%d/n=%d", size, n), func(b *testing.B) {
				w := NewCount(size)
				record(w, 0, size, true, true)
				for b.Loop() {
					w.Good(0, n)
					w.Record(0, true, true) // so that it never becomes a good one
				}
			})
		}
	}
}

func BenchmarkCountResize(b *testing.B) {
	for _, size := range []int{100, 10_000, 1_000_000} {
		b.Run(fmt.Sprint("size=", size), func(b *testing.B) {
			w := NewCount(size)
			for range size {
				record(w, 0, 1, true, false)
				w.Good(0, 19)
			}
			for b.Loop() {
				w.Resize(size)
			}
		})
	}
}

// A thousand outcomes per bucket.
func BenchmarkTimeRecord(b *testing.B) {
	for _, buckets := range []int{1, 60, 10_000} {
		b.Run(fmt.Sprint("buckets=", buckets), func(b *testing.B) {
			w := NewTime(time.Duration(buckets)*second, buckets)
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				i++
				w.Record(time.Duration(i)*time.Millisecond, i%16 == 0, i%32 == 0)
			}
		})
	}
}

// A new bucket for each outcome.
func BenchmarkTimeRecordNextBucket(b *testing.B) {
	for _, buckets := range []int{1, 60, 10_000} {
		b.Run(fmt.Sprint("buckets=", buckets), func(b *testing.B) {
			w := NewTime(time.Duration(buckets)*second, buckets)
			now := time.Duration(0)
			for b.Loop() {
				now += second
				w.Record(now, true, false)
			}
		})
	}
}

// The worst case: a full window that was idle for longer than it is long.
func BenchmarkTimeRecordAfterIdling(b *testing.B) {
	for _, buckets := range []int{1, 60, 10_000} {
		b.Run(fmt.Sprint("buckets=", buckets), func(b *testing.B) {
			length := time.Duration(buckets) * second
			w := NewTime(length, buckets)
			now := time.Duration(0)
			for b.Loop() {
				w.Record(now, true, false)
				now += length - second // nothing but that one may leave before the gap
				w.Record(now, true, false)
				now += length
			}
		})
	}
}

func BenchmarkTimeCounts(b *testing.B) {
	for _, buckets := range []int{1, 60, 10_000} {
		w := NewTime(time.Duration(buckets)*second, buckets)
		for i := range buckets {
			failed(w, time.Duration(i)*second, 1)
		}
		now := time.Duration(buckets-1) * second
		b.Run(fmt.Sprintf("now/buckets=%d", buckets), func(b *testing.B) {
			for b.Loop() {
				w.Counts(now)
			}
		})
		b.Run(fmt.Sprintf("half of it later/buckets=%d", buckets), func(b *testing.B) {
			later := now + time.Duration(buckets/2)*second
			for b.Loop() {
				w.Counts(later)
			}
		})
	}
}
