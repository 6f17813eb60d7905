package timeout

import (
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/internal/check"
)

// Config says how long a call may take. It is plain data. A zero field means the
// default that its comment names; only Limit has none.
type Config struct {
	// Limit is the time that one call may take. It must be set; from 1 ns to 30
	// days.
	Limit time.Duration

	// Minimum is the time that the caller's own deadline must leave for a call
	// to be worth starting. With less, the call is refused with a [Rejection].
	// Default off; at most Limit.
	Minimum time.Duration

	// Abandon runs the function in a goroutine of its own and leaves it behind
	// at the limit, for functions that ignore their context. See the package
	// comment for what that costs. [Timeout.Context], [Timeout.Deadline] and
	// [Timeout.Judge] do not look at it.
	Abandon bool

	// MaxAbandoned is the number of functions left behind and still running from
	// which on calls are refused with a [Rejection]. The calls then under way can
	// be left behind as well, so the number may go beyond it by these; a bulkhead
	// bounds them. Default 100; from 1 to 1,000,000. Only with Abandon.
	MaxAbandoned int
}

const (
	defaultMaxAbandoned = 100
	mostMaxAbandoned    = 1_000_000
)

// validate fills in the defaults.
func (cfg *Config) validate(name string) (warnings []switchgear.Problem, err error) {
	var c check.Checker
	if cfg.Limit == 0 {
		c.Wrong("Limit", cfg.Limit, "must be from 1ns to %v: there is no default", check.MaxDuration)
	}
	c.Duration("Limit", &cfg.Limit, 0, 1, check.MaxDuration, false)
	c.Duration("Minimum", &cfg.Minimum, switchgear.Off, 1, check.MaxDuration, true)
	if cfg.Limit > 0 && cfg.Limit <= check.MaxDuration && cfg.Minimum > cfg.Limit && cfg.Minimum <= check.MaxDuration {
		c.Wrong("Minimum", cfg.Minimum, "must be at most Limit = %v: a call cannot use more time than that", cfg.Limit)
	}
	switch {
	case cfg.Abandon:
		c.Int("MaxAbandoned", &cfg.MaxAbandoned, defaultMaxAbandoned, 1, mostMaxAbandoned, false)
	case cfg.MaxAbandoned != 0:
		c.Wrong("MaxAbandoned", cfg.MaxAbandoned, "must be 0 unless Abandon is set: otherwise no function is left behind")
	}
	if cfg.Minimum == cfg.Limit && cfg.Limit > 0 {
		c.Doubt("Minimum", cfg.Minimum, "equals Limit: every call whose caller has a deadline before the limit is refused")
	}
	return c.Warnings, c.Err(source, name)
}
