package adaptive

import (
	"math"
	"time"
)

// vegas is Netflix's VegasLimit; see [VegasConfig].
type vegas struct {
	cfg VegasConfig
	bounds
	estimate float64
	shortest time.Duration // 0 before the first success
	steps    int           // since the last probe
	jitter   float64       // of the next probe, from 0.5 to 1
	random   func() float64
}

func newVegas(cfg VegasConfig, b bounds, initial float64, random func() float64) *vegas {
	v := &vegas{cfg: cfg, bounds: b, estimate: initial, random: random}
	v.shuffle()
	return v
}

// shuffle draws the jitter of the next probe. A random source that does not keep to
// its range must not make probes that never come.
func (v *vegas) shuffle() {
	if v.cfg.Probe != off {
		v.jitter = 0.5 + 0.5*max(0, min(1, v.random()))
	}
}

func (v *vegas) update(s step) float64 {
	if s.dropped {
		return v.move(v.estimate - v.log())
	}
	v.steps++
	switch {
	case v.probing():
		v.shuffle()
		v.steps = 0
		v.shortest = s.rtt
		return v.estimate
	case v.shortest == 0 || s.rtt < v.shortest:
		v.shortest = s.rtt
		return v.estimate
	case !held(s.inFlight, v.estimate):
		return v.estimate
	}
	log, alpha, beta := v.log(), float64(v.cfg.Alpha), float64(v.cfg.Beta)
	switch queue := math.Ceil(v.estimate * (1 - float64(v.shortest)/float64(s.rtt))); {
	case queue <= log:
		return v.move(v.estimate + beta*log)
	case queue < alpha*log:
		return v.move(v.estimate + log)
	case queue > beta*log:
		return v.move(v.estimate - log)
	}
	return v.estimate
}

func (v *vegas) probing() bool {
	return v.cfg.Probe != off && float64(v.steps) >= v.jitter*float64(v.cfg.Probe)*v.estimate
}

func (v *vegas) log() float64 {
	return max(1, math.Floor(math.Log10(math.Floor(v.estimate))))
}

func (v *vegas) move(to float64) float64 {
	// Smoothing must not leave the bounds either, and cannot: it stays between two
	// numbers that are inside.
	v.estimate = (1-v.cfg.Smoothing)*v.estimate + v.cfg.Smoothing*v.clamp(to)
	return v.estimate
}

func (v *vegas) base() time.Duration { return v.shortest }
