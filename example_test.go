package switchgear_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
)

var errNotFound = errors.New("no such item")

// An answer of "not found" proves the dependency alive: the caller gets the error,
// and the breaker counts a success.
func ExampleMarkSuccess() {
	stock := breaker.Must(breaker.New("stock", breaker.Config{}))
	_, err := breaker.Do(context.Background(), stock, func(context.Context) (int, error) {
		return 0, switchgear.MarkSuccess(errNotFound)
	})
	fmt.Println(err, errors.Is(err, errNotFound))
	c := stock.Counters()
	fmt.Println(c.Successful, "successful,", c.Failed, "failed")
	// Output:
	// no such item true
	// 1 successful, 0 failed
}

// A mistake found before anything was sent says nothing about the dependency.
func ExampleMarkIgnored() {
	stock := breaker.Must(breaker.New("stock", breaker.Config{}))
	err := stock.Do(context.Background(), func(context.Context) error {
		return switchgear.MarkIgnored(errors.New("the order has no items"))
	})
	fmt.Println(err)
	fmt.Println(stock.Counters().Ignored, "ignored")
	// Output:
	// the order has no items
	// 1 ignored
}

// A mark can be read by whoever handles the error later.
func ExampleMarked() {
	err := fmt.Errorf("fetching: %w", switchgear.MarkFailure(errNotFound))
	fmt.Println(switchgear.Marked(err))
	fmt.Println(switchgear.Marked(errNotFound))
	// Output:
	// failure true
	// undecided false
}

// The dependency's own word on when to come back travels with the error.
func ExampleWithRetryAfter() {
	err := switchgear.WithRetryAfter(errors.New("answered 503"), 2*time.Minute)
	fmt.Println(err)
	fmt.Println(switchgear.RetryAfter(fmt.Errorf("fetching: %w", err)))
	// Output:
	// answered 503
	// 2m0s true
}

func ExamplePercent() {
	for _, text := range []string{"50", "12.5%", "off"} {
		var p switchgear.Percent
		err := p.UnmarshalText([]byte(text))
		fmt.Println(p, err)
	}
	// Output:
	// 50 % <nil>
	// 12.5 % <nil>
	// off <nil>
}

// A conflict proves the dependency alive and is worth another attempt; a request
// that it will never accept is not.
func ExampleJudge() {
	errConflict, errInvalid := errors.New("version conflict"), errors.New("invalid request")
	classify := func(err error) switchgear.Judgement {
		switch {
		case errors.Is(err, errConflict):
			return switchgear.Judgement{Health: switchgear.Success, Repeat: switchgear.RepeatYes}
		case errors.Is(err, errInvalid):
			return switchgear.Judgement{Health: switchgear.Success}
		}
		return switchgear.Judgement{} // the rules decide
	}
	for _, err := range []error{nil, errConflict, errInvalid, errors.New("connection reset")} {
		j := switchgear.Judge(context.Background(), err, time.Now, classify)
		fmt.Printf("%v: %v, repeat: %v\n", err, j.Health, j.Repeat)
	}
	// Output:
	// <nil>: success, repeat: never
	// version conflict: success, repeat: yes
	// invalid request: success, repeat: never
	// connection reset: failure, repeat: yes
}
