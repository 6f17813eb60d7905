package adaptive

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/event"
)

// A Limiter is one adaptive concurrency limit. Make it with [New]; it must not be
// copied. All its methods are safe for concurrent use. See the package comment for
// the model.
type Limiter struct {
	name  string
	rules *rules
	options

	// state holds the limit in its upper half and the number of running calls in its
	// lower one, so that a call is admitted against both at one instant. The limit
	// changes, and running falls, only under mu; running rises by compare-and-swap.
	state atomic.Uint64

	levels [maxLevels]level

	events event.Stream

	// mu guards everything below, for a few instructions at a time. Calls, classifiers
	// and listeners never run under it. The stream's lock is taken inside it.
	mu        sync.Mutex
	sampler   sampler
	estimator estimator
	rtt       time.Duration // of the newest step with a success
	ended     Counters      // without what the levels count
	told      told
}

// level is what one level of priority needs of its own.
type level struct {
	rejected atomic.Uint64
	// last is the newest refusal. While the limit is reached, refusals are most
	// often alike, and so need not be made anew.
	last atomic.Pointer[Rejection]
}

const (
	halfBits = 32
	halfMask = 1<<halfBits - 1
)

// New makes a limiter. The name appears in errors and events. If the configuration is
// not valid the error is a [*switchgear.ConfigError] that lists everything wrong
// with it. What is doubtful but possible is a warning: see [Limiter.Warnings]. New
// never panics.
//
// The limiter keeps its own copy of cfg.
func New(name string, cfg Config, opts ...Option) (*Limiter, error) {
	r, err := compile(name, cfg)
	if err != nil {
		return nil, err
	}
	l := &Limiter{name: name, rules: r, options: gather(opts)}
	l.sampler = sampler{time: r.cfg.Window.Time, samples: r.cfg.Window.Samples, drops: r.drops}
	l.estimator = newEstimator(r.cfg, l.random)
	l.state.Store(uint64(r.cfg.Initial) << halfBits)
	l.told.limit = r.cfg.Initial
	l.events.Init(l.recent, l.listeners...)
	for _, w := range r.warnings {
		l.events.Append(event.Event{Time: l.now(), Source: source, Name: name, Kind: event.Warning, Reason: w.String()})
	}
	l.events.Deliver()
	return l, nil
}

// Must returns l, or panics if err is not nil. It is for package variables.
func Must(l *Limiter, err error) *Limiter {
	if err != nil {
		panic(err)
	}
	return l
}

// Name returns the limiter's name.
func (l *Limiter) Name() string { return l.name }

// Config returns the configuration in effect, with the defaults of the algorithm in
// use filled in. The caller may change it.
func (l *Limiter) Config() Config {
	cfg := l.rules.cfg
	cfg.Shares = slices.Clone(cfg.Shares)
	return cfg
}

// Warnings returns what validation found doubtful: values that have no effect. They
// are also the limiter's first events.
func (l *Limiter) Warnings() []switchgear.Problem { return slices.Clone(l.rules.warnings) }

// Events returns the newest events, oldest first. See [WithRecent].
func (l *Limiter) Events() []event.Event { return l.events.Recent() }

// Limit returns the limit in force, from Config.Min to Config.Max.
func (l *Limiter) Limit() int { return limitOf(l.state.Load()) }

// Running returns how many calls are running now.
func (l *Limiter) Running() int { return runningOf(l.state.Load()) }

func limitOf(state uint64) int { return int(state >> halfBits) }

func runningOf(state uint64) int { return int(state & halfMask) }
