package collapse_test

import (
	"context"
	"testing"

	"github.com/switchgear-go/switchgear/collapse"
)

func one(context.Context) (int, error) { return 1, nil }

// The baseline: a call in a goroutine of its own, and a channel to wait for it.
// That is the price of being able to leave.
func BenchmarkGoroutineAndChannel(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		done := make(chan struct{})
		go func() {
			_, _ = one(context.Background())
			close(done)
		}()
		<-done
	}
}

func BenchmarkDo(b *testing.B) {
	g := collapse.Must(collapse.New[string, int]("items", collapse.Config{}))
	b.Run("alone", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _, _ = g.Do(context.Background(), "a", one)
		}
	})
	b.Run("one key, parallel", func(b *testing.B) {
		b.ReportAllocs()
		b.SetParallelism(16)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				_, _, _ = g.Do(context.Background(), "a", one)
			}
		})
	})
}

// A caller that joins and leaves again costs no goroutine.
func BenchmarkJoinAndLeave(b *testing.B) {
	g := collapse.Must(collapse.New[string, int]("items", collapse.Config{}))
	g.Join("a")
	b.ReportAllocs()
	for b.Loop() {
		p, _ := g.Join("a")
		p.Leave()
	}
}

func BenchmarkJoinAndFinish(b *testing.B) {
	g := collapse.Must(collapse.New[string, int]("items", collapse.Config{}))
	b.ReportAllocs()
	for b.Loop() {
		p, _ := g.Join("a")
		p.Finish(1, nil)
	}
}
