package evidence

import (
	"fmt"
	"math"
	"time"
)

// MaxThreshold is the highest threshold, in points, that a configuration may
// lead to. One that needs more asks to tell two rates apart that are too close
// for any rule to be quick.
const MaxThreshold = 100_000

// Bounds of Config; the field comments name them.
const (
	minHealthy = 1e-9
	maxCalls   = 1e15
	maxBurst   = 4
)

// maxShares is how many tests can draw on one budget of false trips: the one
// for failures and the one for slow calls.
const maxShares = 2

// off equals switchgear.Off, written out so that this package stays free of
// imports from the rest of the project.
const off = -1 << 31

// Config says what healthy and sick mean. A zero field means its default;
// the zero Config is a good one for failures, and
// Config{}.WithSlowDefaults() for slow calls.
type Config struct {
	// Healthy is the rate of bad outcomes when all is well: at least 1e-9 and
	// less than Sick. Default 0.01, for slow calls 0.05.
	Healthy float64

	// Sick is the rate of bad outcomes that must be caught: above Healthy,
	// less than 1, and so far from Healthy that the threshold stays within
	// [MaxThreshold]. Default 0.30, for slow calls 0.50.
	Sick float64

	// CallsPerFalseTrip is the budget: at most one false trip in so many
	// healthy calls, on average. From 1 to 1e15, default 1e8. The function
	// [CallsPerFalseTrip] turns a duration and a rate of calls into it.
	CallsPerFalseTrip float64

	// Burst is how many times longer a run of bad outcomes is, on average,
	// than if outcomes were independent, while all is well; 1 means
	// independent. From 1 to 4, default 1.1.
	Burst float64

	// Memory is the time in which a score at the threshold fades to nothing by
	// itself, besides what good outcomes take away. At least one nanosecond
	// per point of the threshold, default 30 minutes. switchgear.Off means
	// that nothing fades.
	Memory time.Duration

	// MaxRise limits how far the score may rise, net, within one
	// MaxRiseWindow: by as many bad outcomes' worth of points. It makes
	// failures at one and the same instant, such as fifty dropped connections,
	// count as the one event that they are. Default 0: no limit.
	MaxRise int

	// MaxRiseWindow is the length of the windows of MaxRise, and may be given
	// only together with it. Above 0, default 50 milliseconds.
	MaxRiseWindow time.Duration
}

// WithDefaults returns c with every zero field replaced by its default for a
// test of failures.
func (c Config) WithDefaults() Config { return c.withDefaults(0.01, 0.30) }

// WithSlowDefaults returns c with every zero field replaced by its default for
// a test of slow calls. Healthy dependencies are slow more often than they
// fail, so Healthy and Sick differ from [Config.WithDefaults].
func (c Config) WithSlowDefaults() Config { return c.withDefaults(0.05, 0.50) }

func (c Config) withDefaults(healthy, sick float64) Config {
	if c.Healthy == 0 {
		c.Healthy = healthy
	}
	if c.Sick == 0 {
		c.Sick = sick
	}
	if c.CallsPerFalseTrip == 0 {
		c.CallsPerFalseTrip = 1e8
	}
	if c.Burst == 0 {
		c.Burst = 1.1
	}
	if c.Memory == 0 {
		c.Memory = 30 * time.Minute
	}
	if c.MaxRise != 0 && c.MaxRiseWindow == 0 {
		c.MaxRiseWindow = 50 * time.Millisecond
	}
	return c
}

// Problem is one thing wrong, or doubtful, in a Config. It has the shape of
// switchgear.Problem and converts to it.
type Problem struct {
	// Path names the field, such as "Evidence.Sick".
	Path string
	// Value is what was found there, or the default that stands for it.
	Value any
	// Bound says what is allowed, or, of a warning, what will happen.
	Bound string
}

// String returns "Evidence.Burst = 9: must be from 1 to 4".
func (p Problem) String() string { return fmt.Sprintf("%s = %v: %s", p.Path, p.Value, p.Bound) }

// Problems returns everything wrong with c, in the order of the fields; none
// means that [NewTest] will accept it. Zero fields are judged as their
// defaults for failures, so a configuration for slow calls goes through
// [Config.WithSlowDefaults] first. The path of each problem begins with path,
// which may be empty.
//
// c is judged as if two tests shared its budget, so that switching on the
// second can never make the first invalid. Cost: one pass over the points of
// the threshold, microseconds as a rule, and milliseconds at worst.
func (c Config) Problems(path string) []Problem {
	c = c.WithDefaults()
	var found []Problem
	refuse := func(field string, value any, bound string, args ...any) {
		found = append(found, Problem{join(path, field), value, fmt.Sprintf(bound, args...)})
	}

	// Written so that NaN, which fails every comparison, is refused too.
	if !(c.Healthy >= minHealthy && c.Healthy < 1) {
		refuse("Healthy", c.Healthy, "must be at least %g and below 1", minHealthy)
	} else if !(c.Sick > c.Healthy && c.Sick < 1) {
		refuse("Sick", c.Sick, "must be above Healthy (%g) and below 1", c.Healthy)
	}
	if !(c.CallsPerFalseTrip >= 1 && c.CallsPerFalseTrip <= maxCalls) {
		refuse("CallsPerFalseTrip", c.CallsPerFalseTrip, "must be from 1 to %g", maxCalls)
	}
	if !(c.Burst >= 1 && c.Burst <= maxBurst) {
		refuse("Burst", c.Burst, "must be from 1 to %d", maxBurst)
	}

	threshold := 1 // the least there is, where the fields above do not lead to one
	if len(found) == 0 {
		h, problem := c.judge()
		if problem != nil {
			refuse(problem.Path, problem.Value, "%s", problem.Bound)
		} else {
			threshold = h
		}
	}

	if c.Memory != off && c.Memory < time.Duration(threshold) {
		refuse("Memory", c.Memory, "must be off or at least %v, a nanosecond per point of the threshold", time.Duration(threshold))
	}
	if c.MaxRise < 0 {
		refuse("MaxRise", c.MaxRise, "must be 0 (no limit) or more")
	}
	if c.MaxRise == 0 && c.MaxRiseWindow != 0 {
		refuse("MaxRiseWindow", c.MaxRiseWindow, "must be 0 unless MaxRise is given")
	} else if c.MaxRiseWindow < 0 {
		refuse("MaxRiseWindow", c.MaxRiseWindow, "must be above 0")
	}
	return found
}

// judge finds the threshold that rates, budget and burst, each good by itself,
// lead to together, or says why there is none.
func (c Config) judge() (threshold int, _ *Problem) {
	points := pointsPerBad(c.Healthy, c.Sick)
	if drift := 1 / (points + 1); !(c.Healthy < drift && drift < c.Sick) {
		if c.Healthy >= 0.5 {
			return 0, &Problem{"Healthy", c.Healthy, "must be below 0.5"}
		}
		return 0, &Problem{"Sick", c.Sick, fmt.Sprintf(
			"must be so far above Healthy (%g) that 1/(m+1) = %.4g lies between them, m = %g being the points per bad outcome",
			c.Healthy, drift, points)}
	}

	budget := maxShares * c.CallsPerFalseTrip
	if h, _, ok := smallestThreshold(int(points), c.Healthy, c.Burst, budget); ok {
		return h, nil
	}
	if _, _, ok := smallestThreshold(int(points), c.Healthy, 1, budget); ok {
		return 0, &Problem{"Burst", c.Burst, fmt.Sprintf(
			"must be so close to 1 that the threshold stays within %d points", MaxThreshold)}
	}
	return 0, &Problem{"Sick", c.Sick, fmt.Sprintf(
		"must be so far above Healthy (%g) that the threshold stays within %d points", c.Healthy, MaxThreshold)}
}

// Warnings returns what is allowed in c but hardly meant. Warnings do not keep
// [NewTest] from accepting c. See [Config.Problems] for path and defaults.
func (c Config) Warnings(path string) []Problem {
	c = c.WithDefaults()
	if c.Sick < 2*c.Healthy {
		return []Problem{{join(path, "Sick"), c.Sick,
			fmt.Sprintf("is less than twice Healthy (%g): it will take very many calls to trip", c.Healthy)}}
	}
	return nil
}

func join(path, field string) string {
	if path == "" {
		return field
	}
	return path + "." + field
}

// CallsPerFalseTrip returns the budget of at most one false trip in duration,
// at a rate of callsPerSecond: 30 days at 100 calls per second are 2.592e8
// calls. It checks nothing; a Config that it goes into is checked.
func CallsPerFalseTrip(duration time.Duration, callsPerSecond float64) float64 {
	return duration.Seconds() * callsPerSecond
}

// pointsPerBad returns how many good outcomes weigh as much as a bad one, as
// evidence for sick against healthy: the ratio of the two log-likelihood
// ratios, rounded, and at least 1. It is a whole number, and where
// healthy < 1/(m+1) also holds, below 1/minHealthy, which fits every int.
func pointsPerBad(healthy, sick float64) float64 {
	bad := math.Log(sick / healthy)
	good := math.Log1p(-healthy) - math.Log1p(-sick)
	return max(1, math.Round(bad/good))
}
