package breaker

import (
	"math"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/evidence"
	"github.com/switchgear-go/switchgear/internal/check"
)

const (
	maxCalls     = 1_000_000_000
	maxWindow    = 10_000_000
	maxBuckets   = 3_600
	minBucket    = time.Millisecond
	maxProbes    = 10_000
	maxFactor    = 100
	maxJitter    = 50
	maxDuration  = check.MaxDuration
	off          = switchgear.Off
	defaultRate  = 50_00 // hundredths of a percent; also the verdict's where T1 is off (H2)
	defaultProbe = 5
)

// checker goes through a configuration once, fills in defaults and collects
// everything that is wrong.
type checker struct{ check.Checker }

// compile validates cfg as a whole, fills in its defaults and derives the
// numbers that the breaker works with.
func compile(name string, cfg Config) (*rules, error) {
	var c checker
	r := &rules{}

	c.window(&cfg.Window)
	c.Int("MinimumCalls", &cfg.MinimumCalls, 20, 1, maxCalls, false)
	r.minimum = int64(cfg.MinimumCalls)
	if n := cfg.Window.Calls; n > 0 && cfg.MinimumCalls > n {
		r.minimum = int64(n)
		c.Doubt("MinimumCalls", cfg.MinimumCalls, "is more than Window.Calls = %d, so %d calls are enough", n, n)
	}
	r.failureRate = c.Percent("FailureRate", &cfg.FailureRate, 50)
	c.slowCall(&cfg.SlowCall, r)
	c.Int("ConsecutiveFailures", &cfg.ConsecutiveFailures, off, 1, maxCalls, true)
	r.consecutive = int64(max(cfg.ConsecutiveFailures, 0))
	c.Int("FailureCount", &cfg.FailureCount, off, 1, maxCalls, true)
	r.failureCount = int64(max(cfg.FailureCount, 0))
	if n := cfg.Window.Calls; n > 0 && cfg.FailureCount > n {
		c.Wrong("FailureCount", cfg.FailureCount, "must be at most Window.Calls = %d, or it can never be reached", n)
	}
	c.evidence(&cfg, r)
	c.Duration("Grace", &cfg.Grace, 0, 0, maxDuration, false)
	c.Duration("EnoughTime", &cfg.EnoughTime, 0, 0, maxDuration, false)
	c.open(&cfg.Open, r)
	c.halfOpen(&cfg.HalfOpen, cfg.Open.Wait, r)

	if len(c.Problems) > 0 {
		return nil, &switchgear.ConfigError{Policy: "breaker", Name: name, Problems: c.Problems}
	}
	if !r.canTrip() {
		c.Doubt("FailureRate", cfg.FailureRate, "every trip rule is off, so the breaker only counts")
	}
	r.cfg = cfg
	r.clocked = r.timed() || r.slow > 0
	r.warnings = c.Warnings
	return r, nil
}

func (c *checker) window(w *WindowConfig) {
	if w.Calls != 0 {
		if w.Length != 0 {
			c.Wrong("Window.Length", w.Length, "must be 0 when Window.Calls is set: a window counts calls or time")
		}
		if w.Buckets != 0 {
			c.Wrong("Window.Buckets", w.Buckets, "must be 0 when Window.Calls is set: only a time window has buckets")
		}
		c.Int("Window.Calls", &w.Calls, 0, 1, maxWindow, false)
		return
	}
	c.Duration("Window.Length", &w.Length, time.Minute, minBucket, maxDuration, false)
	perSecond := (w.Length + time.Second - 1) / time.Second
	c.Int("Window.Buckets", &w.Buckets, int(min(max(perSecond, 1), 60)), 1, maxBuckets, false)
	if w.Buckets > 1 && w.Length > 0 && w.Length/time.Duration(w.Buckets) < minBucket {
		c.Wrong("Window.Buckets", w.Buckets, "must be at most %d, so that no bucket is shorter than %v", w.Length/minBucket, minBucket)
	}
}

func (c *checker) slowCall(s *SlowCallConfig, r *rules) {
	rateSet := s.Rate != 0
	c.Duration("SlowCall.Duration", &s.Duration, off, 1, maxDuration, true)
	slowRate := c.Percent("SlowCall.Rate", &s.Rate, 100)
	if s.Duration > 0 {
		r.slow, r.slowRate = s.Duration, slowRate
		return
	}
	if rateSet && s.Rate != off {
		c.Wrong("SlowCall.Rate", float64(s.Rate), "needs SlowCall.Duration: without it no call is slow")
	}
	s.Rate = off
}

// evidence compiles the sequential tests. With both on, each gets half of the
// budget of false trips.
func (c *checker) evidence(cfg *Config, r *rules) {
	shares := 1
	if cfg.Evidence != nil && cfg.SlowEvidence != nil {
		shares = 2
	}
	test := func(path string, e *evidence.Config) *evidence.Test {
		for _, p := range e.Problems(path) {
			c.Problems = append(c.Problems, switchgear.Problem(p))
		}
		for _, p := range e.Warnings(path) {
			c.Warnings = append(c.Warnings, switchgear.Problem(p))
		}
		t, _ := evidence.NewTest(*e, shares) // nil where there were problems, and only there
		return t
	}
	if cfg.Evidence != nil {
		e := cfg.Evidence.WithDefaults() // a copy: the caller's value stays the caller's
		cfg.Evidence = &e
		r.evidence = test("Evidence", &e)
	}
	if cfg.SlowEvidence != nil {
		e := cfg.SlowEvidence.WithSlowDefaults()
		cfg.SlowEvidence = &e
		r.slowEvidence = test("SlowEvidence", &e)
		if r.slow == 0 {
			c.Wrong("SlowEvidence", "on", "needs SlowCall.Duration: without it no call is slow")
		}
	}
	r.everyOutcome = r.evidence != nil && r.evidence.NeedsEveryOutcome() ||
		r.slowEvidence != nil && r.slowEvidence.NeedsEveryOutcome()
}

func (c *checker) open(o *OpenConfig, r *rules) {
	c.Duration("Open.Wait", &o.Wait, 30*time.Second, 1, maxDuration, false)
	if o.Factor == 0 {
		o.Factor = 1
	}
	if !(o.Factor >= 1 && o.Factor <= maxFactor) {
		c.Wrong("Open.Factor", o.Factor, "must be from 1 to %d", maxFactor)
	}
	c.Duration("Open.MaxWait", &o.MaxWait, min(10*max(o.Wait, 0), maxDuration), 1, maxDuration, false)
	if o.MaxWait > 0 && o.MaxWait < o.Wait && o.Wait <= maxDuration {
		c.Wrong("Open.MaxWait", o.MaxWait, "must be at least Open.Wait = %v", o.Wait)
	}
	r.jitter = float64(c.Percent("Open.Jitter", &o.Jitter, 10)) / 100_00
	if r.jitter > maxJitter/100. {
		c.Wrong("Open.Jitter", float64(o.Jitter), "must be at most %d percent, so that every interval is a real wait", maxJitter)
	}
	c.Duration("Open.MaxHint", &o.MaxHint, 5*time.Minute, 1, maxDuration, true)
}

func (c *checker) halfOpen(h *HalfOpenConfig, wait time.Duration, r *rules) {
	c.Int("HalfOpen.Probes", &h.Probes, defaultProbe, 1, maxProbes, false)
	if h.Verdict > ByStreak {
		c.Wrong("HalfOpen.Verdict", uint8(h.Verdict), "must be ByRate or ByStreak")
	}
	if h.Verdict == ByRate && h.Successes != 0 {
		c.Wrong("HalfOpen.Successes", h.Successes, "must be 0 unless HalfOpen.Verdict is ByStreak: a verdict by rate counts outcomes")
	}
	if h.Verdict == ByStreak {
		c.Int("HalfOpen.Successes", &h.Successes, h.Probes, 1, maxProbes, false)
	}
	c.Duration("HalfOpen.MaxWait", &h.MaxWait, off, 1, maxDuration, true)
	c.Duration("HalfOpen.ProbeLimit", &h.ProbeLimit, max(wait, 1), 1, maxDuration, true)

	r.probes = h.Probes
	r.needed = min(r.minimum, int64(h.Probes))
	r.verdictRate = r.failureRate
	if r.verdictRate == 0 {
		r.verdictRate = defaultRate
	}
	r.probeLimit = time.Duration(math.MaxInt64)
	if h.ProbeLimit > 0 {
		r.probeLimit = h.ProbeLimit
	}
}
