package collapse

import (
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/internal/check"
)

const (
	kind = "collapse"
	off  = switchgear.Off
)

// Config bounds a [Group]. It is plain data: the zero value is a sensible group, and
// a zero field means the default its comment names.
type Config struct {
	// MaxKeys is the largest number of keys whose executions can be joined at the
	// same time. A call for one more runs for itself, is counted, and is told by a
	// Warning event, at most one a minute. Default 10,000; from 1 to 10,000,000.
	MaxKeys int

	// Limit is how long an execution may take, however long its callers would wait:
	// a deadline in the context of the function that [Group.Do] runs. Default off;
	// from 1 ms to 30 days, or Off.
	Limit time.Duration
}

func (cfg *Config) settle(c *check.Checker) {
	c.Int("MaxKeys", &cfg.MaxKeys, 10_000, 1, 10_000_000, false)
	c.Duration("Limit", &cfg.Limit, off, time.Millisecond, check.MaxDuration, true)
}
