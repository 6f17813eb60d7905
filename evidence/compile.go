package evidence

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// A Test is a compiled [Config]: the rule with its points and its threshold.
// It is immutable, so that any number of scores and goroutines can share it.
// There is no useful zero value; [NewTest] makes one.
type Test struct {
	cfg Config

	// What an update needs, in whole numbers.
	points     int64 // what a bad outcome adds
	threshold  int64
	ceiling    int64         // no score is higher: the highest a trip can reach
	per        time.Duration // a point fades in this time; 0: never
	rise       int64         // points by which a window may rise; 0: any
	riseWindow time.Duration

	nats           float64 // per point
	falseTripCalls float64
}

// NewTest compiles cfg, zero fields taken as defaults for failures (see
// [Config.WithSlowDefaults] for the others).
//
// shares is the number of tests, 1 or 2, that together must keep to
// cfg.CallsPerFalseTrip. With 2, each gets half of the false trips, that is
// twice the calls. Rates of false trips add at most, so the budget then holds
// whatever failing and being slow have to do with each other; the price is 2 to
// 4 points of threshold.
//
// The error lists every problem; [Config.Problems] has them one by one.
func NewTest(cfg Config, shares int) (*Test, error) {
	cfg = cfg.WithDefaults()
	if found := cfg.Problems(""); len(found) > 0 {
		texts := make([]string, len(found))
		for i, p := range found {
			texts[i] = p.String()
		}
		return nil, fmt.Errorf("evidence: invalid configuration: %s", strings.Join(texts, "; "))
	}
	if shares < 1 || shares > maxShares {
		return nil, fmt.Errorf("evidence: shares = %d: must be 1 or %d", shares, maxShares)
	}

	points := int(pointsPerBad(cfg.Healthy, cfg.Sick))
	// Always ok: Problems has tried it with the largest number of shares.
	threshold, mean, _ := smallestThreshold(points, cfg.Healthy, cfg.Burst, float64(shares)*cfg.CallsPerFalseTrip)
	return compile(cfg, points, threshold, mean), nil
}

func compile(cfg Config, points, threshold int, falseTripCalls float64) *Test {
	t := &Test{
		cfg:            cfg,
		points:         int64(points),
		threshold:      int64(threshold),
		ceiling:        int64(threshold) + int64(points) - 1,
		nats:           natsPerPoint(points, cfg.Healthy),
		falseTripCalls: falseTripCalls,
	}
	if cfg.Memory != off {
		t.per = cfg.Memory / time.Duration(threshold)
	}
	if cfg.MaxRise > 0 {
		// A limit beyond the ceiling is none; cut there, the product cannot
		// overflow.
		t.rise = t.points * min(int64(cfg.MaxRise), t.ceiling/t.points+1)
		t.riseWindow = cfg.MaxRiseWindow
	}
	return t
}

// Config returns the configuration with its defaults filled in.
func (t *Test) Config() Config { return t.cfg }

// Points returns m, the points that a bad outcome adds. A lasting rate of bad
// outcomes above 1/(m+1) always trips in the end.
func (t *Test) Points() int { return int(t.points) }

// Threshold returns H, the score at which the rule trips.
func (t *Test) Threshold() int { return int(t.threshold) }

// NatsPerPoint returns how much evidence a point is: θ, in nats. e to the power
// of θH never exceeds the mean number of calls to a false trip, if outcomes
// are independent.
func (t *Test) NatsPerPoint() float64 { return t.nats }

// Needed returns the evidence, in nats, at which the rule trips: θH.
func (t *Test) Needed() float64 { return t.nats * float64(t.threshold) }

// NeedsEveryOutcome reports whether each outcome must be recorded at its own
// time, because a rise limit is set. Otherwise good outcomes can be deferred
// and counted, see [Score.Good].
func (t *Test) NeedsEveryOutcome() bool { return t.rise > 0 }

// FalseTripCalls returns the mean number of calls between false trips if bad
// outcomes come at rate, in bursts as configured. The guarantee of this test
// is the value at the healthy rate. Memory and rise limit, which make the time
// longer, are left out. It is not for hot paths, see [RunLength].
func (t *Test) FalseTripCalls(rate float64) float64 {
	return RunLength(t.Points(), t.Threshold(), rate, t.cfg.Burst)
}

// CallsToTrip returns the mean number of calls from the moment on which bad
// outcomes come independently at rate, until the trip and counting it, from
// score zero. At rate 1 it is H/m, rounded up. It is not for hot paths, see
// [RunLength].
func (t *Test) CallsToTrip(rate float64) float64 {
	return RunLength(t.Points(), t.Threshold(), rate, 1)
}

// DailyFalseTripChance returns the probability of at least one false trip of
// this test in a day of healthy traffic at callsPerSecond, which is not
// negative.
func (t *Test) DailyFalseTripChance(callsPerSecond float64) float64 {
	return dailyChance(t.falseTripCalls, callsPerSecond)
}

func dailyChance(falseTripCalls, callsPerSecond float64) float64 {
	const secondsPerDay = 24 * 60 * 60
	return -math.Expm1(-secondsPerDay * callsPerSecond / falseTripCalls)
}

// Drift compares a rate of bad outcomes observed over a long healthy time with
// the configured one. It returns the mean number of calls between false trips
// that the observed rate means, and whether that rate exceeds Healthy. If so,
// the operator should hear of both: a healthy rate that is really two or three
// times the configured one costs one to five powers of ten. It is not for hot
// paths, see [RunLength].
func (t *Test) Drift(observed float64) (falseTripCalls float64, exceeded bool) {
	return t.FalseTripCalls(observed), observed > t.cfg.Healthy
}

// natsPerPoint returns the positive root θ of
//
//	healthy·e^(mθ) + (1-healthy)·e^(-θ) = 1
//
// It exists where the score drifts down while healthy, healthy < 1/(m+1). The
// left side then is below 1 from 0 to the root and above 1 after it.
func natsPerPoint(points int, healthy float64) float64 {
	m := float64(points)
	lo, hi := 0.0, -math.Log(healthy)/m
	for {
		θ := lo + (hi-lo)/2
		if θ <= lo || θ >= hi {
			return θ // float64 has nothing in between any more
		}
		// In terms of e^x - 1, since near 0 all terms of the sum are near 1.
		if healthy*math.Expm1(m*θ)+(1-healthy)*math.Expm1(-θ) < 0 {
			lo = θ
		} else {
			hi = θ
		}
	}
}
