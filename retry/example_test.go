package retry_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/backoff"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/retry"
)

// A call that is made again, on a budget that all calls to the dependency share.
func Example() {
	shared := budget.Must(budget.New("stock", budget.Config{}))
	again := retry.Must(retry.New("stock", retry.Config{
		Backoff: backoff.Config{Initial: time.Millisecond},
	}, retry.WithBudget(shared)))

	runs := 0
	quantity, err := retry.Do(context.Background(), again, func(context.Context) (int, error) {
		if runs++; runs < 3 {
			return 0, errors.New("connection refused")
		}
		return 42, nil
	})
	fmt.Println(quantity, err, "after", runs, "runs")
	// Output:
	// 42 <nil> after 3 runs
}

// The error tells why there was no other attempt, and matches what went wrong.
func ExampleError() {
	down := errors.New("connection refused")
	again := retry.Must(retry.New("stock", retry.Config{}))

	err := again.Do(context.Background(), func(context.Context) error {
		return switchgear.WithRetryAfter(down, time.Hour)
	})
	fmt.Println(err)
	fmt.Println("gave up:", errors.Is(err, retry.ErrExhausted), "down:", errors.Is(err, down))
	if e, ok := errors.AsType[*retry.Error](err); ok {
		fmt.Println("limit:", e.Limit, "hint:", e.Hint)
	}
	// Output:
	// retry "stock" gave up after 1 attempt: the dependency asks for a wait of 1h0m0s; last error: connection refused
	// gave up: true down: true
	// limit: hint hint: 1h0m0s
}

// Some errors no further attempt can cure. They are returned as they are.
func ExampleRetry_Do_final() {
	again := retry.Must(retry.New("stock", retry.Config{}))
	runs := 0
	err := again.Do(context.Background(), func(context.Context) error {
		runs++
		return switchgear.MarkFinal(errors.New("no such item"))
	})
	fmt.Println(err, "after", runs, "run")
	// Output:
	// no such item after 1 run
}

// A loop decides and does not wait, so it can be run in virtual time.
func ExampleLoop() {
	clk := clock.NewVirtual(time.Time{})
	again := retry.Must(retry.New("stock", retry.Config{
		Attempts: 4,
		Backoff:  backoff.Config{Jitter: backoff.None},
	}, retry.WithClock(clk)))
	down := errors.New("connection refused")

	ctx := context.Background()
	loop := again.Begin()
	for {
		fmt.Println("attempt", loop.Attempt(), "at", clk.Mono())
		judgement := switchgear.Judge(ctx, down, clk.Now, nil)
		delay, more := loop.Next(ctx, down, judgement)
		if !more {
			break
		}
		clk.Advance(delay)
	}
	fmt.Println(loop.Err(down))
	// Output:
	// attempt 1 at 0s
	// attempt 2 at 100ms
	// attempt 3 at 300ms
	// attempt 4 at 700ms
	// retry "stock" gave up after 4 attempts, as many as are allowed; last error: connection refused
}
