package breaker_test

import (
	"context"
	"encoding/json"
	"errors"
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

// apply puts a configuration, which must be valid, into effect.
func (r *rig) apply(cfg breaker.Config) {
	r.t.Helper()
	if err := r.Reconfigure(cfg); err != nil {
		r.t.Fatalf("Reconfigure: %v", err)
	}
}

// change puts the configuration in effect into effect again, changed.
func (r *rig) change(change func(*breaker.Config)) {
	r.t.Helper()
	cfg := r.Config()
	change(&cfg)
	r.apply(cfg)
}

// thereAndBack changes the configuration and at once takes the change back.
func (r *rig) thereAndBack(change func(*breaker.Config)) {
	r.t.Helper()
	cfg := r.Config()
	r.change(change)
	r.apply(cfg)
}

// reconfigurations returns what the reconfigurations heard so far have changed.
func (r *rig) reconfigurations() (found []*breaker.Reconfiguration) {
	for _, e := range r.heard {
		if e.Kind == event.Reconfigured {
			found = append(found, e.Detail.(*breaker.Reconfiguration))
		}
	}
	return found
}

func TestReconfigure(t *testing.T) {
	t.Run("R1: each field changed alone takes effect, and its event says how", func(t *testing.T) {
		for path, change := range changes {
			r := newRig(t, breaker.Config{})
			before := r.Config()
			var cfg breaker.Config
			change(&cfg)
			r.apply(cfg)
			r.apply(cfg)
			after := r.Config()
			equal(t, path+": in effect", after, breaker.Must(breaker.New("stock", cfg)).Config())
			r.apply(breaker.Config{})
			equal(t, path+": in effect again", r.Config(), before)

			events := r.reconfigurations()
			equal(t, path+": events", len(events), 2)
			there, back := events[0].Changes, events[1].Changes
			equal(t, path+": fields changed back", len(back), len(there))
			found := false
			for i, d := range there {
				found = found || d.Path == path
				equal(t, d.Path+": old", d.Old, valueAt(before, d.Path))
				equal(t, d.Path+": new", d.New, valueAt(after, d.Path))
				equal(t, "change back", back[i], breaker.Difference{Path: d.Path, Old: d.New, New: d.Old})
			}
			if !found {
				t.Errorf("%s was changed, the event says: %v", path, events[0])
			}
		}
	})
	t.Run("R1: what changes nothing emits nothing", func(t *testing.T) {
		r := newRig(t, breaker.Config{Evidence: &evidence.Config{}})
		for _, cfg := range []breaker.Config{
			{Evidence: &evidence.Config{}},
			r.Config(),
			{Evidence: &evidence.Config{Sick: 0.3}, FailureRate: 50, FailureCount: off, Window: breaker.WindowConfig{Length: time.Minute}},
		} {
			r.apply(cfg)
		}
		equal(t, "events", len(r.heard), 0)
		equal(t, "version", r.Snapshot().ConfigVersion, 1)
	})
	t.Run("R1: all or nothing", func(t *testing.T) {
		r := newRig(t, plain())
		before := r.Config()
		err := r.Reconfigure(breaker.Config{MinimumCalls: -1, FailureRate: 30, Open: breaker.OpenConfig{Factor: 0.5}})
		problem, ok := errors.AsType[*switchgear.ConfigError](err)
		if !ok || len(problem.Problems) != 2 || problem.Name != "stock" {
			t.Errorf("got error %v, want two problems of stock", err)
		}
		equal(t, "configuration", r.Config(), before)
		equal(t, "version", r.Snapshot().ConfigVersion, 1)
		equal(t, "events", len(r.heard), 0)
	})
	t.Run("R1: one event tells of all, and warnings follow it", func(t *testing.T) {
		r := newRig(t, plain())
		r.clock.Advance(time.Second)
		r.change(func(c *breaker.Config) {
			c.MinimumCalls, c.HalfOpen.MaxWait, c.HalfOpen.Verdict = 20, time.Minute, breaker.ByStreak
		})
		equal(t, "events", len(r.heard), 2)
		e := r.heard[0]
		equal(t, "kind", e.Kind, event.Reconfigured)
		equal(t, "time", e.Time, start.Add(time.Second))
		equal(t, "period", e.Period, 1)
		equal(t, "line", strings.SplitN(e.String(), "reconfigured ", 2)[1],
			`("MinimumCalls: 4 → 20, HalfOpen.Verdict: rate → streak, HalfOpen.Successes: 0 → 2, HalfOpen.MaxWait: off → 1m0s")`)
		equal(t, "version", e.Detail.(*breaker.Reconfiguration).Version, r.Snapshot().ConfigVersion)
		equal(t, "kind of the second", r.heard[1].Kind, event.Warning)
		equal(t, "warning", r.heard[1].Reason, r.Warnings()[0].String())
	})
	t.Run("R1: a change is readable in a document", func(t *testing.T) {
		r := newRig(t, plain())
		r.change(func(c *breaker.Config) {
			c.FailureRate, c.Open.Wait, c.Open.Jitter, c.FailureCount = off, time.Minute, 12.5, 3
			c.Open.MaxWait, c.HalfOpen.ProbeLimit = 2*time.Minute, off
			c.Evidence = &evidence.Config{}
		})
		b, err := json.Marshal(r.heard[0].Detail)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "document", string(b), `{"version":2,"changes":[`+
			`{"path":"FailureRate","old":"50 %","new":"off"},`+
			`{"path":"FailureCount","old":"off","new":3},`+
			`{"path":"Evidence","old":"off","new":{"Healthy":0.01,"Sick":0.3,"CallsPerFalseTrip":100000000,"Burst":1.1,"Memory":1800000000000,"MaxRise":0,"MaxRiseWindow":0}},`+
			`{"path":"Open.Wait","old":"10s","new":"1m0s"},`+
			`{"path":"Open.MaxWait","old":"1m40s","new":"2m0s"},`+
			`{"path":"Open.Jitter","old":"off","new":"12.5 %"},`+
			`{"path":"HalfOpen.ProbeLimit","old":"10s","new":"off"}]}`)
	})
	t.Run("R1: the caller's value stays the caller's", func(t *testing.T) {
		r := newRig(t, plain())
		e := evidence.Config{Sick: 0.4}
		r.change(func(c *breaker.Config) { c.Evidence = &e })
		e.Sick = 0.5
		equal(t, "in effect", r.Config().Evidence.Sick, 0.4)
		r.change(func(c *breaker.Config) { c.Evidence = &e })
		d := r.reconfigurations()[1].Changes[0]
		equal(t, "change", d, breaker.Difference{Path: "Evidence.Sick", Old: 0.4, New: 0.5})
	})
	t.Run("R1: a listener may reconfigure", func(t *testing.T) {
		r := newRig(t, plain())
		stricter := event.Func(func(e event.Event) {
			if e.Kind == event.Transition {
				r.change(func(c *breaker.Config) { c.FailureRate = 10 })
			}
		})
		r = newRig(t, plain(), breaker.WithListener(stricter))
		r.trip()
		equal(t, "in effect", r.Config().FailureRate, 10)
	})
}

// valueAt returns the field of a configuration with this path; of a pointer, what
// it points to.
func valueAt(cfg breaker.Config, path string) any {
	v := reflect.ValueOf(cfg)
	for _, name := range strings.Split(path, ".") {
		v = reflect.Indirect(v).FieldByName(name)
	}
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return nil
	}
	return reflect.Indirect(v).Interface()
}

func TestReconfigureKeeps(t *testing.T) {
	t.Run("R2: state, period, operator, trip and counters", func(t *testing.T) {
		for s := breaker.Closed; s <= breaker.ForcedOpen; s++ {
			r := newRig(t, breaker.Config{MinimumCalls: 4})
			r.trip()
			r.move(s)
			if s == breaker.Disabled || s == breaker.MetricsOnly || s == breaker.ForcedOpen {
				r.moveFor(s, time.Minute)
			}
			before := r.Snapshot()
			for _, change := range changes {
				var cfg breaker.Config
				change(&cfg)
				r.apply(cfg)
			}
			after := r.Snapshot()
			after.ConfigVersion, after.RetryAfter, after.Numbers = before.ConfigVersion, before.RetryAfter, before.Numbers
			equal(t, s.String(), after, before)
		}
	})
	t.Run("R2: an expiry", func(t *testing.T) {
		r := newRig(t, plain())
		r.moveFor(breaker.Disabled, time.Minute)
		r.change(func(c *breaker.Config) { c.Open.Automatic, c.HalfOpen.MaxWait = true, time.Second })
		equal(t, "timers", r.clock.Pending(), 1)
		r.clock.Advance(time.Minute - ns)
		r.in(breaker.Disabled)
		r.clock.Advance(ns)
		r.in(breaker.Closed)
	})
	t.Run("R2: calls that are out are not late", func(t *testing.T) {
		r := newRig(t, plain())
		out := []breaker.Permit{r.admitted(), r.admitted(), r.admitted()}
		r.change(func(c *breaker.Config) { c.Window = breaker.WindowConfig{Length: time.Minute} })
		settle(out, "+-0")
		r.window(2, 1)
		c := r.Counters()
		equal(t, "counters", c, breaker.Counters{Successful: 1, Failed: 1, Ignored: 1})
	})
	t.Run("R2: a change in the middle of a call", func(t *testing.T) {
		for path, change := range changes {
			r := newRig(t, plain())
			for _, err := range []error{nil, errDown} {
				_ = r.Do(context.Background(), func(context.Context) error {
					var cfg breaker.Config
					change(&cfg)
					r.apply(cfg)
					return err
				})
			}
			equal(t, path, r.Counters(), breaker.Counters{Successful: 1, Failed: 1})
			r.window(2, 1)
		}
	})
	t.Run("R2: how slow a call was is judged when it ends, if it was timed", func(t *testing.T) {
		slow := func(d time.Duration) func(*breaker.Config) {
			return func(c *breaker.Config) { c.SlowCall = breaker.SlowCallConfig{Duration: d} }
		}
		r := newRig(t, plain())
		untimed := r.admitted()
		r.change(slow(time.Second))
		timed := r.admitted()
		started := untimed
		started.Start()
		r.clock.Advance(time.Minute)
		untimed.Success()
		r.window(1)
		timed.Success()
		r.window(2, 0, 1)
		started.Success() // Start is as good as an admission that was timed
		r.window(3, 0, 2)

		shorter, longer, never := r.admitted(), r.admitted(), r.admitted()
		r.clock.Advance(time.Second)
		r.change(slow(time.Second - ns))
		shorter.Success()
		r.window(4, 0, 3)
		r.change(slow(time.Second))
		longer.Success()
		r.change(slow(off))
		r.clock.Advance(time.Minute)
		never.Success()
		r.window(6, 0, 3)
	})
	t.Run("R2: so it is with Do, which needs no permit for a plain call", func(t *testing.T) {
		r := newRig(t, plain())
		take := func(d time.Duration) {
			_ = r.Do(context.Background(), func(context.Context) error { r.clock.Advance(d); return nil })
		}
		take(time.Minute)
		r.change(func(c *breaker.Config) { c.SlowCall.Duration = time.Second })
		take(time.Minute)
		r.window(2, 0, 1)
		r.change(func(c *breaker.Config) { c.SlowCall = breaker.SlowCallConfig{} })
		take(time.Minute)
		r.window(3, 0, 1)
		r.change(func(c *breaker.Config) { c.EnoughTime = 2 * time.Second })
		ctx, cancel := context.WithDeadline(context.Background(), start.Add(time.Second)) // has long passed
		defer cancel()
		_ = r.Do(ctx, func(context.Context) error { return context.DeadlineExceeded })
		equal(t, "ignored", r.Counters().Ignored, 1)
	})
	t.Run("R2, K1: a success does not read the clock, before as after", func(t *testing.T) {
		c := &countingClock{Virtual: clock.NewVirtual(start)}
		r := newRig(t, plain(), breaker.WithClock(c))
		for _, change := range changes {
			r.change(func(c *breaker.Config) { c.MinimumCalls++ })
			before := c.reads.Load()
			for range 100 {
				succeedOnce(r.Breaker)
			}
			equal(t, "readings", c.reads.Load(), before)
			var cfg breaker.Config
			change(&cfg)
			r.apply(cfg)
			r.apply(plain())
		}
	})
	t.Run("R2: also if the rules change while the outcome is being looked at", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.SlowCall.Duration = time.Second }))
		p := r.admitted()
		r.clock.Advance(2 * time.Second)
		p.Failure(hintFunc(func() { r.change(func(c *breaker.Config) { c.SlowCall.Duration = time.Minute }) }))
		r.window(1, 1, 0)
		equal(t, "slow", r.Counters().Slow, 0)
	})
	t.Run("R2: enough time is judged at admission", func(t *testing.T) {
		ctx, cancel := context.WithDeadline(context.Background(), start.Add(time.Second)) // has long passed on the real clock
		defer cancel()
		r := newRig(t, plain())
		before, err := r.Acquire(ctx)
		if err != nil {
			t.Fatal(err)
		}
		r.change(func(c *breaker.Config) { c.EnoughTime = 2 * time.Second })
		after, err := r.Acquire(ctx)
		if err != nil {
			t.Fatal(err)
		}
		r.change(func(c *breaker.Config) { c.EnoughTime = 0 })
		before.Done(context.DeadlineExceeded)
		after.Done(context.DeadlineExceeded)
		equal(t, "counters", r.Counters(), breaker.Counters{Failed: 1, Ignored: 1})
	})
}

// hintFunc is an error that does something while the breaker asks it for a hint.
type hintFunc func()

func (hintFunc) Error() string                       { return "down" }
func (f hintFunc) RetryAfter() (time.Duration, bool) { f(); return 0, false }

func TestReconfigureWindow(t *testing.T) {
	calls := func(n int) func(*breaker.Config) { return func(c *breaker.Config) { c.Window.Calls = n } }
	length := func(d time.Duration, buckets int) func(*breaker.Config) {
		return func(c *breaker.Config) { c.Window = breaker.WindowConfig{Length: d, Buckets: buckets} }
	}
	t.Run("R3: a smaller count window keeps the newest", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.MinimumCalls = 10 }))
		r.fail(3)
		r.succeed(4)
		r.change(calls(5))
		r.window(5, 1)
		r.succeed(1)
		r.window(5, 0)
	})
	t.Run("R3: a larger one keeps all, and going back forgets what is too much", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.MinimumCalls, c.FailureRate = 10, off }))
		r.fail(5)
		r.succeed(5)
		r.thereAndBack(calls(20))
		r.window(10, 5)
		r.change(calls(20))
		r.succeed(10)
		r.window(20, 5)
		r.change(calls(15))
		r.window(15)
	})
	t.Run("R3: a shorter time window keeps the newest", func(t *testing.T) {
		r := newRig(t, with(length(time.Minute, 60)))
		r.fail(1)
		r.clock.Advance(30 * time.Second)
		r.succeed(1)
		r.clock.Advance(9 * time.Second)
		r.thereAndBack(length(2*time.Minute, 120))
		r.window(2, 1)
		r.change(length(10*time.Second, 10))
		r.window(1)
		r.clock.Advance(time.Second)
		r.window(0)
	})
	t.Run("R3: other buckets never keep an outcome longer", func(t *testing.T) {
		r := newRig(t, with(length(time.Minute, 6)))
		r.clock.Advance(5 * time.Second)
		r.fail(1)
		r.change(length(time.Minute, 60))
		r.clock.Advance(55*time.Second - ns)
		r.window(1, 1)
		r.clock.Advance(ns) // filed under the start of its old bucket
		r.window(0)
	})
	t.Run("R3: a window of the other kind starts empty", func(t *testing.T) {
		r := newRig(t, plain())
		r.fail(3)
		r.thereAndBack(length(time.Minute, 60))
		r.window(0)
		r.fail(3)
		r.in(breaker.Closed)
		r.fail(1)
		r.in(breaker.Open)
	})
	t.Run("R3: after a change to a time window each outcome is in its bucket", func(t *testing.T) {
		r := newRig(t, plain())
		r.succeed(100)
		r.change(length(10*time.Second, 10))
		for range 20 {
			r.succeed(1)
			succeedOnce(r.Breaker)
			r.clock.Advance(time.Second)
		}
		r.window(18) // of ten buckets the newest is still empty
	})
	t.Run("R3: OPEN and METRICS_ONLY show the window that is kept", func(t *testing.T) {
		r := newRig(t, plain())
		r.trip()
		r.change(calls(3))
		r.window(3, 3)
		equal(t, "calls in the trip record", r.Snapshot().LastTrip.Numbers.Calls, 4)
		r.move(breaker.MetricsOnly)
		r.fail(3)
		r.change(calls(2))
		r.window(2, 2)
		r.in(breaker.MetricsOnly)
	})
	t.Run("R3: OPEN after failed probes goes on showing the probes", func(t *testing.T) {
		r := newRig(t, plain())
		settle([]breaker.Permit{r.probing(), r.admitted()}, "+-")
		r.in(breaker.Open)
		r.change(calls(1))
		r.window(2, 1)
		equal(t, "minimum", r.Snapshot().Numbers.Minimum, 2)
	})
	t.Run("R3: the minimum shown is the new one", func(t *testing.T) {
		for s := breaker.Closed; s <= breaker.ForcedOpen; s++ {
			r := newRig(t, plain())
			r.move(s)
			r.change(func(c *breaker.Config) { c.MinimumCalls, c.HalfOpen.Probes = 7, 8 })
			equal(t, "minimum in "+s.String(), r.Snapshot().Numbers.Minimum, 7)
		}
	})
	t.Run("R3: slow calls stay slow, whatever is slow now", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.SlowCall.Duration = time.Second }))
		r.take(2 * time.Second)
		r.thereAndBack(func(c *breaker.Config) { c.SlowCall = breaker.SlowCallConfig{} })
		r.thereAndBack(func(c *breaker.Config) { c.SlowCall.Duration = time.Minute })
		r.window(1, 0, 1)
	})
}

func TestReconfigureMemory(t *testing.T) {
	t.Run("R4: a run goes on, also while it is of no use", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.FailureRate, c.ConsecutiveFailures = off, 5 }))
		r.fail(2)
		r.change(func(c *breaker.Config) { c.ConsecutiveFailures = off })
		r.fail(2)
		r.change(func(c *breaker.Config) { c.ConsecutiveFailures = 5 })
		equal(t, "run", r.Snapshot().Consecutive, 4)
		r.fail(1)
		r.in(breaker.Open)
	})
	t.Run("R4: growth goes on, and eases by the new wait", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.Open.Factor = 2 }))
		for range 3 {
			r.trip()
			r.recover()
		}
		// Three trips, and a base wait in CLOSED takes one step back.
		r.clock.Advance(10 * time.Second)
		r.thereAndBack(func(c *breaker.Config) { c.Open.Wait = time.Second })
		r.change(func(c *breaker.Config) { c.Open.Factor = 3 })
		r.trip()
		r.retryAfter(90 * time.Second)
	})
	t.Run("R4: evidence stays if its test stays", func(t *testing.T) {
		on := func(e *evidence.Config) func(*breaker.Config) {
			return func(c *breaker.Config) { c.Evidence = e }
		}
		slowToo := func(c *breaker.Config) { c.SlowCall.Duration, c.SlowEvidence = time.Second, &evidence.Config{} }
		for _, c := range []struct {
			what   string
			change func(*breaker.Config)
			kept   bool
		}{
			{"the same", on(&evidence.Config{Sick: 0.3}), true},
			{"another field", func(c *breaker.Config) { c.MinimumCalls = 9 }, true},
			{"another window", func(c *breaker.Config) { c.Window = breaker.WindowConfig{Length: time.Hour} }, true},
			{"other numbers", on(&evidence.Config{Sick: 0.4}), false},
			{"another memory, though the threshold is the same", on(&evidence.Config{Memory: time.Hour}), false},
			{"off", on(nil), false},
			{"a second test, which takes half of the budget", slowToo, false},
		} {
			r := newRig(t, with(func(cfg *breaker.Config) { cfg.FailureRate, cfg.Evidence = off, &evidence.Config{} }))
			r.fail(2)
			before := r.Snapshot().Evidence
			r.thereAndBack(c.change)
			if got := r.Snapshot().Evidence; (got == before) != c.kept || !c.kept && got != 0 {
				t.Errorf("%s, and back: the score was %v and is %v", c.what, before, got)
			}
		}
	})
	t.Run("R4: switched on, it counts from there", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.FailureRate = off }))
		r.fail(7)
		r.change(func(c *breaker.Config) { c.Evidence = &evidence.Config{} })
		r.fail(7)
		r.in(breaker.Closed)
		r.fail(1)
		r.in(breaker.Open)
		equal(t, "rule", r.Snapshot().LastTrip.Rule, breaker.RuleEvidence)
	})
}

func TestReconfigureThresholds(t *testing.T) {
	for _, c := range []struct {
		what   string
		rule   breaker.Rule
		change func(*breaker.Config)
	}{
		{"failure rate", breaker.RuleFailureRate, func(c *breaker.Config) { c.FailureRate = 20 }},
		{"slow rate", breaker.RuleSlowRate, func(c *breaker.Config) { c.SlowCall.Rate = 20 }},
		{"run", breaker.RuleConsecutive, func(c *breaker.Config) { c.ConsecutiveFailures = 2 }},
		{"count", breaker.RuleFailureCount, func(c *breaker.Config) { c.FailureCount = 2 }},
		{"window", breaker.RuleFailureRate, func(c *breaker.Config) { c.Window.Calls = 3 }},
	} {
		// Six good calls, two slow ones and two failures. Nothing trips.
		prepared := func() *rig {
			r := newRig(t, with(func(c *breaker.Config) { c.MinimumCalls, c.SlowCall.Duration = 5, time.Second }))
			r.succeed(6)
			r.take(2 * time.Second)
			r.take(2 * time.Second)
			r.fail(2)
			return r
		}
		t.Run("R5: "+c.what+": the next failure trips by the new rules", func(t *testing.T) {
			r := prepared()
			r.change(c.change)
			r.in(breaker.Closed)
			r.ignore(1)
			r.in(breaker.Closed)
			r.fail(1)
			r.in(breaker.Open)
			equal(t, "rule", r.Snapshot().LastTrip.Rule, c.rule)
		})
		if c.rule == breaker.RuleConsecutive {
			continue // a success ends the run
		}
		t.Run("R5, W4: "+c.what+": a success does too", func(t *testing.T) {
			r := prepared()
			r.change(c.change)
			r.ignore(1)
			r.succeed(1)
			r.in(breaker.Open)
			equal(t, "rule", r.Snapshot().LastTrip.Rule, c.rule)
		})
		t.Run("R10: "+c.what+": nothing, if taken back before", func(t *testing.T) {
			if c.what == "window" {
				return // R3: the smaller window has kept the newest part only
			}
			r := prepared()
			r.thereAndBack(c.change)
			r.succeed(100)
			r.in(breaker.Closed)
		})
	}
	t.Run("R5: higher thresholds let go", func(t *testing.T) {
		r := newRig(t, plain())
		r.succeed(2)
		r.fail(1)
		r.change(func(c *breaker.Config) { c.FailureRate = 60 })
		r.fail(1)
		r.in(breaker.Closed)
		r.fail(1)
		r.in(breaker.Open)
	})
	t.Run("R5, W4: a lower minimum: the next success trips", func(t *testing.T) {
		r := newRig(t, plain())
		r.fail(3)
		r.change(func(c *breaker.Config) { c.MinimumCalls = 2 })
		r.in(breaker.Closed)
		r.succeed(1)
		r.in(breaker.Open)
	})
	t.Run("R5: a higher minimum waits for it, and the success that reaches it trips", func(t *testing.T) {
		r := newRig(t, plain())
		r.succeed(3)
		r.fail(2)
		r.change(func(c *breaker.Config) { c.MinimumCalls, c.FailureRate = 7, 20 })
		r.succeed(1)
		r.in(breaker.Closed)
		r.succeed(1)
		r.in(breaker.Open)
	})
	t.Run("R5: METRICS_ONLY and DISABLED never trip", func(t *testing.T) {
		for _, s := range []breaker.State{breaker.MetricsOnly, breaker.Disabled} {
			r := newRig(t, plain())
			r.move(s)
			r.fail(10)
			r.change(func(c *breaker.Config) { c.FailureRate, c.ConsecutiveFailures = 1, 1 })
			r.fail(10)
			r.succeed(10)
			r.in(s)
			equal(t, "failed", r.Counters().Failed, 20)
			equal(t, "successful", r.Counters().Successful, 10)
		}
	})
}

func TestReconfigureOpen(t *testing.T) {
	wait := func(d time.Duration) func(*breaker.Config) {
		return func(c *breaker.Config) { c.Open.Wait, c.Open.MaxWait = d, 0 }
	}
	t.Run("R6: a longer wait moves an open deadline, a shorter one too", func(t *testing.T) {
		r := newRig(t, plain())
		r.trip()
		early := r.refused()
		r.clock.Advance(4 * time.Second)
		r.change(wait(time.Minute))
		r.retryAfter(56 * time.Second)
		if d, ok := early.RetryAfter(); d != 56*time.Second || !ok {
			t.Errorf("an earlier refusal says %v, %v", d, ok)
		}
		r.change(wait(5 * time.Second))
		r.retryAfter(time.Second)
		r.change(wait(3 * time.Second))
		equal(t, "passed", r.Snapshot().IntervalPassed, true)
		r.change(wait(10 * time.Second))
		r.retryAfter(6 * time.Second)
		r.clock.Advance(6 * time.Second)
		r.admitted()
		r.in(breaker.HalfOpen)
	})
	t.Run("R6: with the same growth, hint and random number", func(t *testing.T) {
		draw := 0.9
		r := newRig(t, breaker.Config{
			ConsecutiveFailures: 1,
			Open:                breaker.OpenConfig{Wait: 10 * time.Second, Factor: 2, Jitter: 10, MaxHint: time.Hour},
			HalfOpen:            breaker.HalfOpenConfig{Probes: 1},
		}, breaker.WithRandom(func() float64 { draw = 1 - draw; return draw }))
		r.trip()
		probe := r.probing() // 10 s, less 8 %
		equal(t, "time", r.clock.Mono(), 9200*time.Millisecond)
		probe.Failure(switchgear.WithRetryAfter(errDown, time.Minute))
		equal(t, "hinted", r.Snapshot().RetryAfter, 65400*time.Millisecond) // upwards only
		for _, c := range []struct {
			change func(*breaker.Config)
			want   time.Duration
		}{
			{func(c *breaker.Config) { c.Open.MaxHint = 30 * time.Second }, 32700 * time.Millisecond},
			{func(c *breaker.Config) { c.Open.MaxHint = off }, 21600 * time.Millisecond},
			{func(c *breaker.Config) { c.Open.MaxHint, c.Open.Factor = off, 3 }, 32400 * time.Millisecond},
			{func(c *breaker.Config) { c.Open.MaxHint, c.Open.MaxWait = off, 15*time.Second }, 16200 * time.Millisecond},
			{func(c *breaker.Config) { c.Open.MaxHint, c.Open.Jitter = off, 50 }, 28 * time.Second},
			{func(c *breaker.Config) { c.Open.MaxHint, c.Open.Jitter = off, off }, 20 * time.Second},
		} {
			first := r.Config()
			r.change(c.change)
			equal(t, "wait", r.Snapshot().RetryAfter, c.want)
			r.apply(first)
			equal(t, "the first wait again", r.Snapshot().RetryAfter, 65400*time.Millisecond)
		}
	})
	t.Run("R6: OPEN without an interval keeps none", func(t *testing.T) {
		r := newRig(t, plain())
		r.moveFor(breaker.ForcedOpen, time.Minute)
		r.clock.Advance(time.Minute)
		r.in(breaker.Open)
		r.change(wait(time.Hour))
		equal(t, "passed", r.Snapshot().IntervalPassed, true)
		r.admitted()
		r.in(breaker.HalfOpen)
	})
	t.Run("R6: FORCED_OPEN knows no wait", func(t *testing.T) {
		r := newRig(t, plain())
		r.moveFor(breaker.ForcedOpen, time.Minute)
		r.change(wait(time.Hour))
		r.retryAfter(time.Minute)
	})
	t.Run("R6: the trip record keeps what was", func(t *testing.T) {
		r := newRig(t, plain())
		r.trip()
		r.change(wait(time.Minute))
		equal(t, "wait", r.Snapshot().LastTrip.Wait, 10*time.Second)
	})
}

func TestReconfigureProbes(t *testing.T) {
	// halfOpen returns a rig that is HALF_OPEN, with n probes out.
	halfOpen := func(t *testing.T, cfg breaker.Config, n int) (r *rig, out []breaker.Permit) {
		r = newRig(t, cfg)
		out = append(out, r.probing())
		for range n - 1 {
			out = append(out, r.admitted())
		}
		return r, out
	}
	verdict := func(v breaker.Verdict, probes int) func(*breaker.Config) {
		return func(c *breaker.Config) { c.HalfOpen.Verdict, c.HalfOpen.Probes, c.HalfOpen.Successes = v, probes, 0 }
	}
	t.Run("R7: fewer probes strand none that is out", func(t *testing.T) {
		for _, end := range []struct {
			outcomes string
			want     breaker.State
		}{{"++", breaker.Closed}, {"--", breaker.Open}, {"0000++", breaker.Closed}, {"+-", breaker.Open}} {
			r, out := halfOpen(t, probes(6, breaker.ByRate), 6)
			r.change(verdict(breaker.ByRate, 2))
			equal(t, "out", r.Snapshot().ProbesOut, 6)
			r.refused()
			settle(out, end.outcomes)
			r.in(end.want)
			settle(out[len(end.outcomes):], strings.Repeat("+", 6-len(end.outcomes)))
			equal(t, "late", r.Counters().Late, uint64(6-len(end.outcomes)))
		}
	})
	t.Run("R7: a slot is free once fewer are out than the new number", func(t *testing.T) {
		r, out := halfOpen(t, probes(4, breaker.ByStreak), 4)
		r.change(verdict(breaker.ByStreak, 2))
		r.change(func(c *breaker.Config) { c.HalfOpen.Successes = 100 })
		settle(out, "++")
		r.refused()
		settle(out[2:], "+")
		r.admitted()
		r.refused()
	})
	t.Run("R7: more probes free a slot", func(t *testing.T) {
		r, _ := halfOpen(t, probes(2, breaker.ByRate), 2)
		equal(t, "ready", r.Ready(), false)
		r.change(verdict(breaker.ByRate, 3))
		equal(t, "ready", r.Ready(), true)
		r.admitted()
		r.refused()
	})
	t.Run("R7: the verdict is given at once if the new rules have it", func(t *testing.T) {
		for _, c := range []struct {
			what, outcomes string
			change         func(*breaker.Config)
			want           breaker.State
		}{
			{"fewer probes, the newest of them good", "--++", verdict(breaker.ByRate, 2), breaker.Closed},
			{"fewer probes, the newest of them bad", "++--", verdict(breaker.ByRate, 2), breaker.Open},
			{"a lower minimum", "+--", func(c *breaker.Config) { c.MinimumCalls = 3 }, breaker.Open},
			{"a lower minimum and a higher rate", "+--", func(c *breaker.Config) { c.MinimumCalls, c.FailureRate = 3, 70 }, breaker.Closed},
			{"a window smaller than the minimum", "+++", func(c *breaker.Config) { c.Window.Calls, c.HalfOpen.Probes = 3, 8 }, breaker.Closed},
			{"a streak that is long enough", "-+++", func(c *breaker.Config) { verdict(breaker.ByStreak, 8)(c); c.HalfOpen.Successes = 3 }, breaker.Closed},
			{"not enough yet", "+--", func(c *breaker.Config) { c.MinimumCalls = 4 }, breaker.HalfOpen},
			{"a failure before the verdict was by streak", "+-", verdict(breaker.ByStreak, 8), breaker.HalfOpen},
			{"a rate alone", "---", func(c *breaker.Config) { c.FailureRate = 1 }, breaker.HalfOpen},
		} {
			r, out := halfOpen(t, with(func(c *breaker.Config) { c.MinimumCalls, c.HalfOpen.Probes = 8, 8 }), len(c.outcomes))
			settle(out, c.outcomes)
			r.clock.Advance(time.Second)
			r.change(c.change)
			if r.State() != c.want {
				t.Errorf("%s: %v, want %v", c.what, r.State(), c.want)
			}
			if c.want == breaker.Open {
				r.retryAfter(10 * time.Second)
			}
		}
	})
	t.Run("R7: a change of verdict wedges nothing", func(t *testing.T) {
		// By streak any number may have settled, and the window keeps the newest.
		// By rate the slots must still add up to a full window.
		r, out := halfOpen(t, probes(3, breaker.ByStreak), 1)
		r.change(func(c *breaker.Config) { c.HalfOpen.Successes = 100 })
		r.succeed(20)
		r.in(breaker.HalfOpen)
		r.change(func(c *breaker.Config) { verdict(breaker.ByRate, 9)(c); c.MinimumCalls = 9 })
		r.window(3)
		r.succeed(5)
		r.refused()
		settle(out, "+")
		r.in(breaker.Closed)
	})
	t.Run("R7: the way from rate to streak and back loses outcomes, but no slot", func(t *testing.T) {
		r, out := halfOpen(t, with(func(c *breaker.Config) { c.MinimumCalls, c.HalfOpen.Probes = 9, 9 }), 6)
		settle(out, "+++++")
		r.thereAndBack(func(c *breaker.Config) { verdict(breaker.ByStreak, 2)(c); c.HalfOpen.Successes = 100 })
		r.window(2)
		r.succeed(6)
		r.refused()
		out[5].Success()
		r.in(breaker.Closed)
	})
	t.Run("R7: the probe limit counts from each admission", func(t *testing.T) {
		limit := func(d time.Duration) func(*breaker.Config) {
			return func(c *breaker.Config) { c.HalfOpen.ProbeLimit = d }
		}
		r, _ := halfOpen(t, with(func(c *breaker.Config) { c.HalfOpen.ProbeLimit = off }), 2)
		r.clock.Advance(time.Hour)
		r.refused()
		r.thereAndBack(limit(time.Minute))
		r.refused()
		r.change(limit(time.Hour + ns))
		r.refused()
		r.in(breaker.HalfOpen)
		r.change(limit(time.Hour))
		r.in(breaker.HalfOpen) // lazily, as ever (H8)
		r.refused()
		r.in(breaker.Open)
		equal(t, "overdue", r.Counters().Overdue, 2)
	})
}

func TestReconfigureTimers(t *testing.T) {
	maxWait := func(d time.Duration) func(*breaker.Config) {
		return func(c *breaker.Config) { c.HalfOpen.MaxWait = d }
	}
	automatic := func(on bool) func(*breaker.Config) {
		return func(c *breaker.Config) { c.Open.Automatic = on }
	}
	t.Run("R8: the longest stay counts from entry", func(t *testing.T) {
		r := newRig(t, plain())
		r.probing()
		entry := r.clock.Mono()
		r.clock.Advance(time.Second)
		r.change(maxWait(5 * time.Second))
		r.change(maxWait(3 * time.Second))
		equal(t, "timers", r.clock.Pending(), 1)
		at, _ := r.clock.Next()
		equal(t, "instant", at, entry+3*time.Second)
		r.change(maxWait(off))
		equal(t, "timers", r.clock.Pending(), 0)
		r.change(maxWait(2 * time.Second))
		r.clock.Advance(time.Second)
		r.in(breaker.Open)
		r.retryAfter(10 * time.Second)
	})
	t.Run("R8: an instant that has passed is due at once, and OPEN lasts its whole interval", func(t *testing.T) {
		r := newRig(t, plain())
		r.probing()
		r.clock.Advance(time.Hour)
		r.thereAndBack(maxWait(time.Second))
		r.clock.Advance(0)
		r.in(breaker.HalfOpen) // R10
		r.change(maxWait(time.Second))
		r.clock.Advance(0)
		r.in(breaker.Open)
		r.retryAfter(10 * time.Second)
		equal(t, "rule", r.Snapshot().LastTrip.Rule, breaker.RuleProbesLate)
	})
	t.Run("R8: automatic, switched on and off in OPEN", func(t *testing.T) {
		r := newRig(t, plain())
		r.trip()
		r.change(automatic(true))
		equal(t, "timers", r.clock.Pending(), 1)
		r.change(automatic(false))
		equal(t, "timers", r.clock.Pending(), 0)
		r.clock.Advance(time.Second)
		r.change(automatic(true))
		r.change(func(c *breaker.Config) { c.Open.Wait = 20 * time.Second })
		r.clock.Advance(19*time.Second - ns)
		r.in(breaker.Open)
		r.clock.Advance(ns)
		r.in(breaker.HalfOpen)
	})
	t.Run("R8: automatic, switched on when the interval has passed", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.HalfOpen.MaxWait = 5 * time.Second }))
		r.trip()
		r.clock.Advance(time.Hour)
		r.change(automatic(true))
		r.in(breaker.Open)
		r.clock.Advance(0)
		r.in(breaker.HalfOpen)
		equal(t, "since", r.Snapshot().Since, start.Add(time.Hour)) // so H6 counts from now
		r.clock.Advance(5*time.Second - ns)
		r.in(breaker.HalfOpen)
	})
	t.Run("R8: no timer after Close", func(t *testing.T) {
		r := newRig(t, plain())
		r.trip()
		r.Close()
		r.change(automatic(true))
		equal(t, "timers", r.clock.Pending(), 0)
	})
	t.Run("R8: a timer that fires while the rules change does not act by the old ones", func(t *testing.T) {
		c := &lateClock{Virtual: clock.NewVirtual(start)}
		r := newRig(t, with(maxWait(time.Second)), breaker.WithClock(c))
		r.clock = c.Virtual
		r.probing()
		old := c.newest
		r.change(maxWait(time.Hour))
		old()
		r.in(breaker.HalfOpen)
		c.newest()
		r.in(breaker.Open)
	})
}

// lateClock hands out timers that cannot be stopped any more.
type lateClock struct {
	*clock.Virtual
	newest func()
}

func (c *lateClock) AfterFunc(_ time.Duration, f func()) clock.Timer {
	c.newest = f
	return c
}

func (c *lateClock) Stop() bool { return false }

func TestReconfigureGrace(t *testing.T) {
	grace := func(d time.Duration) func(*breaker.Config) {
		return func(c *breaker.Config) { c.Grace = d }
	}
	t.Run("R9: a running grace gets another end, counted from New", func(t *testing.T) {
		for _, d := range []time.Duration{2 * time.Minute, 30 * time.Second} {
			r := newRig(t, with(grace(time.Minute)))
			r.clock.Advance(10 * time.Second)
			r.change(grace(d))
			r.fail(10)
			r.clock.Advance(d - 10*time.Second - ns)
			equal(t, "grace", r.Snapshot().Grace, true)
			r.in(breaker.Closed)
			r.clock.Advance(ns)
			r.fail(1)
			r.window(1, 1)
			r.fail(3)
			r.in(breaker.Open)
		}
	})
	t.Run("R9: one that ends by the change empties the window", func(t *testing.T) {
		for _, elapsed := range []time.Duration{0, 10 * time.Second} {
			r := newRig(t, with(grace(time.Minute)))
			r.clock.Advance(elapsed)
			r.fail(10)
			r.change(grace(0))
			equal(t, "grace", r.Snapshot().Grace, false)
			r.window(0)
			r.fail(4)
			r.in(breaker.Open)
		}
	})
	t.Run("R9: one that is over stays over", func(t *testing.T) {
		r := newRig(t, with(grace(time.Minute)))
		r.clock.Advance(time.Minute)
		r.change(grace(time.Hour))
		equal(t, "grace", r.Snapshot().Grace, false)
		r.trip()
		r = newRig(t, plain())
		r.change(grace(time.Hour))
		r.trip()
	})
	t.Run("R9: other changes leave it alone", func(t *testing.T) {
		r := newRig(t, with(grace(time.Minute)))
		r.fail(4)
		r.change(func(c *breaker.Config) { c.FailureRate = 10 })
		r.fail(4)
		r.in(breaker.Closed)
		r.window(8, 8)
	})
}
