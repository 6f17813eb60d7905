package evidence

import (
	"sync/atomic"
	"testing"
	"time"
)

// The sink keeps results from being optimised away.
var sink atomic.Int64

func BenchmarkNewTest(b *testing.B) {
	for _, c := range []struct {
		name string
		cfg  Config
	}{
		{"default", Config{}},
		{"threshold 81118", Config{Healthy: 0.001, Sick: 0.0013, Burst: 1, CallsPerFalseTrip: 5e14}},
		{"refused", Config{Healthy: 0.001, Sick: 0.00102}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if t, err := NewTest(c.cfg, 1); err == nil {
					sink.Store(t.threshold)
				}
			}
		})
	}
}

func BenchmarkRecord(b *testing.B) {
	// The yardstick: what a single uncontended counter costs.
	b.Run("baseline atomic add", func(b *testing.B) {
		for b.Loop() {
			sink.Add(1)
		}
	})

	for _, c := range []struct {
		name string
		cfg  Config
		mask int // an outcome is bad where i&mask is 0
	}{
		{"good, score zero", Config{}, -1},
		{"one bad in 16", Config{}, 15},
		{"one bad in 4", Config{}, 3},
		{"one bad in 4, rise limited", Config{MaxRise: 2}, 3},
	} {
		b.Run(c.name, func(b *testing.B) {
			t := mustTest(b, c.cfg, 1)
			var s Score
			var now time.Duration
			b.ReportAllocs()
			for i := 1; b.Loop(); i++ {
				now += time.Millisecond
				if s.Record(t, now, i&c.mask == 0) {
					s.Reset()
				}
			}
		})
	}
}

func BenchmarkReport(b *testing.B) {
	t := mustTest(b, Config{}, 1)
	var s Score
	s.Record(t, 0, true)
	b.Run("numbers", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sink.Store(int64(s.Report(t, time.Second).Score))
		}
	})
	b.Run("text", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sink.Store(int64(len(s.Report(t, time.Second).Text("failure"))))
		}
	})
}
