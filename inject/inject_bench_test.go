package inject_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/inject"
)

func nothing(context.Context) (int, error) { return 1, nil }

// The baselines: an atomic load and an atomic addition.

func BenchmarkAtomicLoad(b *testing.B) {
	var p atomic.Pointer[int]
	for b.Loop() {
		if p.Load() != nil {
			b.Fatal("not nil")
		}
	}
}

func BenchmarkAtomicAdd(b *testing.B) {
	var n atomic.Uint64
	for b.Loop() {
		n.Add(1)
	}
}

func benchmark(b *testing.B, on bool, f inject.Fault) {
	i := inject.Must(inject.New("stock", inject.Config{Seed: 1, Faults: []inject.Fault{f}}))
	if on {
		if err := i.Enable("ana", "benchmark", time.Hour); err != nil {
			b.Fatal(err)
		}
		defer i.Disable("ana", "")
	}
	ctx := inject.WithKey(context.Background(), "rome")
	b.ReportAllocs()
	for b.Loop() {
		_, _ = inject.Do(ctx, i, nothing)
	}
}

func BenchmarkDo(b *testing.B) {
	failure := func(p switchgear.Percent, keys ...string) inject.Fault {
		return inject.Fault{Kind: inject.Failure, Probability: p, Keys: keys}
	}
	b.Run("off", func(b *testing.B) { benchmark(b, false, failure(100)) })
	b.Run("on, never", func(b *testing.B) { benchmark(b, true, failure(0)) })
	b.Run("on, half", func(b *testing.B) { benchmark(b, true, failure(50)) })
	b.Run("on, another key", func(b *testing.B) { benchmark(b, true, failure(100, "oslo")) })
	b.Run("on, always", func(b *testing.B) { benchmark(b, true, failure(100)) })
}
