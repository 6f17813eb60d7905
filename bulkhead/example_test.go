package bulkhead_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/clock"
)

// Two calls at once and not one more: the third is refused before it begins.
func Example() {
	stock := bulkhead.Must(bulkhead.New("stock", bulkhead.Config{MaxConcurrent: 2}))
	ctx := context.Background()

	quantity := func(ctx context.Context) (int, error) { return 42, nil }
	err := stock.Do(ctx, func(ctx context.Context) error {
		return stock.Do(ctx, func(ctx context.Context) error {
			_, err := bulkhead.Do(ctx, stock, quantity)
			return err
		})
	})
	fmt.Println(err)
	fmt.Println(errors.Is(err, bulkhead.ErrRejected))

	fmt.Println(bulkhead.Do(ctx, stock, quantity))
	// Output:
	// bulkhead "stock" is full: 2 of 2 calls running
	// true
	// 42 <nil>
}

// Where a call does not fit in one function, take a permit and give it back later.
func ExampleBulkhead_Acquire() {
	stock := bulkhead.Must(bulkhead.New("stock", bulkhead.Config{MaxConcurrent: 1, MaxWaiting: 1, MaxWait: time.Second}))

	permit, err := stock.Acquire(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer permit.Release()
	fmt.Println(stock.Snapshot().Running, "running,", stock.Snapshot().Available, "available")
	// Output: 1 running, 0 available
}

// A simulation has no goroutine to wait with. It leaves a callback in the queue, and
// everything happens in virtual time.
func ExampleBulkhead_Enqueue() {
	virtual := clock.NewVirtual(time.Time{})
	stock := bulkhead.Must(bulkhead.New("stock", bulkhead.Config{
		MaxConcurrent: 1, MaxWaiting: 2, MaxWait: 1500 * time.Millisecond,
	}, bulkhead.WithClock(virtual)))

	for call := 1; call <= 3; call++ {
		stock.Enqueue(func(permit bulkhead.Permit, err error) {
			if err != nil {
				fmt.Println(virtual.Mono(), err)
				return
			}
			fmt.Println(virtual.Mono(), "call", call, "begins")
			virtual.AfterFunc(time.Second, permit.Release)
		})
	}
	virtual.Advance(time.Minute)
	// Output:
	// 0s call 1 begins
	// 1s call 2 begins
	// 1.5s bulkhead "stock" had no room within 1.5s: 1 of 1 calls running, 0 of 2 waiting
}

// A limit can be changed while calls run.
func ExampleBulkhead_Reconfigure() {
	stock := bulkhead.Must(bulkhead.New("stock", bulkhead.Config{MaxConcurrent: 20}))
	permit, _ := stock.TryAcquire()
	defer permit.Release()

	if err := stock.Reconfigure(bulkhead.Config{MaxConcurrent: 1}); err != nil {
		fmt.Println(err)
	}
	_, err := stock.TryAcquire()
	fmt.Println(err)
	// Output: bulkhead "stock" is full: 1 of 1 calls running
}
