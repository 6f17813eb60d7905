package sgprom_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/registry"
	"github.com/switchgear-go/switchgear/sgprom"
)

func Example() {
	breakers := registry.Must(registry.New(registry.Config{}))
	defer breakers.Close()
	metrics := prometheus.NewRegistry()
	metrics.MustRegister(sgprom.Must(sgprom.New(breakers, sgprom.Config{})))

	payments, err := breakers.Breaker("payments", breaker.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = payments.Do(context.Background(), func(context.Context) error { return nil })

	// promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}) serves what this prints.
	families, err := metrics.Gather()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range families {
		if f.GetName() == "switchgear_breaker_calls_total" {
			var text strings.Builder
			_, _ = expfmt.MetricFamilyToText(&text, f)
			fmt.Print(text.String())
		}
	}
	// Output:
	// # HELP switchgear_breaker_calls_total Calls admitted that have ended, by what they counted as.
	// # TYPE switchgear_breaker_calls_total counter
	// switchgear_breaker_calls_total{kind="failed",name="payments"} 0
	// switchgear_breaker_calls_total{kind="ignored",name="payments"} 0
	// switchgear_breaker_calls_total{kind="late",name="payments"} 0
	// switchgear_breaker_calls_total{kind="released",name="payments"} 0
	// switchgear_breaker_calls_total{kind="successful",name="payments"} 1
}

func ExampleTime() {
	latency := sgprom.Must(sgprom.NewLatency(sgprom.LatencyConfig{}))
	payments := breaker.Must(breaker.New("payments", breaker.Config{}))
	charge := sgprom.Time(latency.Timer("payments"), func(context.Context) (string, error) {
		return "paid", nil
	})
	receipt, err := breaker.Do(context.Background(), payments, charge)
	fmt.Println(receipt, err)
	// Output: paid <nil>
}
