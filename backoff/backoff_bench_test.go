package backoff_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/backoff"
)

var sink time.Duration

func BenchmarkDelay(b *testing.B) {
	for _, j := range []backoff.Jitter{backoff.Full, backoff.Equal, backoff.Decorrelated, backoff.None} {
		b.Run(j.String(), func(b *testing.B) {
			d := made(b, backoff.Config{Jitter: j})
			b.ReportAllocs()
			for b.Loop() {
				sink = d.Delay(5, time.Second, rand.Float64)
			}
		})
	}
}

func BenchmarkHinted(b *testing.B) {
	d := made(b, backoff.Config{})
	b.ReportAllocs()
	for b.Loop() {
		sink = d.Hinted(time.Second, rand.Float64)
	}
}

// What a delay is made of, at the least: a power and a draw.
func BenchmarkPowAndFloat64(b *testing.B) {
	factor := 2.0
	for b.Loop() {
		sink = time.Duration(rand.Float64() * math.Pow(factor, 4))
	}
}
