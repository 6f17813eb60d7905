package adaptive

import "time"

// A step is what an algorithm gets to see: one call, or a window of them.
type step struct {
	// rtt is the mean duration of the successes, at least 1 ns; 0 if there was none.
	rtt time.Duration
	// inFlight is the most calls that ran at once, counted at their admission.
	inFlight int
	dropped  bool
}

// An estimator is the pure part of an algorithm: no clock, no lock. The limit is the
// whole part of its estimate.
type estimator interface {
	// update takes one step and returns the new estimate, which is within the bounds.
	update(step) float64
	// base is the duration that steps are compared with; 0 if there is none.
	base() time.Duration
}

// bounds are the limits of the limit.
type bounds struct{ min, max float64 }

func (b bounds) clamp(estimate float64) float64 { return max(b.min, min(b.max, estimate)) }

// held reports whether the limit was what held the calls back: a limit of which less
// than half was used has not been tried, so the step says nothing about it.
func held(inFlight int, estimate float64) bool { return float64(inFlight)*2 >= estimate }

func newEstimator(cfg Config, random func() float64) estimator {
	b := bounds{float64(cfg.Min), float64(cfg.Max)}
	initial := float64(cfg.Initial)
	switch cfg.Algorithm {
	case ByVegas:
		return newVegas(cfg.Vegas, b, initial, random)
	case ByAIMD:
		return &aimd{cfg.AIMD.Backoff, b, initial}
	}
	return newGradient2(cfg.Gradient2, b, initial)
}
