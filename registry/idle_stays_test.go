package registry_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/backoff"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/ratelimit"
	"github.com/switchgear-go/switchgear/registry"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/throttle"
	"github.com/switchgear-go/switchgear/timeout"
)

// holds is a call that runs until the context of the test ends.
func holds(ctx context.Context) func(context.Context) error {
	return func(context.Context) error { <-ctx.Done(); return nil }
}

// An entry was once idle when its counters did not move, and many count a call when it
// has ended. So a pipeline whose bulkhead admits one call went while that call ran; the
// next one to ask for the name got a second bulkhead, and a second call ran beside it.
func TestWhatRunsStays(t *testing.T) {
	const long = time.Hour
	forLong := &timeout.Config{Limit: 2 * long, Abandon: true}
	for name, cfg := range map[string]pipeline.Config{
		"bulkhead": {Bulkhead: &bulkhead.Config{MaxConcurrent: 1}},
		"adaptive": {Adaptive: &adaptive.Config{}},
		"hedge":    {Hedge: &hedge.Config{Delay: long}, Budget: &budget.Config{}},
		"total":    {Total: forLong},
		"attempt":  {Attempt: forLong},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRegistry(t, registry.Config{Max: 1, IdleAfter: time.Minute})
				p := must(r.Pipeline("p", cfg))
				ctx, end := context.WithCancel(context.Background())
				go func() { _ = p.Do(hedge.Safe(context.Background()), holds(ctx)) }()
				for range 5 {
					time.Sleep(time.Minute)
					_, err := r.Breaker("b", breaker.Config{})
					matches(t, "Breaker", err, registry.ErrFull)
				}
				end()
				synctest.Wait()
				_, _ = r.Breaker("b", breaker.Config{}) // which may notice that it ended
				time.Sleep(time.Minute)
				must(r.Breaker("b", breaker.Config{}))
			})
		})
	}
}

// As above: callers that wait, and those who make an extra attempt, are in it too.
func TestWhoIsRetryingStays(t *testing.T) {
	retries := func(wait time.Duration) *retry.Config {
		return &retry.Config{Attempts: 2, Backoff: backoff.Config{Initial: wait, Max: wait, Jitter: backoff.None}}
	}
	for name, cfg := range map[string]pipeline.Config{
		"waiting": {Retry: retries(time.Hour)},
		"trying":  {Retry: retries(time.Second), Budget: &budget.Config{Ratio: budget.RatioConfig{Window: time.Second}}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRegistry(t, registry.Config{Max: 1, IdleAfter: time.Minute})
				p := must(r.Pipeline("p", cfg))
				ctx, end := context.WithCancel(hedge.Safe(context.Background()))
				defer end()
				attempts := 0
				go func() {
					_ = p.Do(ctx, func(context.Context) error {
						if attempts++; attempts > 1 {
							<-ctx.Done()
						}
						return errDown
					})
				}()
				for range 5 {
					time.Sleep(time.Minute)
					_, err := r.Breaker("b", breaker.Config{})
					matches(t, "Breaker", err, registry.ErrFull)
				}
			})
		})
	}
}

// A rate limiter with a slow refill once went when it was idle, empty as it was. The new
// one was full: five calls in ten minutes where one in three hours was allowed.
func TestWhatIsNotAtRestStays(t *testing.T) {
	fails := func(context.Context) error { return errDown }
	for _, c := range []struct {
		name   string
		cfg    pipeline.Config
		atRest time.Duration // later
	}{
		{"token bucket", pipeline.Config{RateLimit: &ratelimit.Config{Rate: 0.0001, Burst: 1}}, 10_000 * time.Second},
		{"sliding window", pipeline.Config{RateLimit: &ratelimit.Config{Kind: ratelimit.SlidingWindow, Rate: 0.001, Burst: 3}}, 3_000 * time.Second},
		{"no limit at all", pipeline.Config{RateLimit: &ratelimit.Config{Rate: math.Inf(1)}}, 0},
		{"throttle", pipeline.Config{Throttle: &throttle.Config{Window: time.Hour}}, time.Hour + time.Minute},
		{"budget", pipeline.Config{
			Retry:  &retry.Config{Attempts: 2, Backoff: backoff.Config{Initial: time.Millisecond}},
			Budget: &budget.Config{Ratio: budget.RatioConfig{Window: time.Hour}},
		}, time.Hour + 4*time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRegistry(t, registry.Config{Max: 1, IdleAfter: time.Minute})
				wants := func(room bool) {
					t.Helper()
					_, err := r.Breaker("b", breaker.Config{})
					equal(t, "room", err == nil, room)
				}
				p := must(r.Pipeline("p", c.cfg))
				if err := p.Do(hedge.Safe(context.Background()), fails); !errors.Is(err, errDown) {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
				wants(false) // which notices the use
				if c.atRest > 0 {
					time.Sleep(c.atRest / 2)
					wants(false)
				}
				time.Sleep(c.atRest/2 + time.Minute)
				wants(true)
			})
		})
	}
}

// A bulkhead that an operator had cut from ten to one was once dropped when idle, and was
// one of ten again.
func TestWhatWasReconfiguredStays(t *testing.T) {
	bulk, thr, brk := bulkhead.Config{MaxConcurrent: 10}, throttle.Config{}, breaker.Config{}
	cfg := pipeline.Config{Bulkhead: &bulk, Throttle: &thr, Breaker: &brk}
	for name, reconfigure := range map[string]func(p *pipeline.Pipeline, there bool) error{
		"bulkhead": func(p *pipeline.Pipeline, there bool) error {
			if there {
				return p.Bulkhead().Reconfigure(bulkhead.Config{MaxConcurrent: 1})
			}
			return p.Bulkhead().Reconfigure(bulk)
		},
		"throttle": func(p *pipeline.Pipeline, there bool) error {
			if there {
				return p.Throttle().Reconfigure(throttle.Config{K: 1.5})
			}
			return p.Throttle().Reconfigure(thr)
		},
		"breaker": func(p *pipeline.Pipeline, there bool) error {
			if there {
				return p.Breaker().Reconfigure(breaker.Config{MinimumCalls: 3})
			}
			return p.Breaker().Reconfigure(brk)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, registry.Config{Max: 1, IdleAfter: time.Minute})
			p := must(r.Pipeline("p", cfg))
			equal(t, "Reconfigure", reconfigure(p, true), nil)
			r.clock.Advance(time.Hour)
			r.wants("b", false)
			equal(t, "Reconfigure back", reconfigure(p, false), nil)
			r.clock.Advance(time.Minute)
			r.wants("b", true)
		})
	}
}

// Each new name in a full registry once had all policies of all entries read, only to
// drop one: 5 ms per name with ten thousand entries, and again for each caller at a time.
func TestNewNamesDoNotReadAllEntries(t *testing.T) {
	const n = 1_000
	c := &hooked{Virtual: clock.NewVirtual(start)}
	r := newRegistry(t, registry.Config{Max: n, IdleAfter: n * time.Second}, registry.WithClock(c))
	limited := pipeline.Config{Breaker: &breaker.Config{}, RateLimit: &ratelimit.Config{Rate: 100}}
	for i := range n {
		must(r.Pipeline(fmt.Sprint("old ", i), limited))
		c.Advance(time.Second)
	}
	c.looks = 0
	for i := range 100 {
		must(r.Pipeline(fmt.Sprint("new ", i), limited))
		c.Advance(time.Second)
	}
	equal(t, "expired", r.Counters().Expired, 100)
	if c.looks > 100*20 {
		t.Errorf("the clock was read %d times for 100 names", c.looks)
	}
}
