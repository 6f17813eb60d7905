package registry_test

import (
	"context"
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/registry"
	"github.com/switchgear-go/switchgear/timeout"
)

func Example() {
	reg := registry.Must(registry.New(registry.Config{}))

	// Each name has one breaker, whoever asks first.
	stock, err := reg.Breaker("stock", breaker.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = reg.Pipeline("payments", pipeline.Config{
		Total:   &timeout.Config{Limit: time.Second},
		Breaker: &breaker.Config{},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = stock.Do(context.Background(), func(context.Context) error { return nil })

	for e := range reg.Entries() {
		fmt.Println(e.Name, e.Breaker.State(), e.Breaker.Counters().Successful)
	}
	_, err = reg.Breaker("stock", breaker.Config{MinimumCalls: 5})
	fmt.Println(err)
	// Output:
	// payments CLOSED 0
	// stock CLOSED 1
	// registry: name is taken: "stock" has another configuration, which stays in effect
}

// A listener that comes later hears of everything that the hub hears.
func ExampleRegistry_Listen() {
	reg := registry.Must(registry.New(registry.Config{}))
	stock, _ := reg.Breaker("stock", breaker.Config{})

	heard := make(chan string)
	stop := reg.Listen(event.Func(func(e event.Event) { heard <- e.Name + " is " + e.To }))
	defer stop()

	_ = stock.Move(breaker.Move{To: breaker.ForcedOpen, Author: "ana", Reason: "maintenance"})
	fmt.Println(<-heard)
	fmt.Println(len(reg.Recent(10)), "event to be remembered")
	// Output:
	// stock is FORCED_OPEN
	// 1 event to be remembered
}

func ExampleRegistry_Observe() {
	reg := registry.Must(registry.New(registry.Config{}))
	_, _ = reg.Breaker("stock", breaker.Config{})

	stop := reg.Observe(registry.Observer{
		Added:   func(e registry.Entry) { fmt.Println("there is", e.Name) },
		Removed: func(e registry.Entry) { fmt.Println("gone is", e.Name) },
	})
	defer stop()
	_, _ = reg.Breaker("payments", breaker.Config{})
	reg.Remove("stock")
	// Output:
	// there is stock
	// there is payments
	// gone is stock
}
