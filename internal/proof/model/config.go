package model

import "time"

// Never is the instant that does not come.
const Never = time.Duration(1<<63 - 1)

// Config is a breaker's configuration with every default filled in. A rule that
// is off is zero.
type Config struct {
	// Calls makes it a count window of so many outcomes (W1). Otherwise the
	// window has so many Buckets, each so long (W2).
	Calls   int
	Bucket  time.Duration
	Buckets int

	Minimum      int   // as configured; see minimum
	FailureRate  int64 // T1, hundredths of a percent
	SlowRate     int64 // T2, likewise
	Slow         time.Duration
	Consecutive  int64 // T3
	FailureCount int64 // T4
	Failures     *Evidence
	Slows        *Evidence
	Grace        time.Duration

	Wait      time.Duration
	Factor    float64
	MaxWait   time.Duration
	Jitter    int64 // hundredths of a percent
	MaxHint   time.Duration
	Automatic bool
	Draws     []float64 // the random numbers of O2, used in turn and over again

	Probes     int
	Streak     bool // the verdict is by streak (H3)
	Successes  int
	MaxStay    time.Duration // H6
	ProbeLimit time.Duration // H8
}

// minimum is the number of calls that make a rate (W3).
func (c *Config) minimum() int64 {
	if c.Calls > 0 {
		return int64(min(c.Minimum, c.Calls))
	}
	return int64(c.Minimum)
}

// needed is the number of outcomes that make a verdict by rate (H2).
func (c *Config) needed() int64 { return min(c.minimum(), int64(c.Probes)) }

// verdictRate is the failure rate that a verdict compares with (H2).
func (c *Config) verdictRate() int64 {
	if c.FailureRate == 0 {
		return 50_00
	}
	return c.FailureRate
}

// reached is the comparison of T1 and T2: a rate exactly on the threshold counts.
func reached(part, whole, threshold int64) bool {
	return threshold > 0 && whole > 0 && part*100_00 >= threshold*whole
}

// interval is the length of an open interval: the wait, grown by so many steps (O1) and
// jittered (O2), or the dependency's hint, jittered too, whichever is longer (O3). Both
// use the one random number u that the period has drawn.
func (c *Config) interval(steps int, hint time.Duration, u float64) time.Duration {
	grown := float64(c.Wait)
	for range steps {
		if c.Factor == 1 {
			break
		}
		if grown *= c.Factor; grown >= float64(c.MaxWait) {
			grown = float64(c.MaxWait)
			break
		}
	}
	wait := time.Duration(grown)
	hint = min(hint, c.MaxHint)
	jitter := float64(c.Jitter) / 100_00
	return max(
		wait+time.Duration(jitter*(2*u-1)*float64(wait)),
		hint+time.Duration(jitter*u*float64(hint)), // upwards only
	)
}
