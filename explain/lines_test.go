package explain_test

import (
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/evidence"
	"github.com/switchgear-go/switchgear/explain"
)

// A life in lines: each step, the line of its event, and the line of the state that
// it led to.
func TestLines(t *testing.T) {
	for _, tt := range []struct {
		name   string
		config func(*breaker.Config)
		life   func(*rig)
		event  string
		state  string
	}{
		{
			"T1", nil, func(r *rig) { r.trip(); r.clock.Advance(15 * time.Second) },
			"payments: CLOSED → OPEN after 12 of 20 calls failed (60 % ≥ 50 %), mostly dial tcp: connection refused; next probe in 27 s",
			"payments: OPEN since 03:12:44 (15 s), because 12 of 20 calls failed (60 % ≥ 50 %), mostly dial tcp: connection refused; next probe in 12 s",
		},
		{
			"T2", func(c *breaker.Config) {
				c.SlowCall = breaker.SlowCallConfig{Duration: time.Second, Rate: 50}
				c.MinimumCalls = 2
			}, func(r *rig) {
				r.calls(1, nil)
				p, _ := r.Acquire(t.Context())
				r.clock.Advance(2 * time.Second)
				p.Success()
			},
			"payments: CLOSED → OPEN after 1 of 2 calls were slow (50 % ≥ 50 %); next probe in 27 s",
			"payments: OPEN since 03:12:46 (0 s), because 1 of 2 calls were slow (50 % ≥ 50 %); next probe in 27 s",
		},
		{
			"T3", func(c *breaker.Config) { c.ConsecutiveFailures = 3 }, func(r *rig) { r.calls(3, errDown) },
			"payments: CLOSED → OPEN after 3 failures in a row, mostly dial tcp: connection refused; next probe in 27 s",
			"payments: OPEN since 03:12:44 (0 s), because 3 failures in a row, mostly dial tcp: connection refused; next probe in 27 s",
		},
		{
			"T4", func(c *breaker.Config) { c.FailureCount = 3 }, func(r *rig) { r.calls(1, nil); r.calls(3, errDown) },
			"payments: CLOSED → OPEN after 3 failures in the window of 4 calls, mostly dial tcp: connection refused; next probe in 27 s",
			"payments: OPEN since 03:12:44 (0 s), because 3 failures in the window of 4 calls, mostly dial tcp: connection refused; next probe in 27 s",
		},
		{
			"T6", func(c *breaker.Config) {
				c.FailureRate, c.Evidence = switchgear.Off, &evidence.Config{}
			}, func(r *rig) { r.calls(40, errDown) },
			"payments: CLOSED → OPEN on evidence 27.0 nats of 25.4 needed: 8 failures in 8 calls over 0 ms (healthy 1 %, sick 30 %, at most one false trip per 100 million calls), mostly dial tcp: connection refused; next probe in 27 s",
			"payments: OPEN since 03:12:44 (0 s), because evidence 27.0 nats of 25.4 needed: 8 failures in 8 calls over 0 ms (healthy 1 %, sick 30 %, at most one false trip per 100 million calls), mostly dial tcp: connection refused; next probe in 27 s",
		},
		{
			"the interval passes unnoticed", nil, func(r *rig) { r.trip(); r.clock.Advance(150 * time.Second) },
			"payments: CLOSED → OPEN after 12 of 20 calls failed (60 % ≥ 50 %), mostly dial tcp: connection refused; next probe in 27 s",
			"payments: OPEN since 03:12:44 (2 min 30 s), because 12 of 20 calls failed (60 % ≥ 50 %), mostly dial tcp: connection refused; the next call probes",
		},
		{
			"O4: the first probe", nil, func(r *rig) {
				r.trip()
				r.calls(1204, nil)
				r.clock.Advance(30 * time.Second)
				r.calls(1, nil)
				r.clock.Advance(time.Second)
			},
			"payments: OPEN → HALF_OPEN after 30 s, 1204 calls refused; probing",
			"payments: HALF_OPEN since 03:13:14 (1 s), probing: 0 out, 1 in, 0 of them failed; last opened 03:12:44, because 12 of 20 calls failed (60 % ≥ 50 %), mostly dial tcp: connection refused",
		},
		{
			"H2: recovery", nil, func(r *rig) {
				r.trip()
				r.clock.Advance(27 * time.Second)
				r.calls(1, errDown)
				r.clock.Advance(1200 * time.Millisecond)
				r.calls(2, nil)
				r.calls(20, nil)
			},
			"payments: HALF_OPEN → CLOSED after 2 of 3 probes succeeded in 1.2 s",
			"payments: CLOSED since 03:13:12 (0 s), 0 of 20 calls failed (0 %); last opened 03:12:44, because 12 of 20 calls failed (60 % ≥ 50 %), mostly dial tcp: connection refused",
		},
		{
			"H2: the probes fail", nil, func(r *rig) {
				r.trip()
				r.clock.Advance(27 * time.Second)
				r.calls(1, nil)
				r.calls(2, errDown)
			},
			"payments: HALF_OPEN → OPEN after 2 of 3 probes failed, mostly dial tcp: connection refused; next probe in 27 s",
			"payments: OPEN since 03:13:11 (0 s), because 2 of 3 probes failed, mostly dial tcp: connection refused; next probe in 27 s",
		},
		{
			"H6: no verdict", func(c *breaker.Config) { c.HalfOpen.MaxWait = 10 * time.Second }, func(r *rig) {
				r.trip()
				r.clock.Advance(27 * time.Second)
				r.calls(1, nil)
				r.clock.Advance(10 * time.Second)
			},
			"payments: HALF_OPEN → OPEN after the probes brought no verdict in time, 1 were in; next probe in 27 s",
			"payments: OPEN since 03:13:21 (0 s), because the probes brought no verdict in time, 1 were in; next probe in 27 s",
		},
		{
			"S4: forced open for a time", nil, func(r *rig) {
				r.clock.Advance(50 * time.Minute)
				r.move(breaker.Move{To: breaker.ForcedOpen, Author: "ana", Reason: "maintenance", For: 2 * time.Hour})
				r.clock.Advance(time.Hour)
			},
			`payments: CLOSED → FORCED_OPEN by "ana": "maintenance", after 50 min; until 06:02:44 (2 h)`,
			`payments: FORCED_OPEN since 04:02:44 (1 h), by "ana": "maintenance"; until 06:02:44 (1 h)`,
		},
		{
			"S4: forced open for good, by nobody", nil, func(r *rig) {
				r.move(breaker.Move{To: breaker.ForcedOpen, Reason: "maintenance"})
				r.clock.Advance(25 * time.Hour)
			},
			`payments: CLOSED → FORCED_OPEN by an operator: "maintenance", after 0 s`,
			`payments: FORCED_OPEN since 2026-03-01 03:12:44 (1 d 1 h), by an operator: "maintenance"`,
		},
		{
			"S4: the same again", nil, func(r *rig) {
				r.move(breaker.Move{To: breaker.ForcedOpen, Author: "ana", Reason: "maintenance"})
				r.calls(2, nil)
				r.clock.Advance(time.Minute)
				r.move(breaker.Move{To: breaker.ForcedOpen, Author: "bo", Reason: "still"})
			},
			`payments: FORCED_OPEN renewed by "bo": "still", after 1 min, 2 calls refused`,
			`payments: FORCED_OPEN since 03:13:44 (0 s), by "bo": "still"`,
		},
		{
			"S4: an expiry", nil, func(r *rig) {
				r.move(breaker.Move{To: breaker.ForcedOpen, Author: "ana", Reason: "maintenance", For: time.Minute})
				r.clock.Advance(time.Minute)
			},
			`payments: FORCED_OPEN → OPEN: the operator's move has expired after 1 min; the next call probes`,
			`payments: OPEN since 03:13:44 (0 s), because "the operator's move has expired"; last opened 03:12:44, because "ana" ordered it: "maintenance"; the next call probes`,
		},
		{
			"S4: an ordered OPEN", nil, func(r *rig) {
				r.move(breaker.Move{To: breaker.Open, Author: "ana", Reason: "drill"})
			},
			`payments: CLOSED → OPEN by "ana": "drill", after 0 s; next probe in 27 s`,
			`payments: OPEN since 03:12:44 (0 s), by "ana": "drill"; next probe in 27 s`,
		},
		{
			"S4: a reset by nobody", nil, func(r *rig) {
				if err := r.Reset("", "fixed"); err != nil {
					t.Fatal(err)
				}
			},
			`payments: CLOSED renewed by an operator: "fixed", after 0 s`,
			`payments: CLOSED since 03:12:44 (0 s), because "fixed", 0 of 0 calls failed (20 make a rate)`,
		},
		{
			"S4: disabled", nil, func(r *rig) {
				r.move(breaker.Move{To: breaker.Disabled, Author: "ana", Reason: "drill", For: time.Hour})
			},
			`payments: CLOSED → DISABLED by "ana": "drill", after 0 s; until 04:12:44 (1 h)`,
			`payments: DISABLED since 03:12:44 (0 s), by "ana": "drill"; until 04:12:44 (1 h)`,
		},
		{
			"S4: a reset", nil, func(r *rig) {
				r.trip()
				r.calls(5, nil)
				r.clock.Advance(10 * time.Second)
				if err := r.Reset("ana", "fixed"); err != nil {
					t.Fatal(err)
				}
			},
			`payments: OPEN → CLOSED by "ana": "fixed", after 10 s, 5 calls refused`,
			`payments: CLOSED since 03:12:54 (0 s), by "ana": "fixed", 0 of 0 calls failed (20 make a rate); last opened 03:12:44, because 12 of 20 calls failed (60 % ≥ 50 %), mostly dial tcp: connection refused`,
		},
		{
			"B7: a restart", nil, func(r *rig) {
				before := newRig(t, "payments", plain())
				before.trip()
				before.clock.Advance(7 * time.Second)
				r.clock.Advance(7 * time.Second)
				if err := r.Restore(before.Save()); err != nil {
					t.Fatal(err)
				}
			},
			`payments: CLOSED → OPEN: restored from OPEN of 2026-03-01T03:12:51Z`,
			`payments: OPEN since 03:12:51 (0 s), because 12 of 20 calls failed (60 % ≥ 50 %), mostly dial tcp: connection refused; next probe in 20 s`,
		},
		{
			"R1: another configuration", nil, func(r *rig) {
				cfg := plain()
				cfg.FailureRate, cfg.HalfOpen.MaxWait = 60, time.Minute
				if err := r.Reconfigure(cfg); err != nil {
					t.Fatal(err)
				}
			},
			`payments: reconfigured to version 2: FailureRate: 50 % → 60 %, HalfOpen.MaxWait: off → 1m0s`,
			`payments: CLOSED since 03:12:44 (0 s), 0 of 0 calls failed (20 make a rate)`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := plain()
			if tt.config != nil {
				tt.config(&cfg)
			}
			r := newRig(t, "payments", cfg)
			tt.life(r)
			equal(t, "event", r.last().String(), tt.event)
			equal(t, "state", r.now().String(), tt.state)
			again := r.now()
			equal(t, "another look", again.String(), tt.state)
		})
	}
}

func TestForeignTextCannotBreakTheLine(t *testing.T) {
	r := newRig(t, "<img src=x>\n\u202e", plain(), breaker.WithErrorKind(func(error) string { return "kind\x1b[2J" }))
	r.trip()
	r.move(breaker.Move{To: breaker.Open, Author: "a\rb", Reason: "x\"; next probe in 1 s\n" + strings.Repeat("ä", 1000)})
	for _, e := range r.heard {
		rec, _ := explain.Of(e)
		line := rec.String()
		if strings.ContainsAny(line, "\n\r\x1b\u202e") {
			t.Errorf("not one line: %q", line)
		}
		if !strings.HasPrefix(line, `"<img src=x>\n\u202e": CLOSED → OPEN`) && rec.Kind == event.Transition {
			t.Errorf("the name is not quoted: %s", line)
		}
	}
	line := r.last().String()
	if !strings.Contains(line, ` by "a\rb": "x\"; next probe in 1 s\nä`) {
		t.Errorf("author and reason are not quoted: %s", line)
	}
	if len(line) > 512 {
		t.Errorf("%d bytes: %s", len(line), line)
	}
}
