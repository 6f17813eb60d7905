package metrics_test

import (
	"fmt"
	"iter"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/internal/metrics"
	"github.com/switchgear-go/switchgear/registry"
)

type one struct{ registry.Entry }

func (o one) Entries() iter.Seq[registry.Entry] {
	return func(yield func(registry.Entry) bool) { yield(o.Entry) }
}

func Example() {
	payments := breaker.Must(breaker.New("payments", breaker.Config{}))
	g := metrics.NewGatherer(one{registry.Entry{Name: "payments", Breaker: payments}}, metrics.List(), 10)
	for _, p := range g.Gather() {
		if p.Metric.Name == "breaker.state" && p.Value == 1 {
			fmt.Println(p.Metric.Dotted(), p.Name, p.Label)
			fmt.Println(p.Metric.Underscored(), p.Name, p.Label)
		}
	}
	// Output:
	// switchgear.breaker.state payments closed
	// switchgear_breaker_state payments closed
}
