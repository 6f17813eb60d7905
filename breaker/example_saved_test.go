package breaker_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
)

// A program saves its breakers when it shuts down and restores them when it starts.
// So a deployment in the middle of an outage does not begin by sending every call
// to a dependency that is known to be down.
func ExampleRestoreAll() {
	dir, err := os.MkdirTemp("", "breakers")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "breakers.json")
	noon := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

	// start is what the program does first, and stop what it does last. On a real
	// clock leave the option out.
	start := func(c clock.Clock) (stock, price *breaker.Breaker) {
		cfg := breaker.Config{
			MinimumCalls: 4,
			Open:         breaker.OpenConfig{Wait: 30 * time.Second, Jitter: switchgear.Off},
		}
		stock = breaker.Must(breaker.New("stock", cfg, breaker.WithClock(c)))
		price = breaker.Must(breaker.New("price", cfg, breaker.WithClock(c)))
		document, err := os.ReadFile(file)
		if err == nil {
			err = breaker.RestoreAll(document, stock, price)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			fmt.Println("starting afresh:", err) // not worth failing for
		}
		return stock, price
	}
	stop := func(breakers ...*breaker.Breaker) {
		document, err := breaker.SaveAll(breakers...)
		if err == nil {
			err = os.WriteFile(file, document, 0o600)
		}
		if err != nil {
			fmt.Println("not saved:", err)
		}
	}

	c := clock.NewVirtual(noon)
	stock, price := start(c)
	for range 4 {
		_ = stock.Do(context.Background(), func(context.Context) error { return errors.New("connection refused") })
	}
	fmt.Println(c.Now().Format(time.TimeOnly), stock.State(), price.State())
	c.Advance(5 * time.Second)
	stop(stock, price)

	c = clock.NewVirtual(noon.Add(12 * time.Second)) // another process, 7 s later
	stock, price = start(c)
	fmt.Println(c.Now().Format(time.TimeOnly), stock.State(), price.State())
	fmt.Println(stock.Do(context.Background(), func(context.Context) error { return nil }))
	// Output:
	// 12:00:00 OPEN CLOSED
	// 12:00:12 OPEN CLOSED
	// breaker "stock" is OPEN: 4 of 4 calls failed (100 % ≥ 50 %), mostly error: connection refused; next probe in 18s
}

// What is too old to be true is forgotten: half an hour later, nobody knows how the
// dependency is.
func ExampleBreaker_Restore() {
	noon := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	at := func(t time.Time) breaker.Option { return breaker.WithClock(clock.NewVirtual(t)) }

	before := breaker.Must(breaker.New("stock", breaker.Config{}, at(noon)))
	if err := before.Move(breaker.Move{To: breaker.Open, Author: "ana", Reason: "stock is down"}); err != nil {
		fmt.Println(err)
	}
	saved := before.Save()

	for _, down := range []time.Duration{time.Second, 30 * time.Minute} {
		after := breaker.Must(breaker.New("stock", breaker.Config{}, at(noon.Add(down))))
		if err := after.Restore(saved); err != nil {
			fmt.Println(err)
		}
		fmt.Println(down, after.State(), after.Snapshot().LastTrip.Text())
	}
	// Output:
	// 1s OPEN opened by ana: stock is down
	// 30m0s CLOSED opened by ana: stock is down
}
