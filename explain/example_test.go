package explain_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/explain"
)

var exampleConfig = breaker.Config{
	ConsecutiveFailures: 3,
	Open:                breaker.OpenConfig{Wait: 27 * time.Second, Jitter: switchgear.Off},
	HalfOpen:            breaker.HalfOpenConfig{Probes: 2},
}

func failing(context.Context) error { return errors.New("dial tcp: connection refused") }
func working(context.Context) error { return nil }

// Each event as a line, and the why for whoever asks later.
func Example() {
	clk := clock.NewVirtual(time.Date(2026, time.March, 1, 3, 12, 44, 0, time.UTC))
	say := event.Func(func(e event.Event) {
		if record, ok := explain.Of(e); ok {
			fmt.Println(record)
		}
	})
	b, err := breaker.New("payments", exampleConfig, breaker.WithClock(clk), breaker.WithListener(say))
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	for range 5 {
		_ = b.Do(ctx, failing)
	}
	clk.Advance(15 * time.Second)
	fmt.Println(explain.Now(b.Snapshot(), clk.Now()))
	clk.Advance(15 * time.Second)
	for range 2 {
		_ = b.Do(ctx, working)
	}
	// Output:
	// payments: CLOSED → OPEN after 3 failures in a row, mostly dial tcp: connection refused; next probe in 27 s
	// payments: OPEN since 03:12:44 (15 s), because 3 failures in a row, mostly dial tcp: connection refused; next probe in 12 s
	// payments: OPEN → HALF_OPEN after 30 s, 2 calls refused; probing
	// payments: HALF_OPEN → CLOSED after 2 of 2 probes succeeded in 0 s
}

// What protection has cost and spared, as far as the probes can tell.
func ExampleLedger() {
	ledger, err := explain.NewLedger(explain.LedgerConfig{FailedCall: 2 * time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	clk := clock.NewVirtual(time.Time{})
	b, err := breaker.New("payments", exampleConfig, breaker.WithClock(clk), breaker.WithListener(ledger))
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	for range 1003 {
		_ = b.Do(ctx, failing) // three fail, a thousand are refused
	}
	clk.Advance(time.Minute)
	_ = b.Do(ctx, failing) // a bad probe and a good one
	_ = b.Do(ctx, working)

	book, _ := ledger.Book("payments")
	fmt.Printf("%d refused while open for %v\n", book.Refused, book.Open)
	good := book.WouldBeGood
	fmt.Printf("%.0f of them would have been good, or anything from %.0f to %.0f\n", good.Estimate, good.Low, good.High)
	fmt.Printf("%v of waiting spared\n", time.Duration(book.WaitSpared.Estimate))
	// Output:
	// 1000 refused while open for 1m0s
	// 500 of them would have been good, or anything from 95 to 905
	// 16m40s of waiting spared
}

// One event when a breaker does not come to rest.
func ExampleFlapDetector() {
	clk := clock.NewVirtual(time.Time{})
	detector, err := explain.NewFlapDetector(explain.FlapConfig{PerHour: 4},
		explain.WithClock(clk),
		explain.WithListener(event.Func(func(e event.Event) { fmt.Println(e.Name, e.To, e.Detail) })))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer detector.Close()
	b, err := breaker.New("payments", exampleConfig, breaker.WithClock(clk), breaker.WithListener(detector))
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	for range 8 {
		for range 3 {
			_ = b.Do(ctx, failing)
		}
		clk.Advance(time.Minute)
		for range 2 {
			_ = b.Do(ctx, working)
		}
	}
	clk.Advance(2 * time.Hour)
	// Output:
	// payments FLAPPING opened 5 times in the last hour, more than 4
	// payments STEADY no longer flapping after 1 h 1 min: opened 2 times in the last hour
}
