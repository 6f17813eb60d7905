package sghttp

import (
	"net/http"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/pipeline"
)

// An Option wires a transport to its surroundings. What it should do is in
// [Config].
type Option func(*options)

type options struct {
	clock     clock.Clock
	listeners []event.Listener
	key       func(*http.Request) (Key, bool)
	configure func(Key) breaker.Config
	breaker   []breaker.Option

	configurePipeline func(Key) pipeline.Config
	pipeline          []pipeline.Option
}

// WithClock sets the clock of the transport and its policies. Its wall time is
// what dates in Retry-After are compared with. Default [clock.Real].
func WithClock(c clock.Clock) Option { return func(o *options) { o.clock = c } }

// WithListener adds a listener for the events of all policies and for the
// transport's own warnings, whose Source is "sghttp". Each policy has a stream
// of its own, so the listener must be safe for concurrent use. It must be quick,
// and so must not make calls through the transport itself; see [event.Async].
func WithListener(l event.Listener) Option {
	return func(o *options) { o.listeners = append(o.listeners, l) }
}

// WithKey sets the function that gives a request its key. If it returns false
// the request is none of the transport's business: it goes straight to the inner
// transport. The function is called once for each request, must be safe for
// concurrent use, and must not change the request. Default [DefaultKey].
func WithKey(f func(*http.Request) (Key, bool)) Option { return func(o *options) { o.key = f } }

// WithBreakerConfig sets a function that gives a key a configuration of its own,
// in place of [Config.Breaker]. It is called whenever the breaker of a key is made,
// while further calls of that key wait, and so must not make calls through the
// transport. If what it returns is not valid, the transport sends a warning and
// uses Config.Breaker for that key.
func WithBreakerConfig(f func(Key) breaker.Config) Option {
	return func(o *options) { o.configure = f }
}

// WithBreaker adds options that every breaker is made with: a random source, a
// classifier of errors, how errors are grouped. A classifier gets to see the
// errors of the inner transport and of response bodies, but no statuses, which
// are for [Config.Statuses]. For clock and listeners use [WithClock] and
// [WithListener].
func WithBreaker(opts ...breaker.Option) Option {
	return func(o *options) { o.breaker = append(o.breaker, opts...) }
}

// WithPipelineConfig sets a function that gives a key a pipeline of its own, in place of
// [Config.Pipeline], which must be set all the same: it is used for a key if what the
// function returns is not valid. Otherwise it is like [WithBreakerConfig].
func WithPipelineConfig(f func(Key) pipeline.Config) Option {
	return func(o *options) { o.configurePipeline = f }
}

// WithPipeline adds options that every pipeline is made with: a random source, a
// classifier of errors, accepted checks. A classifier decides about errors of the inner
// transport; statuses are for [Config.Statuses] and [Config.Repeats]. For clock and
// listeners use [WithClock] and [WithListener].
func WithPipeline(opts ...pipeline.Option) Option {
	return func(o *options) { o.pipeline = append(o.pipeline, opts...) }
}
