package adaptive

import (
	"math"
	"slices"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/internal/check"
)

const (
	off      = switchgear.Off
	maxLimit = 1_000_000
	maxSteps = 1_000_000
	whole    = 100_00 // a share of everything, in hundredths of a percent
)

// checker goes through a configuration once, fills in defaults and collects
// everything that is wrong.
type checker struct{ check.Checker }

// rules is what a limiter works with: the configuration with its defaults, and what
// follows from it.
type rules struct {
	cfg      Config
	shares   []uint64 // in hundredths of a percent, by level
	drops    int64    // Window.Drops in hundredths of a percent
	warnings []switchgear.Problem
}

// compile validates cfg as a whole and fills in its defaults.
func compile(name string, cfg Config) (*rules, error) {
	var c checker
	r := &rules{}
	if cfg.Algorithm > ByAIMD {
		c.Wrong("Algorithm", cfg.Algorithm, "must be gradient2, vegas or aimd")
	}
	c.limits(&cfg)
	c.window(&cfg.Window, r)
	c.shares(&cfg, r)
	c.algorithms(&cfg)
	if err := c.Err("adaptive", name); err != nil {
		return nil, err
	}
	r.cfg, r.warnings = cfg, c.Warnings
	return r, nil
}

// limits settles the bounds first, since the default of Initial depends on them; the
// problems come in the order of the fields all the same.
func (c *checker) limits(cfg *Config) {
	var bounds checker
	bounds.Int("Min", &cfg.Min, 1, 1, maxLimit, false)
	bounds.Int("Max", &cfg.Max, max(200, cfg.Min), 1, maxLimit, false)
	if len(bounds.Problems) == 0 && cfg.Max < cfg.Min {
		bounds.Wrong("Max", cfg.Max, "must be at least Min = %d", cfg.Min)
	}
	if len(bounds.Problems) == 0 {
		c.Int("Initial", &cfg.Initial, min(max(20, cfg.Min), cfg.Max), cfg.Min, cfg.Max, false)
		if cfg.Min == cfg.Max {
			c.Doubt("Max", cfg.Max, "equals Min, so the limit never moves")
		}
	} else {
		c.Int("Initial", &cfg.Initial, 1, 1, maxLimit, false)
	}
	c.Problems = append(c.Problems, bounds.Problems...)
}

func (c *checker) window(w *WindowConfig, r *rules) {
	if w.Time == off {
		if w.Samples != 0 {
			c.Wrong("Window.Samples", w.Samples, "must be 0 when Window.Time is Off: each call is a step")
		}
		if w.Drops != 0 {
			c.Wrong("Window.Drops", float64(w.Drops), "must be 0 when Window.Time is Off: each drop counts")
		}
		return
	}
	c.Duration("Window.Time", &w.Time, time.Second, time.Millisecond, time.Hour, true)
	c.Int("Window.Samples", &w.Samples, 10, 1, maxSteps, false)
	if w.Drops == 0 {
		w.Drops = 5
	}
	r.drops = int64(c.percent("Window.Drops", w.Drops))
}

// percent checks a percentage that has no default and cannot be off.
func (c *checker) percent(path string, p switchgear.Percent) uint64 {
	if p > 0 && p < 1 {
		c.Wrong(path, float64(p), "must be in percent, from 1 to 100; did you mean %v?", switchgear.Percent(math.Round(float64(p)*whole)/100))
		return 0
	}
	h, ok := p.Hundredths()
	if !ok || h == 0 {
		c.Wrong(path, float64(p), "must be from 1 to 100 percent with at most two decimals")
		return 0
	}
	return uint64(h)
}

func (c *checker) shares(cfg *Config, r *rules) {
	if len(cfg.Shares) == 0 {
		cfg.Shares = []switchgear.Percent{100, 90, 60}
	}
	if n := len(cfg.Shares); n > maxLevels {
		c.Wrong("Shares", n, "must be at most %d levels", maxLevels)
		return
	}
	// The caller may go on using its slice.
	cfg.Shares = slices.Clone(cfg.Shares)
	for i, p := range cfg.Shares {
		path := sharePaths[i]
		before := len(c.Problems)
		h := c.percent(path, p)
		switch {
		case len(c.Problems) > before:
		case i == 0 && h != whole:
			c.Wrong(path, float64(p), "must be 100, or a part of the limit could never be used")
		case i > 0 && p > cfg.Shares[i-1]:
			c.Wrong(path, float64(p), "must be at most the share of the level before, %v", cfg.Shares[i-1])
		}
		r.shares = append(r.shares, h)
	}
}

var sharePaths = [maxLevels]string{
	"Shares[0]", "Shares[1]", "Shares[2]", "Shares[3]", "Shares[4]", "Shares[5]", "Shares[6]", "Shares[7]",
}

// algorithms settles the numbers of the algorithm in use. Numbers of the others are
// left as they are, and do no harm.
func (c *checker) algorithms(cfg *Config) {
	if cfg.Algorithm == ByAIMD {
		c.Float("AIMD.Backoff", &cfg.AIMD.Backoff, 0.9, 0.5, 0.99)
		c.Duration("AIMD.Timeout", &cfg.AIMD.Timeout, 5*time.Second, time.Millisecond, check.MaxDuration, true)
	} else if cfg.AIMD != (AIMDConfig{}) {
		c.idle("AIMD", cfg.Algorithm)
	}
	if v := &cfg.Vegas; cfg.Algorithm == ByVegas {
		c.Int("Vegas.Alpha", &v.Alpha, 3, 1, 1_000, false)
		c.Int("Vegas.Beta", &v.Beta, max(6, 2*v.Alpha), 1, 10_000, false)
		if v.Alpha > 0 && v.Beta > 0 && v.Beta <= v.Alpha {
			c.Wrong("Vegas.Beta", v.Beta, "must be above Vegas.Alpha = %d", v.Alpha)
		}
		c.Float("Vegas.Smoothing", &v.Smoothing, 1, 0.01, 1)
		c.Int("Vegas.Probe", &v.Probe, 30, 1, maxSteps, true)
	} else if *v != (VegasConfig{}) {
		c.idle("Vegas", cfg.Algorithm)
	}
	if g := &cfg.Gradient2; cfg.Algorithm == ByGradient {
		c.Int("Gradient2.LongWindow", &g.LongWindow, 600, 1, maxSteps, false)
		c.Float("Gradient2.Tolerance", &g.Tolerance, 1.5, 1, 10)
		c.Int("Gradient2.QueueSize", &g.QueueSize, 4, 1, 10_000, false)
		c.Float("Gradient2.Smoothing", &g.Smoothing, 0.2, 0.01, 1)
		c.Float("Gradient2.Backoff", &g.Backoff, 0.9, 0.5, 0.99)
	} else if *g != (Gradient2Config{}) {
		c.idle("Gradient2", cfg.Algorithm)
	}
}

func (c *checker) idle(section string, a Algorithm) {
	c.Doubt(section, "set", "has no effect with Algorithm = %v", a)
}
