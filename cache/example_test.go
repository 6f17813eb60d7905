package cache_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/cache"
	"github.com/switchgear-go/switchgear/clock"
)

var errRefused = errors.New("connection refused")

// While the dependency is down the last good answer is given, with its age. The
// cache stands outside the breaker, so that a refusal is answered as well.
func Example() {
	clk := clock.NewVirtual(time.Time{})
	stock := breaker.Must(breaker.New("stock", breaker.Config{ConsecutiveFailures: 1}, breaker.WithClock(clk)))
	items := cache.Must(cache.New[string, int]("items", cache.Config{StaleFor: time.Hour}, nil, cache.WithClock(clk)))
	down := false
	ask := func(id string) {
		n, meta, err := cache.Do(context.Background(), items, id, func(ctx context.Context) (int, error) {
			return breaker.Do(ctx, stock, func(context.Context) (int, error) {
				if down {
					return 0, errRefused
				}
				return 42, nil
			})
		})
		fmt.Println(n, err == nil, "stale:", meta.Stale, meta.Age, "refused:", errors.Is(meta.Err, breaker.ErrRejected))
	}

	ask("lamp")
	down = true
	clk.Advance(5 * time.Minute)
	ask("lamp") // fails, and opens the breaker
	clk.Advance(5 * time.Second)
	ask("lamp")
	ask("chair") // never seen before
	// Output:
	// 42 true stale: false 0s refused: false
	// 42 true stale: true 5m0s refused: false
	// 42 true stale: true 5m5s refused: true
	// 0 false stale: false 0s refused: true
}

// With a TTL, calls are saved as well.
func ExampleDo() {
	items := cache.Must(cache.New[string, int]("items", cache.Config{TTL: time.Minute}, nil))
	calls := 0
	for range 100 {
		_, _, _ = cache.Do(context.Background(), items, "lamp", func(context.Context) (int, error) {
			calls++
			return 42, nil
		})
	}
	fmt.Println(calls, "call")
	// Output:
	// 1 call
}

// An error that is an answer is returned, and the old answer is dropped.
func ExampleWithClassifier() {
	errNoItem := errors.New("no such item")
	items := cache.Must(cache.New[string, int]("items", cache.Config{}, nil,
		cache.WithClassifier(func(err error) switchgear.Judgement {
			if errors.Is(err, errNoItem) {
				return switchgear.Judgement{Health: switchgear.Success}
			}
			return switchgear.Judgement{}
		})))
	for _, err := range []error{nil, errRefused, errNoItem, errRefused} {
		n, _, err := cache.Do(context.Background(), items, "lamp", func(context.Context) (int, error) {
			if err != nil {
				return 0, err
			}
			return 42, nil
		})
		fmt.Println(n, err)
	}
	// Output:
	// 42 <nil>
	// 42 <nil>
	// 0 no such item
	// 0 connection refused
}

// Only refusals are answered from memory; other errors are returned.
func ExampleWithCause() {
	items := cache.Must(cache.New[string, int]("items", cache.Config{}, nil,
		cache.WithCause(func(err error) bool { return errors.Is(err, switchgear.ErrRejected) })))
	refused := fmt.Errorf("bulkhead is full: %w", switchgear.ErrRejected)
	for _, err := range []error{nil, errRefused, refused} {
		n, _, err := cache.Do(context.Background(), items, "lamp", func(context.Context) (int, error) {
			if err != nil {
				return 0, err
			}
			return 42, nil
		})
		fmt.Println(n, err)
	}
	// Output:
	// 42 <nil>
	// 0 connection refused
	// 42 <nil>
}

// A store bounded by the size of the answers, here 1 MiB.
func ExampleNewMemory() {
	pages, err := cache.NewMemory(cache.MemoryConfig{Entries: 10_000, MaxWeight: 1 << 20},
		func(url string, body []byte) int { return len(url) + len(body) })
	if err != nil {
		fmt.Println(err)
		return
	}
	c := cache.Must(cache.New("pages", cache.Config{}, pages))
	_, _, _ = cache.Do(context.Background(), c, "/index", func(context.Context) ([]byte, error) {
		return make([]byte, 1000), nil
	})
	fmt.Println(pages.Snapshot().Weight, "bytes")
	// Output:
	// 1006 bytes
}

// Code that does not wait in place uses the two halves of Do.
func ExampleCache_Settle() {
	items := cache.Must(cache.New[string, int]("items", cache.Config{TTL: time.Minute}, nil))
	ctx := context.Background()
	if _, _, ok := items.Lookup(ctx, "lamp"); !ok {
		// … send the request; and when the answer is there:
		n, _, err := items.Settle(ctx, "lamp", 42, nil)
		fmt.Println(n, err)
	}
	// Output:
	// 42 <nil>
}
