package fallback_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/fallback"
)

var errRefused = errors.New("connection refused")

func quantity(err error) func(context.Context) (int, error) {
	return func(context.Context) (int, error) { return 0, err }
}

// A fallback that is shared, with counters.
func Example() {
	stock := fallback.Must(fallback.New("stock",
		fallback.Func(func(context.Context, error) (int, error) { return 0, errors.New("no such table") }).Named("replica"),
		fallback.Value(-1, fallback.Any).Named("unknown"),
	))
	n, meta, err := stock.DoMeta(context.Background(), quantity(errRefused))
	fmt.Println(n, err)
	fmt.Printf("answered by %q instead of: %v\n", meta.Fallback, meta.Err)
	fmt.Printf("%+v\n", stock.Counters())
	// Output:
	// -1 <nil>
	// answered by "unknown" instead of: connection refused; fallback "replica" failed too: no such table
	// {Calls:1 Primary:0 Failed:0 Handlers:[{Name:replica Used:1 Failed:1} {Name:unknown Used:1 Failed:0}]}
}

// A value that stands in while the breaker is open. Any other error is returned.
func ExampleValue() {
	stock := breaker.Must(breaker.New("stock", breaker.Config{ConsecutiveFailures: 1}))
	count := func(ctx context.Context) (int, error) {
		return fallback.Do(ctx, func(ctx context.Context) (int, error) {
			return breaker.Do(ctx, stock, quantity(errRefused))
		}, fallback.Value(40, fallback.Rejected))
	}
	fmt.Println(count(context.Background()))
	fmt.Println(count(context.Background()))
	// Output:
	// 0 connection refused
	// 40 <nil>
}

// A function computes the substitute, and may look at the error.
func ExampleFunc() {
	estimate := func(_ context.Context, err error) (int, error) {
		fmt.Println("estimating, because of:", err)
		return 38, nil
	}
	fmt.Println(fallback.Do(context.Background(), quantity(context.DeadlineExceeded),
		fallback.Func(estimate, fallback.Timeout, fallback.Rejected)))
	// Output:
	// estimating, because of: context deadline exceeded
	// 38 <nil>
}

// Providers are asked one after another. Each has its own breaker inside its
// function.
func ExampleChain() {
	mirror := breaker.Must(breaker.New("mirror", breaker.Config{}))
	archive := breaker.Must(breaker.New("archive", breaker.Config{}))

	fmt.Println(fallback.Do(context.Background(), quantity(errRefused), fallback.Chain(
		fallback.Provider[int]{Name: "mirror", Call: func(ctx context.Context) (int, error) {
			return breaker.Do(ctx, mirror, quantity(errRefused))
		}},
		fallback.Provider[int]{Name: "archive", Call: func(ctx context.Context) (int, error) {
			return breaker.Do(ctx, archive, func(context.Context) (int, error) { return 41, nil })
		}},
	)))
	fmt.Println("mirror failed:", mirror.Counters().Failed)
	// Output:
	// 41 <nil>
	// mirror failed: 1
}

// A handler for certain errors only.
func ExampleIs() {
	missing := fmt.Errorf("open stock.json: %w", fs.ErrNotExist)
	fmt.Println(fallback.Do(context.Background(), quantity(missing), fallback.Value(0, fallback.Is(fs.ErrNotExist))))
	fmt.Println(fallback.Do(context.Background(), quantity(errRefused), fallback.Value(0, fallback.Is(fs.ErrNotExist))))
	// Output:
	// 0 <nil>
	// 0 connection refused
}

// An error that is an answer is left alone by default.
func ExampleNoAnswer() {
	noItem := switchgear.MarkSuccess(errors.New("no such item"))
	fmt.Println(fallback.Do(context.Background(), quantity(noItem), fallback.Value(40)))
	// Output:
	// 0 no such item
}

// A classifier that the breaker uses as well decides what counts as an answer.
func ExampleJudged() {
	errNoItem := errors.New("no such item")
	classify := func(err error) switchgear.Judgement {
		if errors.Is(err, errNoItem) {
			return switchgear.Judgement{Health: switchgear.Success}
		}
		return switchgear.Judgement{}
	}
	spare := fallback.Value(40, fallback.Judged(classify, switchgear.Failure, switchgear.Ignored))
	fmt.Println(fallback.Do(context.Background(), quantity(errNoItem), spare))
	fmt.Println(fallback.Do(context.Background(), quantity(errRefused), spare))
	// Output:
	// 0 no such item
	// 40 <nil>
}

// When everything fails the error tells all of it.
func ExampleError() {
	_, err := fallback.Do(context.Background(), quantity(errRefused),
		fallback.Func(func(context.Context, error) (int, error) { return 0, fs.ErrPermission }).Named("file"))
	fmt.Println(err)
	fmt.Println(errors.Is(err, errRefused), errors.Is(err, fs.ErrPermission))
	// Output:
	// connection refused; fallback "file" failed too: permission denied
	// true true
}
