// Command lastgood serves the last good answer while the dependency is down, asks once
// for many callers, and has a default for what was never known.
package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/cache"
	"github.com/switchgear-go/switchgear/collapse"
	"github.com/switchgear-go/switchgear/fallback"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/timeout"
)

var (
	stock = pipeline.Must(pipeline.New("stock", pipeline.Config{
		Breaker: &breaker.Config{},
		Attempt: &timeout.Config{Limit: time.Second},
	}))
	answers = cache.Must(cache.New[string, int]("stock", cache.Config{StaleFor: time.Hour}, nil))
	flights = collapse.Must(collapse.New[string, int]("stock", collapse.Config{}))
)

var down bool

func fetch(context.Context) (int, error) {
	if down {
		return 0, errors.New("connection refused")
	}
	return 42, nil
}

// quantity composes what knows the type of the answer around what does not.
func quantity(ctx context.Context, sku string) (int, error) {
	return fallback.Do(ctx, func(ctx context.Context) (int, error) {
		n, meta, err := cache.Do(ctx, answers, sku, func(ctx context.Context) (int, error) {
			n, _, err := flights.Do(ctx, sku, func(ctx context.Context) (int, error) {
				return pipeline.Do(ctx, stock, fetch)
			})
			return n, err
		})
		if meta.Stale {
			fmt.Printf("  (%s: the last good answer, because: %v)\n", sku, meta.Err)
		}
		return n, err
	}, fallback.Value(-1))
}

func main() {
	ctx := context.Background()
	show := func(sku string) {
		n, err := quantity(ctx, sku)
		fmt.Println(sku, n, err)
	}
	show("BOLT-M8")
	down = true
	show("BOLT-M8")
	show("NUT-M8")
}
