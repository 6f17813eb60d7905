package timeout_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/timeout"
)

// A limit on a call with a result. The function gets a context with the deadline.
func Example() {
	stock := timeout.Must(timeout.New("stock", timeout.Config{Limit: 10 * time.Millisecond}))

	quantity, err := timeout.Do(context.Background(), stock, func(ctx context.Context) (int, error) {
		return 42, nil
	})
	fmt.Println(quantity, err)

	_, err = timeout.Do(context.Background(), stock, func(ctx context.Context) (int, error) {
		<-ctx.Done() // a dependency that does not answer
		return 0, ctx.Err()
	})
	fmt.Println(errors.Is(err, timeout.ErrTimeout), errors.Is(err, context.DeadlineExceeded))
	fmt.Println(stock.Counters().TimedOut, "timed out")
	// Output:
	// 42 <nil>
	// true true
	// 1 timed out
}

// A function that ignores its context is left behind at the limit.
func ExampleConfig_abandon() {
	legacy := timeout.Must(timeout.New("legacy", timeout.Config{Limit: time.Millisecond, Abandon: true}))

	answer := make(chan struct{})
	err := legacy.Do(context.Background(), func(context.Context) error {
		<-answer // whatever its context says
		return nil
	})
	fmt.Println(errors.Is(err, timeout.ErrTimeout), legacy.Snapshot().Abandoned, "left behind")
	close(answer)
	// Output:
	// true 1 left behind
}

// A call whose caller has hardly any time left is not worth starting.
func ExampleConfig_minimum() {
	stock := timeout.Must(timeout.New("stock", timeout.Config{Limit: time.Hour, Minimum: 30 * time.Minute}))

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := stock.Do(ctx, func(context.Context) error { return nil })

	if r, ok := errors.AsType[*timeout.Rejection](err); ok {
		fmt.Println(r.Reason, r.Minimum)
	}
	// Output:
	// too_little_time 30m0s
}

// Where a call is more than one function, a handle keeps its context alive.
func ExampleTimeout_Context() {
	stock := timeout.Must(timeout.New("stock", timeout.Config{Limit: time.Minute}))

	receive := func(ctx context.Context) error {
		h, err := stock.Context(ctx)
		if err != nil {
			return err
		}
		defer h.Release() // does nothing once the handle has ended

		// … send the request with h.Ctx, read the answer …
		return h.End(nil)
	}
	fmt.Println(receive(context.Background()))
	// Output:
	// <nil>
}

// Code that keeps the time itself asks when a call must end, and how it ended.
func ExampleTimeout_Deadline() {
	clk := clock.NewVirtual(time.Date(2026, time.March, 1, 3, 0, 0, 0, time.UTC))
	stock := timeout.Must(timeout.New("stock", timeout.Config{Limit: time.Second}, timeout.WithClock(clk)))

	start := clk.Mono()
	at, err := stock.Deadline(context.Background(), start)
	fmt.Println(at, err)
	fmt.Println(stock.Judge(start, at-1, nil))
	fmt.Println(stock.Judge(start, at, nil))
	// Output:
	// 1s <nil>
	// <nil>
	// timeout "stock": not done within 1s
}
