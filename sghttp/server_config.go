package sghttp

import (
	"net/textproto"
	"slices"
	"strings"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/internal/check"
	"github.com/switchgear-go/switchgear/ratelimit"
)

// ServerConfig says what a [Server] does. It is plain data. A policy whose field is
// nil is not there, so the zero value admits every request and only counts; a pointer
// to a zero value means the policy's own defaults, where it has them.
type ServerConfig struct {
	// KeyedRateLimit bounds how many requests of each client begin in a time; a client
	// is its address, or what [WithServerKey] says. With a MaxWait, requests wait for
	// their turn.
	KeyedRateLimit *ratelimit.KeyedConfig

	// RateLimit bounds how many requests of all clients together begin in a time.
	RateLimit *ratelimit.Config

	// Adaptive bounds how many requests run at once, by a limit that it finds by
	// measuring how long they take and whether they fail. With a Bulkhead that has a
	// queue, the time in the queue is part of what it measures.
	//
	// A request is dropped, in its terms, if the handler panics, if its deadline passes,
	// or if its status is 500 or more, except 501 and 505, which come of the request.
	// It says nothing if the client is gone when the handler ends, if the handler aborts it with
	// [http.ErrAbortHandler], and if the connection was taken over.
	Adaptive *adaptive.Config

	// Bulkhead bounds how many requests run at once, by a fixed number, and how many
	// wait for a place.
	Bulkhead *bulkhead.Config

	// Deadline gives requests a deadline.
	Deadline *DeadlineConfig

	// RetryAfter is what the Retry-After header of a 503 says, in whole seconds,
	// rounded up. When there will be room is not known, so this should be about as long
	// as a peak lasts. Default 1 s; from 1 ns to 30 days, or Off for no such header.
	RetryAfter time.Duration

	// RetrySpread is how much is added to a Retry-After at most, by chance, so that
	// clients who were refused together do not come back together. It is in whole
	// seconds, rounded up. It also goes for the limit of all clients together, but not
	// for that of each, since there every client has its own time. Default 2 s; from 1 ns
	// to 30 days, or Off.
	RetrySpread time.Duration

	// ReleaseOnHijack gives back what a request holds when its handler takes over the
	// connection, as WebSockets do, not when the handler returns. Then nothing here
	// bounds the number of such connections.
	ReleaseOnHijack bool

	// CountStatuses counts the statuses of responses also where no policy needs them:
	// they are always counted with Adaptive and with Deadline. It takes a wrapper around
	// the response writer; see [Server].
	CountStatuses bool
}

// DeadlineConfig is how long a request may take, from its arrival, with every wait.
//
// The deadline is that of the context of the request. A handler that returns after it
// without having written anything is answered for, with 503. A handler that does not
// look at its context runs on and keeps what it holds; nothing is ever written from
// another goroutine, and no response is buffered, in contrast to [http.TimeoutHandler].
type DeadlineConfig struct {
	// Limit is the time that a request may take. There is no default; from 1 ns to 30
	// days.
	Limit time.Duration

	// Minimum is the time that must be left for a request to be worth beginning. With
	// less, when it comes or after a wait, it is refused. Default Off: any time will do;
	// from 1 ns to Limit.
	Minimum time.Duration

	// Header is the name of a header with which clients can ask for less than Limit:
	// a decimal number of seconds, or a duration as [time.ParseDuration] reads it. More
	// than Limit is Limit, and so is what cannot be read. Default "": clients are not
	// asked.
	Header string
}

// build validates cfg as a whole and makes the policies.
func (s *Server) build(cfg ServerConfig) error {
	var c check.Checker
	cfg = cfg.clone()
	var err error
	if p := cfg.KeyedRateLimit; p != nil {
		if s.keyed, err = ratelimit.NewKeyed(s.name, *p, s.rateOptions()...); c.Part("KeyedRateLimit", err) {
			*p = s.keyed.Config()
		}
	}
	if p := cfg.RateLimit; p != nil {
		if s.rate, err = ratelimit.New(s.name, *p, s.rateOptions()...); c.Part("RateLimit", err) {
			*p = s.rate.Config()
		}
	}
	if p := cfg.Adaptive; p != nil {
		if s.adaptive, err = adaptive.New(s.name, *p, s.adaptiveOptions()...); c.Part("Adaptive", err) {
			*p = s.adaptive.Config()
		}
	}
	if p := cfg.Bulkhead; p != nil {
		if s.bulkhead, err = bulkhead.New(s.name, *p, s.bulkheadOptions()...); c.Part("Bulkhead", err) {
			*p = s.bulkhead.Config()
		}
	}
	if d := cfg.Deadline; d != nil {
		d.validate(&c)
	}
	if s.keyed != nil {
		cfg.inTime(&c, "KeyedRateLimit.Limit.MaxWait", cfg.KeyedRateLimit.Limit.MaxWait)
	}
	if s.rate != nil {
		cfg.inTime(&c, "RateLimit.MaxWait", cfg.RateLimit.MaxWait)
	}
	c.Duration("RetryAfter", &cfg.RetryAfter, time.Second, 1, check.MaxDuration, true)
	c.Duration("RetrySpread", &cfg.RetrySpread, 2*time.Second, 1, check.MaxDuration, true)
	s.cfg = cfg
	return c.Err(source, s.name)
}

// inTime refuses a wait for a rate limit that would use up the deadline.
func (cfg *ServerConfig) inTime(c *check.Checker, path string, wait time.Duration) {
	if d := cfg.Deadline; d != nil && wait > 0 && d.Limit > 0 && wait >= d.Limit {
		c.Wrong(path, wait, "must be less than Deadline.Limit = %v: who waits that long has no time left", d.Limit)
	}
}

func (d *DeadlineConfig) validate(c *check.Checker) {
	const most = check.MaxDuration
	if d.Limit == 0 {
		c.Wrong("Deadline.Limit", d.Limit, "must be from 1ns to %v: there is no default", most)
	}
	c.Duration("Deadline.Limit", &d.Limit, 0, 1, most, false)
	c.Duration("Deadline.Minimum", &d.Minimum, switchgear.Off, 1, most, true)
	if d.Limit > 0 && d.Limit <= most && d.Minimum > d.Limit && d.Minimum <= most {
		c.Wrong("Deadline.Minimum", d.Minimum, "must be at most Limit = %v: no request has more time than that", d.Limit)
	}
	if strings.ContainsFunc(d.Header, notInToken) {
		c.Wrong("Deadline.Header", d.Header, "must be the name of a header")
	}
	d.Header = textproto.CanonicalMIMEHeaderKey(d.Header)
}

// notInToken reports whether r cannot be in the name of a header (RFC 9110, section
// 5.6.2).
func notInToken(r rune) bool {
	switch {
	case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
		return false
	}
	return !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

func (cfg ServerConfig) clone() ServerConfig {
	cfg.KeyedRateLimit = copied(cfg.KeyedRateLimit)
	cfg.RateLimit = copied(cfg.RateLimit)
	if cfg.Adaptive = copied(cfg.Adaptive); cfg.Adaptive != nil {
		cfg.Adaptive.Shares = slices.Clone(cfg.Adaptive.Shares)
	}
	cfg.Bulkhead = copied(cfg.Bulkhead)
	cfg.Deadline = copied(cfg.Deadline)
	return cfg
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}
