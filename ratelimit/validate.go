package ratelimit

import (
	"math"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/internal/check"
)

const (
	off = switchgear.Off

	minRate  = 0.000001
	maxRate  = 100_000_000
	maxBurst = 1_000_000_000

	// maxRing bounds the memory of a sliding window: 80 KB.
	maxRing = 10_000

	// billionths of a call a second: the unit in which a rate is kept.
	billionths = 1_000_000_000
)

// compile validates cfg as a whole and fills in its defaults.
func compile(name string, cfg *Config) ([]switchgear.Problem, error) {
	var c check.Checker
	if cfg.Kind > SlidingWindow {
		c.Wrong("Kind", uint8(cfg.Kind), "must be TokenBucket or SlidingWindow")
	}
	unlimited := math.IsInf(cfg.Rate, 1)
	if r := cfg.Rate; r != off && !unlimited && !(r >= minRate && r <= maxRate) {
		c.Wrong("Rate", r, "must be from %v to %d a second, infinite, or Off", minRate, maxRate)
	}
	most := maxBurst
	if cfg.Kind == SlidingWindow {
		most = maxRing
	}
	burstGiven := cfg.Burst != 0
	if burstGiven || !unlimited {
		c.Int("Burst", &cfg.Burst, defaultBurst(cfg.Rate, most), 1, most, false)
	}
	c.Duration("MaxWait", &cfg.MaxWait, 0, 0, check.MaxDuration, false)
	if err := c.Err("ratelimit", name); err != nil {
		return nil, err
	}
	if l := length(*cfg); cfg.Kind == SlidingWindow && l > check.MaxDuration && l != never {
		c.Wrong("Burst", cfg.Burst, "must be so that Burst/Rate, the window's length, is at most %v", check.MaxDuration)
	}
	if unlimited && burstGiven {
		c.Doubt("Burst", cfg.Burst, "has no effect, because Rate is infinite")
	}
	if cfg.MaxWait > 0 && (unlimited || cfg.Rate == off) {
		c.Doubt("MaxWait", cfg.MaxWait, "has no effect, because no wait would change anything with Rate = %v", rateText(cfg.Rate))
	}
	return c.Warnings, c.Err("ratelimit", name)
}

func defaultBurst(rate float64, most int) int {
	if !(rate > 1) {
		return 1
	}
	return int(math.Ceil(min(rate, float64(most))))
}

// billionthsOf returns the rate of a valid configuration as a whole number, 0 if it is
// off.
func billionthsOf(rate float64) uint64 {
	if rate == off {
		return 0
	}
	return uint64(math.Round(rate * billionths))
}

// length returns Burst/Rate, rounded up to a nanosecond, so that the window is never
// too short.
func length(cfg Config) time.Duration {
	if math.IsInf(cfg.Rate, 1) {
		return 0
	}
	// A second has 1e9 ns, a call 1e9 billionths.
	return scale{num: billionthsOf(cfg.Rate), den: billionths * billionths}.time(uint64(cfg.Burst))
}
