package throttle_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/throttle"
)

// What everything else is to be compared with: an atomic addition, and a reading of the
// clock, of which a call takes two.

func BenchmarkAtomicAdd(b *testing.B) {
	var n atomic.Uint64
	for b.Loop() {
		n.Add(1)
	}
}

func BenchmarkClock(b *testing.B) {
	c := clock.Real()
	for b.Loop() {
		_ = c.Mono()
	}
}

func BenchmarkAcquire(b *testing.B) {
	th, ctx := throttle.Must(throttle.New("stock", throttle.Config{})), context.Background()
	b.ReportAllocs()
	for b.Loop() {
		p, _ := th.Acquire(ctx)
		p.Done(switchgear.Success)
	}
}

func BenchmarkAcquireParallel(b *testing.B) {
	th, ctx := throttle.Must(throttle.New("stock", throttle.Config{})), context.Background()
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			p, _ := th.Acquire(ctx)
			p.Done(switchgear.Success)
		}
	})
}

// The clock stands still, so this is the throttle alone.
func BenchmarkAcquireWithoutClock(b *testing.B) {
	th := throttle.Must(throttle.New("stock", throttle.Config{}, throttle.WithClock(clock.NewVirtual(time.Time{}))))
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		p, _ := th.Acquire(ctx)
		p.Done(switchgear.Success)
	}
}

func BenchmarkDo(b *testing.B) {
	th, ctx := throttle.Must(throttle.New("stock", throttle.Config{})), context.Background()
	b.ReportAllocs()
	for b.Loop() {
		_, _ = throttle.Do(ctx, th, func(context.Context) (int, error) { return 1, nil })
	}
}

func BenchmarkRefusal(b *testing.B) {
	th := throttle.Must(throttle.New("stock", throttle.Config{Window: time.Hour}, throttle.WithRandom(func() float64 { return 0 })))
	ctx := context.Background()
	for range 20 {
		_ = th.Do(ctx, func(context.Context) error { return errDown })
	}
	b.ReportAllocs()
	for b.Loop() {
		_, _ = th.Acquire(ctx)
	}
}
