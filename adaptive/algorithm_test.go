package adaptive

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// In these tests the published formulas are written out once more, in straight lines
// and with numbers in place of fields, and the limiter must walk the same way: a step a
// call, so that nothing but the formula stands between a duration and the limit.

// walk feeds one flight-filling call per duration through a limiter and returns the
// limits after each. A negative duration is a dropped call.
func walk(t *testing.T, cfg Config, durations []time.Duration) []int {
	t.Helper()
	cfg.Window = single
	r := newRig(t, cfg)
	var limits []int
	for _, d := range durations {
		permits := r.take(r.Limit(), Critical)
		r.clock.Advance(max(d, -d))
		last := &permits[len(permits)-1]
		if d < 0 {
			last.Dropped()
		} else {
			last.Success()
		}
		for i := range permits {
			permits[i].Release()
		}
		limits = append(limits, r.Limit())
	}
	return limits
}

func repeat(n int, d time.Duration) []time.Duration {
	all := make([]time.Duration, n)
	for i := range all {
		all[i] = d
	}
	return all
}

func join(parts ...[]time.Duration) (all []time.Duration) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

func TestAIMDSteps(t *testing.T) {
	t.Run("one more for a success, a tenth less for a drop, rounded down", func(t *testing.T) {
		got := walk(t, Config{Algorithm: ByAIMD, Initial: 20}, join(repeat(3, ms), repeat(5, -ms), repeat(1, ms)))
		// 23 × 0.9 = 20.7, 20 × 0.9 = 18, 18 × 0.9 = 16.2, 16 × 0.9 = 14.4, 14 × 0.9 = 12.6
		equal(t, "limits", got, []int{21, 22, 23, 20, 18, 16, 14, 12, 13})
	})
	t.Run("a low limit still falls by one, down to Min", func(t *testing.T) {
		got := walk(t, Config{Algorithm: ByAIMD, Initial: 4, Min: 2}, repeat(3, -ms))
		equal(t, "limits", got, []int{3, 2, 2})
	})
	t.Run("Max holds", func(t *testing.T) {
		got := walk(t, Config{Algorithm: ByAIMD, Initial: 4, Max: 5}, repeat(3, ms))
		equal(t, "limits", got, []int{5, 5, 5})
	})
	t.Run("slower than the timeout is dropped, as slow as the timeout is not", func(t *testing.T) {
		cfg := Config{Algorithm: ByAIMD, Initial: 10, AIMD: AIMDConfig{Timeout: 100 * ms, Backoff: 0.5}}
		equal(t, "limits", walk(t, cfg, []time.Duration{100 * ms, 100*ms + 1}), []int{11, 5})
		cfg.AIMD.Timeout = off
		equal(t, "limits without a timeout", walk(t, cfg, repeat(2, time.Hour)), []int{11, 12})
	})
}

func TestVegasSteps(t *testing.T) {
	t.Run("a step up in duration", func(t *testing.T) {
		got := walk(t, Config{Algorithm: ByVegas, Initial: 20}, join(repeat(4, 10*ms), repeat(2, 12*ms), repeat(2, 20*ms), repeat(2, -ms)))
		equal(t, "limits", got, []int{
			20,         // the first duration becomes the base
			26, 32, 38, // no queue: + 6
			37,     // ⌈38 × (1 − 10/12)⌉ = 7 > 6: − 1
			36,     // ⌈37 × (1 − 10/12)⌉ = 7
			35, 34, // ⌈36 × (1 − 10/20)⌉ = 18
			33, 32, // dropped: − 1
		})
	})
	t.Run("between Alpha and Beta the limit grows by one or stays", func(t *testing.T) {
		got := walk(t, Config{Algorithm: ByVegas, Initial: 20}, []time.Duration{
			90 * ms,  // the base
			100 * ms, // ⌈20 × 0.1⌉ = 2 < 3: + 1
			100 * ms, // ⌈21 × 0.1⌉ = 3: stays
			95 * ms,  // ⌈21 × 0.0526⌉ = 2: + 1
			80 * ms,  // a new base
			160 * ms, // ⌈22 × 0.5⌉ = 11: − 1
		})
		equal(t, "limits", got, []int{20, 21, 21, 22, 22, 21})
	})
}

func TestVegasStepsAtHigherLimits(t *testing.T) {
	for _, c := range []struct {
		limit int
		log   int
	}{{9, 1}, {99, 1}, {100, 2}, {999, 2}, {1000, 3}, {9999, 3}, {10_000, 4}} {
		cfg := Config{Algorithm: ByVegas, Initial: c.limit, Max: 100_000}
		got := walk(t, cfg, []time.Duration{ms, ms})
		equal(t, fmt.Sprint("growth without a queue at ", c.limit), got[1]-c.limit, 6*c.log)
		got = walk(t, cfg, []time.Duration{ms, 10_000 * ms})
		equal(t, fmt.Sprint("fall with a queue at ", c.limit), c.limit-got[1], c.log)
		got = walk(t, cfg, []time.Duration{-ms})
		equal(t, fmt.Sprint("fall at a drop at ", c.limit), c.limit-got[0], c.log)
	}
}

func TestVegasProbes(t *testing.T) {
	// With the random number 0.5 the jitter is 0.75, so with Probe 2 at a limit of 10
	// the fifteenth step is the probe.
	cfg := Config{Algorithm: ByVegas, Initial: 10, Max: 10, Vegas: VegasConfig{Probe: 2}}
	base := func(cfg Config, n int) time.Duration {
		cfg.Window = single
		r := newRig(t, cfg)
		for i := range n {
			permit := r.take(1, Critical)[0]
			if i == 0 {
				r.clock.Advance(ms)
			} else {
				r.clock.Advance(5 * ms)
			}
			permit.Success()
		}
		return r.Snapshot().Base
	}
	equal(t, "base before the probe", base(cfg, 14), ms)
	equal(t, "base after it", base(cfg, 15), 5*ms)
	cfg.Vegas.Probe = off
	equal(t, "base without probes", base(cfg, 1000), ms)

	t.Run("a random source out of its range cannot put probes off for ever", func(t *testing.T) {
		for _, chance := range []float64{-1e9, 1e9, math.Inf(1)} {
			r := newRig(t, Config{Algorithm: ByVegas, Initial: 10, Max: 10, Window: single, Vegas: VegasConfig{Probe: 2}},
				WithRandom(func() float64 { return chance }))
			r.flight(ms, 1)
			for range 3 {
				r.flight(5*ms, 1)
			}
			equal(t, "base", r.Snapshot().Base, 5*ms)
		}
	})
}

func TestGradient2Steps(t *testing.T) {
	t.Run("steady durations add QueueSize × Smoothing", func(t *testing.T) {
		// 20 + 0.8 a step, shown as a whole number.
		got := walk(t, Config{}, repeat(6, 10*ms))
		equal(t, "limits", got, []int{20, 21, 22, 23, 24, 24})
	})
	t.Run("within the tolerance there is no gradient", func(t *testing.T) {
		// long is the plain mean of the first ten: (10 + 14)/2 = 12, and 1.5 × 12 > 14.
		got := walk(t, Config{Gradient2: Gradient2Config{Smoothing: 1}}, []time.Duration{10 * ms, 14 * ms})
		equal(t, "limits", got, []int{24, 28})
	})
	t.Run("a step up in duration halves at most, less the queue's room", func(t *testing.T) {
		cfg := Config{Initial: 100, Gradient2: Gradient2Config{Smoothing: 1, Tolerance: 1}}
		// long: (10 + 1000)/2 = 505, gradient 0.505: 104 × 0.505 + 4 = 56.52;
		// then (10 + 2 × 1000)/3 = 670, gradient 0.67: 56.52 × 0.67 + 4 = 41.87.
		got := walk(t, cfg, []time.Duration{10 * ms, 1000 * ms, 1000 * ms})
		equal(t, "limits", got, []int{104, 56, 41})
		// Warm, long hardly moves: the gradient is 0.5, its least.
		got = walk(t, cfg, join(repeat(10, 10*ms), repeat(1, 1000*ms)))
		equal(t, "limit before and after", got[9:], []int{140, 74})
	})
	t.Run("a drop takes a tenth, whatever the durations", func(t *testing.T) {
		got := walk(t, Config{Initial: 100}, repeat(3, -10*ms))
		equal(t, "limits", got, []int{90, 81, 72})
	})
	t.Run("Min and Max hold", func(t *testing.T) {
		equal(t, "Max", walk(t, Config{Initial: 20, Max: 21}, repeat(4, ms)), []int{20, 21, 21, 21})
		equal(t, "Min", walk(t, Config{Initial: 20, Min: 17}, repeat(4, -ms)), []int{18, 17, 17, 17})
	})
	t.Run("a long overload is forgotten by a twentieth a step", func(t *testing.T) {
		cfg := Config{Window: single, Min: 1, Max: 1, Initial: 1}
		r := newRig(t, cfg)
		for range 10 {
			r.flight(1000*ms, 1)
		}
		r.flight(10*ms, 1)
		long := (1000*(1-2.0/601) + 10*2.0/601) * 0.95
		equal(t, "base in µs", r.Snapshot().Base.Microseconds(), int64(long*1000))
	})
}

// path is a random sequence of calls: durations that scatter around a mean which
// jumps now and then, some drops, some calls that find the limiter half empty.
type pathStep struct {
	rtt      float64
	inFlight int
	dropped  bool
}

// The three straight-line calculations. Each keeps its numbers in plain variables and
// shares nothing with the package.

func straightAIMD(limit int, next func(int) (pathStep, bool)) (limits []int) {
	for {
		s, more := next(limit)
		if !more {
			return limits
		}
		if s.dropped || s.rtt > 80e6 {
			reduced := int(float64(limit) * 0.9)
			if reduced > limit-1 {
				reduced = limit - 1
			}
			limit = reduced
		} else if s.inFlight*2 >= limit {
			limit++
		}
		if limit < 3 {
			limit = 3
		}
		if limit > 60 {
			limit = 60
		}
		limits = append(limits, limit)
	}
}

func straightVegas(limit float64, next func(int) (pathStep, bool)) (limits []int) {
	base, count := 0.0, 0
	for {
		s, more := next(int(limit))
		if !more {
			return limits
		}
		log := 1.0
		if limit >= 100 {
			log = 2
		}
		target := limit
		if s.dropped {
			target = limit - log
		} else {
			count++
			if float64(count) >= 0.75*30*limit {
				base, count = s.rtt, 0
			} else if base == 0 || s.rtt < base {
				base = s.rtt
			} else if float64(s.inFlight*2) >= limit {
				queue := math.Ceil(limit * (1 - base/s.rtt))
				if queue <= log {
					target = limit + 6*log
				} else if queue < 3*log {
					target = limit + log
				} else if queue > 6*log {
					target = limit - log
				}
			}
		}
		limit = math.Max(3, math.Min(160, target))
		limits = append(limits, int(limit))
	}
}

func straightGradient2(limit float64, next func(int) (pathStep, bool)) (limits []int) {
	long, sum, n := 0.0, 0.0, 0.0
	for {
		s, more := next(int(limit))
		if !more {
			return limits
		}
		if s.dropped {
			limit *= 0.9
		} else {
			if n < 10 {
				n++
				sum += s.rtt
				long = sum / n
			} else {
				long = long*(1-2.0/601) + s.rtt*(2.0/601)
			}
			seen := long
			if long/s.rtt > 2 {
				long *= 0.95
			}
			if float64(s.inFlight) >= limit/2 {
				gradient := 1.5 * (seen / s.rtt)
				if gradient > 1 {
					gradient = 1
				}
				if gradient < 0.5 {
					gradient = 0.5
				}
				limit = limit*0.8 + (limit*gradient+4)*0.2
			}
		}
		limit = math.Max(3, math.Min(160, limit))
		limits = append(limits, int(limit))
	}
}
