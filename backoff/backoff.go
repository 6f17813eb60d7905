package backoff

import (
	"math"
	"math/rand/v2"
	"time"
)

// A Backoff tells how long to wait before the next attempt. Make it with [New].
// It is immutable; its methods are safe for concurrent use.
type Backoff struct {
	cfg    Config
	spread float64 // a share: 0.2 for 20 %
}

// New makes a backoff. If the configuration is not valid the error is a
// [*switchgear.ConfigError] that lists everything wrong with it.
func New(cfg Config) (*Backoff, error) { return compile(cfg) }

// Must returns b, or panics if err is not nil. It is for package variables.
func Must(b *Backoff, err error) *Backoff {
	if err != nil {
		panic(err)
	}
	return b
}

// Config returns the configuration, every default filled in.
func (b *Backoff) Config() Config { return b.cfg }

// Delay returns how long to wait after attempt number attempt has failed, where 1
// is the first try; smaller numbers are taken for 1. The result is from Floor to
// Max, whatever the arguments.
//
// previous is the delay that went before this attempt, 0 if there was none. Only
// [Decorrelated] looks at it. random returns a number from 0 to 1; nil stands for
// [rand.Float64]. It is called once, and not at all with [None].
func (b *Backoff) Delay(attempt int, previous time.Duration, random func() float64) time.Duration {
	switch b.cfg.Jitter {
	case None:
		return b.grown(attempt)
	case Equal:
		most := b.grown(attempt)
		return between(max(most/2, b.cfg.Floor), most, random)
	case Decorrelated:
		return between(b.cfg.Initial, b.times(max(previous, b.cfg.Initial), b.cfg.Factor), random)
	default:
		return between(b.cfg.Floor, b.grown(attempt), random)
	}
}

// Hinted returns how long to wait when the dependency has asked for a wait of
// hint: never less, and up to Spread more. A hint shorter than Floor is taken for
// Floor. Max does not bound it: whether to heed a long hint is the caller's
// decision, and to come back early is none. random is that of [Backoff.Delay]; it
// is not called if Spread is off.
func (b *Backoff) Hinted(hint time.Duration, random func() float64) time.Duration {
	hint = max(hint, b.cfg.Floor)
	if b.spread == 0 {
		return hint
	}
	more := float64(hint) * b.spread * draw(random)
	if more >= float64(math.MaxInt64-hint) {
		return math.MaxInt64
	}
	return hint + time.Duration(more)
}

// grown is the delay after an attempt before jitter.
func (b *Backoff) grown(attempt int) time.Duration {
	if attempt <= 1 || b.cfg.Factor == 1 {
		return b.cfg.Initial
	}
	return b.times(b.cfg.Initial, math.Pow(b.cfg.Factor, float64(attempt-1)))
}

// times multiplies, and bounds the product while it is still a number that cannot
// overflow. Max is far below the numbers at which a float64 stops being exact.
func (b *Backoff) times(d time.Duration, by float64) time.Duration {
	f := float64(d) * by
	if !(f < float64(b.cfg.Max)) {
		return b.cfg.Max
	}
	return time.Duration(math.Round(f))
}

// between draws evenly from least to most.
func between(least, most time.Duration, random func() float64) time.Duration {
	r := draw(random) // also where there is no choice, so that every delay costs one draw
	if most <= least {
		return least
	}
	return least + time.Duration(r*float64(most-least))
}

// draw returns a number from 0 to 1, whatever random returns.
func draw(random func() float64) float64 {
	if random == nil {
		return rand.Float64()
	}
	r := random()
	if !(r > 0) { // also NaN
		return 0
	}
	return min(r, 1)
}
