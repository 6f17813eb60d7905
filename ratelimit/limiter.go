package ratelimit

import (
	"math"
	"slices"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/internal/check"
)

// A Limiter bounds how many calls begin. Make it with [New]; it must not be copied. All
// its methods are safe for concurrent use. See the package comment for the model.
type Limiter struct {
	name     string
	key      string // of a Keyed
	cfg      Config
	clk      clock.Clock
	start    time.Duration
	store    store // nil if everything is admitted
	tally    *tally
	warnings []switchgear.Problem
	events   event.Stream
}

// A store keeps the tokens of a limiter. Times count from the limiter's start.
type store interface {
	// reserve takes n tokens, at most as many as fit, that are due after most at the
	// latest. If it cannot, it changes nothing and tells when they would be due.
	reserve(now time.Duration, n int, most time.Duration) (grant, bool)
	// cancel gives the n tokens of a grant back.
	cancel(g grant, n int)
	// level tells how many tokens there are, and when one more call would be due.
	level(now time.Duration) (available float64, due time.Duration)
	// idle reports whether the store is as good as new.
	idle(now time.Duration) bool
}

// grant is where a store put the tokens it gave.
type grant struct {
	due    time.Duration
	place  uint64
	before time.Duration

	// What stood where a sliding window filed the calls.
	first time.Duration
	rest  []time.Duration // of a grant for several calls
}

// An Option wires a limiter to its surroundings. What it allows is in [Config]. A nil
// option, and one that was given nil, leaves the default.
type Option func(*options)

type options struct {
	clk       clock.Clock
	listeners []event.Listener
}

// WithClock sets the clock. Default [clock.Real]. A [Keyed] may call it under its lock,
// so it must not call the Keyed.
func WithClock(c clock.Clock) Option {
	return func(o *options) {
		if c != nil {
			o.clk = c
		}
	}
}

// WithListener adds a listener for warnings, the only events of this package. Several
// may be given; each gets every event.
func WithListener(l event.Listener) Option {
	return func(o *options) { o.listeners = append(o.listeners, l) }
}

func wire(opts []Option) options {
	o := options{clk: clock.Real()}
	for _, set := range opts {
		if set != nil {
			set(&o)
		}
	}
	return o
}

const (
	source = "ratelimit"
	recent = 32 // events remembered for readers
)

// New makes a limiter, full of tokens. The name appears in errors and events. If the
// configuration is not valid the error is a [*switchgear.ConfigError] that lists
// everything wrong with it. What is doubtful but possible is a warning: see
// [Limiter.Warnings]. New never panics.
func New(name string, cfg Config, opts ...Option) (*Limiter, error) {
	warnings, err := compile(name, &cfg)
	if err != nil {
		return nil, err
	}
	o := wire(opts)
	l := newLimiter(name, "", cfg, o.clk, &tally{})
	l.warnings = warnings
	l.events.Init(recent, o.listeners...)
	for _, w := range warnings {
		l.events.Append(warning(o.clk, name, w.String()))
	}
	l.events.Deliver()
	return l, nil
}

// newLimiter makes a limiter from a valid configuration.
func newLimiter(name, key string, cfg Config, clk clock.Clock, t *tally) *Limiter {
	l := &Limiter{name: name, key: key, cfg: cfg, clk: clk, start: clk.Mono(), tally: t}
	switch {
	case math.IsInf(cfg.Rate, 1):
	case cfg.Kind == SlidingWindow:
		l.store = newSlidingWindow(cfg)
	default:
		l.store = newBucket(billionthsOf(cfg.Rate), cfg.Burst)
	}
	return l
}

func warning(clk clock.Clock, name, reason string) event.Event {
	return event.Event{Time: clk.Now(), Source: source, Name: name, Kind: event.Warning, Reason: reason}
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

// Config returns the configuration with every default filled in.
func (l *Limiter) Config() Config { return l.cfg }

// Warnings returns what validation found doubtful. They are also the limiter's events.
func (l *Limiter) Warnings() []switchgear.Problem { return slices.Clone(l.warnings) }

// Events returns the limiter's newest events, at most 32, oldest first.
func (l *Limiter) Events() []event.Event { return l.events.Recent() }

// Allow asks to begin one call now. The error is a [*Rejection], or nil.
func (l *Limiter) Allow() error { return l.AllowN(1) }

// AllowN asks to begin n calls now, or one call that counts as n: all or none. An n of
// zero or less is admitted and takes nothing. The error is a [*Rejection], or nil.
func (l *Limiter) AllowN(n int) error {
	now := l.now()
	if g, ok := l.take(now, n, 0); !ok {
		return l.reject(n, 0, g.due)
	}
	return nil
}

// Reserve asks to begin n calls within maxWait, all at once. It decides at once and
// does not wait: [Reservation.Wait] tells how long the caller has to. [Config.MaxWait]
// plays no part in it. A maxWait below zero is zero, and one above 30 days is 30 days.
// An n of zero or less is admitted and takes nothing. The error is a [*Rejection], or
// nil.
func (l *Limiter) Reserve(n int, maxWait time.Duration) (Reservation, error) {
	maxWait = min(max(maxWait, 0), check.MaxDuration)
	now := l.now()
	g, ok := l.take(now, n, maxWait)
	if !ok {
		return Reservation{}, l.reject(n, maxWait, g.due)
	}
	return Reservation{l: l, n: n, grant: g}, nil
}

// now returns the time since the limiter was made.
func (l *Limiter) now() time.Duration { return max(l.clk.Mono()-l.start, 0) }

// take decides and counts.
func (l *Limiter) take(now time.Duration, n int, most time.Duration) (g grant, ok bool) {
	switch {
	case n <= 0 || l.store == nil:
		g, ok = grant{due: now}, true
	case n > l.cfg.Burst:
		g = grant{due: never}
	default:
		g, ok = l.store.reserve(now, n, most)
	}
	if !ok {
		l.tally.refused.Add(1)
		return g, false
	}
	l.tally.admitted.Add(1)
	if g.due > now {
		l.tally.delayed.Add(1)
	}
	return g, true
}
