package main

import (
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/evidence"
	"github.com/switchgear-go/switchgear/window"
)

func TestLimits(t *testing.T) {
	l := full(t, breaker.Config{
		Window: breaker.WindowConfig{Calls: 10}, SlowCall: breaker.SlowCallConfig{Duration: time.Second, Rate: 33.33},
		HalfOpen: breaker.HalfOpenConfig{ProbeLimit: off},
	})
	equal(t, "W3: minimum", l.minimum, 10)
	equal(t, "H2: needed", l.needed, 5)
	equal(t, "T1: failure rate", l.failureRate, 50_00)
	equal(t, "T2: slow rate", l.slowRate, 33_33)
	equal(t, "H8: probe limit", l.probeLimit(), 1<<63-1)
	equal(t, "H2: verdict where T1 is off", full(t, breaker.Config{FailureRate: off}).verdictRate, 50_00)
	equal(t, "H8: the probe limit follows the wait", full(t, breaker.Config{}).probeLimit(), 30*time.Second)
}

func TestInterval(t *testing.T) {
	cfg := breaker.OpenConfig{Wait: time.Second, Factor: 2, MaxWait: 5 * time.Second, Jitter: 10, MaxHint: 20 * time.Second}
	jittered, plain := full(t, breaker.Config{Open: cfg}), cfg
	plain.Jitter, plain.MaxHint = off, off
	for _, test := range []struct {
		name        string
		l           *limits
		retrips     int
		hint        time.Duration
		least, most time.Duration
	}{
		{"O1: the first", full(t, breaker.Config{Open: plain}), 0, 0, time.Second, time.Second},
		{"O1: grown", full(t, breaker.Config{Open: plain}), 2, 0, 4 * time.Second, 4 * time.Second},
		{"O1: capped", full(t, breaker.Config{Open: plain}), 3, 0, 5 * time.Second, 5 * time.Second},
		{"O1: grown beyond all bounds", full(t, breaker.Config{Open: plain}), 1 << 30, 0, 5 * time.Second, 5 * time.Second},
		{"O3: no hints", full(t, breaker.Config{Open: plain}), 0, time.Hour, time.Second, time.Second},
		{"O2: after the cap", jittered, 3, 0, 4500 * time.Millisecond, 5500 * time.Millisecond},
		{"O3: upwards only", jittered, 0, 10 * time.Second, 10 * time.Second, 11 * time.Second},
		{"O3: capped", jittered, 0, time.Hour, 20 * time.Second, 22 * time.Second},
		{"O3: a hint that is shorter", jittered, 0, 950 * time.Millisecond, 950 * time.Millisecond, 1100 * time.Millisecond},
	} {
		t.Run(test.name, func(t *testing.T) {
			least, most := test.l.interval(test.retrips, test.hint)
			const room = 100 * time.Nanosecond
			if d := test.least - least; d < 0 || d > room {
				t.Errorf("at least %v, want %v", least, test.least)
			}
			if d := most - test.most; d < 0 || d > room {
				t.Errorf("at most %v, want %v", most, test.most)
			}
		})
	}
}

func TestCheckTrip(t *testing.T) {
	base := breaker.Config{
		FailureRate: 50, MinimumCalls: 4, FailureCount: 6, ConsecutiveFailures: 5,
		SlowCall: breaker.SlowCallConfig{Duration: time.Second, Rate: 25},
		Evidence: &evidence.Config{}, SlowEvidence: &evidence.Config{},
		Open:     breaker.OpenConfig{Wait: time.Second, Jitter: off},
		HalfOpen: breaker.HalfOpenConfig{Probes: 3, MaxWait: time.Minute},
	}
	rate, streak := full(t, base), base
	streak.HalfOpen.Verdict = breaker.ByStreak
	bare := full(t, breaker.Config{FailureRate: off, Open: base.Open})
	counts := func(minimum, calls, failed, slow int64) breaker.Numbers {
		return breaker.Numbers{Minimum: minimum, Counts: window.Counts{Calls: calls, Failed: failed, Slow: slow}}
	}
	full := full(t, streak)
	for _, test := range []struct {
		name      string
		l         *limits
		trip      breaker.Trip
		from      breaker.State
		lasted    time.Duration
		untouched bool
		rule      string
	}{
		{"exactly the rate", rate, breaker.Trip{Rule: breaker.RuleFailureRate, Numbers: counts(4, 4, 2, 0), Threshold: 50}, breaker.Closed, 0, true, ""},
		{"below the rate", rate, breaker.Trip{Rule: breaker.RuleFailureRate, Numbers: counts(4, 5, 2, 0), Threshold: 50}, breaker.Closed, 0, true, "T1"},
		{"below the minimum", rate, breaker.Trip{Rule: breaker.RuleFailureRate, Numbers: counts(4, 3, 3, 0), Threshold: 50}, breaker.Closed, 0, true, "T1"},
		{"by another minimum", rate, breaker.Trip{Rule: breaker.RuleFailureRate, Numbers: counts(3, 4, 4, 0), Threshold: 50}, breaker.Closed, 0, true, "T1"},
		{"by another threshold", rate, breaker.Trip{Rule: breaker.RuleFailureRate, Numbers: counts(4, 4, 4, 0), Threshold: 40}, breaker.Closed, 0, true, "T1"},
		{"out of HALF_OPEN", rate, breaker.Trip{Rule: breaker.RuleFailureRate, Numbers: counts(4, 4, 4, 0), Threshold: 50}, breaker.HalfOpen, 0, true, "T1"},
		{"a rule that is off", bare, breaker.Trip{Rule: breaker.RuleFailureRate, Numbers: counts(20, 20, 20, 0), Threshold: off}, breaker.Closed, 0, true, "T1"},

		{"exactly the slow rate", rate, breaker.Trip{Rule: breaker.RuleSlowRate, Numbers: counts(4, 4, 0, 1), Threshold: 25}, breaker.Closed, 0, true, ""},
		{"below the slow rate", rate, breaker.Trip{Rule: breaker.RuleSlowRate, Numbers: counts(4, 5, 0, 1), Threshold: 25}, breaker.Closed, 0, true, "T2"},

		{"exactly the run", rate, breaker.Trip{Rule: breaker.RuleConsecutive, Limit: 5, Consecutive: 5}, breaker.Closed, 0, true, ""},
		{"a longer run after a reconfiguration", rate, breaker.Trip{Rule: breaker.RuleConsecutive, Limit: 5, Consecutive: 7}, breaker.Closed, 0, false, ""},
		{"a longer run without one", rate, breaker.Trip{Rule: breaker.RuleConsecutive, Limit: 5, Consecutive: 7}, breaker.Closed, 0, true, "T3"},
		{"a shorter run", rate, breaker.Trip{Rule: breaker.RuleConsecutive, Limit: 5, Consecutive: 4}, breaker.Closed, 0, false, "T3"},
		{"a run of another length", rate, breaker.Trip{Rule: breaker.RuleConsecutive, Limit: 4, Consecutive: 4}, breaker.Closed, 0, true, "T3"},

		{"exactly the count", rate, breaker.Trip{Rule: breaker.RuleFailureCount, Limit: 6, Numbers: counts(4, 30, 6, 0)}, breaker.Closed, 0, true, ""},
		{"a smaller count", rate, breaker.Trip{Rule: breaker.RuleFailureCount, Limit: 6, Numbers: counts(4, 30, 5, 0)}, breaker.Closed, 0, true, "T4"},

		{"evidence", rate, breaker.Trip{Rule: breaker.RuleEvidence, Evidence: &evidence.Report{Score: 75, Threshold: 75}}, breaker.Closed, 0, true, ""},
		{"little evidence", rate, breaker.Trip{Rule: breaker.RuleEvidence, Evidence: &evidence.Report{Score: 74, Threshold: 75}}, breaker.Closed, 0, true, "T6"},
		{"evidence that is not shown", rate, breaker.Trip{Rule: breaker.RuleEvidence}, breaker.Closed, 0, true, "T6"},
		{"evidence that nobody asked for", bare, breaker.Trip{Rule: breaker.RuleEvidence, Evidence: &evidence.Report{Score: 75, Threshold: 75}}, breaker.Closed, 0, true, "T6"},
		{"slow evidence", rate, breaker.Trip{Rule: breaker.RuleSlowEvidence, Evidence: &evidence.Report{Score: 9, Threshold: 9}}, breaker.Closed, 0, true, ""},
		{"little slow evidence", rate, breaker.Trip{Rule: breaker.RuleSlowEvidence, Evidence: &evidence.Report{Score: 8, Threshold: 9}}, breaker.Closed, 0, true, "T6"},

		{"probes failed", rate, breaker.Trip{Rule: breaker.RuleProbesFailed, Numbers: counts(3, 3, 2, 0)}, breaker.HalfOpen, 0, true, ""},
		{"probes failed, one early", rate, breaker.Trip{Rule: breaker.RuleProbesFailed, Numbers: counts(3, 2, 2, 0)}, breaker.HalfOpen, 0, true, "H2"},
		{"probes did not fail", rate, breaker.Trip{Rule: breaker.RuleProbesFailed, Numbers: counts(3, 3, 1, 0)}, breaker.HalfOpen, 0, true, "H2"},
		{"probes failed in CLOSED", rate, breaker.Trip{Rule: breaker.RuleProbesFailed, Numbers: counts(3, 3, 2, 0)}, breaker.Closed, 0, true, "H2"},
		{"one probe failed", full, breaker.Trip{Rule: breaker.RuleProbesFailed, Numbers: counts(3, 2, 1, 0)}, breaker.HalfOpen, 0, true, ""},
		{"two probes failed", full, breaker.Trip{Rule: breaker.RuleProbesFailed, Numbers: counts(3, 2, 2, 0)}, breaker.HalfOpen, 0, true, "H3"},
		{"no probe failed", full, breaker.Trip{Rule: breaker.RuleProbesFailed, Numbers: counts(3, 2, 0, 0)}, breaker.HalfOpen, 0, false, "H3"},
		{"probes were slow", rate, breaker.Trip{Rule: breaker.RuleProbesSlow, Numbers: counts(3, 3, 0, 1)}, breaker.HalfOpen, 0, true, ""},
		{"probes were not slow", rate, breaker.Trip{Rule: breaker.RuleProbesSlow, Numbers: counts(3, 3, 0, 0)}, breaker.HalfOpen, 0, true, "H2"},
		{"probes were slow, by streak", full, breaker.Trip{Rule: breaker.RuleProbesSlow, Numbers: counts(3, 3, 0, 1)}, breaker.HalfOpen, 0, true, "H2"},
		{"no verdict in time", rate, breaker.Trip{Rule: breaker.RuleProbesLate}, breaker.HalfOpen, time.Minute, true, ""},
		{"no verdict a little before", rate, breaker.Trip{Rule: breaker.RuleProbesLate}, breaker.HalfOpen, time.Minute - 1, true, "H6"},
		{"no verdict, and no limit", bare, breaker.Trip{Rule: breaker.RuleProbesLate}, breaker.HalfOpen, time.Hour, true, "H6"},
		{"by an operator, by itself", rate, breaker.Trip{Rule: breaker.RuleOperator}, breaker.Closed, 0, true, "T1"},
	} {
		t.Run(string(test.trip.Rule)+", "+test.name, func(t *testing.T) {
			test.trip.Wait = time.Second
			accuses(t, test.l.checkTrip(&test.trip, test.from, test.lasted, test.untouched), test.rule)
		})
	}
}

func TestCheckRecovery(t *testing.T) {
	streak := full(t, breaker.Config{HalfOpen: breaker.HalfOpenConfig{Probes: 2, Verdict: breaker.ByStreak, Successes: 3}})
	for _, test := range []struct {
		name      string
		change    breaker.Change
		untouched bool
		rule      string
	}{
		{"the streak", breaker.Change{Probes: 3, Numbers: numbers(2, 2, 0)}, true, ""},
		{"too few probes for it", breaker.Change{Probes: 2, Numbers: numbers(2, 2, 0)}, true, "H3"},
		{"too few successes", breaker.Change{Probes: 3, Numbers: numbers(2, 1, 0)}, true, "H3"},
		{"a failure", breaker.Change{Probes: 4, Numbers: numbers(2, 2, 1)}, true, "H3"},
		{"a failure by other rules", breaker.Change{Probes: 4, Numbers: numbers(2, 2, 1)}, false, ""},
	} {
		t.Run("H3: "+test.name, func(t *testing.T) {
			accuses(t, streak.checkRecovery(&test.change, test.untouched), test.rule)
		})
	}
	slow := full(t, breaker.Config{
		SlowCall: breaker.SlowCallConfig{Duration: 1, Rate: switchgear.Percent(50)}, HalfOpen: breaker.HalfOpenConfig{Probes: 2},
	})
	c := breaker.Change{Probes: 2, Numbers: numbers(2, 2, 0)}
	accuses(t, slow.checkRecovery(&c, true), "")
	c.Numbers.Slow = 1
	accuses(t, slow.checkRecovery(&c, true), "H2")
}
