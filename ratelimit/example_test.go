package ratelimit_test

import (
	"context"
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/ratelimit"
)

// A limit on calls to a dependency. Who is refused knows when to come back.
func Example() {
	v := clock.NewVirtual(time.Date(2030, time.May, 1, 12, 0, 0, 0, time.UTC))
	stock := ratelimit.Must(ratelimit.New("stock", ratelimit.Config{Rate: 10, Burst: 2}, ratelimit.WithClock(v)))

	quantity := func(ctx context.Context) (int, error) {
		return ratelimit.Do(ctx, stock, func(context.Context) (int, error) { return 42, nil })
	}
	ctx := context.Background()
	for range 3 {
		fmt.Println(quantity(ctx))
	}
	v.Advance(100 * time.Millisecond)
	fmt.Println(quantity(ctx))
	// Output:
	// 42 <nil>
	// 42 <nil>
	// 0 ratelimit "stock" is used up: 10 calls a second, at most 2 at once; next in 100ms
	// 42 <nil>
}

// A reservation decides now about a call that is made later.
func ExampleLimiter_Reserve() {
	v := clock.NewVirtual(time.Date(2030, time.May, 1, 12, 0, 0, 0, time.UTC))
	stock := ratelimit.Must(ratelimit.New("stock", ratelimit.Config{Rate: 10, Burst: 1}, ratelimit.WithClock(v)))

	for range 4 {
		r, err := stock.Reserve(1, 250*time.Millisecond)
		if err != nil {
			wait, _ := switchgear.RetryAfter(err)
			fmt.Println("refused, would be", wait)
			continue
		}
		fmt.Println("in", r.Wait())
	}
	// Output:
	// in 0s
	// in 100ms
	// in 200ms
	// refused, would be 300ms
}

// At most so many in any minute, for each customer.
func ExampleKeyed() {
	customers := ratelimit.MustKeyed(ratelimit.NewKeyed("customers", ratelimit.KeyedConfig{
		Limit: ratelimit.Config{Kind: ratelimit.SlidingWindow, Rate: 3. / 60, Burst: 3},
	}))
	for _, name := range []string{"ana", "ana", "ana", "ana", "ben"} {
		fmt.Println(name, customers.Allow(name) == nil)
	}
	// Output:
	// ana true
	// ana true
	// ana true
	// ana false
	// ben true
}
