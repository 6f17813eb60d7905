package adaptive

import (
	"context"
	"sync/atomic"
	"testing"
)

// The baseline: one atomic addition, alone and by all processors at once.
func BenchmarkAtomicAdd(b *testing.B) {
	var n atomic.Uint64
	for b.Loop() {
		n.Add(1)
	}
}

func BenchmarkAtomicAddParallel(b *testing.B) {
	var n atomic.Uint64
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			n.Add(1)
		}
	})
}

func BenchmarkAcquire(b *testing.B) {
	for a := ByGradient; a <= ByAIMD; a++ {
		l := Must(New("stock", Config{Algorithm: a}))
		b.Run(a.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p, _ := l.TryAcquire(Critical)
				p.Success()
			}
		})
	}
	b.Run("a step a call", func(b *testing.B) {
		l := Must(New("stock", Config{Window: single}))
		b.ReportAllocs()
		for b.Loop() {
			p, _ := l.TryAcquire(Critical)
			p.Success()
		}
	})
	b.Run("parallel", func(b *testing.B) {
		l := Must(New("stock", Config{Initial: 200}))
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				p, _ := l.TryAcquire(Critical)
				p.Success()
			}
		})
	})
}

func BenchmarkDo(b *testing.B) {
	l := Must(New("stock", Config{}))
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		_, _ = Do(context.Background(), l, func(context.Context) (int, error) { n++; return n, nil })
	}
}

func BenchmarkRefusal(b *testing.B) {
	l := Must(New("stock", Config{Initial: 1}))
	_, _ = l.TryAcquire(Critical)
	b.ReportAllocs()
	for b.Loop() {
		_, _ = l.TryAcquire(Critical)
	}
}

func TestAllocations(t *testing.T) {
	l := Must(New("stock", Config{}))
	ctx := WithPriority(context.Background(), Background)
	n := 0
	equal(t, "a permit and its end", testing.AllocsPerRun(100, func() {
		p, _ := l.Acquire(ctx)
		p.Success()
	}), 0)
	equal(t, "Do", testing.AllocsPerRun(100, func() {
		_, _ = Do(ctx, l, func(context.Context) (int, error) { n++; return n, nil })
	}), 0)
	full := Must(New("stock", Config{Initial: 1}))
	_, _ = full.TryAcquire(Critical)
	equal(t, "a refusal", testing.AllocsPerRun(100, func() { _, _ = full.TryAcquire(Critical) }), 0)
}
