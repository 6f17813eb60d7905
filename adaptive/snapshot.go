package adaptive

import (
	"time"

	"github.com/switchgear-go/switchgear"
)

// Counters is what has happened since New. The numbers never fall.
type Counters struct {
	// Admitted is how many permits were issued: those settled in one of the four ways
	// below, and those still running.
	Admitted uint64 `json:"admitted"`
	// Rejected is how many calls were refused.
	Rejected uint64 `json:"rejected"`
	// RejectedBy splits Rejected by level of priority; its length is that of
	// Config.Shares.
	RejectedBy []uint64 `json:"rejected_by"`

	// Succeeded, Dropped, Ignored and Released are the ends of calls. Dropped includes
	// successes that took longer than AIMD.Timeout.
	Succeeded uint64 `json:"succeeded"`
	Dropped   uint64 `json:"dropped"`
	Ignored   uint64 `json:"ignored"`
	Released  uint64 `json:"released"`

	// Steps is how many steps the algorithm took, Raised and Lowered how many of them
	// moved the limit, as a whole number, up or down.
	Steps   uint64 `json:"steps"`
	Raised  uint64 `json:"raised"`
	Lowered uint64 `json:"lowered"`
}

// count adds the end of one call.
func (c *Counters) count(o switchgear.Outcome, dropped bool) {
	switch {
	case dropped:
		c.Dropped++
	case o == switchgear.Success:
		c.Succeeded++
	case o == switchgear.Ignored:
		c.Ignored++
	default:
		c.Released++
	}
}

// Counters returns the counters, as they were at one instant, but for the refusals,
// which are counted without a lock.
func (l *Limiter) Counters() Counters {
	l.mu.Lock()
	c := l.ended
	c.Admitted = c.Succeeded + c.Dropped + c.Ignored + c.Released + uint64(l.Running())
	l.mu.Unlock()
	c.RejectedBy = make([]uint64, len(l.rules.shares))
	for i := range c.RejectedBy {
		c.RejectedBy[i] = l.levels[i].rejected.Load()
		c.Rejected += c.RejectedBy[i]
	}
	return c
}

// Snapshot is the present state of a limiter, at one instant.
type Snapshot struct {
	Name      string    `json:"name"`
	Algorithm Algorithm `json:"algorithm"`
	// Limit is the limit in force, and Running how many calls are running.
	Limit   int `json:"limit"`
	Running int `json:"running"`
	// RTT is the duration in the newest step of the algorithm that had one; 0 before.
	RTT time.Duration `json:"rtt"`
	// Base is what durations are compared with: the long average of [ByGradient], the
	// shortest duration of [ByVegas]; 0 before the first step, and with [ByAIMD].
	Base time.Duration `json:"base"`
	// Waiting is how many calls have ended in the window under way.
	Waiting int `json:"waiting"`
}

// Snapshot returns the present state.
func (l *Limiter) Snapshot() Snapshot {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.state.Load()
	return Snapshot{
		Name: l.name, Algorithm: l.rules.cfg.Algorithm,
		Limit: limitOf(s), Running: runningOf(s),
		RTT: l.rtt, Base: l.estimator.base(), Waiting: l.sampler.calls,
	}
}
