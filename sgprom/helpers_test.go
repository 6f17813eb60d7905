package sgprom_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

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

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// source is a list that a test changes.
type source struct {
	mu      sync.Mutex
	entries []registry.Entry
}

func (s *source) Entries() iter.Seq[registry.Entry] {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := append([]registry.Entry(nil), s.entries...)
	return func(yield func(registry.Entry) bool) {
		for _, e := range list {
			if !yield(e) {
				return
			}
		}
	}
}

func (s *source) add(name string) *breaker.Breaker {
	b := breaker.Must(breaker.New("b", breaker.Config{}))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries = append(s.entries, registry.Entry{Name: name, Breaker: b})
	return b
}

func (s *source) remove(i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries = append(s.entries[:i:i], s.entries[i+1:]...)
}

func fail(b *breaker.Breaker, times int) {
	for range times {
		_ = b.Do(background, func(context.Context) error { return errDown })
	}
}

// everything is a source with a plain breaker and a pipeline of all policies, after some
// calls. It belongs into a bubble.
func everything(t *testing.T) *source {
	t.Helper()
	half := func() float64 { return 0.5 }
	p, err := pipeline.New("stock", pipeline.Config{
		Total: &timeout.Config{Limit: time.Minute}, RateLimit: &ratelimit.Config{Rate: 100, Burst: 50},
		Adaptive: &adaptive.Config{}, Throttle: &throttle.Config{},
		Retry: &retry.Config{
			Attempts: 3, Backoff: backoff.Config{Kind: backoff.Constant, Initial: time.Second, Jitter: backoff.None},
		},
		Hedge: &hedge.Config{Delay: time.Second, Always: true}, Budget: &budget.Config{},
		Breaker: &breaker.Config{
			MinimumCalls: 10, FailureRate: 50, SlowCall: breaker.SlowCallConfig{Duration: 2 * time.Second},
			Window: breaker.WindowConfig{Length: time.Minute}, Open: breaker.OpenConfig{Jitter: switchgear.Off},
		},
		Bulkhead: &bulkhead.Config{MaxConcurrent: 8}, Attempt: &timeout.Config{Limit: 5 * time.Second},
		Inject: &inject.Config{Seed: 1},
	}, pipeline.WithRandom(half))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	for i := range 12 {
		_ = p.Do(background, func(ctx context.Context) error {
			switch i % 6 {
			case 1: // a retry helps
				if a, _ := switchgear.AttemptOf(ctx); a.Number == 1 {
					return errDown
				}
			case 2: // a hedge helps
				if a, _ := switchgear.AttemptOf(ctx); !a.Hedge {
					time.Sleep(3 * time.Second)
				}
			case 3:
				return switchgear.MarkIgnored(errDown)
			case 5:
				return errDown
			}
			time.Sleep(10 * time.Millisecond)
			return nil
		})
	}
	time.Sleep(time.Minute) // what lost its race ends

	b := breaker.Must(breaker.New("ledger", breaker.Config{
		MinimumCalls: 4, FailureRate: 50, Window: breaker.WindowConfig{Length: time.Minute},
		SlowCall: breaker.SlowCallConfig{Duration: 2 * time.Second, Rate: switchgear.Off},
		Open:     breaker.OpenConfig{Jitter: switchgear.Off},
	}))
	for _, err := range []error{nil, errDown} { // both slow
		_ = b.Do(background, func(context.Context) error { time.Sleep(3 * time.Second); return err })
	}
	_ = b.Do(background, func(context.Context) error { time.Sleep(3 * time.Second); return nil })
	fail(b, 5)
	return &source{entries: []registry.Entry{
		{Name: "stock", Breaker: p.Breaker(), Pipeline: p}, {Name: "ledger", Breaker: b},
	}}
}

func gather(t *testing.T, cs ...prometheus.Collector) []*dto.MetricFamily {
	t.Helper()
	r := prometheus.NewPedanticRegistry()
	for _, c := range cs {
		if err := r.Register(c); err != nil {
			t.Fatal(err)
		}
	}
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	return families
}

// value returns the value of the one series with these labels, given as "name=x,state=y".
func value(t *testing.T, families []*dto.MetricFamily, name, labels string) float64 {
	t.Helper()
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.Metric {
			var l []string
			for _, p := range m.Label {
				l = append(l, p.GetName()+"="+p.GetValue())
			}
			if strings.Join(l, ",") != labels {
				continue
			}
			switch {
			case m.Counter != nil:
				return m.Counter.GetValue()
			case m.Gauge != nil:
				return m.Gauge.GetValue()
			}
		}
	}
	t.Errorf("there is no %s{%s}", name, labels)
	return 0
}

func series(families []*dto.MetricFamily) (n int) {
	for _, f := range families {
		n += len(f.Metric)
	}
	return n
}

func must(t *testing.T, s registry.Source, cfg sgprom.Config, opts ...sgprom.Option) *sgprom.Collector {
	t.Helper()
	c, err := sgprom.New(s, cfg, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func latency(t *testing.T, cfg sgprom.LatencyConfig, opts ...sgprom.LatencyOption) *sgprom.Latency {
	t.Helper()
	l, err := sgprom.NewLatency(cfg, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
