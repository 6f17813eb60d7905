package sghttp

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/internal/check"
	"github.com/switchgear-go/switchgear/pipeline"
)

const (
	maxBreakers         = 100_000
	defaultBreakers     = 1_024
	defaultIdleAfter    = 5 * time.Minute
	maxBufferedBody     = 16 << 20
	defaultBufferedBody = 64 << 10
)

// Config says what a [Transport] does. It is plain data. The zero value is
// sensible, and a zero field means the default its comment names.
type Config struct {
	// Breaker configures the breaker of every key, unless [WithBreakerConfig]
	// gives the key one of its own.
	Breaker breaker.Config

	// Pipeline gives every key a pipeline of its own in the place of a breaker,
	// with all policies that it names, the breaker and the budget included, unless
	// [WithPipelineConfig] gives the key another one. Breaker must then be zero.
	// [pipeline.Interactive] and its neighbours are ready ones. Timeouts must not
	// abandon: an answer would end with its attempt, and transports heed their
	// context. Default nil: a breaker and nothing else.
	Pipeline *pipeline.Config

	// MaxBreakers bounds the number of breakers, or of pipelines. Calls of keys
	// for which there is no room run unprotected. Default 1,024; at most 100,000. Each costs 8
	// to 16 bytes even if it is never made.
	MaxBreakers int

	// IdleAfter is how long a breaker must have been without a call to be
	// idle. When room is needed, idle breakers are dropped, with all they
	// know, if they would admit a call: those that are CLOSED, and those that
	// are past their open interval. One that an operator has put into
	// DISABLED, METRICS_ONLY or FORCED_OPEN is kept. A pipeline is judged by its
	// breaker; if it has none, to be idle is enough, so choose a time that is
	// longer than the periods of its limits. Default 5 min; from 1 ns to 30 days.
	IdleAfter time.Duration

	// Statuses changes the outcome of single status codes, from 100 to 999
	// (rule C4). Default: 5xx except 501 and 505, 408 and 429 are failures,
	// everything else is a success.
	Statuses map[int]switchgear.Outcome

	// Repeats changes whether an answer with a single status code, from 100 to
	// 999, is worth another attempt, whatever it says about health. Default:
	// those by which a server says that the moment was bad are: 408, 502, 503 and
	// 504 (RFC 9110, 15.5.9 and 15.6.3 to 15.6.5), 429 (RFC 6585, 4) and 425
	// (RFC 8470, 5.2). All others are not, 500 among them: that is most often a
	// fault which the same request meets again. Only with Pipeline.
	Repeats map[int]switchgear.Repeat

	// MaxBufferedBody bounds the bytes that are kept of a request body that cannot
	// be had again, so that it can be sent again. They are kept while the first
	// attempt reads them, and only if the request may be repeated and has no
	// GetBody. A body that is longer, or that the first attempt has not read to its
	// end when it is answered, is sent once. Default 64 KiB; from 1 B to 16 MiB, or
	// Off. Only with Pipeline.
	MaxBufferedBody int

	// LimitBody makes the limits on time that a pipeline has go on until the body
	// of the response has been read to the end or closed. Default: they end when
	// the headers arrive. Only with Pipeline.
	LimitBody bool

	// JudgeBody settles a call when the body of its response has been read to
	// the end or closed, not when its headers arrive. Only without Pipeline: an
	// answer that has begun to reach the caller cannot be tried again.
	//
	// A body that ends in an error is judged like an error of the transport:
	// one that is cut off is a failure. A body that is closed early counts as
	// what its status said, a success, since many callers stop reading when
	// they have what they need; leaving those calls out would make rare
	// failures look like an outage. But if the request's context has been
	// cancelled by then, the caller gave up, and the call is ignored. A failing
	// status settles the call at once, and so do an answer without a body and
	// an upgraded connection.
	//
	// The time a call takes then includes the time in which the caller reads:
	// choose a slow-call duration with that in mind. Until its body ends, a call
	// is in progress: it holds its slot in HALF_OPEN, and a body that is never
	// closed keeps its breaker from being dropped. The wrapped body has no
	// WriteTo method, whose error would not tell whether the body failed or the
	// place it was copied to; the bodies of net/http have none either.
	JudgeBody bool

	// SyntheticResponse answers a refused call with a response, status 503,
	// instead of an error. Its Retry-After header says when a probe may be
	// admitted, in whole seconds, rounded up; it is absent if that is not
	// known. An outer Transport knows such a response, and ignores the call
	// (rule C1.2). With Pipeline this goes for the refusals of all its policies.
	SyntheticResponse bool
}

// compile validates cfg as a whole, with the wiring that the options say, and returns
// a copy with every default filled in, which shares nothing with the caller's.
func (cfg Config) compile(o *options) (Config, error) {
	var c check.Checker
	cfg.compilePolicies(&c, o)
	c.Int("MaxBreakers", &cfg.MaxBreakers, defaultBreakers, 1, maxBreakers, false)
	c.Duration("IdleAfter", &cfg.IdleAfter, defaultIdleAfter, 1, check.MaxDuration, false)

	cfg.Statuses = maps.Clone(cfg.Statuses)
	for _, code := range slices.Sorted(maps.Keys(cfg.Statuses)) {
		path, outcome := fmt.Sprintf("Statuses[%d]", code), cfg.Statuses[code]
		isStatus(&c, path, code, outcome)
		if outcome < switchgear.Success || outcome > switchgear.Ignored {
			c.Wrong(path, outcome, "must be success, failure or ignored")
		}
	}
	cfg.Repeats = maps.Clone(cfg.Repeats)
	for _, code := range slices.Sorted(maps.Keys(cfg.Repeats)) {
		path, repeat := fmt.Sprintf("Repeats[%d]", code), cfg.Repeats[code]
		isStatus(&c, path, code, repeat)
		if repeat != switchgear.RepeatNever && repeat != switchgear.RepeatYes {
			c.Wrong(path, repeat, "must be never or yes")
		}
	}
	c.Int("MaxBufferedBody", &cfg.MaxBufferedBody, defaultBufferedBody, 1, maxBufferedBody, true)
	return cfg, c.Err(source, name)
}

func isStatus(c *check.Checker, path string, code int, value any) {
	if code < 100 || code > 999 {
		c.Wrong(path, value, "must be for a status code from 100 to 999")
	}
}
