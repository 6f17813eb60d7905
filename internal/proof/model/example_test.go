package model_test

import (
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear/internal/proof/model"
)

// Three failures in a row open the breaker; ten seconds later one good probe closes
// it.
func Example() {
	b := model.New(model.Config{
		Calls: 10, Minimum: 10, Consecutive: 3,
		Wait: 10 * time.Second, Factor: 1, MaxWait: 10 * time.Second,
		Probes: 1,
	}, 0)
	call := func(at time.Duration, h model.Health) {
		p, refused := b.Acquire(at)
		if refused != nil {
			wait, _ := refused.RetryAfter(at)
			fmt.Printf("%3v: refused, come back in %v\n", at, wait)
			return
		}
		b.Settle(at, p, model.Ending{Health: h})
		fmt.Printf("%3v: %s, then %s\n", at, h, b.State)
	}
	call(0, model.Failure)
	call(1*time.Second, model.Failure)
	call(2*time.Second, model.Failure)
	call(5*time.Second, model.Success)
	call(12*time.Second, model.Success)
	for _, e := range b.Events {
		fmt.Printf("%3v: %s to %s\n", e.At, e.From, e.To)
	}
	// Output:
	//  0s: failure, then CLOSED
	//  1s: failure, then CLOSED
	//  2s: failure, then OPEN
	//  5s: refused, come back in 7s
	// 12s: success, then CLOSED
	//  2s: CLOSED to OPEN
	// 12s: OPEN to HALF_OPEN
	// 12s: HALF_OPEN to CLOSED
}
