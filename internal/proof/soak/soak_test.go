package main

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
)

// TestSoak is a small soak. The seed is in what it prints, and go run takes it back.
func TestSoak(t *testing.T) {
	p := params{ops: 2_000_000, seed: uint64(time.Now().UnixNano()) >> 10 & 0xffffffff, round: -1}
	if testing.Short() {
		p.ops /= 10
	}
	rep := soak(t.Context(), p, func(uint64, uint64, time.Duration) {})
	var text strings.Builder
	if err := rep.print(&text); err != nil {
		t.Fatal(err)
	}
	t.Log(text.String())
	if rep.Violation != nil {
		t.Fatalf("seed %d: %s", p.seed, rep.Violation.Text)
	}
	equal(t, "ended", rep.Ended, endedByItself)
	if rep.Operations < p.ops {
		t.Errorf("%d operations, want %d", rep.Operations, p.ops)
	}
	// A test that tests nothing must not pass.
	for state, n := range rep.States {
		if n == 0 {
			t.Errorf("%s was never reached", state)
		}
	}
	for rule, n := range rep.Trips {
		if n == 0 && !testing.Short() {
			t.Errorf("nothing tripped by %s", rule)
		}
	}
}

// quietRound plays a round until all is quiet.
func quietRound(t *testing.T, f focus) *round {
	t.Helper()
	r := newRun(params{ops: 1000, round: -1})
	r.patience = 10 * time.Millisecond
	number := 0
	for foci[number] != f {
		number++
	}
	sc := drawScenario(1, number, 2000)
	sc.recent, sc.quits = 8, false
	rd, err := r.newRound(number, sc)
	if err != nil {
		t.Fatal(err)
	}
	if err := rd.enter(nil); err != nil {
		t.Fatal(err)
	}
	rd.load(0)
	return rd
}

// booksOfFirst returns what the workers of a round did to its first breaker.
func (r *round) booksOfFirst() (books tally) {
	for _, w := range r.workers {
		books.add(&w.tallies[0])
	}
	return books
}

// TestAccountsNotice puts faults into a round that went well, at its end.
func TestAccountsNotice(t *testing.T) {
	for _, test := range []struct {
		name   string
		focus  focus
		tamper func(*subject, *tally)
		rule   string
	}{
		{"nothing", calm, func(*subject, *tally) {}, ""},
		{"nothing", operators, func(*subject, *tally) {}, ""},
		{"a success that was not counted", calm, func(_ *subject, b *tally) { b.admitted++; b.settled[success]++ }, "N1"},
		{"a refusal that was not counted", operators, func(_ *subject, b *tally) { b.refused++ }, "N1"},
		{"a transition where there can be none", calm, func(s *subject, _ *tally) {
			if err := s.b.Reset("test", "soak"); err != nil {
				panic(err)
			}
		}, "T1"},
		{"an event that was not heard", operators, func(s *subject, _ *tally) { s.history.missed++ }, "S7"},
		{"a panic that was not counted", operators, func(s *subject, _ *tally) { s.panics.Add(1) }, "S7"},
		{"a trip that was not counted", operators, func(s *subject, _ *tally) { s.history.sum.trips++ }, "N1"},
		{"a probe that no event tells of", operators, func(s *subject, _ *tally) { s.history.sum.probes-- }, "N1"},
		{"a slot that no event tells of", operators, func(s *subject, _ *tally) { s.history.sum.given-- }, "H4"},
		{"a refusal that no event tells of", operators, func(s *subject, _ *tally) { s.history.sum.refused-- }, "N1"},
		{"a configuration that no event tells of", operators, func(s *subject, _ *tally) { s.history.version++ }, "R1"},
		{"a refusal in the wrong state", operators, func(s *subject, _ *tally) {
			w := s.round.workers[0]
			w.sightings[0] = append(w.sightings[0], markOf(1, breaker.Open))
		}, "S5"},
		{"a timer that is never stopped", operators, func(s *subject, _ *tally) { s.clk.AfterFunc(time.Hour, func() {}) }, "K2"},
	} {
		t.Run(string(test.focus)+": "+test.name, func(t *testing.T) {
			rd := quietRound(t, test.focus)
			s, books := rd.subjects[0], rd.booksOfFirst()
			test.tamper(s, &books)
			s.settleAccounts(&books)
			found := rd.run.violation()
			if found == nil {
				accuses(t, nil, test.rule)
				return
			}
			if test.rule == "" || !strings.HasPrefix(found.Text, test.rule+":") {
				t.Errorf("want an accusation by rule %q, got: %s", test.rule, found.Text)
			}
			if found.Scenario == "" || len(found.Facts) == 0 {
				t.Errorf("a violation without facts: %+v", found)
			}
		})
	}
}

// TestWorkersNotice: what callers check with each call.
func TestWorkersNotice(t *testing.T) {
	for name, tamper := range map[string]func(*worker, *subject) (rule string){
		"S5: a refusal by a period that was over": func(w *worker, s *subject) string {
			_, err := s.b.Acquire(context.Background())
			w.refused(markOf(s.b.Snapshot().Period+1, breaker.Closed), err)
			return "S5"
		},
		"P1: a refusal by another breaker": func(w *worker, s *subject) string {
			other := breaker.Must(breaker.New("other", breaker.Config{}))
			if err := other.Move(breaker.Move{To: breaker.ForcedOpen, Reason: "soak"}); err != nil {
				panic(err)
			}
			_, err := other.Acquire(context.Background())
			w.refused(0, err)
			return "P1"
		},
		"P1: a refusal that is no rejection": func(w *worker, _ *subject) string {
			w.refused(0, errDown)
			return "P1"
		},
		"P1: a refused call that has a result": func(w *worker, s *subject) string {
			w.begin()
			_, err := s.b.Acquire(context.Background())
			w.finish(0, good, err)
			return "P1"
		},
		"P4: a result that is not the function's": func(w *worker, _ *subject) string {
			w.devise(1 << 63)
			w.begin()
			w.ran = true
			w.finish(0, w.plan.value+1, w.plan.ending.err)
			return "P4"
		},
		"P4: a panic that is swallowed": func(w *worker, _ *subject) string {
			w.explode(func() error { w.ran = true; return nil })
			return "P4"
		},
		"P4: another panic than was thrown": func(w *worker, _ *subject) string {
			w.explode(func() error { w.ran = true; panic("another") })
			return "P4"
		},
		"S2: a call that no state let through": func(w *worker, s *subject) string {
			h := permit{before: markOf(s.b.Snapshot().Period, breaker.ForcedOpen)}
			w.observe(&h, 0)
			return "S2"
		},
		"S3: a probe that no state let through": func(w *worker, s *subject) string {
			h := permit{before: markOf(s.b.Snapshot().Period, breaker.ForcedOpen), probe: true}
			w.observe(&h, 0)
			return "S3"
		},
		"H1: a probe too many": func(w *worker, s *subject) string {
			if err := s.b.Move(breaker.Move{To: breaker.HalfOpen, Reason: "soak", Author: "test"}); err != nil {
				panic(err)
			}
			for range s.pool[0].cfg.HalfOpen.Probes + 1 {
				h := permit{before: markOf(s.b.Snapshot().Period, breaker.HalfOpen), probe: true}
				w.observe(&h, s.clk.Mono())
			}
			return "H1"
		},
		"P2: a settled permit that is not": func(w *worker, s *subject) string {
			if err := s.b.Move(breaker.Move{To: breaker.HalfOpen, Reason: "soak", Author: "test"}); err != nil {
				panic(err)
			}
			p, err := s.b.Acquire(context.Background())
			if err != nil {
				panic(err)
			}
			h := permit{Permit: p, probe: true}
			w.settleAgain(&h, &p)
			return "P2"
		},
	} {
		t.Run(name, func(t *testing.T) {
			rd := quietRound(t, operators)
			w, s := rd.workers[0], rd.subjects[0]
			w.take(0)
			w.refusal = nil
			if err := s.b.Move(breaker.Move{To: breaker.ForcedOpen, Reason: "soak", Author: "test"}); err != nil {
				t.Fatal(err)
			}
			if found := rd.run.violation(); found != nil {
				t.Fatalf("a false accusation: %s", found.Text)
			}
			rule := tamper(w, s)
			found := rd.run.violation()
			if found == nil || !strings.HasPrefix(found.Text, rule+":") {
				t.Errorf("want an accusation by rule %s, got %+v", rule, found)
			}
		})
	}
}

// TestAccountsCompare: what a snapshot of a quiet breaker must agree with.
func TestAccountsCompare(t *testing.T) {
	t.Run("H4: a slot is taken", func(t *testing.T) {
		snap := breaker.Snapshot{ProbesOut: 3}
		accuses(t, (&tally{lost: 2, unknown: 1}).compareSlots(&snap), "")
		accuses(t, (&tally{lost: 1, unknown: 1}).compareSlots(&snap), "H4")
	})
	window := func(w breaker.WindowConfig) *subject {
		return &subject{pool: []*limits{full(t, breaker.Config{Window: w})}}
	}
	counted, timed := window(breaker.WindowConfig{Calls: 10}), window(breaker.WindowConfig{Length: time.Hour})
	for _, test := range []struct {
		name   string
		s      *subject
		tamper func(*breaker.Snapshot)
		rule   string
	}{
		{"a full window", counted, func(s *breaker.Snapshot) { s.Numbers = numbers(10, 10, 3) }, ""},
		{"a call is missing", counted, func(s *breaker.Snapshot) { s.Numbers = numbers(10, 9, 3) }, "W1"},
		{"all calls", timed, func(s *breaker.Snapshot) { s.Numbers = numbers(20, 15, 5) }, ""},
		{"a call is missing", timed, func(s *breaker.Snapshot) { s.Numbers = numbers(20, 14, 5) }, "W2"},
		{"a failure is missing", timed, func(s *breaker.Snapshot) { s.Numbers = numbers(20, 15, 4) }, "W2"},
		{"a slow call is there", timed, func(s *breaker.Snapshot) { s.Numbers = numbers(20, 15, 5); s.Numbers.Slow = 1 }, "W2"},
		{"another period", timed, func(s *breaker.Snapshot) { s.Numbers = numbers(20, 15, 5); s.Period = 2 }, "T1"},
		{"a late call", timed, func(s *breaker.Snapshot) { s.Numbers = numbers(20, 15, 5); s.Counters.Late = 1 }, "T1"},
		{"a success is missing", timed, func(s *breaker.Snapshot) { s.Numbers = numbers(20, 14, 5); s.Counters.Successful = 9 }, "N1"},
	} {
		t.Run(test.rule+": "+test.name, func(t *testing.T) {
			snap := breaker.Snapshot{Period: 1, Counters: breaker.Counters{Successful: 10, Failed: 5}}
			test.tamper(&snap)
			books := tally{settled: [kinds]uint64{success: 10, failure: 5}}
			accuses(t, test.s.compareWindow(&snap, &books), test.rule)
		})
	}
	for _, test := range []struct {
		name string
		is   breaker.State
		snap breaker.Snapshot
		rule string
	}{
		{"CLOSED", breaker.Closed, breaker.Snapshot{State: breaker.Closed}, ""},
		{"not OPEN", breaker.Closed, breaker.Snapshot{State: breaker.Open, RetryAfter: 1}, "S2"},
		{"not FORCED_OPEN", breaker.Closed, breaker.Snapshot{State: breaker.ForcedOpen}, "S2"},
		{"not FORCED_OPEN for some time", breaker.Closed, breaker.Snapshot{State: breaker.ForcedOpen, RetryAfter: 1, Expires: noon}, "S2"},
		{"FORCED_OPEN", breaker.ForcedOpen, breaker.Snapshot{State: breaker.ForcedOpen}, ""},
		{"not CLOSED", breaker.ForcedOpen, breaker.Snapshot{State: breaker.Closed}, "S2"},
		{"not OPEN with its interval passed", breaker.ForcedOpen, breaker.Snapshot{State: breaker.Open, IntervalPassed: true}, "S2"},
		{"not HALF_OPEN with a free slot", breaker.ForcedOpen, breaker.Snapshot{State: breaker.HalfOpen}, "S2"},
		{"perhaps HALF_OPEN without", breaker.ForcedOpen, breaker.Snapshot{State: breaker.HalfOpen, ProbesOut: 1}, ""},
	} {
		t.Run("the next call, where the breaker is "+test.name, func(t *testing.T) {
			clk := clock.NewVirtual(noon)
			b := breaker.Must(breaker.New("stock", breaker.Config{}, breaker.WithClock(clk)))
			if err := b.Move(breaker.Move{To: test.is, Reason: "soak"}); err != nil {
				t.Fatal(err)
			}
			s := &subject{b: b, round: &round{virtual: clk}}
			var books tally
			accuses(t, s.compareNext(&test.snap, &books), test.rule)
			equal(t, "calls", books.refused+books.admitted, 1)
		})
	}
}

// kept keeps what a round should have left behind.
var kept any

func TestLeftNothingNotices(t *testing.T) {
	t.Cleanup(func() { kept = nil })
	setup := func(t *testing.T) (*run, *scenario) {
		r := newRun(params{ops: 1000, round: -1})
		r.patience = 100 * time.Millisecond
		sc := drawScenario(1, 0, 1000)
		for range settled {
			r.leftNothing(nil, 0, sc)
		}
		if found := r.violation(); found != nil {
			t.Fatalf("a false accusation: %s", found.Text)
		}
		return r, sc
	}
	expect := func(t *testing.T, r *run, text string) {
		t.Helper()
		if found := r.violation(); found == nil || !strings.Contains(found.Text, text) {
			t.Errorf("want an accusation about %q, got %+v", text, found)
		}
	}
	t.Run("K2: a goroutine is left", func(t *testing.T) {
		r, sc := setup(t)
		end := make(chan struct{})
		defer close(end)
		for range 16 { // more than may have been about to end when the run began
			go func() { <-end }()
		}
		r.leftNothing(nil, 0, sc)
		expect(t, r, "goroutines are left")
	})
	t.Run("K2: a breaker is left", func(t *testing.T) {
		r, sc := setup(t)
		b := breaker.Must(breaker.New("stock", breaker.Config{}))
		r.leftNothing([]weak.Pointer[breaker.Breaker]{weak.Make(b)}, 0, sc)
		expect(t, r, "still referred to")
		runtime.KeepAlive(b)
	})
	t.Run("K2: nobody keeps a breaker", func(t *testing.T) {
		r, sc := setup(t)
		p := weak.Make(breaker.Must(breaker.New("stock", breaker.Config{})))
		r.leftNothing([]weak.Pointer[breaker.Breaker]{p}, 0, sc)
		if found := r.violation(); found != nil {
			t.Errorf("a false accusation: %s", found.Text)
		}
	})
	t.Run("K2: memory is left", func(t *testing.T) {
		r, sc := setup(t)
		kept = make([]byte, heapSlack+1<<20)
		r.leftNothing(nil, 0, sc)
		expect(t, r, "heap has grown")
	})
}

func TestPersist(t *testing.T) {
	t.Run("a goroutine that is ended is replaced", func(t *testing.T) {
		r := newRun(params{})
		rd := &round{run: r, sc: &scenario{}}
		runs, replaced := 0, 0
		over := make(chan struct{})
		rd.persist(func() {
			if runs++; runs < 4 {
				runtime.Goexit()
			}
		}, func() { replaced++ }, func() { close(over) })
		<-over
		equal(t, "runs", runs, 4)
		equal(t, "replaced", replaced, 3)
		equal(t, "violation", r.violation(), nil)
	})
	t.Run("a panic is a violation", func(t *testing.T) {
		r := newRun(params{})
		rd := &round{run: r, sc: &scenario{}}
		over := make(chan struct{})
		rd.persist(func() { panic("boom") }, func() {}, func() { close(over) })
		<-over
		if found := r.violation(); found == nil || !strings.Contains(found.Text, "boom") {
			t.Errorf("got %+v", found)
		}
		equal(t, "stopped", r.stopped(), true)
	})
}

func TestWatch(t *testing.T) {
	t.Run("P5: a run in which nothing goes on is ended, with all stacks", func(t *testing.T) {
		r := newRun(params{ops: 1})
		r.watch(make(chan struct{}), time.Now(), func(uint64, uint64, time.Duration) {}, time.Nanosecond)
		found := r.violation()
		if found == nil || !strings.HasPrefix(found.Text, "P5:") || !strings.Contains(strings.Join(found.Facts, "\n"), "TestWatch") {
			t.Errorf("got %+v", found)
		}
	})
	t.Run("the first violation counts", func(t *testing.T) {
		r := newRun(params{})
		rd := &round{run: r, sc: &scenario{}, number: 3}
		r.violated(rd, nil, nil)
		equal(t, "stopped by nothing", r.stopped(), false)
		r.violated(rd, nil, errDown)
		r.violated(rd, nil, errOdd)
		r.hang(0)
		equal(t, "text", r.violation().Text, errDown.Error())
		equal(t, "round", r.violation().Round, 3)
	})
}
