package inject

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
)

// source is the kind of this policy in errors and events.
const source = "inject"

// An Injector disturbs calls while it is on. Make it with [New]; it must not be
// copied. All its methods are safe for concurrent use. See the package comment for the
// model.
type Injector struct {
	name   string
	cfg    Config
	faults []fault
	keyed  bool // some fault has keys
	clk    clock.Clock
	random func() float64 // nil: by Config.Seed
	key    func(context.Context) string
	events event.Stream
	tally  tally

	cur atomic.Pointer[period] // nil while off

	mu    sync.Mutex  // guards changes of cur, and what is below; nothing is called under it but the clock
	timer clock.Timer // ends the period in force
}

// fault is a Fault as calls want it.
type fault struct {
	kind       Kind
	hundredths int64 // of a percent
	keys       map[string]struct{}
	delay      time.Duration
	err        *Error
}

// An Option wires an injector to its surroundings. What it should do is in [Config].
// A nil option, and one that was given nil, leaves the default.
type Option func(*options)

type options struct {
	clk       clock.Clock
	random    func() float64
	key       func(context.Context) string
	listeners []event.Listener
}

// WithClock sets the clock. Default [clock.Real].
func WithClock(c clock.Clock) Option {
	return func(o *options) {
		if c != nil {
			o.clk = c
		}
	}
}

// WithRandom sets the source of chance, a function that returns numbers from 0 to 1,
// in place of [Config.Seed]. It is called once for each fault that may strike a call,
// outside all locks, and must be safe for concurrent use.
func WithRandom(f func() float64) Option { return func(o *options) { o.random = f } }

// WithKeyFunc sets how the key of a call is found. It is called at most once a call,
// outside all locks, and only while the injector is on and has a fault with keys.
// Default [KeyOf].
func WithKeyFunc(f func(context.Context) string) Option {
	return func(o *options) {
		if f != nil {
			o.key = f
		}
	}
}

// WithListener adds a listener for the injector's events. Several may be given; each
// gets every event. There is an event.Transition when it is switched on or off, also
// by its expiry, an event.Renewed when it is switched on while it is on, and an
// event.Warning for what is doubtful in the configuration. The Detail of the first two
// is a [*Change]. A listener may call the injector. One that is not quick belongs in
// [event.Async].
func WithListener(l event.Listener) Option {
	return func(o *options) { o.listeners = append(o.listeners, l) }
}

// recentEvents is how many events an injector remembers for its readers.
const recentEvents = 32

// New makes an injector, which is off. The name appears in errors and events. If the
// configuration is not valid the error is a [*switchgear.ConfigError] that lists
// everything wrong with it. New never panics.
//
// The injector keeps its own copy of cfg.
func New(name string, cfg Config, opts ...Option) (*Injector, error) {
	cfg = cfg.clone()
	warnings, err := cfg.validate(name)
	if err != nil {
		return nil, err
	}
	o := options{clk: clock.Real(), key: KeyOf}
	for _, set := range opts {
		if set != nil {
			set(&o)
		}
	}
	i := &Injector{name: name, cfg: cfg, clk: o.clk, random: o.random, key: o.key}
	for _, f := range cfg.Faults {
		h, _ := f.Probability.Hundredths()
		with := fault{kind: f.Kind, hundredths: h, delay: f.Delay, err: &Error{Name: name, Kind: f.Kind, Message: f.Message}}
		if len(f.Keys) > 0 {
			i.keyed = true
			with.keys = make(map[string]struct{}, len(f.Keys))
			for _, key := range f.Keys {
				with.keys[key] = struct{}{}
			}
		}
		i.faults = append(i.faults, with)
	}
	i.tally.struck = make([]atomic.Uint64, len(i.faults))
	i.events.Init(recentEvents, o.listeners...)
	for _, w := range warnings {
		i.events.Append(event.Event{Time: i.clk.Now(), Source: source, Name: name, Kind: event.Warning, Reason: w.String()})
	}
	i.events.Deliver()
	return i, nil
}

// Must returns i, or panics if err is not nil. It is for package variables.
func Must(i *Injector, err error) *Injector {
	if err != nil {
		panic(err)
	}
	return i
}

// Name returns the name of the injector.
func (i *Injector) Name() string { return i.name }

// Config returns the configuration in effect, every default filled in, the seed among
// them. It is the caller's.
func (i *Injector) Config() Config { return i.cfg.clone() }

// Events returns the newest events, oldest first, at most 32.
func (i *Injector) Events() []event.Event { return i.events.Recent() }
