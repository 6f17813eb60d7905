package pipeline

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/timeout"
)

func TestSmoke(t *testing.T) {
	p, err := New("stock", Config{
		Total: &timeout.Config{Limit: 3 * time.Second}, Retry: &retry.Config{}, Breaker: &breaker.Config{}, Attempt: &timeout.Config{Limit: time.Second},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(p.Order())
	n := 0
	v, err := Do(context.Background(), p, func(ctx context.Context) (int, error) {
		n++
		if n < 3 {
			return 0, errors.New("x")
		}
		return 7, nil
	})
	t.Log(v, err, n, p.Breaker().Counters())
}

func BenchmarkPreset(b *testing.B) {
	p, err := New("stock", Config{
		Retry: &retry.Config{}, Breaker: &breaker.Config{}, Attempt: &timeout.Config{Limit: time.Second},
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	fn := func(ctx context.Context) (int, error) { return 1, nil }
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Do(ctx, p, fn)
		}
	})
	b.Run("bare", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			fn(ctx)
			cancel()
		}
	})
}
