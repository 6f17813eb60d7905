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
	place   atomic.Pointer[place]
}

// place is where durations are recorded: those of one name until it is forgotten, or
// those of the others. Timers of one name share it.
type place struct {
	name  string
	timer *Timer // the one that Latency.Timer returns
	gone  atomic.Bool

	// histograms are made when an outcome is seen for the first time: most names never
	// have some of them, and each is a handful of series.
	histograms [switchgear.Ignored + 1]atomic.Pointer[prometheus.Histogram]
}

// Observe records that a call took d and counted as o. [switchgear.Undecided] is not
// recorded. A timer whose name has been forgotten comes back as a new name would, see
// [Latency.Forget].
func (t *Timer) Observe(d time.Duration, o switchgear.Outcome) {
	if o == switchgear.Undecided || o > switchgear.Ignored {
		return
	}
	p := t.place.Load()
	if p.gone.Load() {
		p = t.latency.admit(t)
	}
	h := p.histograms[o].Load()
	if h == nil {
		if h = t.latency.histogram(p, o); h == nil {
			return // forgotten in this very moment
		}
	}
	(*h).Observe(d.Seconds())
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
