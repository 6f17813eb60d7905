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
	"github.com/switchgear-go/switchgear/evidence"
)

var errRefused = errors.New("connection refused")

// A breaker around a call with a result, and something to fall back on while the
// dependency is down.
func Example() {
	stock := breaker.Must(breaker.New("stock", breaker.Config{MinimumCalls: 3}))
	down := false
	quantity := func(ctx context.Context) (int, error) {
		n, err := breaker.Do(ctx, stock, func(context.Context) (int, error) {
			if down {
				return 0, errRefused
			}
			return 42, nil
		})
		if errors.Is(err, breaker.ErrRejected) {
			return 40, nil // the number known last, at once
		}
		return n, err
	}

	ctx := context.Background()
	fmt.Println(quantity(ctx))
	down = true
	fmt.Println(quantity(ctx))
	fmt.Println(quantity(ctx))
	fmt.Println(quantity(ctx))
	fmt.Println(stock.State())
	// Output:
	// 42 <nil>
	// 0 connection refused
	// 0 connection refused
	// 40 <nil>
	// OPEN
}

// Where a call does not fit in one function, ask for a permit and say later how the
// call ended.
func ExampleBreaker_Acquire() {
	stock := breaker.Must(breaker.New("stock", breaker.Config{}))

	receive := func(ctx context.Context) error {
		permit, err := stock.Acquire(ctx)
		if err != nil {
			return err
		}
		defer permit.Release() // does nothing once the permit is settled

		// … send the request, read the answer …
		permit.Done(errRefused)
		return errRefused
	}

	fmt.Println(receive(context.Background()))
	c := stock.Counters()
	fmt.Println(c.Failed, "failed,", c.Released, "released")
	// Output:
	// connection refused
	// 1 failed, 0 released
}

// A classifier for one call sees the result, and so can tell a bad answer from a
// good one where both come without an error.
func ExampleDoJudged() {
	type answer struct{ status int }
	judge := func(a answer, err error) switchgear.Outcome {
		if err == nil && a.status >= 500 {
			return switchgear.Failure
		}
		return switchgear.Undecided // the usual rules
	}

	stock := breaker.Must(breaker.New("stock", breaker.Config{}))
	for _, status := range []int{200, 404, 503} {
		a, err := breaker.DoJudged(context.Background(), stock, judge,
			func(context.Context) (answer, error) { return answer{status}, nil })
		fmt.Println(a.status, err)
	}
	c := stock.Counters()
	fmt.Println(c.Successful, "successful,", c.Failed, "failed")
	// Output:
	// 200 <nil>
	// 404 <nil>
	// 503 <nil>
	// 2 successful, 1 failed
}

// An operator takes a dependency out of use for an hour, with name and reason.
func ExampleBreaker_Move() {
	clk := clock.NewVirtual(time.Date(2026, time.March, 1, 3, 0, 0, 0, time.UTC))
	stock := breaker.Must(breaker.New("stock", breaker.Config{}, breaker.WithClock(clk)))

	err := stock.Move(breaker.Move{
		To:     breaker.ForcedOpen,
		Author: "ana",
		Reason: "database migration",
		For:    time.Hour,
	})
	fmt.Println(err)

	err = stock.Do(context.Background(), func(context.Context) error { return nil })
	fmt.Println(err)
	clk.Advance(time.Hour)
	fmt.Println(stock.State(), stock.Ready())

	fmt.Println(stock.Move(breaker.Move{To: breaker.Closed}))
	// Output:
	// <nil>
	// breaker "stock" is FORCED_OPEN: opened by ana: database migration; next probe in 1h0m0s
	// OPEN true
	// breaker move "stock": invalid configuration: Reason = "": must not be empty: the next operator will want to know
}

// A listener hears of every transition, in order. One that is slow belongs in
// [event.Async].
func ExampleWithListener() {
	clk := clock.NewVirtual(time.Date(2026, time.March, 1, 3, 0, 0, 0, time.UTC))
	print := event.Func(func(e event.Event) { fmt.Println(e.From, "->", e.To, "-", e.Detail) })
	stock := breaker.Must(breaker.New("stock", breaker.Config{
		Window:       breaker.WindowConfig{Calls: 10},
		MinimumCalls: 10,
		Open:         breaker.OpenConfig{Jitter: switchgear.Off},
		HalfOpen:     breaker.HalfOpenConfig{Probes: 1},
	}, breaker.WithClock(clk), breaker.WithListener(print)))

	for range 10 {
		_ = stock.Do(context.Background(), func(context.Context) error { return errRefused })
	}
	clk.Advance(30 * time.Second)
	_ = stock.Do(context.Background(), func(context.Context) error { return nil })
	// Output:
	// CLOSED -> OPEN - 10 of 10 calls failed (100 % ≥ 50 %), mostly error: connection refused; next probe in 30s
	// OPEN -> HALF_OPEN - after 30s: 0 calls refused
	// HALF_OPEN -> CLOSED - after 0s: 0 of 1 probes failed
}

// A refused caller learns when to come back.
func ExampleRejection_RetryAfter() {
	clk := clock.NewVirtual(time.Date(2026, time.March, 1, 3, 0, 0, 0, time.UTC))
	stock := breaker.Must(breaker.New("stock", breaker.Config{
		ConsecutiveFailures: 3,
		Open:                breaker.OpenConfig{Jitter: switchgear.Off},
	}, breaker.WithClock(clk)))
	for range 3 {
		_ = stock.Do(context.Background(), func(context.Context) error { return errRefused })
	}

	clk.Advance(10 * time.Second)
	err := stock.Do(context.Background(), func(context.Context) error { return nil })
	if rejection, ok := errors.AsType[*breaker.Rejection](err); ok {
		wait, known := rejection.RetryAfter()
		fmt.Println(wait, known)
		fmt.Println(rejection.Trip().Rule)
	}
	// Output:
	// 20s true
	// consecutive_failures
}

// The evidence rule needs no window and no minimum number of calls: it asks how
// often the dependency fails when it is healthy and when it is sick, and how seldom
// it may trip for nothing.
func ExampleConfig_evidence() {
	stock := breaker.Must(breaker.New("stock", breaker.Config{
		FailureRate: switchgear.Off,
		Evidence: &evidence.Config{
			Healthy:           0.01, // one call in a hundred may fail
			Sick:              0.30,
			CallsPerFalseTrip: 1e8,
		},
	}))
	for range 1000 {
		_ = stock.Do(context.Background(), func(context.Context) error { return nil })
	}
	failures := 0
	for stock.State() == breaker.Closed {
		failures++
		_ = stock.Do(context.Background(), func(context.Context) error { return errRefused })
	}
	fmt.Println("open after", failures, "failures in a row:", stock.Snapshot().LastTrip.Rule)
	// Output:
	// open after 8 failures in a row: evidence
}

// Everything that is wrong with a configuration is reported at once.
func ExampleNew_problems() {
	_, err := breaker.New("stock", breaker.Config{
		FailureRate:  0.5,
		MinimumCalls: -1,
	})
	if problems, ok := errors.AsType[*switchgear.ConfigError](err); ok {
		for _, p := range problems.Problems {
			fmt.Println(p)
		}
	}
	// Output:
	// MinimumCalls = -1: must be from 1 to 1000000000
	// FailureRate = 0.5: must be in percent, from 1 to 100, or Off; did you mean 50 %?
}

// A snapshot is for dashboards.
func ExampleBreaker_Snapshot() {
	stock := breaker.Must(breaker.New("stock", breaker.Config{MinimumCalls: 4}))
	for i := range 8 {
		_ = stock.Do(context.Background(), func(context.Context) error {
			if i%4 == 3 {
				return errRefused
			}
			return nil
		})
	}
	s := stock.Snapshot()
	rate, defined := s.Numbers.FailureRate()
	fmt.Println(s.State, s.Numbers.Calls, "calls,", rate, "% failed,", defined)
	// Output:
	// CLOSED 8 calls, 25 % failed, true
}
