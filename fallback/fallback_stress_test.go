package fallback_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/switchgear-go/switchgear/fallback"
)

// Many goroutines on one fallback, with somebody who reads the counters all the
// time: the counts agree with what the callers saw, and at no moment are there more
// fallbacks than calls that needed one.
func TestStress(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f := fallback.Must(fallback.New("price",
		fallback.Chain(
			provider("a", func(context.Context) (string, error) {
				if rand.IntN(2) == 0 {
					return "", errOther
				}
				return "a", nil
			}),
		),
		fallback.Value("spare", fallback.Is(errOther)),
	))
	const workers = 8
	each := scale(2000, 500)
	var live, a, spare, failed atomic.Uint64
	var callers, reader sync.WaitGroup
	stop := make(chan struct{})
	reader.Go(func() {
		for {
			c := f.Counters()
			if c.Handlers[0].Failed > c.Handlers[0].Used || c.Handlers[0].Used > c.Calls-c.Primary || c.Failed > c.Calls-c.Primary {
				t.Errorf("counters that cannot be: %+v", c)
				return
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	for range workers {
		callers.Go(func() {
			for range each {
				caller := context.Background()
				var err error
				switch rand.IntN(4) {
				case 0:
					err = errDown
				case 1:
					caller, err = ctx, errDown
				}
				v, err := f.Do(caller, func(context.Context) (string, error) { return "live", err })
				switch {
				case err != nil:
					failed.Add(1)
				case v == "live":
					live.Add(1)
				case v == "a":
					a.Add(1)
				case v == "spare":
					spare.Add(1)
				}
			}
		})
	}
	callers.Wait()
	close(stop)
	reader.Wait()
	equal(t, "counters", f.Counters(), fallback.Counters{
		Calls: uint64(workers * each), Primary: live.Load(), Failed: failed.Load(),
		Handlers: []fallback.HandlerCounters{
			{Name: "a", Used: a.Load() + spare.Load(), Failed: spare.Load()},
			{Name: "value", Used: spare.Load()},
		},
	})
}
