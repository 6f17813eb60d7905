package sim

import (
	"math"
	"time"

	"github.com/switchgear-go/switchgear/sim/internal/random"
)

// never is later than everything.
const never = time.Duration(math.MaxInt64)

// aheadCalls is how many arrivals are kept that were drawn ahead.
const aheadCalls = 1 << 16

// arrivals tells when the calls of an open load arrive, one after the other.
type arrivals struct {
	load     Load
	duration time.Duration
	limit    float64 // duration in seconds
	stream   random.Stream

	seconds float64 // the last arrival of Poisson
	place   int     // calls given out
	burst   int     // calls left of this burst
	draws   uint64

	// With the draw order of the reference, all arrivals are drawn before
	// anything else. As many as there is room for are kept; beyond those, the
	// generator as it then was draws them once more when their time comes.
	inAdvance bool
	ahead     []time.Duration
	total     int
	again     random.Stream
	againFrom float64
}

func newArrivals(cfg *Config) arrivals {
	return arrivals{
		load: cfg.Load, duration: cfg.Duration, limit: cfg.Duration.Seconds(),
		inAdvance: cfg.Generator == MT19937 && cfg.Load.Kind == Poisson,
	}
}

// start begins a run.
func (a *arrivals) start(g Generator, seed uint64) {
	a.stream.Seed(random.Generator(g), seed, purposeArrivals, 0)
	a.seconds, a.place, a.burst, a.draws, a.total, a.ahead = 0, 0, 0, 0, 0, a.ahead[:0]
	if a.inAdvance {
		a.drawAhead()
	}
}

func (a *arrivals) drawAhead() {
	for {
		if len(a.ahead) == aheadCalls && a.total == aheadCalls {
			a.again.CopyFrom(&a.stream)
			a.againFrom = a.seconds
		}
		at := a.poisson(&a.stream)
		if at == never {
			break
		}
		if len(a.ahead) < aheadCalls {
			a.ahead = append(a.ahead, at)
		}
		a.total++
	}
	a.seconds = a.againFrom
}

// next returns the instant of the next arrival, never when there are no more.
func (a *arrivals) next() time.Duration {
	switch a.load.Kind {
	case Poisson:
		if !a.inAdvance {
			return a.poisson(&a.stream)
		}
		return a.nextDrawn()
	case Constant:
		at := time.Duration(math.Round(float64(a.place) * 1e9 / a.load.Rate))
		return a.take(at)
	case Bursts:
		at := time.Duration(a.place/a.load.Size) * a.load.Every
		return a.take(at)
	case Recorded:
		if a.place < len(a.load.Arrivals) {
			return a.take(a.load.Arrivals[a.place])
		}
	}
	return never
}

func (a *arrivals) take(at time.Duration) time.Duration {
	if at >= a.duration {
		return never
	}
	a.place++
	return at
}

// poisson adds up the gaps in seconds, so that no rounding adds up with them.
func (a *arrivals) poisson(s *random.Stream) time.Duration {
	a.draws++
	a.seconds += s.Exponential(a.load.Rate)
	if a.seconds >= a.limit {
		return never
	}
	return fromSeconds(a.seconds)
}

func (a *arrivals) nextDrawn() time.Duration {
	i := a.place
	if i >= a.total {
		return never
	}
	a.place++
	if i < len(a.ahead) {
		return a.ahead[i]
	}
	a.draws-- // drawn before
	return a.poisson(&a.again)
}
