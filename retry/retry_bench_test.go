package retry_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/retry"
)

func BenchmarkDo(b *testing.B) {
	ctx := context.Background()
	good := func(context.Context) (int, error) { return 1, nil }
	run := func(name string, cfg retry.Config, fn func(context.Context) (int, error), opts ...retry.Option) {
		r := made(b, cfg, opts...)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = retry.Do(ctx, r, fn)
			}
		})
	}
	run("success", retry.Config{}, good)
	run("success, with a budget", retry.Config{}, good, retry.WithBudget(budgetOf(b, nil, budget.Config{})))
	run("success, with MaxElapsed", retry.Config{MaxElapsed: time.Minute}, good)
	run("final error", retry.Config{}, func(context.Context) (int, error) { return 0, errFinal })
	run("refusal", retry.Config{}, func(context.Context) (int, error) { return 0, switchgear.ErrRejected })
	run("limit", retry.Config{Attempts: 1}, func(context.Context) (int, error) { return 0, errDown })
}

func BenchmarkDoParallel(b *testing.B) {
	r := made(b, retry.Config{})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		ctx := context.Background()
		for pb.Next() {
			_, _ = retry.Do(ctx, r, func(context.Context) (int, error) { return 1, nil })
		}
	})
}

// A call of three attempts, by decisions: what it costs a simulator.
func BenchmarkLoop(b *testing.B) {
	r := made(b, retry.Config{}, retry.WithClock(clock.NewVirtual(start)))
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		l := r.Begin()
		l.Next(ctx, errDown, again)
		l.Next(ctx, errDown, again)
		l.Done(switchgear.Success)
	}
}

// The least that a call through any policy costs: the function and one counter.
func BenchmarkCallAndAtomicAdd(b *testing.B) {
	ctx := context.Background()
	fn := func(context.Context) (int, error) { return 1, nil }
	var n atomic.Uint64
	for b.Loop() {
		n.Add(1)
		_, _ = fn(ctx)
	}
}

// What a retry asks of every error.
func BenchmarkErrorsIs(b *testing.B) {
	for b.Loop() {
		_ = errors.Is(errDown, switchgear.ErrRejected)
	}
}
