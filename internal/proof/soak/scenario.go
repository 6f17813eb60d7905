package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/evidence"
)

// A focus is what a round is mainly about; everything else in it is left to chance. Rounds
// take their turns, so that a short run, too, comes by everything.
type focus string

const (
	anything      focus = "anything"
	rates         focus = "rates"          // T1
	slowCalls     focus = "slow calls"     // T2, and probes that are slow
	runs          focus = "runs"           // T3, T4
	proofs        focus = "evidence"       // T6
	slowProofs    focus = "slow evidence"  // T6
	lateVerdicts  focus = "late verdicts"  // H6, H8
	operators     focus = "operators"      // S4
	reconfiguring focus = "reconfiguring"  // R
	restarts      focus = "restarts"       // B
	calm          focus = "calm"           // nothing trips: the books must be exact
	contention    focus = "contention"     // nobody looks, so nothing orders the callers
	stampede      focus = "probe stampede" // H1
)

var foci = []focus{
	anything, rates, slowCalls, runs, proofs, slowProofs, lateVerdicts, operators, reconfiguring, restarts, calm, contention, stampede,
}

// A scenario is what one round does. It is drawn from the seed and the round's number alone.
type scenario struct {
	focus    focus
	virtual  bool
	breakers int
	workers  int
	ops      int
	acts     int // after each but the last, all is saved, and restored to new breakers

	// bare tells that callers look at nothing that listeners write. What they know less of, the
	// race detector sees more of: nothing but the breaker orders them.
	bare bool

	pool    []breaker.Config
	climate []weather
	epoch   int           // operations of a worker between two changes of the weather, as a power of two
	unit    time.Duration // about how long an operation takes, for durations to be multiples of
	seed    uint64        // of everything else that is random

	recent     int  // events that a breaker remembers
	async      int  // length of an asynchronous listener's queue; 0 for none
	classifier bool // the breaker has one
	kinds      bool // and a function for the kinds of errors
	callbacks  bool // by a listener
	panics     bool // of a listener
	quits      bool // of goroutines, by a listener and by errors
	badRandom  bool // numbers out of bounds
	jumps      bool // of the wall clock
	permits    bool // all calls are made by Acquire, so that callers know of every probe
	keep       int  // permits that a worker keeps out
	lose       int  // of 1,024 of these, so many are never settled
	hints      []time.Duration
	odds       odds
}

// odds are how many of 65,536 operations are of a kind.
type odds struct{ move, reset, reconfigure, look, save, restart, restore, close int }

// weather is how the dependency fares for a while: the share of calls, of 1024, that fail, and
// that take long.
type weather struct{ failing, slow int }

// String returns everything about the scenario, with the configurations as JSON.
func (s *scenario) String() string {
	rest := *s
	rest.pool = nil
	pool, err := json.Marshal(s.pool)
	if err != nil {
		pool = fmt.Appendf(nil, "%+v", s.pool)
	}
	return fmt.Sprintf("%+v, configurations %s", rest, pool)
}

// drawScenario draws the round's scenario, of about so many operations.
func drawScenario(seed uint64, round, ops int) *scenario {
	d := &draw{rand.New(rand.NewPCG(seed, uint64(round)))}
	s := &scenario{
		focus: foci[round%len(foci)], virtual: d.oneIn(2), acts: 1, seed: d.Uint64(),
		epoch: 5 + d.IntN(8), recent: 8, keep: d.IntN(4), hints: nil,
		classifier: d.oneIn(3), kinds: d.oneIn(3), callbacks: d.oneIn(3), panics: d.oneIn(4), quits: d.oneIn(5),
		badRandom: d.oneIn(4), jumps: d.oneIn(3), permits: d.oneIn(3), bare: d.oneIn(4),
		odds: odds{look: d.among(20, 200, 1000)},
	}
	s.ops = max(ops/4+d.IntN(max(ops*3/2, 1)), 1)
	switch crowd := d.IntN(8); crowd {
	case 0:
		s.workers, s.breakers = 1, 1+d.IntN(3)
	case 1, 2: // few on many, which must have calls enough to get anywhere
		s.workers, s.breakers = 2+d.IntN(3), 10+d.IntN(max(min(s.ops/500, 300), 1))
	case 3:
		s.workers, s.breakers = 64, 1
	default:
		s.workers, s.breakers = 2+d.IntN(15), 1+d.IntN(4)
	}
	s.unit = time.Microsecond
	if s.virtual {
		s.unit = time.Millisecond
	}
	s.hints = []time.Duration{s.unit, 20 * s.unit, 5000 * s.unit}
	if d.oneIn(6) {
		s.recent = d.among(0, 1, 32)
	}
	if d.oneIn(4) {
		s.async = d.among(1, 16, 256)
	}
	if d.oneIn(4) {
		s.keep, s.lose = 4+d.IntN(12), d.among(10, 100, 500)
	}
	if d.oneIn(3) {
		s.odds.move, s.odds.reset, s.odds.save = d.among(5, 50), d.among(5, 50), d.among(0, 10)
	}
	if d.oneIn(5) {
		s.odds.close = 1
	}
	s.climate = d.climate(d.oneIn(3))

	configs := 1
	switch s.focus {
	case slowCalls, slowProofs:
		s.climate = d.climate(true)
	case lateVerdicts:
		s.keep = 8
	case operators:
		s.odds.move, s.odds.reset = 500, 200
	case reconfiguring:
		configs = 2 + d.IntN(4)
		s.odds.reconfigure = d.among(20, 200, 1000)
	case restarts:
		s.acts, s.quits = 3, false
		s.odds.save, s.odds.restart, s.odds.restore, s.odds.move = 20, 20, d.among(0, 10), 30
	case calm:
		s.odds.move, s.odds.reset, s.callbacks = 0, 0, false
	case contention:
		s.workers, s.breakers, s.bare, s.keep = 16+d.IntN(48), 1+d.IntN(2), true, 1
	case stampede:
		s.workers, s.breakers, s.permits, s.bare, s.recent, s.callbacks = 16, 1, true, false, 32, false
	case anything:
		if d.oneIn(3) {
			configs = 3
			s.odds.reconfigure = 30
		}
	}
	for range configs {
		s.pool = append(s.pool, d.config(s))
	}
	return s
}

// A draw makes choices.
type draw struct{ *rand.Rand }

func (d *draw) oneIn(n int) bool { return d.IntN(n) == 0 }

func (d *draw) among(values ...int) int { return values[d.IntN(len(values))] }

// of returns a random multiple of a unit.
func (d *draw) of(unit time.Duration, times ...int) time.Duration {
	return time.Duration(d.among(times...)) * unit
}

func (d *draw) climate(slow bool) []weather {
	var c []weather
	for range 8 {
		w := weather{failing: d.among(0, 0, 0, 2, 20, 300, 600, 1024)}
		if slow {
			w.slow = d.among(0, 10, 500, 1024)
			if w.slow > 100 {
				w.failing = d.among(0, 0, 300)
			}
		}
		c = append(c, w)
	}
	return c
}

// config draws one configuration, always a valid one.
func (d *draw) config(s *scenario) breaker.Config {
	u, f := s.unit, s.focus
	any := f == anything || f == operators || f == reconfiguring || f == restarts || f == contention || f == stampede
	c := breaker.Config{
		MinimumCalls: d.among(1, 2, 5, 20, 50),
		FailureRate:  off,
	}
	if d.oneIn(2) {
		c.Window.Calls = d.among(1, 5, 20, 100, 1000)
	} else {
		c.Window.Length = max(d.of(u, 5, 20, 100, 1000), time.Millisecond)
		c.Window.Buckets = min(d.among(1, 2, 5, 10), int(c.Window.Length/time.Millisecond))
	}
	if f == rates || any && d.oneIn(2) || (f == slowCalls || f == runs) && d.oneIn(3) {
		c.FailureRate = switchgear.Percent(d.among(1, 10, 30, 50, 75, 100))
	}
	if f == slowCalls || f == slowProofs || any && d.oneIn(3) {
		c.SlowCall.Duration = max(u/2*time.Duration(d.among(0, 1, 2, 4)), 1)
		c.SlowCall.Rate = switchgear.Percent(d.among(10, 50, 80, 100))
		if f == slowProofs || d.oneIn(5) {
			c.SlowCall.Rate = off
		}
	}
	if f == runs || any && d.oneIn(4) {
		if d.oneIn(2) {
			c.ConsecutiveFailures = d.among(1, 2, 5, 10)
		} else {
			c.FailureCount = d.among(1, 3, 10, 40)
		}
		if n := c.Window.Calls; n > 0 {
			c.FailureCount = min(c.FailureCount, n)
		}
	}
	if f == proofs || any && d.oneIn(4) {
		c.Evidence = d.evidence(u)
	}
	if c.SlowCall.Duration > 0 && (f == slowProofs || any && d.oneIn(3)) {
		c.SlowEvidence = d.evidence(u)
	}
	if f == lateVerdicts {
		c.ConsecutiveFailures = d.among(1, 3)
	}
	if d.oneIn(6) {
		c.Grace = d.of(u, 10, 500)
	}
	if d.oneIn(5) {
		c.EnoughTime = time.Second
	}
	c.Open, c.HalfOpen = d.open(u), d.halfOpen(u, f)
	if !s.virtual && c.Open.Automatic && c.HalfOpen.MaxWait > 0 {
		// Such a breaker goes round and round by itself. Many of them must not take the machine.
		c.HalfOpen.MaxWait = max(c.HalfOpen.MaxWait, time.Duration(s.breakers)*100*u)
	}
	if s.lose > 0 && f != lateVerdicts && d.oneIn(4) {
		c.HalfOpen.ProbeLimit = 0 // or nothing would ever end a period whose probes are lost
	}
	if f == calm {
		return d.calmConfig(c, u)
	}
	return c
}

// calmConfig makes of a configuration one that only counts. Its window is one of calls, or so
// long that nothing expires, so that what it holds can be computed.
func (d *draw) calmConfig(c breaker.Config, u time.Duration) breaker.Config {
	c = breaker.Config{Window: c.Window, FailureRate: off, EnoughTime: c.EnoughTime}
	if c.Window.Calls == 0 {
		c.Window = breaker.WindowConfig{Length: 30 * 24 * time.Hour, Buckets: d.among(1, 3000)}
	}
	if d.oneIn(2) {
		c.SlowCall = breaker.SlowCallConfig{Duration: u, Rate: off}
	}
	return c
}

func (d *draw) evidence(u time.Duration) *evidence.Config {
	e := []evidence.Config{
		{Healthy: 0.1, Sick: 0.6, CallsPerFalseTrip: 20, Burst: 1},
		{Healthy: 0.05, Sick: 0.5, CallsPerFalseTrip: 100},
		{Healthy: 0.3, Sick: 0.7, CallsPerFalseTrip: 1000, Burst: 1.5},
		{},
	}[d.IntN(4)]
	e.Memory = []time.Duration{off, 0, 1000 * u}[d.IntN(3)]
	if d.oneIn(3) {
		e.MaxRise, e.MaxRiseWindow = d.among(1, 3), d.of(u, 1, 20)
	}
	return &e
}

func (d *draw) open(u time.Duration) breaker.OpenConfig {
	o := breaker.OpenConfig{
		Wait:      max(d.of(u, 0, 1, 5, 20, 100), 1),
		Jitter:    switchgear.Percent(d.among(off, 0, 1, 50)),
		Factor:    []float64{1, 1.5, 2, 100}[d.IntN(4)],
		MaxHint:   []time.Duration{off, 10 * u, 100 * u}[d.IntN(3)],
		Automatic: d.oneIn(4),
	}
	if d.oneIn(2) {
		o.MaxWait = o.Wait * time.Duration(d.among(1, 3))
	}
	return o
}

func (d *draw) halfOpen(u time.Duration, f focus) breaker.HalfOpenConfig {
	h := breaker.HalfOpenConfig{
		Probes:     d.among(1, 2, 3, 5, 8),
		ProbeLimit: []time.Duration{off, 0, 20 * u, 200 * u, time.Hour}[d.IntN(5)],
	}
	if d.oneIn(2) {
		h.Verdict = breaker.ByStreak
		h.Successes = d.among(0, 1, 3, 12)
	}
	if d.oneIn(4) {
		h.MaxWait = d.of(u, 20, 200)
	}
	switch f {
	case lateVerdicts:
		h.Probes, h.MaxWait = d.among(5, 8), d.of(u, 5, 20)
		h.ProbeLimit = []time.Duration{off, 5 * u, time.Hour}[d.IntN(3)]
	case slowCalls:
		h.Verdict, h.Successes = breaker.ByRate, 0
	case stampede:
		h.ProbeLimit = []time.Duration{off, time.Hour, 2000 * u}[d.IntN(3)]
	}
	return h
}
