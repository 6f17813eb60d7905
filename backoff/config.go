package backoff

import (
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/internal/check"
)

// Config says how delays grow and how they are spread. It is plain data: a zero
// field means the default that its comment names. The zero value waits up to
// 100 ms, 200 ms, 400 ms, … 10 s, with full jitter.
type Config struct {
	// Kind is how the delay grows. Default [Exponential].
	Kind Kind

	// Initial is the delay after the first attempt, before jitter. Default
	// 100 ms; from 1 µs to 30 days.
	Initial time.Duration

	// Factor is what each delay is multiplied by to give the next one. Default
	// 2; from 1 to 100. With [Decorrelated] jitter it is how many times the
	// previous delay the next one may be, and the default is 3. Not with
	// [Constant].
	Factor float64

	// Max bounds every delay, but not a dependency's own hint. Default 10 s, or
	// Initial if that is longer; at least Initial, at most 30 days. Not with
	// [Constant].
	Max time.Duration

	// Jitter is how delays are spread. Default [Full].
	Jitter Jitter

	// Floor is the shortest delay that there can be, whatever chance has in
	// store. Default 1 ms, or Initial if that is shorter; from 1 µs to Initial.
	Floor time.Duration

	// Spread is by how much a wait that the dependency has asked for is
	// lengthened at most, in percent of it. Default 20; from 1 to 100, or Off to
	// wait exactly as long as asked.
	Spread switchgear.Percent
}

const (
	// least keeps a number that was written without its unit, such as 100 for
	// 100 ms, from making a loop that hardly waits.
	least = time.Microsecond

	defaultInitial = 100 * time.Millisecond
	defaultMax     = 10 * time.Second
	defaultFloor   = time.Millisecond
	maxFactor      = 100
)

// compile validates cfg as a whole and fills in its defaults.
func compile(cfg Config) (*Backoff, error) {
	var c check.Checker
	if cfg.Kind > Constant {
		c.Wrong("Kind", uint8(cfg.Kind), "must be Exponential or Constant")
	}
	c.Duration("Initial", &cfg.Initial, defaultInitial, least, check.MaxDuration, false)
	factor, longest := 2.0, max(cfg.Initial, defaultMax)
	switch {
	case cfg.Jitter > None:
		c.Wrong("Jitter", uint8(cfg.Jitter), "must be Full, Equal, Decorrelated or None")
	case cfg.Kind == Constant && cfg.Jitter == Decorrelated:
		c.Wrong("Jitter", cfg.Jitter, "must be another one when Kind is Constant: a decorrelated delay grows")
	case cfg.Jitter == Decorrelated:
		factor = 3
	}
	if cfg.Kind == Constant {
		// What Config returns has these filled in, and can be given to New again.
		factor, longest = 1, cfg.Initial
		if cfg.Factor != 0 && cfg.Factor != 1 {
			c.Wrong("Factor", cfg.Factor, "must be 0 when Kind is Constant: the delay does not grow")
			cfg.Factor = 1
		}
		if cfg.Max != 0 && cfg.Max != cfg.Initial {
			c.Wrong("Max", cfg.Max, "must be 0 when Kind is Constant: every delay is Initial")
			cfg.Max = cfg.Initial
		}
	}
	c.Float("Factor", &cfg.Factor, factor, 1, maxFactor)
	initialIsRight := cfg.Initial >= least && cfg.Initial <= check.MaxDuration
	c.Duration("Max", &cfg.Max, longest, least, check.MaxDuration, false)
	if initialIsRight && cfg.Max >= least && cfg.Max < cfg.Initial {
		c.Wrong("Max", cfg.Max, "must be at least Initial = %v", cfg.Initial)
	}
	c.Duration("Floor", &cfg.Floor, min(cfg.Initial, defaultFloor), least, check.MaxDuration, false)
	if initialIsRight && cfg.Floor > cfg.Initial && cfg.Floor <= check.MaxDuration {
		c.Wrong("Floor", cfg.Floor, "must be at most Initial = %v", cfg.Initial)
	}
	spread := c.Percent("Spread", &cfg.Spread, 20)
	if err := c.Err("backoff", ""); err != nil {
		return nil, err
	}
	return &Backoff{cfg: cfg, spread: float64(spread) / 100_00}, nil
}
