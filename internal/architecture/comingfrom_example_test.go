package architecture_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/backoff"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/fallback"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/ratelimit"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/timeout"
)

// The code here is what docs/coming-from.md shows; a test compares them. The outputs are
// what the other library would do as well.

var errDown = errors.New("down")

// life tells what a breaker does when all calls fail, and how it comes back.
func life(cfg breaker.Config, opts ...breaker.Option) {
	clk := clock.NewVirtual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	b := breaker.Must(breaker.New("stock", cfg, append(opts, breaker.WithClock(clk))...))
	call := func(err error) error {
		return b.Do(context.Background(), func(context.Context) error { return err })
	}
	failures := 0
	for b.State() == breaker.Closed {
		call(errDown)
		failures++
	}
	wait := b.Snapshot().RetryAfter
	fmt.Printf("trips at failure %d, waits %v", failures, wait)
	clk.Advance(wait)
	probes := 0
	for b.State() != breaker.Closed {
		call(nil)
		probes++
	}
	fmt.Printf(", closes after %d good probes, %d warnings\n", probes, len(b.Warnings()))
}

func quantity(context.Context) (int, error) { return 0, errDown }

func Example_hystrix() {
	cfg := breaker.Config{
		Window:       breaker.WindowConfig{Length: 10 * time.Second}, // ten buckets
		MinimumCalls: 20,
		FailureRate:  50,
		Open:         breaker.OpenConfig{Wait: 5 * time.Second, Jitter: switchgear.Off, MaxHint: switchgear.Off},
		HalfOpen:     breaker.HalfOpenConfig{Probes: 1, Verdict: breaker.ByStreak, ProbeLimit: switchgear.Off},
	}
	life(cfg)
	// Output: trips at failure 20, waits 5s, closes after 1 good probes, 0 warnings
}

func Example_hystrixCommand() {
	stock, err := pipeline.New("stock", pipeline.Config{
		Breaker:  &breaker.Config{},
		Bulkhead: &bulkhead.Config{MaxConcurrent: 10},
		Attempt:  &timeout.Config{Limit: time.Second},
	})
	if err != nil {
		panic(err)
	}
	n, err := fallback.Do(context.Background(),
		func(ctx context.Context) (int, error) { return pipeline.Do(ctx, stock, quantity) }, // run
		fallback.Value(7), // getFallback
	)
	fmt.Println(n, err)
	// Output: 7 <nil>
}

func Example_resilience4j() {
	cfg := breaker.Config{
		Window:       breaker.WindowConfig{Calls: 100},
		MinimumCalls: 100,
		FailureRate:  50,
		SlowCall:     breaker.SlowCallConfig{Duration: time.Minute, Rate: 100},
		Open:         breaker.OpenConfig{Wait: time.Minute, Jitter: switchgear.Off, MaxHint: switchgear.Off},
		HalfOpen:     breaker.HalfOpenConfig{Probes: 10, ProbeLimit: switchgear.Off},
	}
	life(cfg)
	// Output: trips at failure 100, waits 1m0s, closes after 10 good probes, 0 warnings
}

func Example_resilience4jDecorators() {
	errInvalid := errors.New("invalid request")
	stock, err := pipeline.New("stock", pipeline.Config{
		RateLimit: &ratelimit.Config{Rate: 50, Burst: 50, MaxWait: 5 * time.Second},
		Retry: &retry.Config{
			Attempts: 3,
			Backoff:  backoff.Config{Kind: backoff.Constant, Initial: 500 * time.Millisecond, Jitter: backoff.None},
		},
		Breaker:  &breaker.Config{},
		Bulkhead: &bulkhead.Config{MaxConcurrent: 25},
		Attempt:  &timeout.Config{Limit: time.Second},
	}, pipeline.WithClassifier(func(err error) switchgear.Judgement {
		if errors.Is(err, errInvalid) { // ignoreExceptions of breaker and retry
			return switchgear.Judgement{Health: switchgear.Ignored, Repeat: switchgear.RepeatNever}
		}
		return switchgear.Judgement{}
	}))
	if err != nil {
		panic(err)
	}
	_, err = pipeline.Do(context.Background(), stock, func(context.Context) (int, error) { return 0, errInvalid })
	fmt.Println(err, stock.Breaker().Counters().Ignored, stock.Retry().Counters().Retries)
	// Output: invalid request 1 0
}

func Example_polly() {
	cfg := breaker.Config{
		Window:       breaker.WindowConfig{Length: 30 * time.Second, Buckets: 10},
		MinimumCalls: 100,
		FailureRate:  10, // FailureRatio 0.1
		Open:         breaker.OpenConfig{Wait: 5 * time.Second, Jitter: switchgear.Off, MaxHint: switchgear.Off},
		HalfOpen:     breaker.HalfOpenConfig{Probes: 1, Verdict: breaker.ByStreak, ProbeLimit: switchgear.Off},
	}
	life(cfg)
	// Output: trips at failure 100, waits 5s, closes after 1 good probes, 0 warnings
}

func Example_pollyManualControl() {
	stock := breaker.Must(breaker.New("stock", breaker.Config{}))
	isolate := breaker.Move{To: breaker.ForcedOpen, Author: "ana", Reason: "maintenance", For: time.Hour}
	if err := stock.Move(isolate); err != nil { // IsolateAsync
		panic(err)
	}
	_, err := breaker.Do(context.Background(), stock, quantity)
	fmt.Println(errors.Is(err, breaker.ErrRejected), stock.State())
	err = stock.Reset("ana", "maintenance is over") // CloseAsync
	fmt.Println(err, stock.State())
	// Output:
	// true FORCED_OPEN
	// <nil> CLOSED
}

func Example_gobreaker() {
	cfg := breaker.Config{
		FailureRate:         switchgear.Off,
		ConsecutiveFailures: 6, // theirs: more than 5
		Open:                breaker.OpenConfig{Wait: time.Minute, Jitter: switchgear.Off, MaxHint: switchgear.Off},
		HalfOpen:            breaker.HalfOpenConfig{Probes: 1, Verdict: breaker.ByStreak, ProbeLimit: switchgear.Off},
	}
	life(cfg)
	// Output: trips at failure 6, waits 1m0s, closes after 1 good probes, 0 warnings
}

func Example_gobreakerSettings() {
	errNotFound := errors.New("not found")
	cfg := breaker.Config{
		Window:       breaker.WindowConfig{Length: time.Minute, Buckets: 6}, // Interval, BucketPeriod
		MinimumCalls: 10,                                                    // Requests >= 10 &&
		FailureRate:  60,                                                    // TotalFailures/Requests >= 0.6
		Open:         breaker.OpenConfig{Wait: 30 * time.Second},            // Timeout
		HalfOpen:     breaker.HalfOpenConfig{Probes: 3, Verdict: breaker.ByStreak},
	}
	stock, err := breaker.New("stock", cfg, breaker.WithClassifier(func(err error) switchgear.Outcome {
		switch {
		case errors.Is(err, errNotFound): // IsSuccessful
			return switchgear.Success
		case errors.Is(err, context.Canceled): // IsExcluded
			return switchgear.Ignored
		}
		return switchgear.Undecided
	}))
	if err != nil {
		panic(err)
	}
	_, err = breaker.Do(context.Background(), stock, func(context.Context) (int, error) { return 0, errNotFound })
	fmt.Println(err, stock.Counters().Successful)
	// Output: not found 1
}

func Example_failsafe() {
	cfg := breaker.Config{
		FailureRate:         switchgear.Off,
		ConsecutiveFailures: 1,
		Open:                breaker.OpenConfig{Wait: time.Minute, Jitter: switchgear.Off, MaxHint: switchgear.Off},
		HalfOpen:            breaker.HalfOpenConfig{Probes: 1, Verdict: breaker.ByStreak, ProbeLimit: switchgear.Off},
	}
	life(cfg)
	// Output: trips at failure 1, waits 1m0s, closes after 1 good probes, 0 warnings
}

func Example_failsafeRatio() {
	cfg := breaker.Config{
		Window:       breaker.WindowConfig{Calls: 10}, // WithFailureThresholdRatio(5, 10)
		MinimumCalls: 10,
		FailureRate:  switchgear.Off,
		FailureCount: 5,
		Open:         breaker.OpenConfig{Wait: 30 * time.Second, Jitter: switchgear.Off}, // WithDelay
		HalfOpen:     breaker.HalfOpenConfig{Probes: 3, Verdict: breaker.ByStreak},       // WithSuccessThreshold(3)
	}
	life(cfg)
	// Output: trips at failure 5, waits 30s, closes after 3 good probes, 0 warnings
}

func Example_failsafePolicies() {
	cfg := pipeline.Interactive()
	cfg.Retry = &retry.Config{
		Attempts: 4,                                                                 // WithMaxRetries(3)
		Backoff:  backoff.Config{Initial: 100 * time.Millisecond, Max: time.Second}, // WithBackoff
	}
	cfg.Hedge = &hedge.Config{Percentile: 95, MinimumSamples: 100} // NewWithDelayQuantile
	stock, err := pipeline.New("stock", cfg)
	if err != nil {
		panic(err)
	}
	_, err = pipeline.Do(hedge.Safe(context.Background()), stock, func(context.Context) (int, error) { return 42, nil })
	fmt.Println(err, stock.Order())
	// Output: <nil> [Total Retry Hedge Breaker Bulkhead Attempt]
}
