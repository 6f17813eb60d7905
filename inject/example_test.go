package inject_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/inject"
)

// A game day: the warehouse in Berlin is down, for ten minutes at most.
func Example() {
	faults := inject.Must(inject.New("stock", inject.Config{Faults: []inject.Fault{
		{Kind: inject.Failure, Probability: 100, Keys: []string{"berlin"}, Message: "no route to host"},
	}}))
	quantity := func(warehouse string) {
		ctx := inject.WithKey(context.Background(), warehouse)
		fmt.Println(inject.Do(ctx, faults, func(context.Context) (int, error) { return 42, nil }))
	}

	quantity("berlin")
	if err := faults.Enable("ana", "game day", 10*time.Minute); err != nil {
		fmt.Println(err)
	}
	quantity("berlin")
	quantity("rome")
	faults.Disable("ana", "seen enough")
	quantity("berlin")
	// Output:
	// 42 <nil>
	// 0 inject "stock": injected error: no route to host
	// 42 <nil>
	// 42 <nil>
}

// Who switches faults on, and what they did, is told to listeners.
func ExampleInjector_Enable() {
	clk := clock.NewVirtual(time.Date(2026, time.March, 1, 3, 0, 0, 0, time.UTC))
	faults := inject.Must(inject.New("stock", inject.Config{
		Faults: []inject.Fault{{Kind: inject.Failure, Probability: 25}},
		Seed:   1,
	}, inject.WithClock(clk), inject.WithListener(event.Func(func(e event.Event) { fmt.Println(e) }))))

	_ = faults.Enable("ana", "game day", 10*time.Minute)
	for range 1000 {
		_ = faults.Do(context.Background(), func(context.Context) error { return nil })
	}
	clk.Advance(10 * time.Minute)
	// Output:
	// 2026-03-01T03:00:00.000Z inject "stock" #1 transition OFF -> ON by "ana": "game day" ("1 fault for 10m0s")
	// 2026-03-01T03:10:00.000Z inject "stock" #2 transition ON -> OFF: "expired after 10m0s" ("248 of 1000 calls disturbed in 10m0s")
}

// Code that does not block takes the decision and carries it out itself.
func ExampleInjector_Draw() {
	faults := inject.Must(inject.New("stock", inject.Config{Faults: []inject.Fault{
		{Kind: inject.Latency, Probability: 100, Delay: 200 * time.Millisecond},
		{Kind: inject.Hang, Probability: 100},
	}}))
	_ = faults.Enable("ana", "test", time.Minute)
	defer faults.Disable("ana", "done")

	effect, struck := faults.Draw(context.Background())
	fmt.Println(struck, effect.Delay, effect.Hang, errors.Is(effect.Err, inject.ErrInjected))
	// Output:
	// true 200ms 1m0s true
}
