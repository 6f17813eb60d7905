package budget_test

import (
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
)

// The steps of a retry loop. A retry asks before its backoff, and has the outcome of
// each attempt booked.
func Example() {
	retries := budget.Must(budget.New("stock", budget.Config{
		Ratio: budget.RatioConfig{Percent: 20, MinPerSecond: switchgear.Off},
	}))

	call := func(attempt func() switchgear.Outcome) error {
		retries.Begin()
		outcome := attempt()
		retries.End(outcome)
		if outcome != switchgear.Failure {
			return nil
		}
		w, ok := retries.Withdraw()
		if !ok {
			return retries.Exhausted()
		}
		defer w.Cancel() // does nothing once w is settled
		// … wait; give up if the caller does …
		w.Settle(attempt())
		return nil
	}

	made := 0
	down := func() switchgear.Outcome { made++; return switchgear.Failure }
	var err error
	for range 11 {
		err = call(down)
	}
	fmt.Println(made, "attempts for 11 calls")
	fmt.Println(err)
	// Output:
	// 13 attempts for 11 calls
	// budget "stock" is exhausted: extra attempts are limited to 20 % of the calls of the last 10s
}

// A pool that failures empty and successes fill.
func ExampleQuota() {
	v := clock.NewVirtual(time.Date(2030, time.May, 1, 12, 0, 0, 0, time.UTC))
	retries := budget.Must(budget.New("stock",
		budget.Config{Kind: budget.Quota, Quota: budget.QuotaConfig{Capacity: 10, Cost: 5}},
		budget.WithClock(v),
		budget.WithListener(event.Func(func(e event.Event) { fmt.Println(e.From, "->", e.To) }))))

	for range 3 {
		retries.Begin()
		retries.End(switchgear.Failure)
		w, ok := retries.Withdraw()
		fmt.Println(ok, retries.Snapshot().Available)
		w.Settle(switchgear.Failure)
	}
	for range 5 {
		retries.Begin()
		retries.End(switchgear.Success)
	}
	fmt.Println(retries.Snapshot().Available)
	// Output:
	// true 5
	// true 0
	// available -> exhausted
	// false 0
	// exhausted -> available
	// 5
}
