package evidence

import "math"

// RunLength returns the exact mean number of calls until a score that starts
// at zero reaches threshold points, where each bad outcome brings points
// points, rate is the share of bad outcomes, and burst the mean length of a
// run of bad outcomes relative to independent ones. Forgetting and the rise
// limit, which only make the time longer, are left out.
//
// It answers every question about a test. At the healthy rate and the
// configured burst it is the mean time between false trips; at a sick rate and
// burst 1 the mean delay of the trip, counted in calls with the one that trips.
//
// It is +Inf if no bad outcome ever comes, or if the mean is beyond float64;
// it is NaN unless points is at least 1, threshold from 1 to [MaxThreshold],
// rate from 0 to 1, and burst finite and at least 1. It takes time in
// proportion to threshold, and memory in proportion to points.
func RunLength(points, threshold int, rate, burst float64) float64 {
	if points < 1 || threshold < 1 || threshold > MaxThreshold ||
		!(rate >= 0 && rate <= 1) || !(burst >= 1 && burst <= math.MaxFloat64) {
		return math.NaN()
	}
	s := newSolver(points, rate, burst)
	for range threshold - 1 {
		s.next()
	}
	return s.next()
}

// smallestThreshold returns the lowest threshold whose mean number of calls to
// a trip is at least calls, and that mean; not ok if it would exceed
// MaxThreshold.
func smallestThreshold(points int, rate, burst, calls float64) (threshold int, mean float64, ok bool) {
	s := newSolver(points, rate, burst)
	for threshold = 1; threshold <= MaxThreshold; threshold++ {
		if mean = s.next(); mean >= calls {
			return threshold, mean, true
		}
	}
	return 0, 0, false
}

// A solver computes the run lengths of thresholds 1, 2, 3, … up to
// MaxThreshold, one after the other, at constant cost each (amortised).
//
// Outcomes come from a chain of two states: a bad outcome follows a good one
// with probability a and a bad one with probability c, which makes the share
// of bad ones rate and their runs burst times as long as if independent.
//
// Above zero the walk of the score does not know where zero is; it only knows
// its headroom, the points still missing to the threshold. So what is found
// out about each headroom once serves all higher thresholds, and no search
// over thresholds is needed. From the chances of one call on, every quantity
// is made of sums, products and quotients of non-negative numbers. Nothing
// cancels, so the result is good to nearly all digits of a float64, however
// large it is.
type solver struct {
	a, notA float64 // after a good outcome: chance of a bad one, of a good one
	c, notC float64 // after a bad outcome: the same

	// A ring of the last m headrooms: the walk from there, the last outcome
	// being bad, until the score either trips or first falls below. At first
	// it holds headrooms of zero and less, where a bad outcome has tripped, and
	// what is chained to it has no effect.
	bad     []leg
	nextBad int

	// The same after a good outcome, a ring of the last m-1 headrooms. Chained,
	// they are the way down through all of them. So as not to walk it for each
	// new headroom, the part of the ring that was filled in an earlier round
	// is kept chained from each place to the end of the ring, and the part
	// filled in this round is chained in newest.
	good     []leg
	nextGood int
	newest   leg
}

// A leg is a part of the score's walk. It ends in one of two ways.
type leg struct {
	trip  float64 // chance that it ends at the threshold
	home  float64 // chance that it ends lower down; 1-trip, but with all digits
	calls float64 // mean number of calls until either
}

// then returns the leg that goes on with b where l comes home.
func (l leg) then(b leg) leg {
	return leg{l.trip + l.home*b.trip, l.home * b.home, l.calls + l.home*b.calls}
}

// stay is the leg of no calls: chained to another it changes nothing.
var stay = leg{home: 1}

func newSolver(points int, rate, burst float64) *solver {
	points = min(points, MaxThreshold) // more have no further effect
	s := &solver{
		a: rate / burst, notA: 1 - rate/burst,
		c: (burst - 1 + rate) / burst, notC: (1 - rate) / burst,
		bad:    make([]leg, points),
		good:   make([]leg, points-1),
		newest: stay,
	}
	for i := range s.bad {
		s.bad[i] = leg{trip: 1}
	}
	return s
}

// next adds a point of headroom and returns the run length of the threshold
// that is this high.
func (s *solver) next() float64 {
	// The excursion: up by the m points of a bad outcome, and from there until
	// the score either trips or is back at this headroom.
	up := s.bad[s.nextBad]
	if len(s.good) > 0 {
		up = up.then(s.good[s.nextGood]).then(s.newest)
	}

	// The walk from this headroom itself. One call: good, and the score falls
	// below; or bad, and the excursion trips or comes back for another try.
	leave := s.notA + s.a*up.trip
	afterGood := leg{s.a * up.trip / leave, s.notA / leave, (1 + s.a*up.calls) / leave}
	afterBad := leg{
		s.c * (up.trip + up.home*afterGood.trip),
		s.notC + s.c*up.home*afterGood.home,
		1 + s.c*(up.calls+up.home*afterGood.calls),
	}
	s.push(afterGood, afterBad)

	// If this headroom is the whole threshold, the score is at zero, and there
	// is nothing to fall to: excursions are tried until one trips.
	return (1 + s.a*up.calls) / (s.a * up.trip)
}

func (s *solver) push(afterGood, afterBad leg) {
	s.bad[s.nextBad] = afterBad
	if s.nextBad++; s.nextBad == len(s.bad) {
		s.nextBad = 0
	}
	if len(s.good) == 0 {
		return
	}
	s.good[s.nextGood] = afterGood
	s.newest = s.newest.then(afterGood)
	if s.nextGood++; s.nextGood == len(s.good) {
		for i := len(s.good) - 2; i >= 0; i-- {
			s.good[i] = s.good[i].then(s.good[i+1])
		}
		s.nextGood, s.newest = 0, stay
	}
}
