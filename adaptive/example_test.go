package adaptive_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/clock"
)

func Example() {
	stock := adaptive.Must(adaptive.New("stock", adaptive.Config{}))

	n, err := adaptive.Do(context.Background(), stock, func(context.Context) (int, error) {
		return 42, nil // the call
	})
	fmt.Println(n, err)
	fmt.Println(stock.Limit())
	// Output:
	// 42 <nil>
	// 20
}

// Calls that can be shed say so in their context, and leave room for the others.
func ExampleWithPriority() {
	stock := adaptive.Must(adaptive.New("stock", adaptive.Config{Initial: 10}))
	for range 6 {
		if _, err := stock.Acquire(context.Background()); err != nil {
			fmt.Println(err)
		}
	}

	report := adaptive.WithPriority(context.Background(), adaptive.Background)
	_, err := stock.Acquire(report)
	fmt.Println(err)

	_, err = stock.Acquire(context.Background())
	fmt.Println(err)
	// Output:
	// adaptive limit "stock" sheds background calls: 6 of 10 calls running, and only 60 % are theirs
	// <nil>
}

// In two steps, for a call that does not fit in one function.
func ExampleLimiter_Acquire() {
	stock := adaptive.Must(adaptive.New("stock", adaptive.Config{Initial: 1}))
	permit, err := stock.Acquire(context.Background())
	if err != nil {
		return
	}
	defer permit.Release() // does nothing once settled

	_, err = stock.Acquire(context.Background())
	fmt.Println(err, errors.Is(err, switchgear.ErrRejected))

	permit.Success()
	fmt.Println(stock.Running())
	// Output:
	// adaptive limit "stock" is reached: 1 of 1 calls running true
	// 0
}

// A simulator drives the limiter by decisions alone, on a virtual clock: here each call
// is a step of AIMD, and every call that takes longer than 100 ms is too slow.
func ExampleLimiter_TryAcquire() {
	v := clock.NewVirtual(time.Date(2030, time.May, 1, 12, 0, 0, 0, time.UTC))
	stock := adaptive.Must(adaptive.New("stock", adaptive.Config{
		Algorithm: adaptive.ByAIMD,
		Initial:   2,
		Window:    adaptive.WindowConfig{Time: switchgear.Off},
		AIMD:      adaptive.AIMDConfig{Timeout: 100 * time.Millisecond, Backoff: 0.5},
	}, adaptive.WithClock(v)))
	for _, took := range []time.Duration{80, 90, 120} {
		permit, _ := stock.TryAcquire(adaptive.Critical)
		v.Advance(took * time.Millisecond)
		permit.Success()
		fmt.Println(stock.Limit())
	}
	// Output:
	// 3
	// 3
	// 1
}
