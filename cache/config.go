package cache

import (
	"math"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/internal/check"
)

const (
	kind       = "cache"
	memoryKind = "cache memory"

	minDuration = time.Millisecond
	maxEntries  = 1_000_000_000
	off         = switchgear.Off
)

// Config says how long answers are of use. It is plain data: the zero value is a
// sensible cache, and a zero field means the default its comment names.
type Config struct {
	// TTL is how long an answer is fresh: for so long it is given without a call.
	// Default off: every call is made. From 1 ms to 30 days, or Off.
	TTL time.Duration

	// StaleFor is for how long after that it may stand in for an error. Default 10
	// minutes; from 1 ms to 30 days, or Off, which needs a TTL.
	StaleFor time.Duration

	// Memory bounds the store that [New] makes when it is given none.
	Memory MemoryConfig
}

// MemoryConfig bounds a [Memory].
type MemoryConfig struct {
	// Entries is the largest number of answers kept. Default 1,000; from 1 to
	// 1,000,000,000.
	Entries int

	// MaxWeight is the largest sum of the weights of the answers kept, in the unit
	// of the function given to [NewMemory], which it needs. Default off; from 1 to
	// 2,147,483,647, or Off.
	MaxWeight int
}

func (cfg *Config) settle(c *check.Checker, storeGiven bool) {
	c.Duration("TTL", &cfg.TTL, off, minDuration, check.MaxDuration, true)
	c.Duration("StaleFor", &cfg.StaleFor, 10*time.Minute, minDuration, check.MaxDuration, true)
	if cfg.TTL == off && cfg.StaleFor == off {
		c.Wrong("StaleFor", "off", "must be on where TTL is off: nothing would ever be answered")
	}
	if storeGiven && cfg.Memory != (MemoryConfig{}) {
		c.Doubt("Memory", cfg.Memory, "has no effect: a store was given")
	}
	var memory check.Checker
	cfg.Memory.settle(&memory, false)
	if !c.Part("Memory", memory.Err(memoryKind, "")) {
		return
	}
	if storeGiven {
		cfg.Memory = MemoryConfig{}
	}
}

func (cfg *MemoryConfig) settle(c *check.Checker, weighed bool) {
	c.Int("Entries", &cfg.Entries, 1000, 1, maxEntries, false)
	c.Int("MaxWeight", &cfg.MaxWeight, off, 1, math.MaxInt32, true)
	switch {
	case cfg.MaxWeight > 0 && !weighed:
		c.Wrong("MaxWeight", cfg.MaxWeight, "must be off without a function that weighs; make the store with NewMemory")
	case cfg.MaxWeight == off && weighed:
		c.Wrong("MaxWeight", "off", "must be set where there is a function that weighs")
	}
}

// on returns d, or 0 if it is off.
func on(d time.Duration) time.Duration { return max(d, 0) }
