package proof

import (
	"math"
	"time"

	"pgregory.net/rapid"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/evidence"
	"github.com/switchgear-go/switchgear/internal/proof/model"
)

const (
	ms  = time.Millisecond
	sec = time.Second
)

// A setup is everything that a breaker is made of.
type setup struct {
	Config     breaker.Config
	Draws      []float64 // random numbers for the jitter, used in turn
	Classifier bool      // wire the classifier of the tests
	Panics     bool      // have a listener that panics
	Curious    bool      // look at everything after every step, not only when asked
}

// A theme is a part of the specification that a test dwells on. Trip rules that meet
// by chance hide each other: the first to be met opens the breaker.
type theme struct {
	name     string
	rates    bool // T1 may be on
	runs     bool // T3 and T4 may be on
	evidence bool // T6 may be on
	slow     bool // calls are timed (C3); otherwise they may be
	grace    bool // T7 is on
	fragile  bool // a failure or two open it, and it is back soon
	// Weights of ops.
	moves, fades, strands int
}

var themes = []theme{
	{name: "everything", rates: true, runs: true, evidence: true, moves: 2, fades: 2, strands: 2},
	{name: "failure rate", rates: true, moves: 1, strands: 2},
	{name: "slow rate", slow: true, moves: 1, strands: 2},
	{name: "runs and counts", runs: true, moves: 1, strands: 2},
	{name: "evidence", evidence: true, slow: true, moves: 1, fades: 10},
	{name: "half-open", rates: true, fragile: true, moves: 1, strands: 14},
	{name: "grace", rates: true, runs: true, grace: true, moves: 5},
	{name: "operators", runs: true, fragile: true, moves: 25},
}

// drawSetup generates a setup. Values are small and few, so that rules meet often, and
// defaults and Off are among them (Z1).
func (h theme) drawSetup(t *rapid.T) setup {
	return setup{
		Config: h.drawConfig(t),
		Draws: []float64{
			pick(t, "draw", 0.5, 0, 0.25, 0.7, 1), pick(t, "draw", 0.5, 0, 0.25, 0.7, 1), pick(t, "draw", 0.5, 0, 0.25, 0.7, 1),
		},
		Classifier: rapid.Bool().Draw(t, "classifier"),
		Panics:     oneIn(t, 8, "panicking listener"),
		Curious:    oneIn(t, 4, "curious"),
	}
}

func (h theme) drawConfig(t *rapid.T) (c breaker.Config) {
	if rapid.Bool().Draw(t, "count window") {
		c.Window.Calls = pick(t, "calls", 4, 1, 2, 3, 5, 10)
	} else {
		c.Window = pick(t, "window", []breaker.WindowConfig{
			{Length: 3 * sec, Buckets: 3}, {Length: sec, Buckets: 1}, {Length: 10 * sec}, {Length: 2 * sec, Buckets: 4},
			{Length: 100 * ms, Buckets: 7}, {}, {Length: 200 * sec},
		}...)
	}
	c.MinimumCalls = pick(t, "minimum", 3, 1, 2, 5, 8, 0)
	c.FailureRate = switchgear.Off
	if h.slow || rapid.Bool().Draw(t, "slow") {
		c.SlowCall.Duration = pick(t, "slow duration", 10*ms, 1, sec)
		c.SlowCall.Rate = switchgear.Off
		if !h.evidence || oneIn(t, 3, "slow rate too") {
			c.SlowCall.Rate = pick[switchgear.Percent](t, "slow rate", 0, switchgear.Off, 25, 50, 99.99, 100)
		}
	}
	if h.rates {
		c.FailureRate = pick[switchgear.Percent](t, "failure rate", switchgear.Off, 0, 1, 25, 33.33, 50, 66.67, 100)
	}
	if h.runs {
		c.ConsecutiveFailures = pick(t, "consecutive", 0, switchgear.Off, 1, 2, 3, 5)
		c.FailureCount = pick(t, "failure count", 0, switchgear.Off, 1, 2, 4, 6)
		if n := c.Window.Calls; n > 0 {
			c.FailureCount = min(c.FailureCount, n)
		}
	}
	if h.evidence {
		which := pick(t, "evidence", 1, 2, 3)
		if which != 2 {
			c.Evidence = drawEvidence(t)
		}
		if which != 1 && c.SlowCall.Duration > 0 {
			c.SlowEvidence = drawEvidence(t)
		}
	}
	if h.grace {
		c.Grace = pick(t, "grace", 30*sec, 200*sec)
	}
	if h.fragile {
		c.ConsecutiveFailures = pick(t, "consecutive", 1, 2)
	}
	c.Open = h.drawOpen(t)
	c.HalfOpen = drawHalfOpen(t)
	return c
}

// drawEvidence generates tests with low thresholds, so that they are reached.
func drawEvidence(t *rapid.T) *evidence.Config {
	c := pick(t, "rates", []evidence.Config{
		{Healthy: 0.1, Sick: 0.6, CallsPerFalseTrip: 20, Burst: 1},   // m = 2
		{Healthy: 0.05, Sick: 0.5, CallsPerFalseTrip: 100, Burst: 1}, // m = 4
		{Healthy: 0.3, Sick: 0.7, CallsPerFalseTrip: 10, Burst: 1.5}, // m = 1
		{}, // the defaults: m = 10, H = 75
	}...)
	c.Memory = pick[time.Duration](t, "memory", switchgear.Off, 0, 4*sec, 30*sec, 1000)
	if oneIn(t, 3, "rise limit") {
		c.MaxRise = pick(t, "max rise", 1, 2, 3)
		c.MaxRiseWindow = pick(t, "rise window", 0, 500*ms, 2*sec)
	}
	return &c
}

func (h theme) drawOpen(t *rapid.T) breaker.OpenConfig {
	o := breaker.OpenConfig{
		Wait:      pick(t, "wait", 2*sec, 0, 1, 500*ms),
		Factor:    pick(t, "factor", 1, 0, 1.5, 2, 10),
		Jitter:    pick[switchgear.Percent](t, "jitter", switchgear.Off, 0, 1, 12.5, 50),
		MaxHint:   pick[time.Duration](t, "max hint", 0, switchgear.Off, 5*sec),
		Automatic: oneIn(t, 3, "automatic"),
	}
	if h.fragile {
		o.Wait = pick(t, "short wait", 100*ms, 500*ms)
	}
	if o.Wait > 0 && rapid.Bool().Draw(t, "cap") {
		o.MaxWait = o.Wait * pick[time.Duration](t, "max wait", 3, 1)
	}
	return o
}

func drawHalfOpen(t *rapid.T) breaker.HalfOpenConfig {
	h := breaker.HalfOpenConfig{
		Probes:     pick(t, "probes", 2, 1, 3, 5, 0),
		MaxWait:    pick[time.Duration](t, "max stay", 0, 0, switchgear.Off, 3*sec),
		ProbeLimit: pick[time.Duration](t, "probe limit", 0, switchgear.Off, sec, 4*sec),
	}
	if rapid.Bool().Draw(t, "by streak") {
		h.Verdict = breaker.ByStreak
		h.Successes = pick(t, "successes", 0, 1, 2, 4)
	}
	return h
}

// pick draws one of the values, all with the same chance; towards the first in shrinking.
// (The generators of rapid prefer small numbers, so that what stands last would hardly
// ever come.)
func pick[T any](t *rapid.T, label string, values ...T) T {
	return rapid.Custom(func(t *rapid.T) T { return values[index(t, len(values))] }).Draw(t, label)
}

func oneIn(t *rapid.T, n int, label string) bool { return chosen(n).Draw(t, label) == n-1 }

// chosen generates an index below n.
func chosen(n int) *rapid.Generator[int] {
	return rapid.Custom(func(t *rapid.T) int { return index(t, n) })
}

func index(t *rapid.T, n int) (i int) {
	for range 10 {
		i *= 2
		if rapid.Bool().Draw(t, "bit") {
			i++
		}
	}
	return i % n
}

// modelConfig reads a configuration as the specification does: it fills in the defaults
// that the rules name.
func (s *setup) modelConfig() model.Config {
	c := s.Config
	m := model.Config{
		Minimum:      orDefault(c.MinimumCalls, 20),
		FailureRate:  hundredths(c.FailureRate, 50),
		Slow:         orOff(c.SlowCall.Duration),
		Consecutive:  int64(orOff(c.ConsecutiveFailures)),
		FailureCount: int64(orOff(c.FailureCount)),
		Grace:        c.Grace,

		Wait:      orDefault(c.Open.Wait, 30*sec),
		Factor:    orDefault(c.Open.Factor, 1),
		Jitter:    hundredths(c.Open.Jitter, 10),
		MaxHint:   orOff(orDefault(c.Open.MaxHint, 5*time.Minute)),
		Automatic: c.Open.Automatic,
		Draws:     s.Draws,

		Probes:  orDefault(c.HalfOpen.Probes, 5),
		Streak:  c.HalfOpen.Verdict == breaker.ByStreak,
		MaxStay: orOff(c.HalfOpen.MaxWait),
	}
	if m.Slow > 0 {
		m.SlowRate = hundredths(c.SlowCall.Rate, 100)
	}
	m.MaxWait = orDefault(c.Open.MaxWait, 10*m.Wait)
	m.Successes = orDefault(c.HalfOpen.Successes, m.Probes)
	m.ProbeLimit = orOff(orDefault(c.HalfOpen.ProbeLimit, m.Wait))

	m.Calls = c.Window.Calls
	if m.Calls == 0 {
		length := orDefault(c.Window.Length, time.Minute)
		seconds := int(math.Ceil(length.Seconds()))
		m.Buckets = orDefault(c.Window.Buckets, min(max(seconds, 1), 60))
		m.Bucket = time.Duration(math.Ceil(float64(length) / float64(m.Buckets)))
	}
	shares := 1
	if c.Evidence != nil && c.SlowEvidence != nil {
		shares = 2
	}
	if c.Evidence != nil {
		m.Failures = modelEvidence(*c.Evidence, shares)
	}
	if c.SlowEvidence != nil {
		m.Slows = modelEvidence(c.SlowEvidence.WithSlowDefaults(), shares)
	}
	return m
}

// modelEvidence takes the numbers m and H from package evidence, which tests them
// against the table that came with the rule.
func modelEvidence(c evidence.Config, shares int) *model.Evidence {
	test, err := evidence.NewTest(c, shares)
	if err != nil {
		panic(err)
	}
	e := &model.Evidence{Points: int64(test.Points()), Threshold: int64(test.Threshold())}
	if c.Memory != switchgear.Off {
		e.Per = orDefault(c.Memory, 30*time.Minute) / time.Duration(e.Threshold)
	}
	if c.MaxRise > 0 {
		e.MaxRise, e.RiseWindow = int64(c.MaxRise), orDefault(c.MaxRiseWindow, 50*ms)
	}
	return e
}

func orDefault[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}

// orOff is 0 for what is switched off.
func orOff[T int | time.Duration](v T) T {
	if v == switchgear.Off {
		return 0
	}
	return v
}

func hundredths(p, def switchgear.Percent) int64 {
	if p = orDefault(p, def); p == switchgear.Off {
		return 0
	}
	return int64(math.Round(float64(p) * 100))
}
