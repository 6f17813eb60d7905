package sgprom_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/sgprom"
)

func ok(context.Context) (int, error) { return 1, nil }

// A call through a breaker: alone, while it is scraped a hundred times a second, which is
// a thousand times as often as usual, and with its duration recorded.
func BenchmarkCall(b *testing.B) {
	run := func(b *testing.B, s *source, fn func(context.Context) (int, error)) {
		br := s.entries[0].Breaker
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := breaker.Do(background, br, fn); err != nil {
					b.Error(err)
				}
			}
		})
	}
	b.Run("alone", func(b *testing.B) {
		var s source
		s.add("a")
		run(b, &s, ok)
	})
	b.Run("collected", func(b *testing.B) {
		var s source
		s.add("a")
		r := prometheus.NewRegistry()
		r.MustRegister(sgprom.Must(sgprom.New(&s, sgprom.Config{})))
		done := make(chan struct{})
		defer close(done)
		go func() {
			tick := time.NewTicker(10 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-done:
					return
				case <-tick.C:
					if _, err := r.Gather(); err != nil {
						b.Error(err)
					}
				}
			}
		}()
		run(b, &s, ok)
	})
	b.Run("timed", func(b *testing.B) {
		var s source
		s.add("a")
		run(b, &s, sgprom.Time(sgprom.Must(sgprom.NewLatency(sgprom.LatencyConfig{})).Timer("a"), ok))
	})
}

func BenchmarkObserve(b *testing.B) {
	timer := sgprom.Must(sgprom.NewLatency(sgprom.LatencyConfig{})).Timer("a")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		timer.Observe(time.Duration(i%1000)*time.Millisecond, switchgear.Success)
	}
}

func BenchmarkScrape(b *testing.B) {
	for _, n := range []int{1, 200, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var s source
			for i := range n {
				s.add(fmt.Sprint(i))
			}
			r := prometheus.NewRegistry()
			r.MustRegister(sgprom.Must(sgprom.New(&s, sgprom.Config{})))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := r.Gather(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
