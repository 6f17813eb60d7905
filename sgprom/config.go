package sgprom

import (
	"github.com/switchgear-go/switchgear/internal/check"
	"github.com/switchgear-go/switchgear/registry"
)

// Config says what a [Collector] publishes. It is plain data; the zero value is the
// default.
type Config struct {
	// MaxNames is how many entries have series of their own. The rest are added up
	// under the name other. An entry that is in stays in as long as it exists. An entry
	// has about 40 series for its breaker, and up to 100 with every policy there is.
	// Default 200; from 1 to 10,000.
	MaxNames int
}

const mostNames = 10_000

func (cfg *Config) validate(source registry.Source) error {
	var c check.Checker
	if source == nil {
		c.Wrong("source", "nil", "must be given")
	}
	c.Int("MaxNames", &cfg.MaxNames, 200, 1, mostNames, false)
	return c.Err("sgprom collector", "")
}

// Option is something that a [Collector] needs and plain data cannot say. A nil option
// does nothing.
type Option func(*options)

type options struct {
	resilience4j bool
	latency      *Latency
}

// WithResilience4j has the collector publish the metrics of Resilience4j's Micrometer
// binder as well, as far as their numbers exist here; docs/metrics.md says which do.
//
// Of the number and the duration of calls, all comes from l if it is given: what timers
// that have the entry's name have recorded, and 0 for an entry without one. If l is nil,
// and for what is added up under the name other, the numbers are the breaker's, and the
// sums are NaN, so that a mean of durations that nobody has recorded is an empty graph
// and not a wrong one.
func WithResilience4j(l *Latency) Option {
	return func(o *options) { o.resilience4j, o.latency = true, l }
}

// Must returns v, or panics if err is not nil. It is for package variables.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
