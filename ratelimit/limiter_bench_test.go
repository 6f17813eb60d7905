package ratelimit_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/ratelimit"
)

// The baselines: one shared word, and one reading of the clock. A decision takes one of
// the second and two of the first.

func BenchmarkAtomicAdd(b *testing.B) {
	var n atomic.Int64
	for b.Loop() {
		n.Add(1)
	}
}

func BenchmarkAtomicAddParallel(b *testing.B) {
	var n atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			n.Add(1)
		}
	})
}

func BenchmarkMono(b *testing.B) {
	c := clock.Real()
	for b.Loop() {
		c.Mono()
	}
}

func BenchmarkAllow(b *testing.B) {
	for name, cfg := range map[string]ratelimit.Config{
		"bucket": bucket(1e8, 1e9), "bucket, odd rate": bucket(99_999_989, 1e9), "window": window(1e8, 10_000),
	} {
		l := ratelimit.Must(ratelimit.New("stock", cfg))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = l.Allow()
			}
		})
		b.Run(name+", parallel", func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					_ = l.Allow()
				}
			})
		})
	}
}

func BenchmarkRefusal(b *testing.B) {
	for name, cfg := range map[string]ratelimit.Config{"bucket": bucket(0.001, 1), "window": window(0.001, 1)} {
		l := ratelimit.Must(ratelimit.New("stock", cfg))
		_ = l.Allow()
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = l.Allow()
			}
		})
	}
}

func BenchmarkReserveCancel(b *testing.B) {
	l := ratelimit.Must(ratelimit.New("stock", bucket(1, 1)))
	_ = l.Allow()
	b.ReportAllocs()
	for b.Loop() {
		r, _ := l.Reserve(1, time.Hour)
		r.Cancel()
	}
}

func BenchmarkKeyed(b *testing.B) {
	k := ratelimit.MustKeyed(ratelimit.NewKeyed("tenants", ratelimit.KeyedConfig{Limit: bucket(1e8, 1e9)}))
	b.Run("known", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = k.Allow("ana")
		}
	})
}
