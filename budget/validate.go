package budget

import (
	"math"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/internal/check"
)

const (
	off = switchgear.Off

	minPerSecond = 0.001
	maxPerSecond = 1_000_000
	minWindow    = time.Second
	maxWindow    = time.Hour
	maxCapacity  = 1_000_000_000
	maxTokens    = 1_000
	minRatio     = 0.001
)

// compile validates cfg as a whole, fills in its defaults and makes the account that
// follows it.
func compile(name string, cfg *Config, clk clock.Clock) (account, []switchgear.Problem, error) {
	var c check.Checker
	if cfg.Kind > Throttling {
		c.Wrong("Kind", uint8(cfg.Kind), "must be Ratio, Quota or Throttling")
	}
	// A setting that has no effect was meant to have one.
	if cfg.Kind != Ratio && cfg.Ratio != (RatioConfig{}) {
		c.Wrong("Ratio", cfg.Ratio, "must be empty unless Kind is Ratio")
	}
	if cfg.Kind != Quota && cfg.Quota != (QuotaConfig{}) {
		c.Wrong("Quota", cfg.Quota, "must be empty unless Kind is Quota")
	}
	if cfg.Kind != Throttling && cfg.Throttling != (ThrottlingConfig{}) {
		c.Wrong("Throttling", cfg.Throttling, "must be empty unless Kind is Throttling")
	}
	var a account
	switch cfg.Kind {
	case Quota:
		a = compileQuota(&c, &cfg.Quota)
	case Throttling:
		a = compileThrottling(&c, &cfg.Throttling)
	case Ratio:
		a = compileRatio(&c, &cfg.Ratio, clk)
	}
	if err := c.Err("budget", name); err != nil {
		return nil, nil, err
	}
	return a, c.Warnings, nil
}

func compileRatio(c *check.Checker, cfg *RatioConfig, clk clock.Clock) account {
	share := c.Percent("Ratio.Percent", &cfg.Percent, 20)
	if cfg.MinPerSecond == 0 {
		cfg.MinPerSecond = 10
	}
	if v := cfg.MinPerSecond; v != off && !(v >= minPerSecond && v <= maxPerSecond) {
		c.Wrong("Ratio.MinPerSecond", v, "must be from %v to %d, or Off", minPerSecond, maxPerSecond)
	}
	c.Duration("Ratio.Window", &cfg.Window, 10*time.Second, minWindow, maxWindow, false)
	if len(c.Problems) > 0 {
		return nil
	}
	var floor int64
	if cfg.MinPerSecond != off {
		floor = int64(math.Round(cfg.MinPerSecond * cfg.Window.Seconds() * whole))
	}
	if share == 0 && floor < whole {
		c.Doubt("Ratio.MinPerSecond", cfg.MinPerSecond, "allows less than one attempt in %v and Percent is off, so every extra attempt is refused", cfg.Window)
	}
	return newRatio(clk, cfg.Window, share, floor)
}

func compileQuota(c *check.Checker, cfg *QuotaConfig) account {
	c.Int("Quota.Capacity", &cfg.Capacity, 500, 1, maxCapacity, false)
	capacity := min(max(cfg.Capacity, 1), maxCapacity)
	c.Int("Quota.Cost", &cfg.Cost, min(5, capacity), 1, capacity, false)
	c.Int("Quota.TimeoutCost", &cfg.TimeoutCost, min(2*min(max(cfg.Cost, 1), capacity), capacity), 1, capacity, false)
	return newQuota(cfg.Capacity, cfg.Cost, cfg.TimeoutCost)
}

func compileThrottling(c *check.Checker, cfg *ThrottlingConfig) account {
	c.Int("Throttling.MaxTokens", &cfg.MaxTokens, 10, 1, maxTokens, false)
	c.Float("Throttling.TokenRatio", &cfg.TokenRatio, 0.1, minRatio, maxTokens)
	// 1.001 * 1000 is a little less than 1001.
	ratio := int64(math.Floor(cfg.TokenRatio*thousand + 1e-6))
	return newThrottling(int64(cfg.MaxTokens)*thousand, ratio)
}
