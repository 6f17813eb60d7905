package observe

import (
	"context"
	"errors"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/backoff"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/inject"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/ratelimit"
	"github.com/switchgear-go/switchgear/registry"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/sgprom"
	"github.com/switchgear-go/switchgear/throttle"
	"github.com/switchgear-go/switchgear/timeout"
)

var (
	background = context.Background()
	errDown    = errors.New("connection refused")
)

// plant is a program with five breakers and pipelines that can be put out of order, each
// in its own way.
type plant struct {
	registry                *registry.Registry
	down, flapping, held    *breaker.Breaker
	retrying, stock         *pipeline.Pipeline
	latency                 *sgprom.Latency
	downIsOut, retryingFail atomic.Bool
}

const openWait = 500 * time.Millisecond

func newPlant(t *testing.T) *plant {
	t.Helper()
	p := &plant{registry: registry.Must(registry.New(registry.Config{}))}
	t.Cleanup(p.registry.Close)
	made := func(b *breaker.Breaker, err error) *breaker.Breaker {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	piped := func(x *pipeline.Pipeline, err error) *pipeline.Pipeline {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	quick := breaker.Config{
		ConsecutiveFailures: 2,
		Open:                breaker.OpenConfig{Wait: openWait, Jitter: switchgear.Off, Factor: 1},
		HalfOpen:            breaker.HalfOpenConfig{Probes: 1},
	}
	p.down = made(p.registry.Breaker("down", quick))
	p.flapping = made(p.registry.Breaker("flapping", quick))
	p.held = made(p.registry.Breaker("held", breaker.Config{}))
	made(p.registry.Breaker("one too many", breaker.Config{}))
	again := &retry.Config{Attempts: 3, Backoff: backoff.Config{Kind: backoff.Constant, Initial: time.Millisecond}}
	p.retrying = piped(p.registry.Pipeline("and again", pipeline.Config{Retry: again, Budget: &budget.Config{}}))
	p.stock = piped(p.registry.Pipeline("all policies", pipeline.Config{
		Total: &timeout.Config{Limit: 5 * time.Second}, RateLimit: &ratelimit.Config{Rate: 1000},
		Adaptive: &adaptive.Config{}, Throttle: &throttle.Config{}, Retry: again,
		Hedge: &hedge.Config{Delay: 50 * time.Millisecond, Always: true}, Budget: &budget.Config{},
		Breaker:  &breaker.Config{MinimumCalls: 10, SlowCall: breaker.SlowCallConfig{Duration: 500 * time.Millisecond}},
		Bulkhead: &bulkhead.Config{}, Attempt: &timeout.Config{Limit: time.Second}, Inject: &inject.Config{},
	}))
	p.latency = sgprom.Must(sgprom.NewLatency(sgprom.LatencyConfig{}))
	return p
}

// serve publishes the plant's metrics until the test ends.
func (p *plant) serve(t *testing.T) (address string) {
	t.Helper()
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(p.latency, sgprom.Must(sgprom.New(p.registry, sgprom.Config{MaxNames: 5}, sgprom.WithResilience4j(p.latency))))
	srv := httptest.NewServer(promhttp.HandlerFor(r, promhttp.HandlerOpts{ErrorHandling: promhttp.HTTPErrorOnError}))
	t.Cleanup(srv.Close)
	return srv.Listener.Addr().String()
}

// run makes calls, a hundred a second of each kind, until the test ends.
func (p *plant) run(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(background)
	var wg sync.WaitGroup
	t.Cleanup(func() { cancel(); wg.Wait() })
	load := func(call func()) {
		wg.Go(func() {
			tick := time.NewTicker(10 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-tick.C:
					call()
				case <-ctx.Done():
					return
				}
			}
		})
	}
	or := func(out *atomic.Bool) func(context.Context) error {
		return func(context.Context) error {
			if out.Load() {
				return errDown
			}
			return nil
		}
	}
	load(func() { _ = p.down.Do(ctx, or(&p.downIsOut)) })
	load(func() { _ = p.held.Do(ctx, or(new(atomic.Bool))) })
	load(func() { _ = p.retrying.Do(ctx, or(&p.retryingFail)) })
	fetch := sgprom.Time(p.latency.Timer("all policies"), func(context.Context) (int, error) { return 1, nil })
	load(func() { _, _ = pipeline.Do(ctx, p.stock, fetch) })
}

// flap opens and closes a breaker three times, and leaves each state long enough to be
// seen.
func (p *plant) flap(t *testing.T) {
	t.Helper()
	const seen = 1200 * time.Millisecond // scrapes are half a second apart
	for range 3 {
		for range 2 {
			_ = p.flapping.Do(background, func(context.Context) error { return errDown })
		}
		if p.flapping.State() != breaker.Open {
			t.Errorf("the flapping breaker is %v", p.flapping.State())
		}
		time.Sleep(seen)
		_ = p.flapping.Do(background, func(context.Context) error { return nil })
		if p.flapping.State() != breaker.Closed {
			t.Errorf("the flapping breaker is %v", p.flapping.State())
		}
		time.Sleep(seen)
	}
}
