package retry

import (
	"slices"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/backoff"
	"github.com/switchgear-go/switchgear/internal/check"
)

// Config says how often and for how long a call is tried. It is plain data: the
// zero value makes three attempts with exponential backoff and full jitter.
type Config struct {
	// Attempts bounds the attempts of one call, the first one included, so that
	// 1 means no retry. Default 3; from 1 to 10,000, or Off to try for ever.
	// Without another limit only the caller's context then ends the loop, and a
	// warning says so.
	Attempts int

	// MaxElapsed bounds the time since the call began: no attempt begins when so
	// much has passed, and a wait that would end then or later is not begun. An
	// attempt under way is not cut off. Default off; from 1 ns to 30 days.
	MaxElapsed time.Duration

	// MaxHint is the longest wait that a dependency may ask for. A longer one
	// ends the loop at once. It is compared with what was asked for, before
	// jitter. Default 1 min; from 1 ns to 30 days, or Off to take no hints, as if
	// none had been given.
	MaxHint time.Duration

	// WaitRejected waits when another policy refused the attempt and knows when
	// it will admit one, such as an open breaker, instead of ending the loop: for
	// as long as the refusal says and, as with a hint, up to Backoff.Spread more.
	// The wait must fit the caller's deadline and MaxElapsed; MaxHint does not
	// bound it. The attempt that was refused is counted. Default false.
	WaitRejected bool

	// Backoff is how long to wait between attempts.
	Backoff backoff.Config
}

const (
	off            = switchgear.Off
	maxAttempts    = 10_000
	defaultMaxHint = time.Minute
)

// compiled is a configuration that is valid, and what it means.
type compiled struct {
	cfg      Config
	backoff  *backoff.Backoff
	warnings []switchgear.Problem
}

// compile validates cfg as a whole and fills in its defaults.
func compile(name string, cfg Config, budgeted bool) (*compiled, error) {
	var c check.Checker
	c.Int("Attempts", &cfg.Attempts, 3, 1, maxAttempts, true)
	c.Duration("MaxElapsed", &cfg.MaxElapsed, off, 1, check.MaxDuration, true)
	c.Duration("MaxHint", &cfg.MaxHint, defaultMaxHint, 1, check.MaxDuration, true)
	b, err := backoff.New(cfg.Backoff)
	c.Part("Backoff", err)
	if err := c.Err(source, name); err != nil {
		return nil, err
	}
	cfg.Backoff = b.Config()
	if cfg.Attempts == off && cfg.MaxElapsed == off && !budgeted {
		c.Doubt("Attempts", "off", "nothing but the caller's context ends the loop: MaxElapsed is off, and there is no budget")
	}
	shortest := b.Delay(1, 0, func() float64 { return 0 })
	if cfg.MaxElapsed != off && cfg.MaxElapsed <= shortest && cfg.Attempts != 1 {
		c.Doubt("MaxElapsed", cfg.MaxElapsed, "leaves no room for a second attempt: the first wait is %v at the least", shortest)
	}
	return &compiled{cfg, b, slices.Clip(c.Warnings)}, nil
}
