package sgslog_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/explain"
	"github.com/switchgear-go/switchgear/registry"
	"github.com/switchgear-go/switchgear/sgslog"
)

func Example() {
	log := sgslog.Must(sgslog.New(slog.New(slog.NewTextHandler(os.Stdout, nil)), sgslog.Config{}))

	// The clock is here so that the times are the same in each run.
	clk := clock.NewVirtual(time.Date(2026, time.March, 1, 3, 12, 44, 0, time.UTC))
	stock := breaker.Must(breaker.New("stock", breaker.Config{}, breaker.WithListener(log), breaker.WithClock(clk)))
	clk.Advance(time.Minute)
	if err := stock.Move(breaker.Move{To: breaker.Disabled, Author: "ana", Reason: "load test"}); err != nil {
		fmt.Println(err)
	}

	// Before the program ends.
	if err := log.Close(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// time=2026-03-01T03:13:44.000Z level=INFO msg="stock: CLOSED → DISABLED by \"ana\": \"load test\", after 1 min" source=breaker name=stock kind=transition seq=1 from=CLOSED to=DISABLED period=2 author=ana reason="load test" cause=operator lasted=1m0s config_version=1
}

// All that a program says of its policies: lines in the log, also of breakers that do not
// come to rest, and a book of what protection has cost. These listeners are quick, so they
// are given to the registry when it is made; they hear of every policy in it.
func Example_registry() {
	handler := slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: levelAndMessage})
	log := sgslog.Must(sgslog.New(slog.New(handler), sgslog.Config{}))
	clk := clock.NewVirtual(time.Date(2026, time.March, 1, 3, 12, 44, 0, time.UTC))

	ledger, err := explain.NewLedger(explain.LedgerConfig{FailedCall: 2 * time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	detector, err := explain.NewFlapDetector(explain.FlapConfig{PerHour: 1}, explain.WithListener(log), explain.WithClock(clk))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer detector.Close()
	reg := registry.Must(registry.New(registry.Config{}, registry.WithClock(clk),
		registry.WithListener(log), registry.WithListener(ledger), registry.WithListener(detector)))

	payments, err := reg.Breaker("payments", breaker.Config{
		ConsecutiveFailures: 3,
		Open:                breaker.OpenConfig{Wait: 30 * time.Second, Jitter: switchgear.Off},
		HalfOpen:            breaker.HalfOpenConfig{Probes: 1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	for range 2 {
		for range 100 { // of which three are made
			_ = payments.Do(ctx, func(context.Context) error { return errors.New("connection refused") })
		}
		clk.Advance(30 * time.Second)
		_ = payments.Do(ctx, func(context.Context) error { return nil })
	}
	if err := log.Close(ctx); err != nil {
		fmt.Println(err)
	}

	book, _ := ledger.Book("payments")
	fmt.Printf("%d trips, %d calls refused in %v\n", book.Trips, book.Refused, book.Open)
	fmt.Println("flapping:", detector.Flapping("payments"))
	// Output:
	// level=WARN msg="payments: CLOSED → OPEN after 3 failures in a row, mostly connection refused; next probe in 30 s"
	// level=INFO msg="payments: OPEN → HALF_OPEN after 30 s, 97 calls refused; probing"
	// level=INFO msg="payments: HALF_OPEN → CLOSED after 1 of 1 probe succeeded in 0 s"
	// level=WARN msg="payments: CLOSED → OPEN after 3 failures in a row, mostly connection refused; next probe in 30 s"
	// level=WARN msg="payments: STEADY → FLAPPING (opened 2 times in the last hour, more than 1)"
	// level=INFO msg="payments: OPEN → HALF_OPEN after 30 s, 97 calls refused; probing"
	// level=INFO msg="payments: HALF_OPEN → CLOSED after 1 of 1 probe succeeded in 0 s"
	// 2 trips, 194 calls refused in 1m0s
	// flapping: true
}

// levelAndMessage leaves the attributes out, which are for machines.
func levelAndMessage(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.LevelKey || a.Key == slog.MessageKey {
		return a
	}
	return slog.Attr{}
}
