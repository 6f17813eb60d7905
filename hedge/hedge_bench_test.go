package hedge

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/budget"
)

func nothing(context.Context) (int, error) { return 1, nil }

// What the others are measured against: one shared counter, and a call on a goroutine
// of its own under a context of its own, with a channel for the result and a timer,
// which is the least that a call returning at its deadline needs.

func BenchmarkAtomicAdd(b *testing.B) {
	var n atomic.Uint64
	for b.Loop() {
		n.Add(1)
	}
}

func BenchmarkGoroutineContextTimer(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		done := make(chan int, 1)
		go func() {
			v, _ := nothing(ctx)
			done <- v
		}()
		<-done
		cancel()
	}
}

func BenchmarkDo(b *testing.B) {
	extra := budget.Must(budget.New("extra", budget.Config{}))
	for _, bench := range []struct {
		name string
		ctx  context.Context
		cfg  Config
		opts []Option
	}{
		{"plain", context.Background(), Config{}, nil},
		{"plain, budget", context.Background(), Config{}, []Option{WithBudget(extra)}},
		{"fixed delay", Safe(context.Background()), Config{Delay: time.Minute}, nil},
		{"percentile", Safe(context.Background()), Config{MinDelay: time.Minute}, nil},
		{"percentile, budget", Safe(context.Background()), Config{MinDelay: time.Minute}, []Option{WithBudget(extra)}},
	} {
		h := made(b, bench.cfg, bench.opts...)
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = Do(bench.ctx, h, nothing)
			}
		})
		b.Run(bench.name+", parallel", func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					_, _ = Do(bench.ctx, h, nothing)
				}
			})
		})
	}
}

// A decision without a hedge, and one with.
func BenchmarkRace(b *testing.B) {
	h, _ := virtual(b, Config{Delay: ms})
	b.Run("first attempt wins", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			h.Begin(0, true).End(1, 1, good)
		}
	})
	b.Run("hedge wins", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r := h.Begin(0, true)
			n, _ := r.Start(ms)
			r.End(n, 2*ms, good)
			r.End(1, 2*ms, ignored)
		}
	})
}

func BenchmarkTail(b *testing.B) {
	tl := newTail(95_00, 100, time.Minute, 0)
	d := time.Duration(1)
	b.Run("add", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			d = d*6364136223846793005 + 1442695040888963407
			tl.add(d>>36&(1<<27-1), time.Duration(i)*time.Microsecond)
		}
	})
	b.Run("value", func(b *testing.B) {
		for b.Loop() {
			tl.value(0)
		}
	})
	b.Run("forget a slice", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			tl.add(ms, time.Duration(i)*10*time.Second)
		}
	})
}
