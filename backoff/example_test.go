package backoff_test

import (
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear/backoff"
)

func Example() {
	b := backoff.Must(backoff.New(backoff.Config{Initial: 100 * time.Millisecond, Max: time.Second, Jitter: backoff.None}))
	for _, attempt := range []int{1, 2, 3, 4, 5, 1_000_000} {
		fmt.Println("after attempt", attempt, "wait", b.Delay(attempt, 0, nil))
	}
	// Output:
	// after attempt 1 wait 100ms
	// after attempt 2 wait 200ms
	// after attempt 3 wait 400ms
	// after attempt 4 wait 800ms
	// after attempt 5 wait 1s
	// after attempt 1000000 wait 1s
}

// Two callers that were told the same come back at different times, and neither of
// them early.
func ExampleBackoff_Hinted() {
	b := backoff.Must(backoff.New(backoff.Config{}))
	draws := []float64{0.25, 0.9}
	for caller, draw := range draws {
		wait := b.Hinted(time.Minute, func() float64 { return draw })
		fmt.Println("caller", caller, "waits", wait)
	}
	// Output:
	// caller 0 waits 1m3s
	// caller 1 waits 1m10.8s
}

// Everything that is wrong is found at once.
func ExampleNew_invalid() {
	_, err := backoff.New(backoff.Config{Initial: 100, Factor: 0.5})
	fmt.Println(err)
	// Output:
	// backoff "": invalid configuration: Initial = 100ns: must be from 1µs to 720h0m0s; Factor = 0.5: must be from 1 to 100
}
