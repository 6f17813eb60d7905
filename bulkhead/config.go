package bulkhead

import (
	"math"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/internal/check"
)

// Config says how many calls may run, and how many may wait for how long. It is plain
// data: the zero value is a sensible bulkhead, and a zero field means the default its
// comment names.
type Config struct {
	// MaxConcurrent is how many calls may run at once. Default 10; any positive
	// number. A number above 1,073,741,823 is as good as none, and is taken for that.
	MaxConcurrent int

	// MaxWaiting is how many callers may wait for a permit. Default Off: none, a call
	// that finds no room is refused at once. Any positive number will do; only callers
	// that wait take memory.
	MaxWaiting int

	// MaxWait is how long a caller waits at most, whatever its context says. Default
	// 1 s; from 1 ns to 30 days, or Off to leave it to the callers' contexts. It needs
	// MaxWaiting.
	MaxWait time.Duration
}

const (
	source = "bulkhead"
	off    = switchgear.Off

	defaultConcurrent = 10
	defaultWait       = time.Second

	// longQueue is the number of waiters from which on a queue deserves a warning.
	longQueue = 1_000_000
)

// rules is a valid configuration and what follows from it. It never changes.
type rules struct {
	cfg      Config
	warnings []switchgear.Problem

	limit   int64         // permits in effect
	queue   int           // places in the queue; 0 is none
	maxWait time.Duration // of a caller; 0 is no bound

	// The two commonest refusals always have the same facts and are made in advance:
	// all permits are out, and nobody waits or the queue is full.
	full, queueFull *Rejection
}

// compile validates cfg as a whole and fills in its defaults.
func compile(name string, cfg Config) (*rules, error) {
	var c check.Checker
	c.Int("MaxConcurrent", &cfg.MaxConcurrent, defaultConcurrent, 1, math.MaxInt, false)
	c.Int("MaxWaiting", &cfg.MaxWaiting, off, 1, math.MaxInt, true)
	if cfg.MaxWaiting == off && cfg.MaxWait != 0 && cfg.MaxWait != off {
		c.Wrong("MaxWait", cfg.MaxWait, "needs MaxWaiting: without it nobody waits")
	} else {
		wait := defaultWait
		if cfg.MaxWaiting == off {
			wait = off
		}
		c.Duration("MaxWait", &cfg.MaxWait, wait, 1, check.MaxDuration, true)
	}
	if err := c.Err(source, name); err != nil {
		return nil, err
	}
	if cfg.MaxConcurrent > maxLimit {
		c.Doubt("MaxConcurrent", cfg.MaxConcurrent, "is more than any program can run, so %d is in effect", maxLimit)
	}
	if cfg.MaxWaiting > longQueue {
		c.Doubt("MaxWaiting", cfg.MaxWaiting, "bounds neither memory nor waiting; a queue much longer than MaxConcurrent does not bridge an outage, it only hides it")
	}
	r := &rules{cfg: cfg, warnings: c.Warnings}
	r.limit = int64(min(cfg.MaxConcurrent, maxLimit))
	r.queue = max(cfg.MaxWaiting, 0)
	r.maxWait = max(cfg.MaxWait, 0)
	r.full = r.reject(name, Full, r.limit, 0)
	r.queueFull = r.reject(name, Full, r.limit, r.queue)
	return r, nil
}
