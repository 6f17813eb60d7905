package retry

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
)

// source is what events and configuration errors call this sort of policy.
const source = "retry"

// A Retry makes calls again. Make it with [New]; it must not be copied. All its
// methods are safe for concurrent use. See the package comment for the model.
type Retry struct {
	name string
	*compiled
	wiring

	// Method values, made once: to make one allocates.
	now func() time.Time

	events event.Stream
	counts counts
}

// wiring is what the options set.
type wiring struct {
	clk      clock.Clock
	random   func() float64
	classify func(error) switchgear.Judgement
	budget   *budget.Budget
}

// An Option wires a retry to its surroundings. What it should do is in [Config]. A
// nil option, and one that was given nil, leaves the default.
type Option func(*options)

type options struct {
	wiring
	listeners []event.Listener
}

// WithClock sets the clock, which measures MaxElapsed, tells how far off the
// caller's deadline is, and wakes [Do]. Default [clock.Real].
func WithClock(c clock.Clock) Option {
	return func(o *options) {
		if c != nil {
			o.clk = c
		}
	}
}

// WithRandom sets the source of jitter: a function that returns numbers from 0 to
// 1 and is safe for concurrent use. Default [rand.Float64].
func WithRandom(f func() float64) Option {
	return func(o *options) {
		if f != nil {
			o.random = f
		}
	}
}

// WithListener adds a listener for the retry's events, which are the warnings of
// its configuration. Several may be given; each gets every event.
func WithListener(l event.Listener) Option {
	return func(o *options) { o.listeners = append(o.listeners, l) }
}

// WithClassifier sets how [Do] judges errors that [switchgear.Judge] leaves open.
// It may be called by many goroutines at once, and is called outside all locks. It
// is not used where a [Loop] is given judgements.
func WithClassifier(f func(error) switchgear.Judgement) Option {
	return func(o *options) { o.classify = f }
}

// WithBudget makes every second and later attempt draw on b, which the retries,
// and hedges, of one dependency should share. Default none.
func WithBudget(b *budget.Budget) Option {
	return func(o *options) { o.budget = b }
}

// recent is how many events a retry remembers: there are only warnings.
const recent = 8

// New makes a retry. The name appears in errors and events. If the configuration
// is not valid the error is a [*switchgear.ConfigError] that lists everything wrong
// with it. What is doubtful but possible is a warning: see [Retry.Warnings].
func New(name string, cfg Config, opts ...Option) (*Retry, error) {
	o := options{wiring: wiring{clk: clock.Real(), random: rand.Float64}}
	for _, set := range opts {
		if set != nil {
			set(&o)
		}
	}
	c, err := compile(name, cfg, o.budget != nil)
	if err != nil {
		return nil, err
	}
	r := &Retry{name: name, compiled: c, wiring: o.wiring, now: o.clk.Now}
	r.events.Init(recent, o.listeners...)
	for _, w := range c.warnings {
		r.events.Append(event.Event{Time: r.now(), Source: source, Name: name, Kind: event.Warning, Reason: w.String()})
	}
	r.events.Deliver()
	return r, nil
}

// Must returns r, or panics if err is not nil. It is for package variables.
func Must(r *Retry, err error) *Retry {
	if err != nil {
		panic(err)
	}
	return r
}

// Name returns the retry's name.
func (r *Retry) Name() string { return r.name }

// Config returns the configuration in effect, every default filled in.
func (r *Retry) Config() Config { return r.cfg }

// Warnings returns what validation found doubtful. They are also the events.
func (r *Retry) Warnings() []switchgear.Problem { return slices.Clone(r.warnings) }

// Events returns the newest events, oldest first.
func (r *Retry) Events() []event.Event { return r.events.Recent() }

// Budget returns the budget that the retry draws on, nil if there is none.
func (r *Retry) Budget() *budget.Budget { return r.budget }
