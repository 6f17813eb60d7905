package timeout

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
)

// source is the kind of this policy in errors and events.
const source = "timeout"

// A Timeout limits the time of calls. Make it with [New]; it must not be copied.
// All its methods are safe for concurrent use. See the package comment for the
// model.
type Timeout struct {
	name    string
	cfg     Config
	minimum time.Duration // so low that nothing is below it, if Minimum is off
	cause   *Error        // of all contexts that the limit ends
	clk     clock.Clock
	reading reading
	events  event.Stream

	timedOut   atomic.Uint64
	rejected   atomic.Uint64
	abandoned  atomic.Uint64
	late       atomic.Uint64
	latePanics atomic.Uint64

	running   atomic.Int64 // functions in goroutines of their own
	behind    atomic.Int64 // those among them that were left behind
	full      atomic.Bool  // that calls are refused has been told
	nextPanic atomic.Int64 // instant from which on another late panic is told
}

// An Option wires a timeout to its surroundings. What it should do is in
// [Config]. A nil option, and one that was given nil, leaves the default.
type Option func(*options)

type options struct {
	clk       clock.Clock
	listeners []event.Listener
}

// WithClock sets the clock. Default [clock.Real]. On any other clock, the
// deadlines of contexts, the callers' among them, are in that clock's wall time.
func WithClock(c clock.Clock) Option {
	return func(o *options) {
		if c != nil {
			o.clk = c
		}
	}
}

// WithListener adds a listener for the timeout's events. Several may be given;
// each gets every event. There are only warnings: of a doubtful configuration, of
// a panic in a function that was left behind (with a [*LatePanic] as Detail, and at
// most one a second), and when calls begin to be refused because too many functions
// are left behind. A listener may call the timeout. One that is not quick belongs in
// [event.Async].
func WithListener(l event.Listener) Option {
	return func(o *options) { o.listeners = append(o.listeners, l) }
}

// recentEvents is how many events a timeout remembers for its readers.
const recentEvents = 32

// New makes a timeout. The name appears in errors and events. If the
// configuration is not valid the error is a [*switchgear.ConfigError] that lists
// everything wrong with it. New never panics.
func New(name string, cfg Config, opts ...Option) (*Timeout, error) {
	warnings, err := cfg.validate(name)
	if err != nil {
		return nil, err
	}
	o := options{clk: clock.Real()}
	for _, set := range opts {
		if set != nil {
			set(&o)
		}
	}
	t := &Timeout{
		name:    name,
		cfg:     cfg,
		minimum: math.MinInt64,
		cause:   &Error{Name: name, Limit: cfg.Limit, Elapsed: cfg.Limit},
		clk:     o.clk,
		reading: newReading(o.clk),
	}
	if cfg.Minimum > 0 {
		t.minimum = cfg.Minimum
	}
	t.events.Init(recentEvents, o.listeners...)
	for _, w := range warnings {
		t.warn(w.String(), nil)
	}
	return t, nil
}

// Must returns t, or panics if err is not nil. It is for package variables.
func Must(t *Timeout, err error) *Timeout {
	if err != nil {
		panic(err)
	}
	return t
}

// Name returns the name of the timeout.
func (t *Timeout) Name() string { return t.name }

// Config returns the configuration in effect, every default filled in.
func (t *Timeout) Config() Config { return t.cfg }

// Events returns the newest events, oldest first, at most 32.
func (t *Timeout) Events() []event.Event { return t.events.Recent() }

// warn must be called outside all locks.
func (t *Timeout) warn(reason string, detail any) {
	t.events.Append(event.Event{
		Time: t.clk.Now(), Source: source, Name: t.name, Kind: event.Warning, Reason: reason, Detail: detail,
	})
	t.events.Deliver()
}

// Do runs fn under the limit, for calls without a result. See the function [Do].
func (t *Timeout) Do(ctx context.Context, fn func(context.Context) error) error {
	_, err := Do(ctx, t, func(ctx context.Context) (struct{}, error) { return struct{}{}, fn(ctx) })
	return err
}
