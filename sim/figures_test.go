package sim

import (
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/retry"
)

func TestFigures(t *testing.T) {
	t.Run("the reference", func(t *testing.T) {
		f := simulateFigures(t, ReferenceConfig(true))
		near(t, "TripDelay", f.TripDelay.Seconds(), 2.1652, 1e-4)
		near(t, "RecoveryLag", f.RecoveryLag.Seconds(), 1.3761, 1e-4)
		near(t, "Share", f.Share(), 10.3343, 1e-4)
		equal(t, "Rounds", f.Rounds, 2)
		equal(t, "FalseTrips", f.FalseTrips, 0)
		equal(t, "GoodRefused", f.GoodRefused, 62)
		equal(t, "Late", f.Late, 82)
	})
	t.Run("no breaker", func(t *testing.T) {
		f := simulateFigures(t, ReferenceConfig(false))
		equal(t, "TripDelay", f.TripDelay, -1)
		equal(t, "RecoveryLag", f.RecoveryLag, -1)
		equal(t, "Share", f.Share(), 100)
		equal(t, "GoodRefused", f.GoodRefused, 0)
	})
	t.Run("a breaker that is too jumpy trips for nothing", func(t *testing.T) {
		cfg := ReferenceConfig(true)
		cfg.Services[0].ErrorRate = 20
		cfg.Client.Call.Breaker.Window.Calls, cfg.Client.Call.Breaker.MinimumCalls = 4, 4
		f := simulateFigures(t, cfg)
		if f.FalseTrips == 0 || f.GoodRefused < 100 {
			t.Errorf("%d false trips, %d good calls refused", f.FalseTrips, f.GoodRefused)
		}
	})
	t.Run("breakers of other places do not count", func(t *testing.T) {
		r := &Result{
			Windows:  []WindowResult{{Window: Window{"fault", 0, second}}},
			Breakers: []breaker.Counters{{}},
			Transitions: []Transition{
				{At: 100 * ms, Place: 1, From: breaker.Closed, To: breaker.Open},
				{At: 200 * ms, Place: 0, From: breaker.Closed, To: breaker.Open},
				{At: 300 * ms, Place: 0, From: breaker.Closed, To: breaker.Open, Instance: 1},
			},
		}
		equal(t, "TripDelay", r.Figures(0).TripDelay, 200*ms)
	})
	t.Run("no calls", func(t *testing.T) {
		var c Counts
		equal(t, "Share", c.Share(), 0)
	})
}

func simulateFigures(t *testing.T, cfg Config) Figures {
	t.Helper()
	return simulate(t, cfg, ReferenceSeed).Figures(1)
}

// What the journal keeps of a breaker is what the breaker itself has told.
func TestJournal(t *testing.T) {
	r := simulate(t, ReferenceConfig(true), ReferenceSeed)
	first := r.Transitions[0]
	if first.Trip == nil {
		t.Fatal("a trip without its record")
	}
	equal(t, "Rule", first.Trip.Rule, breaker.RuleFailureRate)
	equal(t, "Time", first.Trip.Time.Sub(epoch), first.At)
	equal(t, "Calls", first.Trip.Numbers.Calls, 20)
	equal(t, "Failed", first.Trip.Numbers.Failed, 10)
	equal(t, "Wait", first.Trip.Wait, 5*time.Second)
	equal(t, "Text", first.Trip.Text(), "10 of 20 calls failed (50 % ≥ 50 %), mostly context.deadlineExceededError: context deadline exceeded")
	equal(t, "no record of a recovery", r.Transitions[6].Trip == nil, true)
	equal(t, "Refused", r.Rounds[0].Refused, 115)
	equal(t, "an undecided round", len(undecided(t).Rounds) > 0, true)
}

// undecided is a run that ends while a round is still open.
func undecided(t *testing.T) *Result {
	t.Helper()
	cfg := recorded([]time.Duration{0, 1, 500}, Service{Faults: []Fault{{Kind: Errors, To: 400 * ms}}})
	cfg.Client.Call.Breaker = &breaker.Config{
		ConsecutiveFailures: 2, Open: breaker.OpenConfig{Wait: 100 * ms, Jitter: off},
	}
	r := simulate(t, cfg, 1)
	last := r.Rounds[len(r.Rounds)-1]
	equal(t, "To", last.To, 0)
	equal(t, "probes", len(last.Probes), 1)
	equal(t, "Outcome", last.Probes[0].Outcome, Succeeded)
	return r
}

func TestFault(t *testing.T) {
	outage := Fault{From: 20 * second, To: 40 * second}
	for name, tt := range map[string]struct {
		windows []Window
		faults  []Fault
		want    int
	}{
		"by its name":                  {[]Window{{"all", 0, 60 * second}, {"fault", 0, second}}, []Fault{outage}, 1},
		"by its name, without a fault": {[]Window{{"a", 0, 1}, {"b", 1, 2}, {"fault", 2, 3}}, nil, 2},
		"most of the fault's time":     {[]Window{{"early", 0, 25 * second}, {"late", 25 * second, 60 * second}, {"end", 59 * second, 60 * second}}, []Fault{outage}, 1},
		"of equals the shortest":       {[]Window{{"all", 0, 60 * second}, {"outage", 20 * second, 40 * second}, {"more", 20 * second, 50 * second}}, []Fault{outage}, 1},
		"of several faults":            {[]Window{{"one", 0, 10 * second}, {"two", 30 * second, 60 * second}}, []Fault{{From: 5 * second, To: 8 * second}, {From: 32 * second, To: 34 * second}, {From: 40 * second, To: 42 * second}}, 1},
		"to the end of the run":        {[]Window{{"before", 0, 10 * second}, {"after", 10 * second, 60 * second}}, []Fault{{From: 9 * second}}, 1},
		"beside all faults":            {[]Window{{"a", 0, second}, {"b", second, 20 * second}}, []Fault{outage}, -1},
		"no faults":                    {[]Window{{"a", 0, second}, {"b", second, 20 * second}}, nil, -1},
		"no windows":                   {nil, []Fault{outage}, -1},
	} {
		cfg := Config{Windows: tt.windows, Services: []Service{{}, {Faults: tt.faults}}}
		got, ok := cfg.Fault()
		if ok != (tt.want >= 0) || ok && got != tt.want {
			t.Errorf("%s: got %d, %v, want %d", name, got, ok, tt.want)
		}
	}
	reference := ReferenceConfig(true)
	got, ok := reference.Fault()
	equal(t, "of the reference", got, 1)
	equal(t, "of the reference", ok, true)
}

// Whose doing a trip is, and a recovery.
func TestFiguresBlameTheFault(t *testing.T) {
	const c, o, h = breaker.Closed, breaker.Open, breaker.HalfOpen
	type figures struct {
		trip, lag  time.Duration
		falseTrips int
	}
	for name, tt := range map[string]struct {
		is   []Transition
		want figures
	}{
		"a trip by failures that arrive after the fault": {
			[]Transition{{At: 12500 * ms, From: c, To: o}, {At: 17 * second, From: o, To: h}, {At: 18 * second, From: h, To: c}},
			figures{2500 * ms, 6 * second, 0},
		},
		"a chance trip when nobody can still wait": {
			[]Transition{{At: 14 * second, From: c, To: o}, {At: 17 * second, From: o, To: h}, {At: 18 * second, From: h, To: c}},
			figures{-1, -1, 1},
		},
		"tripped and closed in the fault, and a chance trip later": {
			[]Transition{{At: 10100 * ms, From: c, To: o}, {At: 11 * second, From: h, To: c}, {At: 20 * second, From: c, To: o}, {At: 28 * second, From: h, To: c}},
			figures{100 * ms, -1, 1},
		},
		"open before the fault": {
			[]Transition{{At: 9 * second, From: c, To: o}, {At: 11 * second, From: o, To: h}, {At: 13 * second, From: h, To: c}},
			figures{-1, second, 1},
		},
		"half-open at its end, and open again": {
			[]Transition{{At: 10500 * ms, From: c, To: o}, {At: 11900 * ms, From: o, To: h}, {At: 12100 * ms, From: h, To: o}, {At: 15 * second, From: h, To: c}},
			figures{500 * ms, 3 * second, 0},
		},
		"another breaker's recovery": {
			[]Transition{{At: 10500 * ms, From: c, To: o, Instance: 1}, {At: 9 * second, From: c, To: o}, {At: 11 * second, From: h, To: c}, {At: 20 * second, From: c, To: o}, {At: 25 * second, From: h, To: c}},
			figures{500 * ms, -1, 2},
		},
	} {
		r := &Result{
			Windows:  []WindowResult{{Window: Window{"fault", 10 * second, 12 * second}}, {}},
			Breakers: []breaker.Counters{{}}, Transitions: tt.is,
			watched: watched{patience: 2 * second},
		}
		f := r.Figures(0)
		equal(t, name, figures{f.TripDelay, f.RecoveryLag, f.FalseTrips}, tt.want)
	}
	t.Run("a window of no length is no fault", func(t *testing.T) {
		r := &Result{
			Windows: []WindowResult{{}}, Breakers: []breaker.Counters{{}},
			Transitions: []Transition{{At: second, From: c, To: o}}, watched: watched{patience: 2 * second},
		}
		equal(t, "FalseTrips", r.Figures(0).FalseTrips, 1)
	})
	t.Run("a fault that is shorter than the timeout", func(t *testing.T) {
		cfg := steady(Fault{From: 2 * second, To: 3500 * ms})
		cfg.Windows = nil
		cfg.Client.Call.Timeout = 2 * second
		cfg.Client.Call.Breaker = &breaker.Config{Window: breaker.WindowConfig{Calls: 10}, MinimumCalls: 10, FailureRate: 40, Open: breaker.OpenConfig{Wait: second, Jitter: off}}
		r := simulate(t, cfg, 1)
		f := r.Figures(1)
		equal(t, "FalseTrips", f.FalseTrips, 0)
		equal(t, "TripDelay", f.TripDelay >= 1500*ms, true)
		equal(t, "RecoveryLag", f.RecoveryLag > 0, true)
	})
	t.Run("patience is that of what the breaker guards", func(t *testing.T) {
		call := Call{Timeout: second, Total: 5 * second, Breaker: &breaker.Config{}, Retry: &retry.Config{}}
		for _, tt := range []struct {
			change func(*Call)
			want   time.Duration
		}{
			{func(*Call) {}, second},
			{func(c *Call) { c.RetryInsideBreaker = true }, 5 * second},
			{func(c *Call) { c.RetryInsideBreaker, c.Total = true, off }, second},
			{func(c *Call) { c.Timeout = off }, 5 * second},
			{func(c *Call) { c.Timeout, c.Total = off, off }, 0},
		} {
			one := call
			tt.change(&one)
			cfg := Config{Client: Client{Call: one}, Services: make([]Service, 1)}
			equal(t, "patience", cfg.watched().patience, tt.want)
		}
	})
	t.Run("the breakers of the outermost place that has one", func(t *testing.T) {
		cfg := steady(Fault{From: 2 * second, To: 4 * second})
		cfg.Windows = nil
		cfg.Services = []Service{{Call: cfg.Client.Call}, cfg.Services[0]}
		cfg.Services[0].Call.Timeout = 300 * ms
		cfg.Services[0].Call.Breaker = &breaker.Config{ConsecutiveFailures: 3, Open: breaker.OpenConfig{Wait: second, Jitter: off}}
		r := simulate(t, cfg, 1)
		f := r.Figures(1)
		equal(t, "TripDelay", f.TripDelay > 0, true)
		equal(t, "RecoveryLag", f.RecoveryLag > 0, true)
		equal(t, "Rounds", f.Rounds > 0, true)
		equal(t, "Late", f.Late, r.Breakers[1].Late)
	})
}
