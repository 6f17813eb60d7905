package sgprom

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/switchgear-go/switchgear"
)

// A Timer records the durations of one name. Get it from [Latency.Timer]. It is safe for
// concurrent use.
type Timer struct {
	latency *Latency
	name    string

	// histograms are made when an outcome is seen for the first time: most names never
	// have some of them, and each is a handful of series.
	histograms [switchgear.Ignored + 1]atomic.Pointer[prometheus.Histogram]
	gone       bool // guarded by Latency.mu
}

// Observe records that a call took d and counted as o. [switchgear.Undecided] is not
// recorded.
func (t *Timer) Observe(d time.Duration, o switchgear.Outcome) {
	if o == switchgear.Undecided || o > switchgear.Ignored {
		return
	}
	h := t.histograms[o].Load()
	if h == nil {
		if h = t.histogram(o); h == nil {
			return
		}
	}
	(*h).Observe(d.Seconds())
}

// histogram makes the histogram of an outcome; nil if the name has been forgotten, whose
// series must not come back.
func (t *Timer) histogram(o switchgear.Outcome) *prometheus.Histogram {
	t.latency.mu.Lock()
	defer t.latency.mu.Unlock()
	if t.gone {
		return nil
	}
	h, ok := t.latency.vec.WithLabelValues(t.name, o.String()).(prometheus.Histogram)
	if !ok {
		return nil
	}
	t.histograms[o].Store(&h)
	return &h
}

// Time returns fn with its duration recorded by t. The outcome is that of its error, by
// [switchgear.Judge]; a panic is a failure. The result and the panic go through as they
// are.
func Time[T any](t *Timer, fn func(context.Context) (T, error)) func(context.Context) (T, error) {
	return func(ctx context.Context) (v T, err error) {
		l := t.latency
		start := l.clk.Mono()
		outcome := switchgear.Failure
		defer func() { t.Observe(l.clk.Mono()-start, outcome) }()
		v, err = fn(ctx)
		outcome = switchgear.Judge(ctx, err, l.clk.Now, l.classify).Health
		return v, err
	}
}
