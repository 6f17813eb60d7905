package hedge

import (
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/internal/check"
)

const (
	maxExtra     = 10
	maxSamples   = 1_000_000_000
	maxAbandoned = 1_000_000
	off          = switchgear.Off
)

// settle fills in cfg's defaults and returns its percentile in hundredths, 0 if it
// is off, and what is doubtful.
func settle(name string, cfg *Config) (hundredths int64, warnings []switchgear.Problem, err error) {
	var c check.Checker
	percentile := switchgear.Percent(off)
	if cfg.Delay == 0 {
		percentile = 95
	}
	c.Duration("Delay", &cfg.Delay, 100*time.Millisecond, 1, check.MaxDuration, false)
	hundredths = c.Percent("Percentile", &cfg.Percentile, percentile)
	if cfg.Percentile == off {
		// The bounds hold all the same, so that switching the percentile on later
		// brings no surprise. Defaults are not filled in where nothing reads them.
		c.Duration("Window", &cfg.Window, 0, time.Second, time.Hour, false)
		c.Int("MinimumSamples", &cfg.MinimumSamples, 0, 1, maxSamples, false)
		c.Duration("MinDelay", &cfg.MinDelay, 0, 1, check.MaxDuration, false)
		const idle = "has no effect: Percentile is off"
		if cfg.Window != 0 {
			c.Doubt("Window", cfg.Window, idle)
		}
		if cfg.MinimumSamples != 0 {
			c.Doubt("MinimumSamples", cfg.MinimumSamples, idle)
		}
		if cfg.MinDelay != 0 {
			c.Doubt("MinDelay", cfg.MinDelay, idle)
		}
	} else {
		c.Duration("Window", &cfg.Window, time.Minute, time.Second, time.Hour, false)
		c.Int("MinimumSamples", &cfg.MinimumSamples, 100, 1, maxSamples, false)
		c.Duration("MinDelay", &cfg.MinDelay, time.Millisecond, 1, check.MaxDuration, false)
		if hundredths > 0 && hundredths < 50_00 {
			c.Doubt("Percentile", cfg.Percentile, "most calls will be hedged")
		}
	}
	c.Int("MaxExtra", &cfg.MaxExtra, 1, 1, maxExtra, true)
	c.Int("MaxAbandoned", &cfg.MaxAbandoned, 100, 1, maxAbandoned, true)
	return hundredths, c.Warnings, c.Err(source, name)
}
