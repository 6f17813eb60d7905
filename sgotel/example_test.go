package sgotel_test

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/registry"
	"github.com/switchgear-go/switchgear/sgotel"
)

func ExampleRegister() {
	breakers := registry.Must(registry.New(registry.Config{}))
	defer breakers.Close()
	reader := metric.NewManualReader() // a program has one that exports
	meter := metric.NewMeterProvider(metric.WithReader(reader)).Meter("payments")
	stop, err := sgotel.Register(meter, breakers, sgotel.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = stop() }()

	payments, _ := breakers.Breaker("payments", breaker.Config{})
	_ = payments.Do(context.Background(), func(context.Context) error { return nil })

	var data metricdata.ResourceMetrics
	_ = reader.Collect(context.Background(), &data)
	for _, m := range data.ScopeMetrics[0].Metrics {
		if sum, ok := m.Data.(metricdata.Sum[int64]); ok && m.Name == "switchgear.breaker.calls" {
			for _, p := range sum.DataPoints {
				if kind, _ := p.Attributes.Value("kind"); kind.AsString() == "successful" {
					fmt.Println(m.Name, m.Unit, p.Value)
				}
			}
		}
	}
	// Output: switchgear.breaker.calls {call} 1
}

func ExampleEnded() {
	spans := tracetest.NewInMemoryExporter()
	tracer := trace.NewTracerProvider(trace.WithSyncer(spans)).Tracer("payments")
	payments := breaker.Must(breaker.New("payments", breaker.Config{}))
	_ = payments.Move(breaker.Move{To: breaker.ForcedOpen, Author: "ana", Reason: "maintenance"})

	ctx, span := tracer.Start(context.Background(), "charge")
	_, err := breaker.Do(ctx, payments, sgotel.Attempt(func(context.Context) (string, error) {
		return "", errors.New("never called")
	}))
	sgotel.Ended(ctx, err)
	span.End()

	for _, e := range spans.GetSpans()[0].Events {
		fmt.Println(e.Name)
		for _, a := range e.Attributes {
			fmt.Println(" ", a.Key, "=", a.Value.Emit())
		}
	}
	// Output:
	// switchgear.rejected
	//   switchgear.policy = breaker
	//   switchgear.name = payments
	//   switchgear.reason = forced_open
}
