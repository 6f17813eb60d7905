// Command pipeline puts the common policies around one call, and lets its dependency
// fail and come back.
package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/backoff"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/timeout"
)

var stock = pipeline.Must(pipeline.New("stock", pipeline.Config{
	Total:  &timeout.Config{Limit: time.Second},
	Retry:  &retry.Config{Attempts: 3, Backoff: backoff.Config{Initial: 10 * time.Millisecond}},
	Budget: &budget.Config{},
	Breaker: &breaker.Config{
		Window: breaker.WindowConfig{Calls: 20}, MinimumCalls: 6,
		Open: breaker.OpenConfig{Wait: 100 * time.Millisecond, Jitter: switchgear.Off},
	},
	Attempt: &timeout.Config{Limit: 200 * time.Millisecond},
}))

// A dependency that answers, or does not.
type dependency struct {
	down     bool
	attempts int
}

func (d *dependency) quantity(ctx context.Context) (int, error) {
	d.attempts++
	if d.down {
		return 0, errors.New("connection refused")
	}
	return 42, nil
}

func main() {
	ctx := context.Background()
	var d dependency
	call := func(what string) {
		before := d.attempts
		n, err := pipeline.Do(ctx, stock, d.quantity)
		switch {
		case errors.Is(err, switchgear.ErrRejected):
			fmt.Printf("%s: refused after %d attempts; the breaker is %v\n", what, d.attempts-before, stock.Breaker().State())
		case err != nil:
			fmt.Printf("%s: failed after %d attempts\n", what, d.attempts-before)
		default:
			fmt.Printf("%s: %d after %d attempts\n", what, n, d.attempts-before)
		}
	}
	call("healthy")
	d.down = true
	call("down")
	call("still down") // the breaker opens, and the loop ends in the middle
	call("still down")
	d.down = false
	probing := make(chan struct{})
	clock.Real().AfterFunc(stock.Breaker().Snapshot().RetryAfter, func() { close(probing) })
	<-probing
	call("back, probing")
}
