package sghttp

import (
	"net/http"

	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/ratelimit"
)

// A ServerOption wires a [Server] to its surroundings. What it should do is in
// [ServerConfig]. A nil option, and one that was given nil, leaves the default.
//
// The functions that are given here must be safe for concurrent use. They are called on
// the goroutine of a request, outside every lock and before the request holds anything,
// and must not change it. A panic in one of them goes up to net/http.
type ServerOption func(*serverOptions)

type serverOptions struct {
	clk       clock.Clock
	random    func() float64
	listeners []event.Listener
	key       func(*http.Request) (string, bool)
	priority  func(*http.Request) adaptive.Priority
	exempt    func(*http.Request) bool                                   // or nil
	answer    func(http.ResponseWriter, *http.Request, *ServerRejection) // or nil
}

// WithServerClock sets the clock of the server and its policies. The timer of a
// deadline is that of package context all the same. Default [clock.Real].
func WithServerClock(c clock.Clock) ServerOption {
	return func(o *serverOptions) {
		if c != nil {
			o.clk = c
		}
	}
}

// WithServerRandom sets the source of chance: a function that returns numbers from 0 to
// 1, and calls neither the server nor its policies. Default [rand.Float64].
func WithServerRandom(f func() float64) ServerOption {
	return func(o *serverOptions) {
		if f != nil {
			o.random = f
		}
	}
}

// WithServerListener adds a listener for the events of all policies. Refusals are
// counted and make no events. Each policy has a stream of its own, so the listener must
// be safe for concurrent use, and it must be quick; see [event.Async].
func WithServerListener(l event.Listener) ServerOption {
	return func(o *serverOptions) { o.listeners = append(o.listeners, l) }
}

// WithServerKey sets the function that says whose request it is, for
// [ServerConfig.KeyedRateLimit]. If it returns false the request has no client and no
// such limit. Default [ClientAddress].
func WithServerKey(f func(*http.Request) (key string, ok bool)) ServerOption {
	return func(o *serverOptions) {
		if f != nil {
			o.key = f
		}
	}
}

// WithServerPriority sets the function that says how important a request is, for
// [ServerConfig.Adaptive]. Let it not believe everything that a client says. Default
// [adaptive.PriorityOf] the request's context: critical, unless outer middleware has
// said otherwise.
func WithServerPriority(f func(*http.Request) adaptive.Priority) ServerOption {
	return func(o *serverOptions) {
		if f != nil {
			o.priority = f
		}
	}
}

// WithServerExempt sets a function that names the requests which are none of the
// server's business: they go straight to the handler. Use it for what must be answered
// above all when there is too much to do, such as health and readiness checks. Default:
// none.
func WithServerExempt(f func(*http.Request) bool) ServerOption {
	return func(o *serverOptions) { o.exempt = f }
}

// WithServerAnswer sets the function that answers a refused request, in place of a short
// plain text: it must write a status, best that of the rejection, and may write a body.
// The Retry-After header is set already, if it is known. The text of a rejection names
// policies and numbers, for logs, not for clients.
//
// It is called also for a request whose deadline has passed without a word from its
// handler. The handler has then returned, its request still holds what it held, and the
// headers that it set are still there, except those that describe a body or let it be
// cached.
func WithServerAnswer(f func(http.ResponseWriter, *http.Request, *ServerRejection)) ServerOption {
	return func(o *serverOptions) { o.answer = f }
}

func priorityOfContext(r *http.Request) adaptive.Priority { return adaptive.PriorityOf(r.Context()) }

func (o *serverOptions) rateOptions() []ratelimit.Option {
	opts := []ratelimit.Option{ratelimit.WithClock(o.clk)}
	for _, l := range o.listeners {
		opts = append(opts, ratelimit.WithListener(l))
	}
	return opts
}

func (o *serverOptions) adaptiveOptions() []adaptive.Option {
	opts := []adaptive.Option{adaptive.WithClock(o.clk), adaptive.WithRandom(o.random)}
	for _, l := range o.listeners {
		opts = append(opts, adaptive.WithListener(l))
	}
	return opts
}

func (o *serverOptions) bulkheadOptions() []bulkhead.Option {
	opts := []bulkhead.Option{bulkhead.WithClock(o.clk)}
	for _, l := range o.listeners {
		opts = append(opts, bulkhead.WithListener(l))
	}
	return opts
}
