package adaptive

import (
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear"
)

// Config says how the limit is found and within which bounds. It is plain data: the
// zero value is a sensible limiter, and a zero field means the default its comment
// names. Fields that can be switched off say so and take [switchgear.Off]; other
// negative values are errors.
type Config struct {
	// Algorithm is how samples move the limit. Default [ByGradient].
	Algorithm Algorithm

	// Initial is the limit to start with, before anything is known: a cold start
	// with the default, a warm one with the limit that an earlier process found.
	// The algorithms' memory of durations starts empty in either case. Default 20,
	// or the nearest bound; from Min to Max.
	Initial int

	// Min is the lowest the limit ever gets. At 1, a dependency that fails all the
	// time is still tried by one call at a time. Default 1; from 1 to 1,000,000.
	Min int

	// Max is the highest the limit ever gets, a safety net for the case that the
	// measurements mislead. Default 200, or Min if that is more; from Min to
	// 1,000,000.
	Max int

	// Window gathers samples before the algorithm sees them.
	Window WindowConfig

	// Shares is the share of the limit that each level of priority may use, the most
	// important first. Level i is admitted while running < limit × Shares[i], so every
	// level may use an idle limiter, however low the limit. Default 100, 90, 60, for
	// [Critical], [Normal] and [Background]; 1 to 8 levels, each from 1 to 100
	// percent with at most two decimals, the first 100, and none more than the one
	// before. A lower priority than there are levels counts as the last level. A
	// level with 50 or less does not raise the limit by itself, since it uses no more
	// than half of it.
	Shares []switchgear.Percent

	// AIMD holds the numbers of [ByAIMD].
	AIMD AIMDConfig

	// Vegas holds the numbers of [ByVegas].
	Vegas VegasConfig

	// Gradient2 holds the numbers of [ByGradient].
	Gradient2 Gradient2Config
}

// WindowConfig gathers the samples of many calls into one step of the algorithm: the
// mean of the successes' durations, the most calls that were running, and whether
// there were drops enough. A window begins with its first sample and ends with the first
// one that meets both Time and Samples.
type WindowConfig struct {
	// Time is how long a window lasts at least. It is best longer than most calls, so
	// that each step sees what the one before has done. Default 1 s; from 1 ms to
	// 1 h, or Off: each call is a step, and the two other fields must be 0.
	//
	// With Off, calls that were admitted before the last drop that counted lower the
	// limit no further if they are dropped as well: a flight of calls that fails as a
	// whole is one signal, not one per call (as in TCP, RFC 6582).
	Time time.Duration

	// Samples is how many calls a window holds at least, but never more than the
	// limit, since at a low limit so many may take very long to come. Default 10;
	// from 1 to 1,000,000.
	Samples int

	// Drops is the share of dropped calls from which the window counts as dropped.
	// Below it they are taken for the errors that every dependency has, which say nothing of
	// overload, and only the successes count. Default 5; from 1 to 100.
	Drops switchgear.Percent
}

// AIMDConfig is additive increase, multiplicative decrease: a step without a drop
// adds one to the limit, a step with a drop multiplies the limit by Backoff and rounds
// down.
type AIMDConfig struct {
	// Backoff multiplies the limit at a drop. Default 0.9; from 0.5 to 0.99.
	Backoff float64

	// Timeout makes a success that took longer count as dropped, call by call.
	// Without it a dependency that is slow, but does not fail, is never found
	// out. Default 5 s; from 1 ms to 30 days, or Off.
	Timeout time.Duration
}

// VegasConfig is the algorithm of TCP Vegas. The base is the shortest duration seen.
// From it and the step's duration comes the queue that must be standing somewhere:
//
//	queue = ⌈limit × (1 − base/duration)⌉
//
// With log = max(1, ⌊log₁₀ limit⌋), the limit grows by Beta × log if the queue is at
// most log, and by log if it is below Alpha × log. It falls by log if the queue is
// above Beta × log, and at a drop. In between it stays.
//
// From a limit of 1,000 on, the published code uses the root of the limit in place of
// the logarithm, which multiplies log by fifteen from one limit to the next; this one
// does not. A dropped call's duration is no sample here, so a quick failure cannot
// become the base.
//
// Every Probe × limit steps, or a little earlier, the base is forgotten and that step's
// duration takes its place, queue included. Under a load that never lets up, the limit
// thus grows by about Beta with each probe.
type VegasConfig struct {
	// Alpha bounds the queue below which the limit grows. Default 3; from 1 to 1,000.
	Alpha int

	// Beta bounds the queue above which the limit falls. Default 6, or twice Alpha if
	// that is more; above Alpha, at most 10,000.
	Beta int

	// Smoothing is how much of each step is taken. Default 1: all; from 0.01 to 1.
	Smoothing float64

	// Probe is how many steps per unit of the limit pass between two probes, times a
	// random number from 0.5 to 1, so that many limiters do not probe together.
	// Default 30; from 1 to 1,000,000, or Off: the base is the shortest duration ever.
	// Then the limit does not creep up, but it stays low for good if the dependency
	// becomes slower for good.
	Probe int
}

// Gradient2Config is Netflix's Gradient2. With short, the step's duration, and long, an
// exponential average of them all,
//
//	gradient = min(1, max(0.5, Tolerance × long/short))
//	limit   ← limit × (1 − Smoothing) + (limit × gradient + QueueSize) × Smoothing
//
// The first ten durations are averaged plainly. While long is more than twice short,
// it also shrinks by 5 % a step, to forget an overload that is over.
//
// The published code does not look at drops, so that calls which all time out after
// the same time raise the limit to its maximum. Here a dropped step multiplies the limit
// by Backoff, whatever the gradient, and the dropped calls' durations are left out.
//
// Under a load that never lets up, the long average follows the queue and the limit
// follows the average: both grow e-fold every LongWindow / (2 × (Tolerance − 1)) steps
// or so, that is in ten minutes by default, until something is dropped or Max is
// reached.
type Gradient2Config struct {
	// LongWindow is how many steps the long average looks back: its weight for each
	// new one is 2/(LongWindow+1). Default 600; from 1 to 1,000,000.
	LongWindow int

	// Tolerance is how many times slower than the long average a step may be
	// before the limit falls. Default 1.5; from 1 to 10.
	Tolerance float64

	// QueueSize is what the limit may grow by in a step, before smoothing. Default 4;
	// from 1 to 10,000.
	QueueSize int

	// Smoothing is how much of each step is taken. Default 0.2; from 0.01 to 1.
	Smoothing float64

	// Backoff multiplies the limit at a drop. Default 0.9; from 0.5 to 0.99.
	Backoff float64
}

// Algorithm is how samples move the limit.
type Algorithm uint8

const (
	// ByGradient is [Gradient2Config]. The default.
	ByGradient Algorithm = iota
	// ByVegas is [VegasConfig].
	ByVegas
	// ByAIMD is [AIMDConfig].
	ByAIMD
)

// String returns "gradient2", "vegas" or "aimd".
func (a Algorithm) String() string {
	switch a {
	case ByGradient:
		return "gradient2"
	case ByVegas:
		return "vegas"
	case ByAIMD:
		return "aimd"
	}
	return fmt.Sprintf("algorithm %d", uint8(a))
}

// MarshalText writes the algorithm's name.
func (a Algorithm) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads "gradient2", "vegas" or "aimd".
func (a *Algorithm) UnmarshalText(text []byte) error {
	for known := ByGradient; known <= ByAIMD; known++ {
		if string(text) == known.String() {
			*a = known
			return nil
		}
	}
	return fmt.Errorf("adaptive: %q is no algorithm; algorithms are gradient2, vegas and aimd", text)
}
