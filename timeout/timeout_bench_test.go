package timeout_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/timeout"
)

func nothing(context.Context) (int, error) { return 1, nil }

// heeding is the least that a function does which heeds its context.
func heeding(ctx context.Context) (int, error) {
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	default:
		return 1, nil
	}
}

// parents are the contexts that callers have: one that never ends, and one that
// does, as a server gives to each request.
func parents(b *testing.B, run func(b *testing.B, ctx context.Context)) {
	b.Run("background", func(b *testing.B) { run(b, context.Background()) })
	b.Run("request", func(b *testing.B) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		run(b, ctx)
	})
}

// The baseline: what a call under a bare context.WithTimeout costs.
func BenchmarkWithTimeout(b *testing.B) {
	parents(b, func(b *testing.B, ctx context.Context) {
		b.ReportAllocs()
		for b.Loop() {
			bare(ctx)
		}
	})
}

func bare(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, _ = heeding(ctx)
}

func BenchmarkDo(b *testing.B) {
	t := timeout.Must(timeout.New("stock", timeout.Config{Limit: time.Second}))
	parents(b, func(b *testing.B, ctx context.Context) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = timeout.Do(ctx, t, heeding)
		}
	})
}

func BenchmarkHandle(b *testing.B) {
	t := timeout.Must(timeout.New("stock", timeout.Config{Limit: time.Second}))
	parents(b, func(b *testing.B, ctx context.Context) {
		b.ReportAllocs()
		for b.Loop() {
			h, _ := t.Context(ctx)
			_, err := heeding(h.Ctx)
			_ = h.End(err)
		}
	})
}

// With the attempt in the context, as a pipeline has it.
func BenchmarkHandleWithAttempt(b *testing.B) {
	t := timeout.Must(timeout.New("stock", timeout.Config{Limit: time.Second}))
	parents(b, func(b *testing.B, ctx context.Context) {
		b.ReportAllocs()
		for b.Loop() {
			h, _ := t.Context(switchgear.WithAttempt(ctx, switchgear.Attempt{Number: 1}))
			_, err := heeding(h.Ctx)
			_ = h.End(err)
		}
	})
}

func BenchmarkDecision(b *testing.B) {
	t := timeout.Must(timeout.New("stock", timeout.Config{Limit: time.Second}))
	b.ReportAllocs()
	for b.Loop() {
		at, _ := t.Deadline(context.Background(), 0)
		_ = t.Judge(0, at-1, nil)
	}
}

func BenchmarkAbandon(b *testing.B) {
	t := timeout.Must(timeout.New("stock", timeout.Config{Limit: time.Second, Abandon: true}))
	b.ReportAllocs()
	for b.Loop() {
		_, _ = timeout.Do(context.Background(), t, nothing)
	}
}

// BenchmarkRatio makes both calls in turn, in small batches, and reports the
// median of the ratios: other load on the machine then strikes both alike.
func BenchmarkRatio(b *testing.B) {
	const batch = 100
	t := timeout.Must(timeout.New("stock", timeout.Config{Limit: time.Second}))
	clk := clock.Real()
	parents(b, func(b *testing.B, ctx context.Context) {
		var ratios []float64
		for b.Loop() {
			begin := clk.Mono()
			for range batch {
				bare(ctx)
			}
			middle := clk.Mono()
			for range batch {
				_, _ = timeout.Do(ctx, t, heeding)
			}
			ratios = append(ratios, float64(clk.Mono()-middle)/float64(middle-begin))
		}
		slices.Sort(ratios)
		b.ReportMetric(ratios[len(ratios)/2], "x-bare")
	})
}
