package bulkhead_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/switchgear-go/switchgear/bulkhead"
)

// wide has room for everybody.
func wide() *bulkhead.Bulkhead {
	return bulkhead.Must(bulkhead.New("stock", bulkhead.Config{MaxConcurrent: 1000}))
}

// What everything else is to be compared with: an atomic addition, and the semaphore
// that people make of a channel.

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

func BenchmarkChannel(b *testing.B) {
	permits := make(chan struct{}, 1000)
	for b.Loop() {
		permits <- struct{}{}
		<-permits
	}
}

func BenchmarkChannelParallel(b *testing.B) {
	permits := make(chan struct{}, 1000)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			permits <- struct{}{}
			<-permits
		}
	})
}

func BenchmarkTryAcquire(b *testing.B) {
	bh := wide()
	b.ReportAllocs()
	for b.Loop() {
		p, _ := bh.TryAcquire()
		p.Release()
	}
}

func BenchmarkAcquire(b *testing.B) {
	bh, ctx := wide(), context.Background()
	b.ReportAllocs()
	for b.Loop() {
		p, _ := bh.Acquire(ctx)
		p.Release()
	}
}

func BenchmarkAcquireParallel(b *testing.B) {
	bh, ctx := wide(), context.Background()
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			p, _ := bh.Acquire(ctx)
			p.Release()
		}
	})
}

func BenchmarkDo(b *testing.B) {
	bh, ctx := wide(), context.Background()
	b.ReportAllocs()
	for b.Loop() {
		_, _ = bulkhead.Do(ctx, bh, func(context.Context) (int, error) { return 1, nil })
	}
}

func BenchmarkRefusal(b *testing.B) {
	for name, cfg := range map[string]bulkhead.Config{
		"no queue":   {MaxConcurrent: 1},
		"full queue": {MaxConcurrent: 1, MaxWaiting: 1, MaxWait: off},
	} {
		b.Run(name, func(b *testing.B) {
			bh, ctx := bulkhead.Must(bulkhead.New("stock", cfg)), context.Background()
			for range 2 {
				bh.Enqueue(func(bulkhead.Permit, error) {})
			}
			b.ReportAllocs()
			for b.Loop() {
				_, _ = bh.Acquire(ctx)
			}
		})
	}
}

// Every permit is handed over to a caller in the queue.
func BenchmarkHandOver(b *testing.B) {
	bh := bulkhead.Must(bulkhead.New("stock", bulkhead.Config{MaxConcurrent: 1, MaxWaiting: 1, MaxWait: off}))
	p, _ := bh.TryAcquire()
	b.ReportAllocs()
	for b.Loop() {
		var next bulkhead.Permit
		bh.Enqueue(func(p bulkhead.Permit, _ error) { next = p })
		p.Release()
		p = next
	}
}

// Goroutines that queue for few permits: the lock, the channel and the scheduler.
func BenchmarkContended(b *testing.B) {
	bh := bulkhead.Must(bulkhead.New("stock", bulkhead.Config{MaxConcurrent: 2, MaxWaiting: 1000, MaxWait: off}))
	ctx := context.Background()
	b.ReportAllocs()
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if p, err := bh.Acquire(ctx); err == nil {
				p.Release()
			}
		}
	})
}
