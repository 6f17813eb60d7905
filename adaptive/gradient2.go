package adaptive

import "time"

// warmUp is how many durations the long average takes plainly, before it becomes
// exponential, as in the published code.
const warmUp = 10

// gradient2 is Netflix's Gradient2Limit; see [Gradient2Config].
type gradient2 struct {
	cfg Gradient2Config
	bounds
	estimate float64
	weight   float64 // of a new duration in the long average
	long     float64 // nanoseconds
	sum      float64 // of the first durations
	count    int     // how many of them there are
}

func newGradient2(cfg Gradient2Config, b bounds, initial float64) *gradient2 {
	return &gradient2{cfg: cfg, bounds: b, estimate: initial, weight: 2 / float64(cfg.LongWindow+1)}
}

func (g *gradient2) update(s step) float64 {
	var ratio float64
	if s.rtt > 0 {
		short := float64(s.rtt)
		ratio = g.average(short) / short
		if ratio > 2 {
			g.long *= 0.95
		}
	}
	switch {
	case s.dropped:
		g.estimate = g.clamp(g.estimate * g.cfg.Backoff)
	case held(s.inFlight, g.estimate):
		gradient := max(0.5, min(1, g.cfg.Tolerance*ratio))
		to := g.estimate*gradient + float64(g.cfg.QueueSize)
		g.estimate = g.clamp(g.estimate*(1-g.cfg.Smoothing) + to*g.cfg.Smoothing)
	}
	return g.estimate
}

// average adds a duration to the long average and returns it.
func (g *gradient2) average(d float64) float64 {
	if g.count < warmUp {
		g.count++
		g.sum += d
		g.long = g.sum / float64(g.count)
	} else {
		g.long = g.long*(1-g.weight) + d*g.weight
	}
	return g.long
}

func (g *gradient2) base() time.Duration { return time.Duration(g.long) }
