package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
)

// One breaker for each dependency. The zero Config is a good one: it trips when
// half of at least 20 calls in the last minute failed, refuses calls for 30 s,
// then lets five through to see whether the dependency is back.
var stock = breaker.Must(breaker.New("stock", breaker.Config{}))

func quantity(ctx context.Context, sku string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	n, err := breaker.Do(ctx, stock, func(ctx context.Context) (int, error) {
		return fetchQuantity(ctx, sku) // your call
	})
	if errors.Is(err, breaker.ErrRejected) {
		return lastKnown(sku), nil // at once, without waiting for a dependency that is down
	}
	return n, err
}

func main() {
	n, err := quantity(context.Background(), "BOLT-M8")
	fmt.Println(n, err)
}

func fetchQuantity(context.Context, string) (int, error) { return 42, nil }
func lastKnown(string) int                               { return 0 }
