package sim

import (
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
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
	t.Run("breakers behind the client do not count", func(t *testing.T) {
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
	for names, want := range map[string]int{
		"fault": 0, "before fault after": 1, "fault after": 0, "all": 0, "a b fault": 2,
		"before_fault fault_window after_fault": 1,
	} {
		var cfg Config
		for name := range strings.FieldsSeq(names) {
			cfg.Windows = append(cfg.Windows, Window{Name: name})
		}
		got, ok := cfg.Fault()
		if got != want || !ok {
			t.Errorf("%q: got %d, %v, want %d", names, got, ok, want)
		}
	}
	if _, ok := new(Config).Fault(); ok {
		t.Error("no windows, and a fault")
	}
}
