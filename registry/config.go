package registry

import (
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/internal/check"
	"github.com/switchgear-go/switchgear/pipeline"
)

const (
	defaultMax       = 1_000
	maxMax           = 100_000
	defaultIdleAfter = 5 * time.Minute
	defaultRecent    = 1_000
	maxRecent        = 100_000
)

// Config says how much a [Registry] holds. It is plain data; a zero field means the
// default its comment names.
type Config struct {
	// Max bounds the number of entries made here and added; what is attached does not
	// count. Default 1,000; at most 100,000.
	Max int

	// IdleAfter is how long an entry must have been neither looked up nor used before
	// it may go when room is needed; the package comment has the other conditions. Use
	// shows in the counters of the policies, which are read only when room is wanted: an
	// entry that has been used since it was last seen counts as used at that moment.
	// Most count a call when it ends, so this should be longer than the longest call. A
	// pipeline that is nothing but time limits counts no calls, so only looking it up
	// counts as use. Default 5 min; from 1 ns to 30 days, or Off: then nothing goes by
	// itself.
	IdleAfter time.Duration

	// Recent is how many events [Registry.Recent] remembers, of all policies together.
	// Default 1,000; at most 100,000, or Off.
	Recent int
}

// compile validates cfg and fills in its defaults.
func (cfg Config) compile() (Config, error) {
	var c check.Checker
	c.Int("Max", &cfg.Max, defaultMax, 1, maxMax, false)
	c.Duration("IdleAfter", &cfg.IdleAfter, defaultIdleAfter, 1, check.MaxDuration, true)
	c.Int("Recent", &cfg.Recent, defaultRecent, 1, maxRecent, true)
	return cfg, c.Err(source, "")
}

// An Option wires a registry to its surroundings. A nil option, and one that was given
// nil, leaves the default.
type Option func(*options)

type options struct {
	clk       clock.Clock
	listeners []event.Listener
	breaker   []breaker.Option
	pipeline  []pipeline.Option
}

// WithClock sets the clock of the registry and of all policies that it makes. Default
// [clock.Real].
func WithClock(c clock.Clock) Option {
	return func(o *options) {
		if c != nil {
			o.clk = c
		}
	}
}

// WithListener adds a listener for the events of all policies made here, and for the
// registry's own warnings, whose Source is "registry". It is called on the goroutine
// that made the change, by many policies at once, and must be quick; see
// [event.Listener]. [Registry.Listen] is the way for those that are not, or come later.
// What a policy reports while it is being made is passed on when it is there, so l may
// call the registry, also for that name.
func WithListener(l event.Listener) Option {
	return func(o *options) {
		if l != nil {
			o.listeners = append(o.listeners, l)
		}
	}
}

// WithBreaker adds options that every breaker made by [Registry.Breaker] gets: a
// random source, a classifier, how errors are grouped.
//
// For clock and listeners use [WithClock] and [WithListener]. A listener among opts hears
// of warnings while the breaker is being made, before it is there: if it calls
// [Registry.Breaker], Pipeline, AddBreaker or AddPipeline for that name it waits for
// itself, for ever. The registry cannot see it there, and so cannot keep its events back
// as it does for [WithListener].
func WithBreaker(opts ...breaker.Option) Option {
	return func(o *options) { o.breaker = append(o.breaker, opts...) }
}

// WithPipeline adds options that every pipeline made by [Registry.Pipeline] gets. For
// clock and listeners use [WithClock] and [WithListener], for the reason told at
// [WithBreaker].
func WithPipeline(opts ...pipeline.Option) Option {
	return func(o *options) { o.pipeline = append(o.pipeline, opts...) }
}
