package sghttp

import (
	"math/rand/v2"
	"net/http"

	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/ratelimit"
)

// A Server protects handlers from more requests than they can serve. It is
// middleware: [Server.Wrap] puts it around an [http.Handler]. All handlers that one
// Server wraps share its limits; those that need limits of their own get a Server of
// their own. Make it with [NewServer]; it must not be copied. All its methods are
// safe for concurrent use.
//
// A request goes through the policies that [ServerConfig] names in this order:
//
//   - Rate limits, that of the client before that of all. They cost least, hold nothing
//     while the request runs, and what they refuse is more than a client may ask for,
//     however idle the server is. The client's own comes first, so that a client that
//     asks too much does not use up what is there for all.
//   - The adaptive limit. It never waits, so a request that it sheds, the least
//     important first, has not stood in a queue.
//   - The deadline. It counts from the arrival of the request, so that what was spent
//     waiting is not there any more. Its context begins here, since what is refused
//     before needs no timer, and what waits next must not wait beyond it.
//   - The bulkhead. It may have a queue, which is why it comes after everything that
//     refuses at once.
//
// A request that is refused keeps the tokens that it took from a rate limit: it was
// asked for, and answered.
//
// A refused request gets 429 from a rate limit, else 503, with a Retry-After header
// and a short text that says nothing of the server's insides; see
// [WithServerAnswer]. Its body is not read, and whether the connection is kept is left
// to net/http.
//
// Where a policy needs to know what becomes of a response, handlers get a wrapper around
// the response writer; elsewhere they get net/http's own. [http.ResponseController]
// works through it. For older code it is an [http.Flusher], [http.Hijacker],
// [http.Pusher] and [io.ReaderFrom] where net/http's own is, and not elsewhere. It is no
// http.CloseNotifier: use the context of the request. It buffers nothing, writes nothing of
// its own except after a missed deadline, and drops a second status.
//
// Handlers run on the goroutine of the request, and what a request holds is given
// back when its handler returns, panics or calls runtime.Goexit: an event stream has its
// place as long as it lasts. So has an upgraded connection whose handler stays with it,
// unless [ServerConfig.ReleaseOnHijack] is set. Such handlers are best behind a Server
// of their own, with a bulkhead and without a deadline: how long a stream lasts is no
// sample for an adaptive limit.
type Server struct {
	name string
	cfg  ServerConfig // with every default filled in
	serverOptions

	// A policy that is not configured is nil.
	rate     *ratelimit.Limiter
	keyed    *ratelimit.Keyed
	adaptive *adaptive.Limiter
	bulkhead *bulkhead.Bulkhead

	wraps bool // responses need an exchange
	tally serverTally
}

// NewServer makes a server's protection. The name is that of its policies in errors
// and events. If the configuration is not valid the error is a
// [*switchgear.ConfigError] that lists everything wrong with it, also in the
// configuration of the policies. NewServer never panics.
func NewServer(name string, cfg ServerConfig, opts ...ServerOption) (*Server, error) {
	s := &Server{name: name, serverOptions: serverOptions{
		clk: clock.Real(), random: rand.Float64, key: ClientAddress, priority: priorityOfContext,
	}}
	for _, set := range opts {
		if set != nil {
			set(&s.serverOptions)
		}
	}
	if err := s.build(cfg); err != nil {
		return nil, err
	}
	held := s.adaptive != nil || s.bulkhead != nil
	s.wraps = s.adaptive != nil || s.cfg.Deadline != nil || s.cfg.CountStatuses || (s.cfg.ReleaseOnHijack && held)
	return s, nil
}

// MustServer returns s, or panics if err is not nil. It is for package variables.
func MustServer(s *Server, err error) *Server {
	if err != nil {
		panic(err)
	}
	return s
}

// Wrap returns a handler that lets next serve the requests that are admitted; nil
// stands for [http.DefaultServeMux]. It may be called for several handlers. The method
// value s.Wrap is middleware in the usual shape.
func (s *Server) Wrap(next http.Handler) http.Handler {
	if next == nil {
		next = http.DefaultServeMux
	}
	return &protected{s, next}
}

// Name returns the server's name.
func (s *Server) Name() string { return s.name }

// Config returns the configuration with every default filled in. It shares nothing
// with the server.
func (s *Server) Config() ServerConfig { return s.cfg.clone() }

// RateLimit returns the rate limit of all clients together, or nil if there is none.
func (s *Server) RateLimit() *ratelimit.Limiter { return s.rate }

// KeyedRateLimit returns the rate limits of the clients, or nil if there are none.
func (s *Server) KeyedRateLimit() *ratelimit.Keyed { return s.keyed }

// Adaptive returns the adaptive limit, or nil if there is none.
func (s *Server) Adaptive() *adaptive.Limiter { return s.adaptive }

// Bulkhead returns the bulkhead, or nil if there is none. It can be reconfigured while
// requests are served.
func (s *Server) Bulkhead() *bulkhead.Bulkhead { return s.bulkhead }
