package breaker_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
)

// In the middle of an outage the team decides to probe more carefully, and less
// often. The breaker stays open; only its deadline moves.
func ExampleBreaker_Reconfigure() {
	c := clock.NewVirtual(time.Date(2026, time.March, 1, 3, 12, 0, 0, time.UTC))
	log := event.Func(func(e event.Event) {
		if e.Kind == event.Reconfigured {
			fmt.Println(e.Detail)
		}
	})
	cfg := breaker.Config{
		MinimumCalls: 4,
		Open:         breaker.OpenConfig{Wait: 30 * time.Second, Jitter: switchgear.Off},
	}
	stock := breaker.Must(breaker.New("stock", cfg, breaker.WithClock(c), breaker.WithListener(log)))
	for range 4 {
		_ = stock.Do(context.Background(), func(context.Context) error { return errors.New("connection refused") })
	}
	c.Advance(10 * time.Second)
	fmt.Println(stock.State(), stock.Snapshot().RetryAfter)

	cfg.Open.Wait = 2 * time.Minute
	cfg.HalfOpen.Probes = 1
	if err := stock.Reconfigure(cfg); err != nil {
		fmt.Println(err)
	}
	fmt.Println(stock.State(), stock.Snapshot().RetryAfter)

	cfg.FailureRate = 0.2 // a slip of the pen: nothing changes
	fmt.Println(stock.Reconfigure(cfg))
	fmt.Println(stock.Config().HalfOpen.Probes, stock.Config().FailureRate)
	// Output:
	// OPEN 20s
	// Open.Wait: 30s → 2m0s, Open.MaxWait: 5m0s → 20m0s, HalfOpen.Probes: 5 → 1, HalfOpen.ProbeLimit: 30s → 2m0s
	// OPEN 1m50s
	// breaker "stock": invalid configuration: FailureRate = 0.2: must be in percent, from 1 to 100, or Off; did you mean 20 %?
	// 1 50 %
}
