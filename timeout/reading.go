package timeout

import (
	"time"

	"github.com/switchgear-go/switchgear/clock"
)

// A reading reads both faces of a clock at the start of a call: Mono, which judges
// it, and Now, from which the context counts its deadline. The start must not be
// later than Now, or the context could be done before the limit has passed.
//
// The readings of a clock are most of what a timeout costs above a bare context.
// The machine's Now has a monotonic reading in it, so Mono can be computed from it
// once the two have been read side by side, and one reading in three is saved. Mono
// then lags behind by the time between those two, so that a limit is short by a few
// dozen nanoseconds.
type reading struct {
	real bool // the clock is the machine's
	mono time.Duration
	now  time.Time
}

// newReading reads the machine's clock side by side, the closest of a few times,
// since between two readings the goroutine may be put aside.
func newReading(c clock.Clock) reading {
	r := reading{real: c == clock.Real()}
	if !r.real {
		return r
	}
	closest := time.Duration(-1)
	for range 5 {
		before, now, after := c.Mono(), c.Now(), c.Mono()
		if gap := after - before; closest < 0 || gap < closest {
			closest, r.mono, r.now = gap, before, now
		}
	}
	return r
}

func (r *reading) take(c clock.Clock) (start time.Duration, now time.Time) {
	if !r.real {
		start = c.Mono()
		return start, c.Now()
	}
	now = c.Now()
	return r.mono + now.Sub(r.now), now
}
