package scenario_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/sgyaml"
	"github.com/switchgear-go/switchgear/sim"
	"github.com/switchgear-go/switchgear/sim/scenario"
)

func TestLibraryIsComplete(t *testing.T) {
	files, err := filepath.Glob("library/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	byName := map[string]*scenario.Document{}
	for _, d := range scenario.Library() {
		byName[d.Name()] = d
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := scenario.Parse(file, data); err != nil {
			t.Errorf("%v", err)
			continue
		}
		d, ok := scenario.Named(name)
		if !ok || byName[name] == nil || d.Name() != name {
			t.Errorf("%s: the library does not have it under its own name", name)
			continue
		}
		if n := len(d.Title()); n == 0 || n > 72 || !regexp.MustCompile(`\S\s+\S`).MatchString(d.Teaches()) {
			t.Errorf("%s: wants a title of at most 72 bytes, and something to teach", name)
		}
	}
	if len(byName) != len(files) {
		t.Errorf("%d files, %d scenarios", len(files), len(byName))
	}
	if _, ok := scenario.Named("nonesuch"); ok {
		t.Error("there is a scenario nonesuch")
	}
}

// What is run can be written down, with and without its defaults, and run again.
func TestLibraryCanBeWrittenDown(t *testing.T) {
	for _, d := range scenario.Library() {
		s, err := d.Scenario()
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range s.Variants {
			one, err := sim.New(v.Config)
			if err != nil {
				t.Fatal(err)
			}
			for _, cfg := range []sim.Config{v.Config, one.Config()} {
				var back sim.Config
				text, err := sgyaml.Marshal(cfg)
				if err == nil {
					err = sgyaml.Unmarshal("back.yaml", text, &back)
				}
				if err != nil || !reflect.DeepEqual(back, cfg) {
					t.Errorf("%s, %s: %v\n%s", s.Name, v.Name, err, text)
				}
			}
		}
	}
}

// runs are the results of one seed, by variant.
type runs map[string]*sim.Result

// window returns a window of a variant's run.
func (r runs) window(t *testing.T, variant, window string) *sim.WindowResult {
	t.Helper()
	one := r[variant]
	if one == nil {
		t.Fatalf("there is no variant %q", variant)
	}
	for i := range one.Windows {
		if one.Windows[i].Name == window {
			return &one.Windows[i]
		}
	}
	t.Fatalf("there is no window %q", window)
	return nil
}

// pool returns the workers of a place.
func (r runs) pool(t *testing.T, variant, place string) *sim.PoolResult {
	t.Helper()
	for i := range r[variant].Pools {
		if p := &r[variant].Pools[i]; p.Name == place {
			return p
		}
	}
	t.Fatalf("%s has no pool", place)
	return nil
}

// figures returns those of a variant, for the window named fault.
func (r runs) figures(t *testing.T, variant string) sim.Figures {
	t.Helper()
	for i, w := range r[variant].Windows {
		if w.Name == "fault" {
			return r[variant].Figures(i)
		}
	}
	t.Fatal("there is no fault")
	return sim.Figures{}
}

// trips counts the times at which a breaker opened from CLOSED, at any place.
func (r runs) trips(variant string) (n int) {
	for _, tr := range r[variant].Transitions {
		if tr.From == breaker.Closed && tr.To == breaker.Open {
			n++
		}
	}
	return n
}

const seeds = 3

// teaches runs a scenario of the library with a few seeds. What it teaches must show in
// each.
func teaches(t *testing.T, name string, claim func(t *testing.T, r runs, seen func(claim string, holds bool, figures ...any))) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		d, ok := scenario.Named(name)
		if !ok {
			t.Fatal("the library does not have it")
		}
		s, err := d.Scenario()
		if err != nil {
			t.Fatal(err)
		}
		last := uint64(seeds)
		if testing.Short() {
			last = 1
		}
		for seed := uint64(1); seed <= last; seed++ {
			r := runs{}
			for _, v := range s.Variants {
				one, err := sim.New(v.Config)
				if err != nil {
					t.Fatal(err)
				}
				if r[v.Name], err = one.Run(context.Background(), seed); err != nil {
					t.Fatal(err)
				}
			}
			claim(t, r, func(claim string, holds bool, figures ...any) {
				if !holds {
					t.Errorf("seed %d: not so: %s: %v", seed, claim, figures)
				}
			})
		}
	})
}

func within[T int | float64 | time.Duration](v, least, most T) bool { return v >= least && v <= most }

func TestLibraryTeachesWhatIsTrue(t *testing.T) {
	teaches(t, "outage", func(t *testing.T, r runs, seen func(string, bool, ...any)) {
		without, with := r.window(t, "no breaker", "fault"), r.window(t, "breaker", "fault")
		seen("without a breaker every call is sent, and waits for its timeout", without.TimedOut == without.Requests, without.TimedOut)
		seen("about a hundred of them at any time", within(without.InFlight, 80, 115), without.InFlight)
		seen("with one, an eighth is sent", within(with.Share(), 8, 17), with.Share())
		ratio := 100 * with.Mean.Seconds() / without.Mean.Seconds()
		seen("and the mean latency falls to that share", within(ratio-with.Share(), -1, 1), ratio, with.Share())
		after := r.window(t, "breaker", "after")
		seen("calls are refused at the end", after.Rejected > 0, after.Rejected)
		lag := r.figures(t, "breaker").RecoveryLag
		seen("until the interval is over and the probes are back", within(lag, 0, 8*time.Second), lag)
	})
	teaches(t, "cascade", func(t *testing.T, r runs, seen func(string, bool, ...any)) {
		const long, short, guarded = "long timeouts", "short timeouts", "short timeouts and breakers"
		// Those that C could answer are half of all.
		answered := func(variant string) float64 {
			w := r.window(t, variant, "fault")
			return float64(w.Succeeded) / (float64(w.Requests) / 2)
		}
		seen("with long timeouts hardly any gets to C", answered(long) < 0.25, answered(long))
		seen("A turns callers away", r.pool(t, long, "A").Shed > 1000, r.pool(t, long, "A").Shed)
		seen("with short ones most get through", within(answered(short), 0.6, 0.95), answered(short))
		seen("with breakers nearly all", answered(guarded) > 0.85 && answered(guarded) > answered(short), answered(guarded), answered(short))
		seen("and A turns hardly any away", r.pool(t, guarded, "A").Shed < r.pool(t, short, "A").Shed/2, r.pool(t, guarded, "A").Shed)
	})
	teaches(t, "herd", func(t *testing.T, r runs, seen func(string, bool, ...any)) {
		first, last := time.Hour, time.Duration(0)
		tripped := map[int]bool{}
		for _, tr := range r["no jitter"].Transitions {
			if tr.From == breaker.Closed {
				tripped[tr.Instance] = true
				first, last = min(first, tr.At), max(last, tr.At)
			}
		}
		seen("all instances trip", len(tripped) == 200, len(tripped))
		seen("within moments", last-first < 4*time.Second, last-first)
		even, spread := r.window(t, "no jitter", "probing"), r.window(t, "jitter", "probing")
		seen("as many probes", within(float64(spread.Reached)/float64(even.Reached), 0.8, 1.2), spread.Reached, even.Reached)
		seen("whose peak is a fraction with jitter", spread.Peak*2 < even.Peak, spread.Peak, even.Peak)
		quiet := func(variant string) (n int) {
			for _, row := range r[variant].Rows {
				if row.At >= 30*time.Second && row.At < time.Minute && row.Peak == 0 {
					n++
				}
			}
			return n
		}
		seen("between them nothing", quiet("no jitter") > quiet("jitter")+5, quiet("no jitter"), quiet("jitter"))
	})
	teaches(t, "slow", func(t *testing.T, r runs, seen func(string, bool, ...any)) {
		const failures, slow = "failures only", "slow calls too"
		seen("a rule on failures sees nothing wrong", r.trips(failures) == 0, r.trips(failures))
		w, p := r.window(t, failures, "fault"), r.pool(t, failures, "client")
		seen("all workers are busy", w.InFlight > 28, w.InFlight)
		seen("the queue is full", p.MostWaiting == 60, p.MostWaiting)
		seen("most calls are turned away", w.Shed*2 > w.Requests, w.Shed)
		g := r.window(t, slow, "fault")
		seen("a rule on slow calls trips", r.trips(slow) > 0)
		seen("workers stay free", g.InFlight < 15, g.InFlight)
		seen("calls are refused at once", g.Rejected*2 > g.Requests && g.Mean*3 < w.Mean, g.Rejected, g.Mean, w.Mean)
		seen("also those that would have been answered", g.Succeeded < w.Succeeded, g.Succeeded, w.Succeeded)
	})
	teaches(t, "flapping", func(t *testing.T, r runs, seen func(string, bool, ...any)) {
		c, g := r.window(t, "constant interval", "fault"), r.window(t, "growing interval", "fault")
		seen("it closes, only to trip again", r.trips("constant interval") >= 15, r.trips("constant interval"))
		seen("a growing interval follows less", r.trips("growing interval") < r.trips("constant interval")/2, r.trips("growing interval"))
		seen("fewer meet a failure", g.Failed*3 < c.Failed*2, g.Failed, c.Failed)
		seen("fewer are answered", g.Succeeded < c.Succeeded, g.Succeeded, c.Succeeded)
		late := r.window(t, "growing interval", "after").Rejected + r.window(t, "growing interval", "fault").Rejected
		seen("and more are refused", late > c.Rejected*3/2, late, c.Rejected)
	})
	teaches(t, "low-traffic", func(t *testing.T, r runs, seen func(string, bool, ...any)) {
		seen("with 20 in a minute it does not trip", r.trips("20 calls in a minute") == 0)
		ten := r.figures(t, "20 calls in ten minutes").TripDelay
		seen("with ten minutes it does, halfway through", within(ten, 3*time.Minute, 8*time.Minute), ten)
		for _, variant := range []string{"evidence", "five in a row"} {
			d := r.figures(t, variant)
			seen(variant+" trips after a handful of calls", within(d.TripDelay, 0, 3*time.Minute) && d.FalseTrips == 0, d.TripDelay, d.FalseTrips)
		}
	})
	teaches(t, "cold-start", func(t *testing.T, r runs, seen func(string, bool, ...any)) {
		refused := r["no grace"].Whole.Rejected
		seen("it trips, and refuses far longer than the trouble lasts", refused > 15*50, refused)
		for _, variant := range []string{"grace", "larger minimum"} {
			seen(variant+" lets it pass", r.trips(variant) == 0 && r[variant].Whole.Rejected == 0)
		}
	})
	teaches(t, "false-trips", func(t *testing.T, r runs, seen func(string, bool, ...any)) {
		const small, large, evidence = "30 % of 10 calls", "50 % of 200 calls", "evidence"
		healthy := r.window(t, small, "before")
		seen("a small window trips by chance", r.figures(t, small).FalseTrips > 50, r.figures(t, small).FalseTrips)
		seen("and refuses a third", within(float64(healthy.Rejected)/float64(healthy.Requests), 0.3, 0.5), healthy.Rejected, healthy.Requests)
		seen("a large one does not", r.figures(t, large).FalseTrips == 0)
		seen("and takes seconds", within(r.figures(t, large).TripDelay, time.Second, 10*time.Second), r.figures(t, large).TripDelay)
		seen("evidence does not trip by chance", r.figures(t, evidence).FalseTrips == 0, r.figures(t, evidence).FalseTrips)
		seen("and is quick", within(r.figures(t, evidence).TripDelay, 0, time.Second), r.figures(t, evidence).TripDelay)
	})
	teaches(t, "partial", func(t *testing.T, r runs, seen func(string, bool, ...any)) {
		const high, low, each = "one breaker, 50 %", "one breaker, 20 %", "one for each instance"
		w := r.window(t, high, "fault")
		seen("with 50 % it never trips", r.trips(high) == 0)
		seen("and every fourth waits", within(float64(w.TimedOut)/float64(w.Requests), 0.2, 0.3), w.TimedOut, w.Requests)
		l := r.window(t, low, "fault")
		seen("with 20 % it trips, and refuses good ones", r.trips(low) > 0 && l.Succeeded*10 < w.Succeeded*7, l.Succeeded, w.Succeeded)
		e := r.window(t, each, "fault")
		seen("with one for each, all calls to the others are answered", e.Succeeded == w.Succeeded, e.Succeeded, w.Succeeded)
		seen("and hardly any waits", e.TimedOut*4 < w.TimedOut, e.TimedOut, w.TimedOut)
	})
	teaches(t, "overload-on-return", func(t *testing.T, r runs, seen func(string, bool, ...any)) {
		answered := func(variant string) int { return int(r.window(t, variant, "fault").Succeeded) }
		seen("without a breaker it stays down", answered("no breaker") < 300, answered("no breaker"))
		seen("a breaker gives it pauses", answered("breaker") > 3*answered("no breaker"), answered("breaker"))
		seen("but it falls over again", r.trips("breaker") >= 5, r.trips("breaker"))
		seen("a growing interval makes that rarer", r.trips("growing interval") < r.trips("breaker"), r.trips("growing interval"), r.trips("breaker"))
		seen("but no more are answered", answered("growing interval")*4 < answered("breaker")*5, answered("growing interval"), answered("breaker"))
		seen("with a rate limit several times as many are answered", answered("rate limit") > 3*answered("breaker"), answered("rate limit"), answered("breaker"))
		before := r.window(t, "rate limit", "before")
		seen("and a third is refused when all is well", within(float64(before.Rejected)/float64(before.Requests), 0.25, 0.4), before.Rejected, before.Requests)
	})
	teaches(t, "late-results", func(t *testing.T, r runs, seen func(string, bool, ...any)) {
		const long, short = "timeout of 8 s", "timeout of 0.5 s"
		f := r.figures(t, long)
		seen("many times what it takes to trip are late", within(int(f.Late), 40, 100), f.Late)
		seen("closed long before they come", within(f.RecoveryLag, 0, 2*time.Second), f.RecoveryLag)
		seen("and stays closed", r.trips(long) == 1, r.trips(long))
		seen("trips sooner with a short timeout", r.figures(t, short).TripDelay < f.TripDelay, r.figures(t, short).TripDelay, f.TripDelay)
	})
	teaches(t, "retry-storm", func(t *testing.T, r runs, seen func(string, bool, ...any)) {
		answered := func(variant string) float64 {
			w := r.window(t, variant, "end")
			return float64(w.Succeeded) / float64(w.Requests)
		}
		before := r.window(t, "retries", "before")
		seen("all is well before", before.Succeeded*100 > before.Requests*98, before.Succeeded, before.Requests)
		seen("with retries the outage lasts after its end", answered("retries") < 0.1, answered("retries"))
		w := r.window(t, "retries", "end")
		seen("every call is tried four times", within(float64(w.Attempts)/float64(w.Requests), 3.5, 4), w.Attempts, w.Requests)
		seen("with a budget all is well within seconds", answered("budget") > 0.99, answered("budget"))
		seen("so it is with a breaker", answered("breaker") > 0.99, answered("breaker"))
		seen("and without retries nearly so", answered("no retries") > 0.97, answered("no retries"))
	})
}

func TestSourceIsWhatTheLibraryHolds(t *testing.T) {
	for _, d := range scenario.Library() {
		text, ok := scenario.Source(d.Name())
		if !ok {
			t.Errorf("%s has none", d.Name())
		}
		if own := parse(t, string(text)); own.Title() != d.Title() || own.Name() != d.Name() {
			t.Errorf("that of %s is of %s", d.Name(), own.Name())
		}
	}
	if _, ok := scenario.Source("../library"); ok {
		t.Error("there is one of nothing")
	}
}
