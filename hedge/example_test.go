package hedge_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/hedge"
)

// The first attempt hangs; the second one answers.
func Example() {
	extra := budget.Must(budget.New("stock", budget.Config{}))
	stock := hedge.Must(hedge.New("stock", hedge.Config{Delay: 10 * time.Millisecond}, hedge.WithBudget(extra)))

	quantity, err := hedge.Do(hedge.Safe(context.Background()), stock, func(ctx context.Context) (int, error) {
		if a, _ := switchgear.AttemptOf(ctx); a.Number == 1 {
			<-ctx.Done() // a server that does not answer
			return 0, ctx.Err()
		}
		return 42, nil
	})
	fmt.Println(quantity, err)
	fmt.Println(stock.Counters().WonByHedge, "won by a hedge")
	// Output:
	// 42 <nil>
	// 1 won by a hedge
}

// When all attempts fail the error tells about each of them.
func ExampleError() {
	stock := hedge.Must(hedge.New("stock", hedge.Config{Delay: time.Millisecond, Always: true}))
	hedged := make(chan struct{})
	err := stock.Do(context.Background(), func(ctx context.Context) error {
		if a, _ := switchgear.AttemptOf(ctx); a.Hedge {
			close(hedged)
			return errors.New("connection refused")
		}
		<-hedged
		return io.ErrUnexpectedEOF
	})
	fmt.Println(errors.Is(err, io.ErrUnexpectedEOF))
	if all, ok := errors.AsType[*hedge.Error](err); ok {
		for _, a := range all.Attempts {
			fmt.Printf("attempt %d: %v\n", a.Number, a.Err)
		}
	}
	// Unordered output:
	// true
	// attempt 1: unexpected EOF
	// attempt 2: connection refused
}

// A result that is read after the call, such as a response body, needs its context for
// longer than Do would keep it.
func ExampleHold() {
	stock := hedge.Must(hedge.New("stock", hedge.Config{Always: true}))
	open := func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("forty-two")), nil
	}
	discard := func(r io.ReadCloser) { _ = r.Close() }

	held, err := hedge.Hold(context.Background(), stock, discard, open)
	if err != nil {
		return
	}
	defer held.Release()
	defer held.Value.Close()
	text, err := io.ReadAll(held.Value)
	fmt.Println(string(text), err)
	// Output:
	// forty-two <nil>
}

// A breaker inside the hedge settles a loser by the time it had taken: here one that
// was cut off after the slow-call duration counts as a slow success.
func ExampleLost() {
	const slow = 5 * time.Millisecond
	stock := hedge.Must(hedge.New("stock", hedge.Config{Delay: 20 * time.Millisecond, Always: true}))
	cb := breaker.Must(breaker.New("stock", breaker.Config{SlowCall: breaker.SlowCallConfig{Duration: slow}}))

	done := make(chan struct{})
	_, err := hedge.Do(context.Background(), stock, func(ctx context.Context) (int, error) {
		permit, err := cb.Acquire(ctx)
		if err != nil {
			return 0, err
		}
		defer permit.Release()
		if permit.Probe() {
			hedge.NoMore(ctx)
		}
		begun := clock.Real().Mono()
		v, err := fetch(ctx)
		switch {
		case err == nil || !hedge.Lost(ctx):
			permit.Done(err)
		case clock.Real().Mono()-begun > slow:
			permit.Success() // the breaker times the call, and finds it slow
			close(done)
		default:
			permit.Ignore()
		}
		return v, err
	})
	<-done
	c := cb.Counters()
	fmt.Println(err, c.Successful, "successful,", c.Failed, "failed, a slow one seen:", c.Slow > 0)
	// Output:
	// <nil> 2 successful, 0 failed, a slow one seen: true
}

// fetch hangs, unless it is a hedge.
func fetch(ctx context.Context) (int, error) {
	if a, _ := switchgear.AttemptOf(ctx); a.Hedge {
		return 42, nil
	}
	<-ctx.Done()
	return 0, context.Cause(ctx)
}

// A simulation makes the attempts itself and only asks for the decisions.
func ExampleRace() {
	v := clock.NewVirtual(time.Time{})
	stock := hedge.Must(hedge.New("stock", hedge.Config{Delay: 10 * time.Millisecond}, hedge.WithClock(v)))

	race := stock.Begin(v.Mono(), true)
	at, _ := race.Next()
	v.AdvanceTo(at)
	n, _ := race.Start(v.Mono())
	fmt.Println("attempt", n, "at", v.Mono())

	v.Advance(3 * time.Millisecond)
	fmt.Println("attempt 1:", race.End(1, v.Mono(), switchgear.Judgement{Health: switchgear.Failure}))
	v.Advance(4 * time.Millisecond)
	fmt.Println("attempt 2:", race.End(2, v.Mono(), switchgear.Judgement{Health: switchgear.Success}), "at", v.Mono())
	// Output:
	// attempt 2 at 10ms
	// attempt 1: open
	// attempt 2: won at 17ms
}
