package breaker_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
)

// wait trips the breaker, or lets its recovery fail, and returns the interval that
// follows.
func (r *rig) wait() time.Duration {
	r.t.Helper()
	if r.State() == breaker.Open {
		r.clock.Advance(r.Snapshot().RetryAfter)
		r.fail(1)
	}
	r.trip()
	s := r.Snapshot()
	equal(r.t, "the record's wait", s.LastTrip.Wait, s.RetryAfter)
	return s.RetryAfter
}

// recover closes an open breaker.
func (r *rig) recover() {
	r.t.Helper()
	r.clock.Advance(r.Snapshot().RetryAfter)
	for range r.Config().HalfOpen.Probes {
		r.succeed(1)
	}
	r.in(breaker.Closed)
}

func TestIntervalLength(t *testing.T) {
	growing := with(func(c *breaker.Config) { c.Open.Factor = 2 })
	s := time.Second

	t.Run("O1: the default is 30 s, without growth", func(t *testing.T) {
		r := newRig(t, breaker.Config{Open: breaker.OpenConfig{Jitter: off}})
		for range 5 {
			equal(t, "wait", r.wait(), 30*s)
		}
	})
	t.Run("O1: it grows by the factor with each failed recovery, up to the cap", func(t *testing.T) {
		r := newRig(t, growing)
		for i, want := range []time.Duration{10 * s, 20 * s, 40 * s, 80 * s, 100 * s, 100 * s} {
			equal(t, "wait", r.wait(), want)
			equal(t, "steps in the record", r.Snapshot().LastTrip.Retrips, i)
		}
	})
	t.Run("O1: the cap is applied before jitter", func(t *testing.T) {
		cfg := growing
		cfg.Open.MaxWait, cfg.Open.Jitter = 15*s, 10
		r := newRig(t, cfg, breaker.WithRandom(func() float64 { return 1 }))
		equal(t, "first wait", r.wait(), 11*s)
		equal(t, "second wait", r.wait(), 16500*time.Millisecond)
	})
	t.Run("O1: growth falls by one step per base wait spent CLOSED, so flapping lengthens too", func(t *testing.T) {
		r := newRig(t, growing)
		r.wait()
		r.wait()
		equal(t, "after two failed recoveries", r.wait(), 40*s)
		r.recover()
		equal(t, "at once after a recovery", r.wait(), 80*s)
		r.recover()
		r.clock.Advance(10*s - ns)
		equal(t, "after less than a base wait", r.wait(), 100*s) // 160 s, capped
		r.recover()
		r.clock.Advance(20 * s)
		equal(t, "after two base waits", r.wait(), 80*s) // five steps less two
		r.recover()
		r.clock.Advance(39 * s)
		equal(t, "after three", r.wait(), 20*s)
		r.recover()
		r.clock.Advance(1000 * time.Hour)
		equal(t, "after long", r.wait(), 10*s)
	})
	t.Run("O1: only time spent CLOSED counts", func(t *testing.T) {
		r := newRig(t, growing)
		r.wait()
		r.wait()
		r.move(breaker.Disabled)
		r.clock.Advance(1000 * time.Hour)
		r.move(breaker.Closed)
		equal(t, "wait", r.wait(), 40*s)
	})
	t.Run("O1: a reset forgets the growth", func(t *testing.T) {
		r := newRig(t, growing)
		r.wait()
		r.wait()
		if err := r.Reset("ana", "fixed"); err != nil {
			t.Fatal(err)
		}
		equal(t, "wait", r.wait(), 10*s)
	})
	t.Run("O1: an operator's OPEN takes the length in force and adds no step", func(t *testing.T) {
		r := newRig(t, growing)
		r.wait()
		for range 3 {
			r.move(breaker.Open)
			equal(t, "wait", r.Snapshot().RetryAfter, 20*s)
		}
		equal(t, "wait", r.wait(), 20*s)
	})
	t.Run("O1: no factor and no number of trips overflows", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) {
			c.Open = breaker.OpenConfig{Wait: time.Hour, Factor: 100, MaxWait: 30 * 24 * time.Hour, Jitter: off}
		}))
		for i := range 500 {
			want := 30 * 24 * time.Hour
			if i < 2 {
				want = []time.Duration{1, 100}[i] * time.Hour
			}
			equal(t, "wait", r.wait(), want)
		}
	})
}

func TestJitter(t *testing.T) {
	t.Run("O2: ten percent to either side by default, drawn once per period", func(t *testing.T) {
		draws := 0
		u := 0.0
		r := newRig(t, breaker.Config{}, breaker.WithRandom(func() float64 { draws++; return u }))
		for i, want := range []time.Duration{27, 30, 33} {
			u = float64(i) / 2
			equal(t, "wait", r.wait(), want*time.Second)
			for range 10 {
				r.refused()
				r.Snapshot()
				r.clock.Advance(time.Second)
			}
			equal(t, "draws", draws, i+1)
		}
	})
	t.Run("O2: off means exactly the wait, and no draw", func(t *testing.T) {
		r := newRig(t, plain(), breaker.WithRandom(func() float64 { t.Error("a number was drawn"); return 0 }))
		equal(t, "wait", r.wait(), 10*time.Second)
	})
	t.Run("O2: an operator's OPEN is jittered too", func(t *testing.T) {
		r := newRig(t, breaker.Config{}, breaker.WithRandom(func() float64 { return 1 }))
		r.move(breaker.Open)
		equal(t, "wait", r.Snapshot().RetryAfter, 33*time.Second)
	})
	t.Run("O2: never negative, never beyond its bounds, whatever the source says", func(t *testing.T) {
		for _, u := range []float64{-1, 2, math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 1e300} {
			r := newRig(t, breaker.Config{Open: breaker.OpenConfig{Jitter: 50}}, breaker.WithRandom(func() float64 { return u }))
			if wait := r.wait(); wait < 15*time.Second || wait > 45*time.Second {
				t.Errorf("random number %v: wait %v", u, wait)
			}
		}
	})
	t.Run("O2: the default source spreads a fleet", func(t *testing.T) {
		seen := map[time.Duration]bool{}
		for range 20 {
			r := newRig(t, breaker.Config{})
			wait := r.wait()
			if wait < 27*time.Second || wait > 33*time.Second {
				t.Errorf("wait %v", wait)
			}
			seen[wait] = true
		}
		if len(seen) < 15 {
			t.Errorf("20 breakers wait for %d different times", len(seen))
		}
	})
}

func TestHints(t *testing.T) {
	failWith := func(r *rig, hints ...time.Duration) {
		for _, h := range hints {
			p := r.admitted()
			p.Failure(switchgear.WithRetryAfter(errDown, h))
		}
	}
	s := time.Second
	t.Run("O3: the longest hint of the period lengthens the interval", func(t *testing.T) {
		r := newRig(t, plain())
		failWith(r, 20*s, 90*s, 30*s, 0)
		r.retryAfter(90 * s)
		trip := r.Snapshot().LastTrip
		equal(t, "wait in the record", trip.Wait, 90*s)
		equal(t, "hint in the record", trip.Hint, 90*s)
	})
	t.Run("O3: also if the error was given to Done", func(t *testing.T) {
		r := newRig(t, plain())
		for range 4 {
			p := r.admitted()
			p.Done(fmt.Errorf("fetching: %w", switchgear.WithRetryAfter(errDown, time.Minute)))
		}
		r.retryAfter(time.Minute)
	})
	t.Run("O3: a hint never shortens it", func(t *testing.T) {
		r := newRig(t, plain())
		failWith(r, s, s, s, s)
		r.retryAfter(10 * s)
	})
	t.Run("O3: the cap is 5 minutes by default", func(t *testing.T) {
		r := newRig(t, plain())
		failWith(r, 0, 0, 0, 24*time.Hour)
		r.retryAfter(5 * time.Minute)
	})
	t.Run("O3: hints can be switched off", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.Open.MaxHint = off }))
		failWith(r, 90*s, 90*s, 90*s, 90*s)
		r.retryAfter(10 * s)
	})
	t.Run("O3: a hint lengthens a grown interval as well, but does not grow itself", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.Open.Factor = 2 }))
		r.wait()
		equal(t, "wait", r.wait(), 20*s)
		r.clock.Advance(20 * s)
		failWith(r, 50*s, 0)
		r.retryAfter(50 * s) // not 40, not 80
	})
	t.Run("O3: only failures give hints", func(t *testing.T) {
		r := newRig(t, plain())
		hinted := switchgear.WithRetryAfter(errDown, time.Minute)
		for _, err := range []error{switchgear.MarkSuccess(hinted), switchgear.MarkIgnored(hinted)} {
			p := r.admitted()
			p.Done(err)
		}
		r.fail(3)
		r.retryAfter(10 * s)
	})
	t.Run("O3: hints of an earlier period are forgotten", func(t *testing.T) {
		r := newRig(t, plain())
		failWith(r, time.Minute)
		r.move(breaker.Closed)
		r.fail(4)
		r.retryAfter(10 * s)
	})
	t.Run("O3: a late failure gives no hint", func(t *testing.T) {
		r := newRig(t, plain())
		stale := r.admitted()
		r.move(breaker.Closed)
		stale.Failure(switchgear.WithRetryAfter(errDown, time.Minute))
		r.fail(4)
		r.retryAfter(10 * s)
	})
	t.Run("O3: a failed probe's hint counts", func(t *testing.T) {
		r := newRig(t, plain())
		p := r.probing()
		p.Failure(switchgear.WithRetryAfter(errDown, time.Minute))
		r.fail(1)
		r.retryAfter(time.Minute)
	})
	t.Run("O3: a hinted wait is jittered upwards only", func(t *testing.T) {
		for u, want := range map[float64]time.Duration{0: 60 * s, 0.5: 63 * s, 1: 66 * s} {
			r := newRig(t, with(func(c *breaker.Config) { c.Open.Jitter = 10 }), breaker.WithRandom(func() float64 { return u }))
			failWith(r, 60*s, 60*s, 60*s, 60*s)
			r.retryAfter(want)
		}
	})
	t.Run("O3: no jitter brings the probe back before the time asked for", func(t *testing.T) {
		// The hint is not longer than the wait, so that the wait is the base one; but
		// jittered downwards it would be shorter than what was asked for.
		for _, hint := range []time.Duration{10 * s, 9900 * time.Millisecond} {
			r := newRig(t, with(func(c *breaker.Config) { c.Open.Jitter = 10 }), breaker.WithRandom(func() float64 { return 0 }))
			failWith(r, hint, hint, hint, hint)
			if wait, _ := r.refused().RetryAfter(); wait < hint {
				t.Errorf("asked to stay away for %v, the breaker waits %v", hint, wait)
			}
		}
	})
	t.Run("O3: a panic in the user's hint loses neither outcome nor slot", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.HalfOpen.Probes = 1 }))
		settle := func(p breaker.Permit) {
			defer func() { _ = recover() }() // whether it goes up is not the question
			p.Failure(panickingHint{})
		}
		settle(r.admitted())
		equal(t, "failed", r.Counters().Failed, 1)
		settle(r.probing())
		equal(t, "probes out", r.Snapshot().ProbesOut, 0)
		r.in(breaker.Open)
	})
}

// A goroutine that ended in the error's own method once took the outcome with it, and
// the slot of a probe.
func TestHintEndsTheGoroutine(t *testing.T) {
	r := newRig(t, with(func(c *breaker.Config) { c.HalfOpen.Probes = 1 }))
	settle := func(p breaker.Permit) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			p.Failure(endingHint{})
		}()
		<-done
	}
	settle(r.admitted())
	equal(t, "N1, P4: failed", r.Counters().Failed, 1)
	settle(r.probing())
	equal(t, "H1: probes out", r.Snapshot().ProbesOut, 0)
	r.in(breaker.Open)
}

type endingHint struct{}

func (endingHint) Error() string                     { return "down" }
func (endingHint) RetryAfter() (time.Duration, bool) { runtime.Goexit(); return 0, false }

type panickingHint struct{}

func (panickingHint) Error() string                     { return "down" }
func (panickingHint) RetryAfter() (time.Duration, bool) { panic("hint") }

func TestIntervalEnd(t *testing.T) {
	t.Run("O4: the first call at or after the end is the first probe, without a timer", func(t *testing.T) {
		for _, late := range []time.Duration{0, ns, time.Hour} {
			r := newRig(t, plain())
			r.trip()
			equal(t, "timers", r.clock.Pending(), 0)
			r.clock.Advance(10*time.Second - ns)
			r.refused()
			r.clock.Advance(ns + late)
			r.in(breaker.Open)
			p := r.admitted()
			equal(t, "a probe", p.Probe(), true)
			r.in(breaker.HalfOpen)
			equal(t, "since", r.Snapshot().Since, r.clock.Now())
		}
	})
	t.Run("O4: an interval of a nanosecond is one", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.Open.Wait = ns }))
		r.trip()
		r.refused()
		r.clock.Advance(ns)
		r.admitted()
	})

	automatic := with(func(c *breaker.Config) { c.Open.Automatic = true })
	t.Run("O5: a timer moves OPEN to HALF_OPEN with no call", func(t *testing.T) {
		r := newRig(t, automatic)
		equal(t, "timers while closed", r.clock.Pending(), 0)
		r.trip()
		equal(t, "timers while open", r.clock.Pending(), 1)
		r.clock.Advance(10*time.Second - ns)
		r.in(breaker.Open)
		r.clock.Advance(ns)
		r.in(breaker.HalfOpen)
		equal(t, "timers while half-open", r.clock.Pending(), 0)
		r.path(breaker.Open, breaker.HalfOpen)
		r.succeed(2)
		r.in(breaker.Closed)
	})
	t.Run("O5: leaving OPEN stops the timer", func(t *testing.T) {
		for _, to := range everyState {
			r := newRig(t, automatic)
			r.trip()
			r.move(to)
			want := 0
			if to == breaker.Open {
				want = 1 // a new one
			}
			equal(t, "timers in "+to.String(), r.clock.Pending(), want)
		}
	})
	t.Run("O5: a move to OPEN restarts the timer", func(t *testing.T) {
		r := newRig(t, automatic)
		r.trip()
		r.clock.Advance(9 * time.Second)
		r.move(breaker.Open)
		r.clock.Advance(9 * time.Second)
		r.in(breaker.Open)
		r.clock.Advance(time.Second)
		r.in(breaker.HalfOpen)
	})
	t.Run("O5: Close stops the timer, and the breaker goes on lazily", func(t *testing.T) {
		r := newRig(t, automatic)
		r.trip()
		r.Close()
		equal(t, "timers", r.clock.Pending(), 0)
		r.clock.Advance(time.Hour)
		r.in(breaker.Open)
		r.fail(2)
		r.in(breaker.Open)
		equal(t, "timers after the next trip", r.clock.Pending(), 0)
		r.Close()
	})
	t.Run("O5: jitter and hints move the timer as well", func(t *testing.T) {
		cfg := automatic
		cfg.Open.Jitter = 10
		r := newRig(t, cfg, breaker.WithRandom(func() float64 { return 1 }))
		r.trip()
		at, ok := r.clock.Next()
		equal(t, "armed", ok, true)
		equal(t, "due", at, 11*time.Second)
	})
}

// The interval stays within what its parts allow, for any configuration.
func TestIntervalBounds(t *testing.T) {
	const seed = 20
	rnd := rand.New(rand.NewPCG(seed, seed))
	for range scale(500, 100) {
		cfg := plain()
		cfg.Open = breaker.OpenConfig{
			Wait:   1 + time.Duration(rnd.Int64N(int64(30*24*time.Hour))),
			Factor: 1 + 99*rnd.Float64()*rnd.Float64(),
			Jitter: switchgear.Percent(1 + rnd.IntN(50)),
		}
		cfg.Open.MaxWait = cfg.Open.Wait + time.Duration(rnd.Int64N(int64(30*24*time.Hour-cfg.Open.Wait)+1))
		cfg.Open.MaxHint = 1 + time.Duration(rnd.Int64N(int64(30*24*time.Hour)))
		r := newRig(t, cfg, breaker.WithRandom(rnd.Float64))
		for range 6 {
			wait := r.wait()
			spread := float64(cfg.Open.Jitter) / 100
			least, most := float64(cfg.Open.Wait)*(1-spread), float64(cfg.Open.MaxWait)*(1+spread)
			if float64(wait) < least-2 || float64(wait) > most+2 {
				t.Fatalf("seed %d: %+v: wait %v is not from %v to %v", seed, cfg.Open, wait, least, most)
			}
		}
	}
}
