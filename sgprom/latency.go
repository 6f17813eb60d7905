package sgprom

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/internal/check"
	"github.com/switchgear-go/switchgear/internal/metrics"
)

// LatencyConfig says how a [Latency] records. It is plain data; the zero value is the
// default.
type LatencyConfig struct {
	// MaxNames is how many names have histograms of their own. Those that come later
	// share the name other. Each name has up to three histograms, one for each outcome
	// that has been seen. Default 200; from 1 to 10,000.
	MaxNames int

	// Buckets are the upper bounds of the classic histogram, growing, at most 100, each
	// above 0 and at most 30 days. Default 1, 2.5, 5, 10, 25, 50, 100, 250, 500 ms, 1,
	// 2.5, 5 and 10 s.
	Buckets []time.Duration

	// NativeFactor is by how much each bucket of the native histogram is wider than the
	// one before, at most. Default 1.1; from 1.01 to 4.
	NativeFactor float64
}

var defaultBuckets = []time.Duration{
	time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond,
	10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2500 * time.Millisecond, 5 * time.Second, 10 * time.Second,
}

const (
	mostBuckets = 100

	// A native histogram that grows beyond this is made coarser, or begins again if it
	// has lasted for an hour.
	nativeBuckets = 100
	nativeReset   = time.Hour
)

func (cfg *LatencyConfig) validate() error {
	var c check.Checker
	c.Int("MaxNames", &cfg.MaxNames, 200, 1, mostNames, false)
	if len(cfg.Buckets) == 0 {
		cfg.Buckets = defaultBuckets
	}
	if n := len(cfg.Buckets); n > mostBuckets {
		c.Wrong("Buckets", n, "must be at most %d", mostBuckets)
	} else {
		for i, b := range cfg.Buckets {
			if b <= 0 || b > check.MaxDuration || i > 0 && b <= cfg.Buckets[i-1] {
				c.Wrong("Buckets", cfg.Buckets, "must be above 0, at most %v, and each above the one before", check.MaxDuration)
				break
			}
		}
	}
	c.Float("NativeFactor", &cfg.NativeFactor, 1.1, 1.01, 4)
	return c.Err("sgprom latency", "")
}

// LatencyOption is something that a [Latency] needs and plain data cannot say. A nil
// option, and one that was given nil, leaves the default.
type LatencyOption func(*Latency)

// WithClock has the durations that [Time] records measured by c. Default [clock.Real].
func WithClock(c clock.Clock) LatencyOption {
	return func(l *Latency) {
		if c != nil {
			l.clk = c
		}
	}
}

// WithClassifier has [Time] judge errors by f as well, see [switchgear.Judge]. Give it
// the function that the policies have, so that the outcomes agree.
func WithClassifier(f func(error) switchgear.Judgement) LatencyOption {
	return func(l *Latency) { l.classify = f }
}

// A Latency records how long calls take, by name and outcome, in the metric
// switchgear_call_duration_seconds. It is a collector of its own and must be registered.
// Make it with [NewLatency]; it must not be copied. It is safe for concurrent use.
type Latency struct {
	clk      clock.Clock
	classify func(error) switchgear.Judgement
	most     int
	vec      *prometheus.HistogramVec

	mu     sync.RWMutex
	other  *place
	places map[string]*place // by name, without the others
}

var _ prometheus.Collector = (*Latency)(nil)

// NewLatency makes a recorder. If the configuration is not valid, the error is a
// [*switchgear.ConfigError].
func NewLatency(cfg LatencyConfig, opts ...LatencyOption) (*Latency, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	seconds := make([]float64, len(cfg.Buckets))
	for i, b := range cfg.Buckets {
		seconds[i] = b.Seconds()
	}
	l := &Latency{
		clk: clock.Real(), most: cfg.MaxNames, places: make(map[string]*place),
		vec: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "switchgear_call_duration_seconds", Help: "How long calls took, by what they counted as.",
			Buckets:                         seconds,
			NativeHistogramBucketFactor:     cfg.NativeFactor,
			NativeHistogramMaxBucketNumber:  nativeBuckets,
			NativeHistogramMinResetDuration: nativeReset,
		}, []string{metrics.NameLabel, "outcome"}),
	}
	for _, opt := range opts {
		if opt != nil {
			opt(l)
		}
	}
	l.other = &place{name: metrics.Other, timer: &Timer{latency: l, name: metrics.Other}}
	l.other.timer.place.Store(l.other)
	return l, nil
}

// Describe is part of [prometheus.Collector].
func (l *Latency) Describe(ch chan<- *prometheus.Desc) { l.vec.Describe(ch) }

// Collect is part of [prometheus.Collector].
func (l *Latency) Collect(ch chan<- prometheus.Metric) { l.vec.Collect(ch) }

// Timer returns the timer of a name; the same name has the same timer, while there is room
// for it. Without room a timer records for the name other, until another name is
// forgotten. Ask once and keep it, where that is easy: asking costs a lock.
func (l *Latency) Timer(name string) *Timer {
	name = metrics.Label(name)
	l.mu.RLock()
	p := l.places[name]
	l.mu.RUnlock()
	if p == nil {
		t := &Timer{latency: l, name: name}
		if p = l.admit(t); p.name != name {
			return t
		}
	}
	return p.timer
}

// admit gives t a place: that of its name, which is made if there is room, or that of the
// others.
func (l *Latency) admit(t *Timer) *place {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.places[t.name]
	switch {
	case p != nil:
	case t.name == metrics.Other || len(l.places) >= l.most:
		p = l.other
	default:
		p = &place{name: t.name, timer: t}
		l.places[t.name] = p
	}
	t.place.Store(p)
	return p
}

// histogram makes the histogram of an outcome; nil if the name has been forgotten, whose
// series must not come back with nobody to remove them.
func (l *Latency) histogram(p *place, o switchgear.Outcome) *prometheus.Histogram {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.gone.Load() {
		return nil
	}
	h, ok := l.vec.WithLabelValues(p.name, o.String()).(prometheus.Histogram)
	if !ok {
		return nil
	}
	p.histograms[o].Store(&h)
	return &h
}

// Forget removes the series of a name and makes room for another, and reports whether
// there were any. A registry's observer is a good place to call it.
//
// A timer of that name may be kept. The next call that it records, also one that is
// running now, makes the name known again, with series that begin at 0, if there is room
// by then. What is recorded in the moment of forgetting may be lost.
func (l *Latency) Forget(name string) bool {
	name = metrics.Label(name)
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.places[name]
	if p == nil {
		return false
	}
	if len(l.places) == l.most {
		// Those that found no room look again.
		l.other.gone.Store(true)
		l.other = &place{name: metrics.Other, timer: l.other.timer}
	}
	delete(l.places, name)
	p.gone.Store(true)
	l.vec.DeletePartialMatch(prometheus.Labels{metrics.NameLabel: name})
	return true
}

// kinds are the names that Resilience4j has for the outcomes.
var kinds = map[string]switchgear.Outcome{
	"successful": switchgear.Success, "failed": switchgear.Failure, "ignored": switchgear.Ignored,
}

// recorded returns the number and the sum, in seconds, of what has been recorded under a
// name, other than those of the others.
func (l *Latency) recorded(name, kind string) (count uint64, seconds float64) {
	l.mu.RLock()
	p := l.places[name]
	l.mu.RUnlock()
	if p == nil {
		return 0, 0
	}
	h := p.histograms[kinds[kind]].Load()
	if h == nil {
		return 0, 0
	}
	var m dto.Metric
	if err := (*h).Write(&m); err != nil {
		return 0, 0 // a histogram has no error to return
	}
	return m.GetHistogram().GetSampleCount(), m.GetHistogram().GetSampleSum()
}
