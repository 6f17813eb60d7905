package sghttp

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
)

const (
	maxBreakers      = 100_000
	defaultBreakers  = 1_024
	maxIdleAfter     = 30 * 24 * time.Hour
	defaultIdleAfter = 5 * time.Minute
)

// Config says what a [Transport] does. It is plain data. The zero value is
// sensible, and a zero field means the default its comment names.
type Config struct {
	// Breaker configures the breaker of every key, unless [WithBreakerConfig]
	// gives the key one of its own.
	Breaker breaker.Config

	// MaxBreakers bounds the number of breakers. Calls of keys for which there
	// is no room run unprotected. Default 1,024; at most 100,000. Each costs 8
	// to 16 bytes even if it is never made.
	MaxBreakers int

	// IdleAfter is how long a breaker must have been without a call to be
	// idle. When room is needed, idle breakers are dropped, with all they
	// know, if they would admit a call: those that are CLOSED, and those that
	// are past their open interval. One that an operator has put into
	// DISABLED, METRICS_ONLY or FORCED_OPEN is kept. Default 5 min; from 1 ns
	// to 30 days.
	IdleAfter time.Duration

	// Statuses changes the outcome of single status codes, from 100 to 999
	// (rule C4). Default: 5xx except 501 and 505, 408 and 429 are failures,
	// everything else is a success.
	Statuses map[int]switchgear.Outcome

	// JudgeBody settles a call when the body of its response has been read to
	// the end or closed, not when its headers arrive.
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
	// (rule C1.2).
	SyntheticResponse bool
}

// compile validates cfg as a whole and returns a copy with every default filled
// in, which shares nothing with the caller's.
func (cfg Config) compile() (Config, error) {
	var problems []switchgear.Problem
	wrong := func(path string, value any, bound string) {
		problems = append(problems, switchgear.Problem{Path: path, Value: value, Bound: bound})
	}

	trial, err := breaker.New("", cfg.Breaker)
	if invalid, ok := errors.AsType[*switchgear.ConfigError](err); ok {
		for _, p := range invalid.Problems {
			wrong("Breaker."+p.Path, p.Value, p.Bound)
		}
	} else {
		cfg.Breaker = trial.Config()
	}

	if cfg.MaxBreakers == 0 {
		cfg.MaxBreakers = defaultBreakers
	}
	if cfg.MaxBreakers < 1 || cfg.MaxBreakers > maxBreakers {
		wrong("MaxBreakers", cfg.MaxBreakers, fmt.Sprintf("must be from 1 to %d", maxBreakers))
	}
	if cfg.IdleAfter == 0 {
		cfg.IdleAfter = defaultIdleAfter
	}
	if cfg.IdleAfter < 1 || cfg.IdleAfter > maxIdleAfter {
		wrong("IdleAfter", cfg.IdleAfter, fmt.Sprintf("must be from 1ns to %v", maxIdleAfter))
	}

	cfg.Statuses = maps.Clone(cfg.Statuses)
	for _, code := range slices.Sorted(maps.Keys(cfg.Statuses)) {
		path, outcome := fmt.Sprintf("Statuses[%d]", code), cfg.Statuses[code]
		if code < 100 || code > 999 {
			wrong(path, outcome, "must be for a status code from 100 to 999")
		}
		if outcome < switchgear.Success || outcome > switchgear.Ignored {
			wrong(path, outcome, "must be success, failure or ignored")
		}
	}

	if len(problems) > 0 {
		return Config{}, &switchgear.ConfigError{Policy: source, Name: name, Problems: problems}
	}
	return cfg, nil
}
