package pipeline_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/throttle"
)

// What one call costs in which everything goes well. The baselines are a context with a
// timeout, which the code would have anyway, and an atomic addition.

func one(context.Context) (int, error) { return 1, nil }

func benchmarkDo(b *testing.B, cfg pipeline.Config) {
	p := pipeline.Must(pipeline.New("stock", cfg))
	defer p.Close()
	b.Run("alone", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = pipeline.Do(background, p, one)
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				_, _ = pipeline.Do(background, p, one)
			}
		})
	})
}

func BenchmarkRetryBreakerAttempt(b *testing.B) {
	benchmarkDo(b, pipeline.Config{Retry: &retry.Config{}, Breaker: &breaker.Config{}, Attempt: limit(time.Second)})
}

func BenchmarkBareTimeout(b *testing.B) {
	bare := func() {
		ctx, cancel := context.WithTimeout(background, time.Second)
		_, _ = one(ctx)
		cancel()
	}
	b.Run("alone", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			bare()
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				bare()
			}
		})
	})
}

func BenchmarkFourWithoutTimer(b *testing.B) {
	benchmarkDo(b, pipeline.Config{
		Throttle: &throttle.Config{}, Retry: &retry.Config{}, Breaker: &breaker.Config{}, Bulkhead: &bulkhead.Config{MaxConcurrent: 1 << 20},
	})
}

func BenchmarkNoPolicy(b *testing.B) { benchmarkDo(b, pipeline.Config{}) }

func BenchmarkRefusal(b *testing.B) {
	p := pipeline.Must(pipeline.New("stock", pipeline.Config{Retry: &retry.Config{}, Breaker: &breaker.Config{}}))
	if err := p.Breaker().Move(breaker.Move{To: breaker.ForcedOpen, Reason: "benchmark"}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		_, _ = pipeline.Do(background, p, one)
	}
}

func BenchmarkAtomicAdd(b *testing.B) {
	var n atomic.Int64
	b.Run("alone", func(b *testing.B) {
		for b.Loop() {
			n.Add(1)
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				n.Add(1)
			}
		})
	})
}
