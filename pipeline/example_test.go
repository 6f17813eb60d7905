package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/backoff"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/timeout"
)

func Example() {
	stock, err := pipeline.New("stock", pipeline.Config{
		Total:   &timeout.Config{Limit: 2 * time.Second},
		Retry:   &retry.Config{Attempts: 3, Backoff: backoff.Config{Initial: time.Millisecond}},
		Breaker: &breaker.Config{},
		Attempt: &timeout.Config{Limit: 500 * time.Millisecond},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	n, err := pipeline.Do(context.Background(), stock, func(ctx context.Context) (int, error) {
		a, _ := switchgear.AttemptOf(ctx)
		fmt.Println("attempt", a.Number)
		if a.Number < 3 {
			return 0, errors.New("connection reset")
		}
		return 42, nil
	})
	fmt.Println(n, err)
	fmt.Println(stock.Order())
	// Output:
	// attempt 1
	// attempt 2
	// attempt 3
	// 42 <nil>
	// [Total Retry Breaker Attempt]
}

// A configuration that defeats itself is refused, with the reason; all that is wrong is
// reported at once.
func ExampleNew_harmful() {
	cfg := pipeline.Interactive()
	cfg.Attempt.Limit = 5 * time.Second
	cfg.Retry.Attempts = -1
	_, err := pipeline.New("stock", cfg)
	if invalid, ok := errors.AsType[*switchgear.ConfigError](err); ok {
		for _, problem := range invalid.Problems {
			fmt.Println(problem)
		}
	}
	// Output:
	// Retry.Attempts = -1: must be from 1 to 10000, or Off
	// Attempt.Limit = 5s: must be shorter than Total.Limit = 3s, which would end the first attempt and leave no time for another; to have it anyway, accept "attempt-not-shorter-than-total"
}

// Policies that several pipelines share are made once and listed.
func ExampleCompose() {
	places := bulkhead.Must(bulkhead.New("database", bulkhead.Config{MaxConcurrent: 20}))
	limit := timeout.Must(timeout.New("reads", timeout.Config{Limit: time.Second}))
	reads := pipeline.Must(pipeline.Compose("reads", []pipeline.Policy{
		pipeline.Bulkhead(places),
		pipeline.Attempt(limit),
	}))
	writes := pipeline.Must(pipeline.Compose("writes", []pipeline.Policy{
		pipeline.Bulkhead(places),
	}))
	fmt.Println(reads.Order(), writes.Order())

	err := reads.Do(context.Background(), func(ctx context.Context) error {
		fmt.Println("running:", places.Snapshot().Running)
		return nil
	})
	fmt.Println(err)
	// Output:
	// [Bulkhead Attempt] [Bulkhead]
	// running: 1
	// <nil>
}

// An answer can be bad though it came without an error. The policies see the error of
// Check; the caller gets the answer.
func ExampleRun() {
	stock := pipeline.Must(pipeline.New("stock", pipeline.Config{
		Retry:   &retry.Config{Attempts: 2, Backoff: backoff.Config{Initial: time.Millisecond}},
		Breaker: &breaker.Config{},
	}))
	status, err := pipeline.Run(context.Background(), stock, pipeline.Call[int]{
		Func: func(context.Context) (int, error) { return 503, nil },
		Check: func(status int) error {
			if status >= 500 {
				return fmt.Errorf("status %d", status)
			}
			return nil
		},
		Discard: func(status int) { fmt.Println("discarded", status) },
	})
	fmt.Println(status, err)
	fmt.Println(stock.Breaker().Counters().Failed, "failed attempts")
	// Output:
	// discarded 503
	// 503 <nil>
	// 2 failed attempts
}

// Whoever refused says so, and when to come back.
func Example_refusal() {
	stock := pipeline.Must(pipeline.New("stock", pipeline.Config{Retry: &retry.Config{}, Breaker: &breaker.Config{}}))
	if err := stock.Breaker().Move(breaker.Move{To: breaker.ForcedOpen, For: time.Hour, Author: "ana", Reason: "maintenance"}); err != nil {
		fmt.Println(err)
	}
	err := stock.Do(context.Background(), func(context.Context) error { return nil })
	fmt.Println(err)
	wait, known := switchgear.RetryAfter(err)
	fmt.Println(errors.Is(err, switchgear.ErrRejected), wait.Round(time.Minute), known)
	// Output:
	// breaker "stock" is FORCED_OPEN: opened by ana: maintenance; next probe in 1h0m0s
	// true 1h0m0s true
}
