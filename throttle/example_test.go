package throttle_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/throttle"
)

// The dependency refuses nine calls in ten. Soon most calls are not sent any more.
func Example() {
	stock := throttle.Must(throttle.New("stock", throttle.Config{},
		throttle.WithClock(clock.NewVirtual(time.Time{})),  // for an example that always prints
		throttle.WithRandom(func() float64 { return 0.5 }), // the same
	))
	errBusy := errors.New("busy")

	ctx := context.Background()
	for i := range 100 {
		_, err := throttle.Do(ctx, stock, func(context.Context) (int, error) {
			if i%10 != 0 {
				return 0, errBusy
			}
			return 42, nil
		})
		if errors.Is(err, throttle.ErrRejected) {
			fmt.Println(err)
			break
		}
	}
	// Output: throttle "stock" refuses 76.19 % of calls: 2 of 20 requests accepted in 2m0s
}

// Where a call does not fit in one function, take a permit and say later how the call
// ended.
func ExampleThrottle_Acquire() {
	stock := throttle.Must(throttle.New("stock", throttle.Config{}))

	permit, err := stock.Acquire(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer permit.Release() // does nothing once the permit is settled

	// … send the request, read the answer …
	permit.Done(switchgear.Success)

	s := stock.Snapshot()
	fmt.Println(s.Requests, "request,", s.Accepts, "accepted, refusing", s.Refusal)
	// Output: 1 request, 1 accepted, refusing 0 %
}

// With a classifier, only being told to go away counts against the dependency.
func ExampleWithClassifier() {
	errTooMany := errors.New("too many requests")
	stock := throttle.Must(throttle.New("stock", throttle.Config{},
		throttle.WithClassifier(func(err error) switchgear.Judgement {
			if errors.Is(err, errTooMany) {
				return switchgear.Judgement{Health: switchgear.Failure}
			}
			return switchgear.Judgement{Health: switchgear.Success}
		})))

	ctx := context.Background()
	_ = stock.Do(ctx, func(context.Context) error { return errTooMany })
	_ = stock.Do(ctx, func(context.Context) error { return errors.New("no such item") })
	s := stock.Snapshot()
	fmt.Println(s.Accepts, "of", s.Requests, "accepted")
	// Output: 1 of 2 accepted
}
