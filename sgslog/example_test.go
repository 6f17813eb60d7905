package sgslog_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
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
