package main

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/registry"
	"github.com/switchgear-go/switchgear/sgprom"
)

const (
	metrics = "metrics"
	without = "a breaker, last 100 calls"
)

// measured lists what metrics add to a call.
func measured() []subject {
	cfg := breaker.Config{Window: breaker.WindowConfig{Calls: 100}}
	return []subject{
		{metrics, without, protect(cfg, 0), 0, 0, without},
		{metrics, "the same, scraped ten times a second", scraped(cfg), 1.2, 1.2, without},
		{metrics, "the same, each call timed in two histograms", recorded(cfg), 0, 0, without},
	}
}

// scraped is a breaker whose metrics are gathered all the time, from the outside.
func scraped(cfg breaker.Config) func() loop {
	return func() loop {
		all := registry.Must(registry.New(registry.Config{}))
		b, err := all.Breaker("bench", cfg)
		if err != nil {
			panic(err)
		}
		published := prometheus.NewRegistry()
		published.MustRegister(sgprom.Must(sgprom.New(all, sgprom.Config{})))
		go func() {
			for range time.Tick(100 * time.Millisecond) {
				if _, err := published.Gather(); err != nil {
					panic(err)
				}
			}
		}()
		return calls(b, 0)
	}
}

// recorded is a breaker whose calls are timed, which reads the clock twice.
func recorded(cfg breaker.Config) func() loop {
	return func() loop {
		b := breaker.Must(breaker.New("bench", cfg))
		timer := sgprom.Must(sgprom.NewLatency(sgprom.LatencyConfig{})).Timer("bench")
		ctx := context.Background()
		return func(n int) {
			sum := 0
			fn := sgprom.Time(timer, func(context.Context) (int, error) { return sum, nil })
			for i := range n {
				v, err := breaker.Do(ctx, b, fn)
				if err != nil {
					panic(err)
				}
				sum = v&1 + i&1
			}
		}
	}
}
