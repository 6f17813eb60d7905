package breaker_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/evidence"
)

// restarted saves the breaker, lets the wall clock move on by down, and restores it
// to a new one with the configuration cfg, in a process whose monotonic clock shows
// something else.
func (r *rig) restarted(down time.Duration, cfg breaker.Config) *rig {
	r.t.Helper()
	saved := throughJSON(r.t, r.Save())
	again := newRigAt(r.t, r.clock.Now().Add(down), cfg)
	if err := again.Restore(saved); err != nil {
		r.t.Fatalf("Restore: %v", err)
	}
	return again
}

// newRigAt is newRig at another wall time.
func newRigAt(t testing.TB, wall time.Time, cfg breaker.Config, opts ...breaker.Option) *rig {
	t.Helper()
	const mono = 1234567 * time.Microsecond // no multiple of a bucket
	c := clock.NewVirtual(wall.Add(-mono))
	r := newRig(t, cfg, append(opts, breaker.WithClock(c))...)
	r.clock = c
	c.Advance(mono)
	return r
}

func throughJSON(t testing.TB, s breaker.Saved) (again breaker.Saved) {
	t.Helper()
	b, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(b, &again)
	}
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "state after a way through JSON", again, s)
	return again
}

var everyMove = []breaker.State{breaker.Disabled, breaker.MetricsOnly, breaker.ForcedOpen}

func TestSave(t *testing.T) {
	t.Run("B1: the document is small and readable", func(t *testing.T) {
		r := newRig(t, plain())
		r.succeed(3)
		r.fail(2)
		r.ignore(1)
		metrics := newRig(t, with(func(c *breaker.Config) {
			c.Window, c.SlowCall.Duration = breaker.WindowConfig{Length: time.Minute}, time.Second
		}))
		metrics.moveFor(breaker.MetricsOnly, time.Hour)
		metrics.clock.Advance(30 * time.Second)
		slow := metrics.admitted()
		metrics.clock.Advance(2 * time.Second)
		slow.Failure(errDown)
		document, err := breaker.SaveAll(r.Breaker, metrics.Breaker)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "document", string(document), `{
  "version": 1,
  "breakers": [
    {
      "version": 1,
      "name": "stock",
      "time": "2020-05-01T12:00:00Z",
      "state": "CLOSED",
      "since": "2020-05-01T12:00:00Z",
      "runs": [
        {
          "n": 3
        },
        {
          "n": 2,
          "failed": true
        }
      ],
      "consecutive": 2
    },
    {
      "version": 1,
      "name": "stock",
      "time": "2020-05-01T12:00:32Z",
      "state": "METRICS_ONLY",
      "since": "2020-05-01T12:00:00Z",
      "until": "2020-05-01T13:00:00Z",
      "author": "ana",
      "reason": "test",
      "buckets": [
        {
          "start": "2020-05-01T12:00:32Z",
          "calls": 1,
          "failed": 1,
          "slow": 1,
          "slow_failed": 1
        }
      ]
    }
  ]
}`)
	})
	t.Run("S6: saving changes nothing", func(t *testing.T) {
		for s := breaker.Closed; s <= breaker.ForcedOpen; s++ {
			r := newRig(t, plain())
			r.succeed(1)
			r.trip()
			r.move(s)
			r.clock.Advance(time.Hour)
			before := r.Snapshot()
			r.Save()
			equal(t, s.String(), r.Snapshot(), before)
		}
	})
	t.Run("B5, T7: outcomes of a grace are not worth keeping", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.Grace = time.Minute }))
		r.fail(5)
		for range 2 {
			s := r.Save()
			equal(t, "runs", len(s.Runs), 0)
			equal(t, "run of failures", s.Consecutive, 0)
			r.clock.Advance(time.Minute)
		}
	})
	t.Run("B5: states that record nothing have no window", func(t *testing.T) {
		for _, s := range []breaker.State{breaker.Open, breaker.HalfOpen, breaker.Disabled, breaker.ForcedOpen} {
			r := newRig(t, plain())
			r.fail(3)
			r.move(s)
			saved := r.Save()
			equal(t, s.String(), len(saved.Runs)+len(saved.Buckets)+int(saved.Consecutive), 0)
		}
	})
}

func TestRestoreRefuses(t *testing.T) {
	good := func() breaker.Saved {
		r := newRig(t, plain())
		r.trip()
		return r.Save()
	}
	for _, c := range []struct {
		what, want string
		spoil      func(*breaker.Saved)
	}{
		{"a later version", "has version 2, want 1", func(s *breaker.Saved) { s.Version = 2 }},
		{"no version", "has version 0, want 1", func(s *breaker.Saved) { s.Version = 0 }},
		{"another breaker", `is of breaker "price"`, func(s *breaker.Saved) { s.Name = "price" }},
		{"no such state", "has no known state: State(6)", func(s *breaker.Saved) { s.State = 6 }},
		{"no time", "has no time", func(s *breaker.Saved) { s.Time = time.Time{} }},
		{"no end", "is OPEN and has no until", func(s *breaker.Saved) { s.Until = time.Time{} }},
		{"a negative growth", "has a negative number: retrips -1, consecutive 0", func(s *breaker.Saved) { s.Retrips = -1 }},
		{"a negative run", "has a negative number: retrips 1, consecutive -1", func(s *breaker.Saved) { s.Consecutive = -1 }},
		{"buckets in disorder", "has buckets that are not in the order of time", func(s *breaker.Saved) {
			s.Buckets = []breaker.SavedBucket{{Start: start.Add(1), Calls: 1}, {Start: start, Calls: 1}}
		}},
		{"an empty run", "has a run of 0 calls, want at least 1 each and at most 10000000 together", func(s *breaker.Saved) {
			s.Runs = []breaker.SavedRun{{N: 0}}
		}},
		{"endless runs", "has a run of 10000000 calls, want at least 1 each and at most 10000000 together", func(s *breaker.Saved) {
			s.Runs = []breaker.SavedRun{{N: 1}, {N: 10_000_000, Failed: true}}
		}},
		{"no evidence", `has a last trip by the rule "evidence" without evidence`, func(s *breaker.Saved) {
			s.LastTrip = &breaker.Trip{Rule: breaker.RuleEvidence}
		}},
	} {
		t.Run("B1: "+c.what, func(t *testing.T) {
			r := newRig(t, plain())
			r.fail(2)
			before := r.Snapshot()
			s := good()
			c.spoil(&s)
			err := r.Restore(s)
			if want := `breaker "stock": saved state ` + c.want; err == nil || err.Error() != want {
				t.Errorf("got error %v, want %s", err, want)
			}
			equal(t, "breaker", r.Snapshot(), before)
			equal(t, "events", len(r.heard), 0)
		})
	}
}

func TestRestoreOpen(t *testing.T) {
	t.Run("B3: OPEN keeps what is left of its interval", func(t *testing.T) {
		for _, c := range []struct{ ran, down, left time.Duration }{
			{0, 0, 10 * time.Second}, {3 * time.Second, 2 * time.Second, 5 * time.Second},
			{3 * time.Second, 7 * time.Second, 0}, {3 * time.Second, 9 * time.Second, 0},
			{time.Hour, time.Second, 0}, {0, 10 * time.Second, 0},
		} {
			r := newRig(t, plain())
			r.trip()
			r.clock.Advance(c.ran)
			r = r.restarted(c.down, plain())
			r.in(breaker.Open)
			equal(t, "left", r.Snapshot().RetryAfter, c.left)
			if c.left > 0 {
				r.clock.Advance(c.left - ns)
				r.refused()
				r.clock.Advance(ns)
			}
			r.admitted()
			r.in(breaker.HalfOpen)
		}
	})
	t.Run("B3: saved longer ago than one interval, OPEN and HALF_OPEN are CLOSED", func(t *testing.T) {
		for _, s := range []breaker.State{breaker.Open, breaker.HalfOpen} {
			r := newRig(t, plain())
			r.trip()
			r.move(s)
			r.restarted(10*time.Second, plain()).in(breaker.Open)
			r = r.restarted(10*time.Second+ns, plain())
			r.in(breaker.Closed)
			equal(t, "the trip is still known", r.Snapshot().LastTrip.Reason, map[breaker.State]string{breaker.Open: "test"}[s])
			r.trip()
		}
	})
	t.Run("B3: HALF_OPEN becomes OPEN and probes at the next call", func(t *testing.T) {
		r := newRig(t, plain())
		r.probing()
		r = r.restarted(time.Second, plain())
		r.in(breaker.Open)
		equal(t, "passed", r.Snapshot().IntervalPassed, true)
		r.change(func(c *breaker.Config) { c.Open.Wait, c.Open.MaxWait = time.Hour, time.Hour })
		equal(t, "R6: passed", r.Snapshot().IntervalPassed, true)
		r.succeed(2)
		r.in(breaker.Closed)
	})
	t.Run("B3: at most the interval that the configuration gives", func(t *testing.T) {
		r := newRig(t, plain())
		r.trip()
		saved := r.Save()
		saved.Until = saved.Until.AddDate(100, 0, 0)
		for _, c := range []struct {
			cfg  breaker.Config
			want time.Duration
		}{
			{plain(), 10 * time.Second},
			{with(func(c *breaker.Config) { c.Open.Wait = time.Second }), time.Second},
		} {
			again := newRig(t, c.cfg)
			if err := again.Restore(saved); err != nil {
				t.Fatal(err)
			}
			again.retryAfter(c.want)
		}
	})
	t.Run("B3, O1, O3: growth and hint are part of it", func(t *testing.T) {
		cfg := with(func(c *breaker.Config) { c.Open.Factor, c.Open.MaxWait = 2, time.Hour })
		r := newRig(t, cfg)
		for range 3 {
			r.trip()
			r.recover()
		}
		r.trip()
		equal(t, "grown", r.Snapshot().RetryAfter, 80*time.Second)
		again := r.restarted(30*time.Second, cfg)
		again.retryAfter(50 * time.Second)
		again.restarted(80*time.Second, cfg).in(breaker.Open)
		again.restarted(80*time.Second+ns, cfg).in(breaker.Closed)

		r = newRig(t, cfg)
		p := r.admitted()
		p.Failure(switchgear.WithRetryAfter(errDown, time.Minute))
		r.trip()
		r.restarted(30*time.Second, cfg).retryAfter(30 * time.Second)
	})
	t.Run("R6: a new wait counts from where the old one began", func(t *testing.T) {
		r := newRig(t, plain())
		r.trip()
		r.clock.Advance(4 * time.Second)
		r = r.restarted(time.Second, plain())
		r.retryAfter(5 * time.Second)
		r.thereAndBack(func(c *breaker.Config) { c.Open.Wait = 5 * time.Second })
		r.retryAfter(5 * time.Second)
		r.change(func(c *breaker.Config) { c.Open.Wait = time.Minute })
		r.retryAfter(55 * time.Second)
	})
	t.Run("R6: it has kept its growth and hint", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.Open.Factor = 2 }))
		r.trip()
		r.recover()
		r.trip()
		r = r.restarted(0, r.Config())
		r.change(func(c *breaker.Config) { c.Open.Factor = 3 })
		r.retryAfter(30 * time.Second)

		r = newRig(t, plain())
		r.fail(3)
		p := r.admitted()
		p.Failure(switchgear.WithRetryAfter(errDown, time.Minute))
		r = r.restarted(0, plain())
		r.retryAfter(time.Minute)
		r.change(func(c *breaker.Config) { c.Open.MaxHint = 40 * time.Second })
		r.retryAfter(40 * time.Second)
	})
	t.Run("B6: the next trip grows by what was not taken back", func(t *testing.T) {
		for _, c := range []struct {
			closed, down, want time.Duration
		}{
			{0, 0, 80 * time.Second}, {10 * time.Second, 0, 40 * time.Second}, {0, 25 * time.Second, 20 * time.Second},
			{25 * time.Second, 10 * time.Second, 10 * time.Second}, {0, time.Hour, 10 * time.Second},
		} {
			cfg := with(func(c *breaker.Config) { c.Open.Factor = 2 })
			r := newRig(t, cfg)
			for range 3 {
				r.trip()
				r.recover()
			}
			r.clock.Advance(c.closed)
			r = r.restarted(c.down, cfg)
			r.trip()
			r.retryAfter(c.want)
		}
	})
	t.Run("B6: growth without end is the longest wait", func(t *testing.T) {
		cfg := with(func(c *breaker.Config) { c.Open.Factor = 2 })
		r := newRig(t, cfg)
		saved := r.Save()
		saved.Retrips = math.MaxInt
		if err := r.Restore(saved); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			r.trip()
			r.retryAfter(100 * time.Second)
			r.recover()
		}
	})
	t.Run("B6: so it does after an OPEN that is too old", func(t *testing.T) {
		cfg := with(func(c *breaker.Config) { c.Open.Factor = 2 })
		for down, want := range map[time.Duration]time.Duration{
			11 * time.Second: 10 * time.Second, // the wait was 10 s; the next would be 20 s
			9 * time.Second:  20 * time.Second,
		} {
			r := newRig(t, cfg)
			r.trip()
			r = r.restarted(down, cfg)
			if r.State() == breaker.Open {
				r.recover()
			}
			r.trip()
			r.retryAfter(want)
		}
	})
	t.Run("O5: the timer is armed again", func(t *testing.T) {
		cfg := with(func(c *breaker.Config) { c.Open.Automatic = true })
		r := newRig(t, cfg)
		r.trip()
		r = r.restarted(4*time.Second, cfg)
		r.clock.Advance(6*time.Second - ns)
		r.in(breaker.Open)
		r.clock.Advance(ns)
		r.in(breaker.HalfOpen)
	})
}

func TestRestoreOperator(t *testing.T) {
	for _, s := range everyMove {
		t.Run("B4: without an expiry, until somebody moves it: "+s.String(), func(t *testing.T) {
			r := newRig(t, plain())
			r.move(s)
			r = r.restarted(10_000*time.Hour, plain())
			r.in(s)
			r.clock.Advance(10_000 * time.Hour)
			r.in(s)
			equal(t, "author and reason", [2]string{r.Snapshot().Author, r.Snapshot().Reason}, [2]string{"ana", "test"})
			r.move(breaker.Closed)
		})
		t.Run("B4: with one, for what is left: "+s.String(), func(t *testing.T) {
			r := newRig(t, plain())
			r.moveFor(s, time.Hour)
			r.clock.Advance(10 * time.Minute)
			r = r.restarted(20*time.Minute, plain())
			equal(t, "expires", r.Snapshot().Expires, start.Add(time.Hour))
			r.clock.Advance(30*time.Minute - ns)
			r.in(s)
			r.clock.Advance(ns)
			afterExpiry(r, s)
		})
		t.Run("B4: if it has passed, it has led where it always leads: "+s.String(), func(t *testing.T) {
			for _, down := range []time.Duration{time.Hour, 1000 * time.Hour} {
				r := newRig(t, plain())
				r.moveFor(s, time.Hour)
				if s != breaker.ForcedOpen {
					r.fail(3)
				}
				saved := throughJSON(t, r.Save())
				r = newRig(t, plain(), breaker.WithClock(clock.NewVirtual(start.Add(down))))
				if err := r.Restore(saved); err != nil {
					t.Fatal(err)
				}
				equal(t, "timers", r.clock.Pending(), 0)
				afterExpiry(r, s)
				equal(t, "author", r.Snapshot().Author, "")
			}
		})
	}
	t.Run("B4: at most 30 days", func(t *testing.T) {
		r := newRig(t, plain())
		r.moveFor(breaker.ForcedOpen, time.Hour)
		saved := r.Save()
		saved.Until = saved.Until.AddDate(1000, 0, 0)
		r = newRig(t, plain())
		if err := r.Restore(saved); err != nil {
			t.Fatal(err)
		}
		r.retryAfter(30 * 24 * time.Hour)
	})
}

// afterExpiry checks that the breaker is where an expiry of s leads.
func afterExpiry(r *rig, s breaker.State) {
	r.t.Helper()
	if s == breaker.ForcedOpen {
		r.in(breaker.Open)
		equal(r.t, "passed", r.Snapshot().IntervalPassed, true)
		return
	}
	r.in(breaker.Closed)
	r.window(0)
}

func TestRestoreWindow(t *testing.T) {
	minute := breaker.WindowConfig{Length: time.Minute}
	timed := with(func(c *breaker.Config) { c.MinimumCalls, c.Window = 100, minute })
	t.Run("B5: a count window comes back as it was", func(t *testing.T) {
		cfg := with(func(c *breaker.Config) {
			c.FailureRate, c.SlowCall, c.ConsecutiveFailures = off, breaker.SlowCallConfig{Duration: time.Second, Rate: off}, 4
		})
		r := newRig(t, cfg)
		r.fail(4) // leaves the window again
		r.recover()
		r.fail(2)
		r.succeed(3)
		r.take(2 * time.Second)
		r.fail(3)
		again := r.restarted(time.Hour, cfg)
		again.window(9, 5, 1)
		for range 2 { // the order is the same too
			r.succeed(3)
			again.succeed(3)
			equal(t, "window", again.Snapshot().Numbers, r.Snapshot().Numbers)
		}
	})
	t.Run("B5: METRICS_ONLY too", func(t *testing.T) {
		r := newRig(t, plain())
		r.move(breaker.MetricsOnly)
		r.fail(7)
		r.restarted(time.Hour, plain()).window(7, 7)
	})
	t.Run("B5: a smaller one keeps the newest", func(t *testing.T) {
		r := newRig(t, plain())
		r.fail(1)
		r.succeed(2)
		r.restarted(0, with(func(c *breaker.Config) { c.Window.Calls = 2 })).window(2)
	})
	t.Run("B5: a time window drops what has expired", func(t *testing.T) {
		for _, c := range []struct {
			down  time.Duration
			calls int64
		}{{0, 3}, {28 * time.Second, 3}, {31 * time.Second, 2}, {41 * time.Second, 1}, {51 * time.Second, 0}, {10_000 * time.Hour, 0}} {
			r := newRig(t, timed)
			for range 3 {
				r.fail(1)
				r.clock.Advance(10 * time.Second)
			}
			r.restarted(c.down, timed).window(c.calls, c.calls)
		}
	})
	t.Run("B5: and goes on dropping", func(t *testing.T) {
		r := newRig(t, timed)
		r.fail(1)
		r = r.restarted(30*time.Second, timed)
		r.window(1, 1)
		r.clock.Advance(28 * time.Second)
		r.window(1, 1)
		r.clock.Advance(2 * time.Second)
		r.window(0)
	})
	t.Run("B5: other buckets keep nothing longer", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.Window = breaker.WindowConfig{Length: time.Minute, Buckets: 2} }))
		r.clock.Advance(29 * time.Second)
		r.fail(1)
		r = r.restarted(0, with(func(c *breaker.Config) { c.Window = breaker.WindowConfig{Length: 20 * time.Second} }))
		r.window(0) // its bucket began 29 s ago
	})
	t.Run("B5: a window of the other kind starts empty, the run goes on", func(t *testing.T) {
		r := newRig(t, plain())
		r.fail(3)
		again := r.restarted(0, timed)
		again.window(0)
		equal(t, "run", again.Snapshot().Consecutive, 3)
		r = newRig(t, timed)
		r.fail(3)
		r.restarted(0, plain()).window(0)
	})
	t.Run("B5, W4: what the configuration of today would have tripped on, the next outcome trips on", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.FailureRate = 90 }))
		r.succeed(1)
		r.fail(4)
		r = r.restarted(0, plain())
		r.in(breaker.Closed)
		r.succeed(1)
		r.in(breaker.Open)
	})
	t.Run("B5, T7: in the grace of the new process nothing trips, and then the window is empty", func(t *testing.T) {
		r := newRig(t, plain())
		r.fail(3)
		r = r.restarted(0, with(func(c *breaker.Config) { c.Grace = time.Minute }))
		r.fail(3)
		r.window(6, 6)
		r.clock.Advance(time.Minute)
		r.window(0)
	})
	t.Run("B5: nothing is too old to be forgotten", func(t *testing.T) {
		r := newRig(t, timed)
		saved := r.Save()
		saved.Buckets = []breaker.SavedBucket{{Start: start.AddDate(-292, 0, 0), Calls: 1}} // with the age, more than a Duration holds
		r = newRigAt(t, start.AddDate(1, 0, 0), timed)
		if err := r.Restore(saved); err != nil {
			t.Fatal(err)
		}
		r.window(0)
		r.succeed(1)
		r.window(1)
		r.clock.Advance(time.Minute)
		r.window(0)
	})
	t.Run("B5: nonsense does no harm", func(t *testing.T) {
		r := newRig(t, timed)
		saved := r.Save()
		saved.Buckets = []breaker.SavedBucket{
			{Start: start.AddDate(-5000, 0, 0), Calls: 1}, {Start: start, Calls: -1}, {Start: start, Calls: 1, Failed: 2},
			{Start: start, Calls: 1, Failed: 1, SlowFailed: 1}, {Start: start, Calls: 3, Failed: 1}, {Start: start.Add(time.Hour), Calls: 1},
		}
		saved.Consecutive = math.MaxInt64
		r.clock.Advance(time.Second)
		if err := r.Restore(saved); err != nil {
			t.Fatal(err)
		}
		r.window(4, 1) // the future is now
		r.clock.Advance(time.Minute)
		r.window(0)
		r.change(func(c *breaker.Config) { c.ConsecutiveFailures = 1_000_000_000 })
		r.fail(1)
		r.in(breaker.Open)
	})
}

func TestRestoreClock(t *testing.T) {
	t.Run("B2: a wall clock that has gone back is no time passed", func(t *testing.T) {
		r := newRig(t, plain())
		r.trip()
		r.clock.Advance(4 * time.Second)
		r.restarted(-time.Hour, plain()).retryAfter(6 * time.Second)

		r = newRig(t, plain())
		r.moveFor(breaker.ForcedOpen, time.Minute)
		r.clock.Advance(4 * time.Second)
		r.restarted(-time.Hour, plain()).retryAfter(56 * time.Second)

		timed := with(func(c *breaker.Config) { c.Window = breaker.WindowConfig{Length: time.Minute} })
		r = newRig(t, timed)
		r.fail(1)
		r.clock.Advance(50 * time.Second)
		r = r.restarted(-time.Hour, timed)
		r.window(1, 1)
		r.clock.Advance(10 * time.Second)
		r.window(0)
	})
	t.Run("B2: what comes after is measured by the monotonic clock (C5)", func(t *testing.T) {
		r := newRig(t, plain())
		r.trip()
		r = r.restarted(0, plain())
		r.clock.JumpWall(1000 * time.Hour)
		r.retryAfter(10 * time.Second)
		r.clock.JumpWall(-2000 * time.Hour)
		r.retryAfter(10 * time.Second)
	})
	t.Run("B2: the end of time", func(t *testing.T) {
		r := newRig(t, plain())
		r.moveFor(breaker.Disabled, time.Hour)
		saved := r.Save()
		year := func(n int) time.Time { return time.Date(n, 1, 2, 0, 0, 0, 0, time.UTC) }
		for _, c := range [][2]int{{1, 9999}, {1000, 1}} { // all further apart than a Duration holds
			saved.Time, saved.Until = year(c[0]), year(c[1])
			if err := r.Restore(saved); err != nil {
				t.Fatal(err)
			}
			r.in(breaker.Closed)
		}
	})
}

func TestRestoreTells(t *testing.T) {
	t.Run("B7: one event, in a new period, with what led there", func(t *testing.T) {
		r := newRig(t, plain())
		r.trip()
		trip := r.Snapshot().LastTrip
		r = r.restarted(time.Second, plain())
		equal(t, "events", len(r.heard), 1)
		e, change := r.last()
		equal(t, "kind", e.Kind, event.Transition)
		equal(t, "from, to, period", fmt.Sprint(e.From, e.To, e.Period), "CLOSEDOPEN2")
		equal(t, "reason", e.Reason, "restored from OPEN of 2020-05-01T12:00:00Z")
		equal(t, "restored", e.Detail.(*breaker.Change).Restored, true)
		equal(t, "trip", change.Trip, trip)
		equal(t, "last trip", r.Snapshot().LastTrip, trip)
		if text := r.refused().Error(); !strings.Contains(text, trip.Text()) {
			t.Errorf("the refusal %q does not say why", text)
		}
		equal(t, "counters", r.Counters(), breaker.Counters{Rejected: 1})
	})
	t.Run("B7: CLOSED is renewed", func(t *testing.T) {
		r := newRig(t, plain())
		r = r.restarted(time.Second, plain())
		e, _ := r.last()
		equal(t, "kind", e.Kind, event.Renewed)
		equal(t, "reason", e.Reason, "restored from CLOSED of 2020-05-01T12:00:00Z")
	})
	t.Run("B7: the operator's words do not grow from restart to restart", func(t *testing.T) {
		r := newRig(t, plain())
		r.move(breaker.ForcedOpen)
		for range 3 {
			r = r.restarted(0, plain())
			e, _ := r.last()
			equal(t, "author", e.Author, "ana")
			equal(t, "reason of the event", e.Reason, "restored from FORCED_OPEN of 2020-05-01T12:00:00Z: test")
			equal(t, "reason", r.Snapshot().Reason, "test")
		}
	})
	t.Run("B7: calls that are out are late", func(t *testing.T) {
		r := newRig(t, plain())
		saved := r.Save()
		p := r.admitted()
		if err := r.Restore(saved); err != nil {
			t.Fatal(err)
		}
		p.Failure(errDown)
		r.window(0)
		equal(t, "late", r.Counters().Late, 1)
	})
	t.Run("B7: the last trip is known in every state", func(t *testing.T) {
		for s := breaker.Closed; s <= breaker.ForcedOpen; s++ {
			r := newRig(t, with(func(c *breaker.Config) {
				c.FailureRate, c.Evidence = off, &evidence.Config{}
			}))
			r.trip()
			r.move(s)
			want := r.Snapshot().LastTrip
			equal(t, s.String(), r.restarted(0, plain()).Snapshot().LastTrip, want)
			equal(t, s.String()+", later", r.restarted(time.Minute, plain()).Snapshot().LastTrip, want)
		}
	})
	t.Run("B7: evidence starts at zero", func(t *testing.T) {
		cfg := with(func(c *breaker.Config) { c.FailureRate, c.Evidence = off, &evidence.Config{} })
		r := newRig(t, cfg)
		r.fail(5)
		equal(t, "evidence", r.restarted(0, cfg).Snapshot().Evidence, 0)
	})
}

func TestRestoreAll(t *testing.T) {
	set := func(names ...string) (breakers []*breaker.Breaker) {
		for _, name := range names {
			breakers = append(breakers, breaker.Must(breaker.New(name, plain(), breaker.WithClock(clock.NewVirtual(start)))))
		}
		return breakers
	}
	states := func(breakers []*breaker.Breaker) (s []breaker.State) {
		for _, b := range breakers {
			s = append(s, b.State())
		}
		return s
	}
	save := func(t *testing.T, names ...string) []byte {
		t.Helper()
		breakers := set(names...)
		for _, b := range breakers {
			if err := b.Move(breaker.Move{To: breaker.ForcedOpen, Reason: "test"}); err != nil {
				t.Fatal(err)
			}
		}
		document, err := breaker.SaveAll(breakers...)
		if err != nil {
			t.Fatal(err)
		}
		return document
	}
	t.Run("B1: each gets its own, by name", func(t *testing.T) {
		again := set("c", "new", "a")
		if err := breaker.RestoreAll(save(t, "a", "b", "c"), again...); err != nil {
			t.Fatal(err)
		}
		equal(t, "states", states(again), []breaker.State{breaker.ForcedOpen, breaker.Closed, breaker.ForcedOpen})
	})
	t.Run("B1: what is wrong with one does not keep the others", func(t *testing.T) {
		document := strings.Replace(string(save(t, "a", "b", "c")), `"version": 1,`+"\n      "+`"name": "b"`, `"version": 7, "name": "b"`, 1)
		again := set("a", "b", "c")
		err := breaker.RestoreAll([]byte(document), again...)
		if err == nil || err.Error() != `breaker "b": saved state has version 7, want 1` {
			t.Errorf("got error %v", err)
		}
		equal(t, "states", states(again), []breaker.State{breaker.ForcedOpen, breaker.Closed, breaker.ForcedOpen})
	})
	t.Run("B1: none from a document that cannot be read", func(t *testing.T) {
		for document, want := range map[string]string{
			``:              "breaker: saved states: unexpected end of JSON input",
			`[]`:            "breaker: saved states: json: cannot unmarshal array into Go value of type breaker.savedSet",
			`{}`:            "breaker: saved states have version 0, want 1",
			`null`:          "breaker: saved states have version 0, want 1",
			`{"version":2}`: "breaker: saved states have version 2, want 1",
			`{"version":2,"breakers":{"a":"anything"}}`:   "breaker: saved states have version 2, want 1",
			`{"version":1,"breakers":[{"state":"AJAR"}]}`: `breaker: saved states: breaker: "AJAR" is no state; states are [CLOSED OPEN HALF_OPEN DISABLED METRICS_ONLY FORCED_OPEN]`,
		} {
			again := set("a")
			before := again[0].Snapshot()
			err := breaker.RestoreAll([]byte(document), again...)
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s: got error %v, want %s", document, err, want)
			}
			if !reflect.DeepEqual(again[0].Snapshot(), before) {
				t.Errorf("%s: something has changed", document)
			}
		}
	})
	t.Run("B1: of no breakers", func(t *testing.T) {
		document, err := breaker.SaveAll()
		if err == nil {
			err = breaker.RestoreAll(document, set("a")...)
		}
		if err != nil {
			t.Error(err)
		}
	})
}
