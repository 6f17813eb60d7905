package main

import (
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
)

// sane returns a snapshot that there may be of a breaker with these bounds.
func sane(s breaker.State) (breaker.Snapshot, bounds) {
	snap := breaker.Snapshot{
		State: s, Period: 7, ConfigVersion: 1, Numbers: numbers(5, 4, 2),
		Counters: breaker.Counters{Successful: 10, Failed: 5, Ignored: 2, Released: 2, Slow: 1, Probes: 4, GivenBack: 1, Overdue: 1},
	}
	switch s {
	case breaker.Closed:
		snap.Consecutive, snap.Evidence = 2, 0.5
	case breaker.Open:
		snap.RetryAfter = time.Second
	case breaker.HalfOpen:
		snap.ProbesOut = 2
	case breaker.Disabled, breaker.ForcedOpen:
		snap.Numbers = breaker.Numbers{}
	}
	return snap, bounds{window: 8, probes: 4, retry: time.Second, slow: true, version: 1}
}

func TestSample(t *testing.T) {
	for s := range breaker.State(states) {
		snap, b := sane(s)
		accuses(t, b.check(&snap, 0), "")
	}
	for _, test := range []struct {
		name   string
		state  breaker.State
		tamper func(*breaker.Snapshot, *bounds)
		rule   string
	}{
		{"failures without calls", breaker.Closed, func(s *breaker.Snapshot, _ *bounds) { s.Numbers.Failed = 5 }, "W3"},
		{"no such state", breaker.Closed, func(s *breaker.Snapshot, _ *bounds) { s.State = 6 }, "S4"},
		{"a window too full", breaker.Closed, func(s *breaker.Snapshot, _ *bounds) { s.Numbers.Calls = 9 }, "W1"},
		{"too many probes' outcomes", breaker.HalfOpen, func(s *breaker.Snapshot, _ *bounds) { s.Numbers.Calls = 5 }, "W1"},
		{"more than was recorded", breaker.MetricsOnly, func(s *breaker.Snapshot, b *bounds) { s.Numbers.Calls, b.window = 16, 0 }, "W6"},
		{"more failures than there were", breaker.Closed, func(s *breaker.Snapshot, _ *bounds) { s.Counters.Failed = 1 }, "W6"},
		{"more slow calls than there were", breaker.Closed, func(s *breaker.Snapshot, _ *bounds) { s.Numbers.Slow = 2 }, "W6"},
		{"a window in DISABLED", breaker.Disabled, func(s *breaker.Snapshot, _ *bounds) { s.Numbers.Calls = 1 }, "W5"},
		{"slow without a rule", breaker.Closed, func(_ *breaker.Snapshot, b *bounds) { b.slow = false }, "C3"},
		{"a probe too many", breaker.HalfOpen, func(s *breaker.Snapshot, _ *bounds) { s.ProbesOut = 5 }, "H1"},
		{"less than no probe", breaker.HalfOpen, func(s *breaker.Snapshot, _ *bounds) { s.ProbesOut = -1 }, "H1"},
		{"a probe in CLOSED", breaker.Closed, func(s *breaker.Snapshot, _ *bounds) { s.ProbesOut = 1 }, "H1"},
		{"a wait too long", breaker.Open, func(s *breaker.Snapshot, _ *bounds) { s.RetryAfter++ }, "P1"},
		{"a negative wait", breaker.Open, func(s *breaker.Snapshot, _ *bounds) { s.RetryAfter = -1 }, "P1"},
		{"a wait for what has passed", breaker.Open, func(s *breaker.Snapshot, _ *bounds) { s.IntervalPassed = true }, "P1"},
		{"too much evidence", breaker.Closed, func(s *breaker.Snapshot, _ *bounds) { s.Evidence = 1.1 }, "T6"},
		{"a run of more than all", breaker.Closed, func(s *breaker.Snapshot, _ *bounds) { s.Consecutive = 6 }, "T3"},
		{"no period", breaker.Closed, func(s *breaker.Snapshot, _ *bounds) { s.Period = 0 }, "S5"},
		{"a configuration nobody gave", breaker.Closed, func(s *breaker.Snapshot, _ *bounds) { s.ConfigVersion = 2 }, "S5"},
		{"slots nobody had", breaker.Closed, func(s *breaker.Snapshot, _ *bounds) { s.Counters.GivenBack = 5 }, "N1"},
		{"overdue without a probe", breaker.Closed, func(s *breaker.Snapshot, _ *bounds) { s.Counters.Overdue = 5 }, "N1"},
	} {
		t.Run(test.rule+": "+test.name, func(t *testing.T) {
			snap, b := sane(test.state)
			test.tamper(&snap, &b)
			accuses(t, b.check(&snap, 0), test.rule)
		})
	}
	t.Run("B: what a restored state brought along is allowed for", func(t *testing.T) {
		snap, b := sane(breaker.Closed)
		snap.Counters = breaker.Counters{}
		accuses(t, b.check(&snap, 3), "W6")
		accuses(t, b.check(&snap, 4), "")
	})
}

func TestBounds(t *testing.T) {
	small := full(t, breaker.Config{Window: breaker.WindowConfig{Calls: 10}, HalfOpen: breaker.HalfOpenConfig{Probes: 2}})
	large := full(t, breaker.Config{Window: breaker.WindowConfig{Calls: 20}, SlowCall: breaker.SlowCallConfig{Duration: 1}})
	timed := full(t, breaker.Config{Open: breaker.OpenConfig{Wait: time.Hour, Factor: 2, Jitter: 50}})
	equal(t, "one", boundsOf([]*limits{small}, 0).window, 10)
	equal(t, "version", boundsOf([]*limits{small}, 0).version, 1)
	b := boundsOf([]*limits{small, large}, time.Hour)
	equal(t, "larger window", b.window, 20)
	equal(t, "more probes", b.probes, 5)
	equal(t, "a slow-call rule", b.slow, true)
	equal(t, "longest move", b.retry, time.Hour)
	equal(t, "any version", b.version, 0)
	for _, pool := range [][]*limits{{small, timed}, {timed, small}, {small, timed, large}} {
		equal(t, "a time window has no bound", boundsOf(pool, 0).window, 0)
	}
	if got := boundsOf([]*limits{timed}, 0).retry; got < 15*time.Hour || got > 15*time.Hour+time.Millisecond {
		t.Errorf("longest wait: %v", got)
	}
}

func TestSampler(t *testing.T) {
	for _, test := range []struct {
		name   string
		state  breaker.State
		tamper func(first, second *breaker.Snapshot)
		rule   string
	}{
		{"nothing happened", breaker.Closed, func(_, _ *breaker.Snapshot) {}, ""},
		{"a counter went back", breaker.Closed, func(_, s *breaker.Snapshot) { s.Counters.Successful-- }, "N1"},
		{"a period went back", breaker.Closed, func(_, s *breaker.Snapshot) { s.Period-- }, "S5"},
		{"a period has two states", breaker.Closed, func(_, s *breaker.Snapshot) { s.State = breaker.MetricsOnly }, "S5"},
		{"a panic was forgotten", breaker.Closed, func(f, _ *breaker.Snapshot) { f.ListenerPanics++ }, "S7"},
		{"a drop was forgotten", breaker.Closed, func(f, _ *breaker.Snapshot) { f.EventsDropped++ }, "S7"},
		{"a new period with new calls", breaker.Closed, func(f, s *breaker.Snapshot) {
			f.Period, s.Counters.Failed, s.Counters.Successful = 6, 7, 12
		}, ""},
		{"a new period with an old window", breaker.Closed, func(f, s *breaker.Snapshot) { f.Period, s.Consecutive, s.Evidence = 6, 0, 0 }, "W5"},
		{"a new period with an old run", breaker.Closed, func(f, s *breaker.Snapshot) {
			f.Period, s.Evidence, s.Counters.Successful = 6, 0, 20
		}, "W5"},
		{"a new period with old evidence", breaker.Closed, func(f, s *breaker.Snapshot) {
			f.Period, s.Consecutive, s.Counters.Successful = 6, 0, 20
		}, "W5"},
		{"a new period with old slow evidence", breaker.Closed, func(f, s *breaker.Snapshot) {
			f.Period, s.SlowEvidence, s.Counters.Failed, s.Counters.Successful = 6, 0.1, 7, 20
		}, "W5"},
		{"new probes with an old window", breaker.HalfOpen, func(f, s *breaker.Snapshot) { f.Period, s.Counters.Overdue = 6, 4 }, "W5"},
		{"new probes, one of them overdue", breaker.HalfOpen, func(f, s *breaker.Snapshot) {
			f.Period, s.Counters.Overdue, s.Counters.Failed = 6, 2, 8
		}, ""},
		{"OPEN keeps the window", breaker.Open, func(f, _ *breaker.Snapshot) { f.Period = 6 }, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			first, b := sane(test.state)
			second := first
			test.tamper(&first, &second)
			w := sampler{bounds: &b}
			accuses(t, w.add(first, 0, 0), "")
			accuses(t, w.add(second, 0, 0), test.rule)
		})
	}
	t.Run("B: outcomes that were restored between two snapshots may be in the window", func(t *testing.T) {
		first, b := sane(breaker.Closed)
		second := first
		second.Period++
		w := sampler{bounds: &b}
		accuses(t, w.add(first, 0, 4), "")
		accuses(t, w.add(second, 4, 4), "")
		second.Period++
		accuses(t, w.add(second, 4, 4), "W5")
	})
}
