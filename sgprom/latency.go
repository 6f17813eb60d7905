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

// LatencyOption is something that a [Latency] needs and plain data cannot say.
type LatencyOption func(*Latency)

// WithClock has the durations that [Time] records measured by c. Default [clock.Real].
func WithClock(c clock.Clock) LatencyOption { return func(l *Latency) { l.clk = c } }

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
	other    *Timer

	mu     sync.RWMutex
	timers map[string]*Timer
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
		clk: clock.Real(), most: cfg.MaxNames, timers: make(map[string]*Timer),
		vec: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "switchgear_call_duration_seconds", Help: "How long calls took, by what they counted as.",
			Buckets:                         seconds,
			NativeHistogramBucketFactor:     cfg.NativeFactor,
			NativeHistogramMaxBucketNumber:  nativeBuckets,
			NativeHistogramMinResetDuration: nativeReset,
		}, []string{metrics.NameLabel, "outcome"}),
	}
	for _, opt := range opts {
		opt(l)
	}
	l.other = &Timer{latency: l, name: metrics.Other}
	return l, nil
}

// Describe is part of [prometheus.Collector].
func (l *Latency) Describe(ch chan<- *prometheus.Desc) { l.vec.Describe(ch) }

// Collect is part of [prometheus.Collector].
func (l *Latency) Collect(ch chan<- prometheus.Metric) { l.vec.Collect(ch) }

// Timer returns the timer of a name; the same name has the same timer. If there is no
// room for a new name, it is the timer of the name other. Ask once and keep it, where
// that is easy: asking costs a lock.
func (l *Latency) Timer(name string) *Timer {
	name = metrics.Label(name)
	l.mu.RLock()
	t := l.timers[name]
	l.mu.RUnlock()
	if t != nil {
		return t
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if t := l.timers[name]; t != nil {
		return t
	}
	if name == metrics.Other || len(l.timers) >= l.most {
		return l.other
	}
	t = &Timer{latency: l, name: name}
	l.timers[name] = t
	return t
}

// Forget removes the series of a name and makes room for another, and reports whether
// there were any. What a timer that somebody still holds records afterwards is lost.
// A registry's observer is a good place to call it.
func (l *Latency) Forget(name string) bool {
	name = metrics.Label(name)
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.timers[name]
	if t == nil {
		return false
	}
	delete(l.timers, name)
	t.gone = true
	l.vec.DeletePartialMatch(prometheus.Labels{metrics.NameLabel: name})
	return true
}

// kinds are the names that Resilience4j has for the outcomes.
var kinds = map[string]switchgear.Outcome{
	"successful": switchgear.Success, "failed": switchgear.Failure, "ignored": switchgear.Ignored,
}

// recorded returns the number and the sum, in seconds, of what has been recorded under a
// name, and whether there is a timer for it. A nil l has none.
func (l *Latency) recorded(name, kind string) (count uint64, seconds float64, ok bool) {
	if l == nil {
		return 0, 0, false
	}
	l.mu.RLock()
	t := l.timers[name]
	l.mu.RUnlock()
	if t == nil {
		return 0, 0, false
	}
	h := t.histograms[kinds[kind]].Load()
	if h == nil {
		return 0, 0, true
	}
	var m dto.Metric
	if err := (*h).Write(&m); err != nil {
		return 0, 0, false
	}
	return m.GetHistogram().GetSampleCount(), m.GetHistogram().GetSampleSum(), true
}
