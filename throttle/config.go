package throttle

import (
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/internal/check"
)

// Config says when a throttle begins to refuse calls. It is plain data: the zero value
// is a sensible throttle, and a zero field means the default its comment names.
type Config struct {
	// K is how many requests may be made for each one that is accepted. A smaller K
	// refuses sooner and more; a larger one sends the dependency more of what it will
	// refuse. Near 1 some of the dependency's capacity stays unused, since calls come by
	// chance. Default 2; from 1 to 100.
	K float64

	// Window is how far back requests and accepts are counted. Default 2 minutes; from
	// 1 ms to 30 days.
	Window time.Duration

	// Buckets divides Window: what was counted is forgotten a bucket at a time. Default
	// one a second up to 60, at least 1; at most 3,600, none shorter than 1 ms.
	Buckets int

	// MaxRefusal is the largest share of calls that is refused: the rest goes out,
	// whatever the numbers say. A small share of a large load may still be too much for
	// a dependency that is down, which is what a breaker is for. Default 90; from 1 to
	// 100, at most two decimals, or Off for the bare formula, which lets one call in
	// requests + 1 through.
	MaxRefusal switchgear.Percent

	// MinimumRequests is how many requests the window must hold before anything is
	// refused. Default 20; from 1, as in the book, to 1,000,000,000.
	MinimumRequests int
}

const (
	source = "throttle"
	off    = switchgear.Off

	defaultK          = 2
	maxK              = 100
	defaultWindow     = 2 * time.Minute
	maxBuckets        = 3_600
	minBucket         = time.Millisecond
	defaultMaxRefusal = 90
	defaultMinimum    = 20
	maxMinimum        = 1_000_000_000
)

// rules is a valid configuration and what follows from it. It never changes.
type rules struct {
	cfg      Config
	warnings []switchgear.Problem

	k       float64
	most    float64 // the largest probability of a refusal
	minimum int64
}

// compile validates cfg as a whole and fills in its defaults.
func compile(name string, cfg Config) (*rules, error) {
	var c check.Checker
	c.Float("K", &cfg.K, defaultK, 1, maxK)
	c.Duration("Window", &cfg.Window, defaultWindow, minBucket, check.MaxDuration, false)
	perSecond := (cfg.Window + time.Second - 1) / time.Second
	c.Int("Buckets", &cfg.Buckets, int(min(max(perSecond, 1), 60)), 1, maxBuckets, false)
	if n := cfg.Buckets; n > 1 && n <= maxBuckets && cfg.Window >= minBucket && cfg.Window/time.Duration(n) < minBucket {
		c.Wrong("Buckets", n, "must be at most %d, so that no bucket is shorter than %v", cfg.Window/minBucket, minBucket)
	}
	most := c.Percent("MaxRefusal", &cfg.MaxRefusal, defaultMaxRefusal)
	c.Int("MinimumRequests", &cfg.MinimumRequests, defaultMinimum, 1, maxMinimum, false)
	if err := c.Err(source, name); err != nil {
		return nil, err
	}
	if cfg.K == 1 {
		c.Doubt("K", cfg.K, "allows for no failure: a few of them and refusals go up to MaxRefusal = %v", cfg.MaxRefusal)
	}
	r := &rules{cfg: cfg, warnings: c.Warnings, k: cfg.K, most: 1, minimum: int64(cfg.MinimumRequests)}
	if cfg.MaxRefusal != off {
		r.most = float64(most) / 100_00
	}
	return r, nil
}

// refusal returns the probability with which a call is refused.
func (r *rules) refusal(n counts) float64 {
	if n.requests < r.minimum {
		return 0
	}
	requests, accepts := float64(n.requests), float64(n.accepts)
	return min(max((requests-r.k*accepts)/(requests+1), 0), r.most)
}
