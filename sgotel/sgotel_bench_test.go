package sgotel_test

import (
	"context"
	"testing"

	sdk "go.opentelemetry.io/otel/sdk/trace"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/sgotel"
)

// What it costs to wrap a call: where there is nothing to note, and where there is.
func BenchmarkAttempt(b *testing.B) {
	fn := sgotel.Attempt(func(context.Context) (int, error) { return 1, nil })
	retried := switchgear.WithAttempt(background, switchgear.Attempt{Number: 2})
	b.Run("first", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = fn(background)
		}
	})
	b.Run("retry without a span", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = fn(retried)
		}
	})
	b.Run("retry", func(b *testing.B) {
		ctx, span := sdk.NewTracerProvider().Tracer("bench").Start(retried, "call")
		defer span.End()
		b.ReportAllocs()
		for b.Loop() {
			_, _ = fn(ctx)
		}
	})
}

func BenchmarkEnded(b *testing.B) {
	b.Run("well", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sgotel.Ended(background, nil)
		}
	})
	b.Run("refused without a span", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sgotel.Ended(background, switchgear.ErrRejected)
		}
	})
}
