package fallback_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/switchgear-go/switchgear/fallback"
)

// The two baselines: the call alone, and the one counter that a success adds to.

func BenchmarkCallAlone(b *testing.B) {
	call := answers("live")
	b.ReportAllocs()
	for b.Loop() {
		_, _ = call(context.Background())
	}
}

func BenchmarkAtomicAdd(b *testing.B) {
	var n atomic.Uint64
	b.ReportAllocs()
	for b.Loop() {
		n.Add(1)
	}
}

func BenchmarkDo(b *testing.B) {
	f := fallback.Must(fallback.New("price", fallback.Value("spare")))
	chain := fallback.Must(fallback.New("price", fallback.Chain(provider("a", fails(errOther)), provider("b", answers("b")))))
	for _, bb := range []struct {
		name string
		f    *fallback.Fallback[string]
		call func(context.Context) (string, error)
	}{
		{"success", f, answers("live")},
		{"value", f, fails(errDown)},
		{"second of a chain", chain, fails(errDown)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = bb.f.Do(context.Background(), bb.call)
			}
		})
	}
	b.Run("success, parallel", func(b *testing.B) {
		b.ReportAllocs()
		call := answers("live")
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				_, _ = f.Do(context.Background(), call)
			}
		})
	})
	b.Run("success, without counters", func(b *testing.B) {
		b.ReportAllocs()
		call := answers("live")
		for b.Loop() {
			_, _ = fallback.Do(context.Background(), call, fallback.Value("spare", fallback.Rejected))
		}
	})
	b.Run("value, without counters", func(b *testing.B) {
		b.ReportAllocs()
		call := fails(errDown)
		for b.Loop() {
			_, _ = fallback.Do(context.Background(), call, fallback.Value("spare"))
		}
	})
}
