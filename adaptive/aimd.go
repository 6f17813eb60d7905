package adaptive

import (
	"math"
	"time"
)

// aimd is Netflix's AIMDLimit; see [AIMDConfig]. Its estimate is a whole number.
// Slow calls are dropped calls before they come here.
type aimd struct {
	backoff float64
	bounds
	estimate float64
}

func (a *aimd) update(s step) float64 {
	switch {
	case s.dropped:
		// At least one less, or a low limit would never fall.
		a.estimate = a.clamp(min(a.estimate-1, math.Floor(a.estimate*a.backoff)))
	case held(s.inFlight, a.estimate):
		a.estimate = a.clamp(a.estimate + 1)
	}
	return a.estimate
}

func (a *aimd) base() time.Duration { return 0 }
