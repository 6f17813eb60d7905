package breaker_test

import (
	"context"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
)

func nothing(context.Context) (int, error) { return 1, nil }

func BenchmarkDo(b *testing.B) {
	for name, cfg := range kinds() {
		br := breaker.Must(breaker.New("stock", cfg))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = breaker.Do(context.Background(), br, nothing)
			}
		})
		b.Run(name+", parallel", func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					_, _ = breaker.Do(context.Background(), br, nothing)
				}
			})
		})
	}
}

func BenchmarkAcquire(b *testing.B) {
	br := breaker.Must(breaker.New("stock", breaker.Config{}))
	b.ReportAllocs()
	for b.Loop() {
		p, _ := br.Acquire(context.Background())
		p.Success()
	}
}

func BenchmarkRefusal(b *testing.B) {
	br := breaker.Must(breaker.New("stock", breaker.Config{Open: breaker.OpenConfig{Wait: time.Hour}}))
	if err := br.Move(breaker.Move{To: breaker.Open, Reason: "benchmark"}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		_, _ = breaker.Do(context.Background(), br, nothing)
	}
}

// One call in ten fails, which takes the lock.
func BenchmarkFailures(b *testing.B) {
	br := breaker.Must(breaker.New("stock", breaker.Config{}))
	for range 1000 {
		succeedOnce(br)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		p, _ := br.Acquire(context.Background())
		if i%10 == 0 {
			p.Failure(errDown)
		} else {
			p.Success()
		}
	}
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_, _ = breaker.New("stock", breaker.Config{})
	}
}

func BenchmarkSnapshot(b *testing.B) {
	br := breaker.Must(breaker.New("stock", breaker.Config{}))
	b.ReportAllocs()
	for b.Loop() {
		br.Snapshot()
	}
}
