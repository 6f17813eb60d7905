package window

import (
	"math"
	"testing"
	"time"
)

// pickFrom makes choices out of fuzzed bytes, two for each, and zeros at the end.
func pickFrom(data []byte) func(n int) int {
	return func(n int) int {
		if len(data) < 2 {
			return 0
		}
		v := int(data[0])<<8 | int(data[1])
		data = data[2:]
		return v % n
	}
}

func FuzzCount(f *testing.F) {
	f.Add(uint16(1), []byte("0123456789"))
	f.Add(uint16(64), []byte("a longer text with some more choices in it"))
	f.Add(uint16(65), []byte{0, 5, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 1, 1})
	f.Fuzz(func(t *testing.T, size uint16, data []byte) {
		driveCount(t, 1+int(size%500), min(len(data)/2, 300), pickFrom(data))
	})
}

func FuzzTime(f *testing.F) {
	f.Add(uint8(1), uint16(1), []byte("0123456789"))
	f.Add(uint8(60), uint16(1000), []byte("a longer text with some more choices in it"))
	f.Add(uint8(3), uint16(7), []byte{0, 0, 0, 5, 0, 0, 0, 0, 0, 6, 0, 3, 0, 2, 0, 1})
	f.Fuzz(func(t *testing.T, buckets uint8, width uint16, data []byte) {
		driveTime(t, 1+time.Duration(width), 1+int(buckets), min(len(data)/2, 200), pickFrom(data))
	})
}

// Any duration is a time, and any counts may come from a file: a window then never
// panics and never shows what no list of outcomes can have.
func FuzzTimeAnyInput(f *testing.F) {
	const least, last = math.MinInt64, math.MaxInt64
	f.Add(int64(least), int64(last), int64(0), int64(1), uint8(3), int64(5), int64(2), int64(2), int64(1))
	f.Add(int64(last), int64(least), int64(last), int64(last), uint8(0), int64(last), int64(last), int64(last), int64(last))
	f.Add(int64(least), int64(least), int64(least), int64(3), uint8(200), int64(1), int64(-1), int64(0), int64(0))
	f.Add(int64(last), int64(last), int64(last), int64(7), uint8(6), int64(last-1), int64(0), int64(0), int64(0))
	f.Fuzz(func(t *testing.T, a, b, c, length int64, buckets uint8, calls, failed, slow, both int64) {
		t1, t2, t3 := time.Duration(a), time.Duration(b), time.Duration(c)
		w := NewTime(time.Duration(length), int(buckets))
		w.Record(t1, true, true)
		equal(t, "just recorded", w.Counts(t1), Counts{1, 1, 1, 1})
		w.Add(t2, Counts{calls, failed, slow, both})
		w.Record(t3, true, false)
		w.Good(t1, calls)
		resized := w.Resize(t2, time.Duration(length)/2, 2*int(buckets))
		for _, at := range []time.Duration{t1, t2, t3, least, last} {
			for _, w := range []*Time{w, resized} {
				if got := w.Counts(at); !got.consistent() {
					t.Errorf("at %d: %+v", at, got)
				}
				if end := w.End(at); end <= at && end != last {
					t.Errorf("at %d: the bucket ends at %d", at, end)
				}
				var sum Counts
				for _, c := range w.Buckets(at) {
					sum.add(c)
				}
				equal(t, "sum of the buckets", sum, w.Counts(at))
			}
		}
	})
}
