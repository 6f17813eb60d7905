package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		args string
		want params
		json bool
	}{
		{"--seed 7", params{ops: 1e8, seed: 7, round: -1}, false},
		{"--seed 7 --ops 1e9", params{ops: 1e9, seed: 7, round: -1}, false},
		{"--seed 7 --ops 250000 --round 12", params{ops: 250_000, seed: 7, round: 12}, false},
		{"-seed 7 -duration-limit 90s -json", params{ops: 1e8, seed: 7, round: -1, limit: 90 * time.Second}, true},
	} {
		got, asJSON, err := parse(strings.Fields(test.args))
		equal(t, "error of "+test.args, err, nil)
		equal(t, test.args, got, test.want)
		equal(t, "JSON of "+test.args, asJSON, test.json)
	}
	first, _, _ := parse(nil)
	second, _, _ := parse(nil)
	if first.seed == second.seed {
		t.Error("the default seed is not random")
	}
	for _, args := range []string{
		"--ops 0", "--ops -1", "--ops many", "--ops NaN", "--ops 1e16", "--round -1", "--round x", "--seed -1",
		"--duration-limit soon", "--duration-limit -1s", "--unknown", "1e8",
	} {
		if _, _, err := parse(strings.Fields(args)); err == nil {
			t.Errorf("%s was taken", args)
		}
	}
}

func TestCommand(t *testing.T) {
	run := func(ctx context.Context, args string) (code int, out, errs string) {
		var stdout, stderr bytes.Buffer
		code = command(ctx, strings.Fields(args), &stdout, &stderr)
		return code, stdout.String(), stderr.String()
	}
	t.Run("a run that held", func(t *testing.T) {
		code, out, errs := run(t.Context(), "--ops 1000 --seed 3")
		equal(t, "code", code, exitHeld)
		equal(t, "standard error", errs, "") // no terminal, no progress
		for _, text := range []string{"seed 3: all operations made", "operations by kind", "transitions", "trips by rule"} {
			if !strings.Contains(out, text) {
				t.Errorf("the report does not say %q:\n%s", text, out)
			}
		}
	})
	t.Run("as JSON", func(t *testing.T) {
		code, out, _ := run(t.Context(), "--ops 1000 --seed 3 --json")
		equal(t, "code", code, exitHeld)
		var rep report
		if err := json.Unmarshal([]byte(out), &rep); err != nil {
			t.Fatal(err)
		}
		equal(t, "seed", rep.Seed, 3)
		if rep.Operations < 1000 || len(rep.Kinds) != int(opKinds) || len(rep.Trips) != len(everyRule) {
			t.Errorf("report: %s", out)
		}
	})
	t.Run("one round, again and again", func(t *testing.T) {
		code, out, _ := run(t.Context(), "--ops 20000 --seed 3 --round 1 --json")
		equal(t, "code", code, exitHeld)
		var rep report
		if err := json.Unmarshal([]byte(out), &rep); err != nil {
			t.Fatal(err)
		}
		if rep.Rounds < 2 || rep.Operations < 20_000 {
			t.Errorf("%d rounds, %d operations", rep.Rounds, rep.Operations)
		}
	})
	t.Run("interrupted", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		code, out, _ := run(ctx, "--ops 1e12 --seed 3")
		equal(t, "code", code, exitInterrupted)
		if !strings.Contains(out, "seed 3: interrupted") {
			t.Errorf("report:\n%s", out)
		}
	})
	t.Run("limited", func(t *testing.T) {
		code, out, _ := run(t.Context(), "--ops 1e12 --seed 3 --duration-limit 1ns")
		equal(t, "code", code, exitHeld)
		if !strings.Contains(out, "stopped at the limit") {
			t.Errorf("report:\n%s", out)
		}
	})
	t.Run("wrong usage, and help", func(t *testing.T) {
		code, out, errs := run(t.Context(), "--ops none")
		equal(t, "code", code, exitUsage)
		equal(t, "output", out, "")
		if !strings.Contains(errs, "usage:") || !strings.Contains(errs, "must be a number") {
			t.Errorf("said: %s", errs)
		}
		code, _, errs = run(t.Context(), "--help")
		equal(t, "code of help", code, exitHeld)
		if !strings.Contains(errs, "--duration-limit") {
			t.Errorf("said: %s", errs)
		}
	})
}

func TestReport(t *testing.T) {
	t.Run("what was never reached fails a long run", func(t *testing.T) {
		r := newRun(params{ops: enough, round: -1})
		r.totals.count(opDo, enough)
		rep := r.report(time.Second, false)
		equal(t, "code", rep.exitCode(), exitViolated)
		want := []string{
			"state: HALF_OPEN", "trip rule: evidence_slow", "operation: moves", "outcome: ignored", "counter: overdue",
			"happening: restored states",
		}
		missing := strings.Join(rep.Missing, "\n")
		for _, name := range want {
			if !strings.Contains(missing, name) {
				t.Errorf("%q is not missed in:\n%s", name, missing)
			}
		}
		if strings.Contains(missing, "calls by Do\n") {
			t.Errorf("what there was is missed:\n%s", missing)
		}
		var text strings.Builder
		if err := rep.print(&text); err != nil || !strings.Contains(text.String(), "NEVER REACHED") {
			t.Errorf("%v:\n%s", err, text.String())
		}
	})
	t.Run("and not a short one, nor a single round", func(t *testing.T) {
		for _, p := range []params{{ops: 1000, round: -1}, {ops: enough, round: 4}} {
			r := newRun(p)
			r.totals.count(opDo, int(p.ops))
			equal(t, "code", r.report(time.Second, false).exitCode(), exitHeld)
		}
	})
	t.Run("all there is makes nothing missing", func(t *testing.T) {
		r := newRun(params{ops: enough, round: -1})
		r.totals.count(opDo, enough)
		rep := r.report(time.Second, false)
		for _, m := range []map[string]uint64{rep.Kinds, rep.Outcomes, rep.Counters, rep.States, rep.Happenings} {
			for name := range m {
				m[name] = 1
			}
		}
		for rule := range rep.Trips {
			rep.Trips[rule] = 1
		}
		equal(t, "missing", len(rep.missing()), 0)
		delete(rep.Trips, breaker.RuleOperator)
		rep.Trips[breaker.RuleOperator] = 0
		equal(t, "missing then", strings.Join(rep.missing(), ","), "trip rule: operator")
	})
	t.Run("a violation tells all that there is to know, and how to see it again", func(t *testing.T) {
		r := newRun(params{ops: 5000, seed: 9, round: -1})
		r.violated(&round{number: 4, sc: drawScenario(9, 4, 5000)}, nil, errDown)
		rep := r.report(time.Second, true)
		equal(t, "code", rep.exitCode(), exitViolated)
		var text strings.Builder
		if err := rep.print(&text); err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"VIOLATION in round 4 of seed 9", "down", "focus:", "HalfOpen", "--ops 5000 --seed 9 --round 4"} {
			if !strings.Contains(text.String(), part) {
				t.Errorf("the report does not say %q:\n%s", part, text.String())
			}
		}
	})
}

func TestProgress(t *testing.T) {
	var b strings.Builder
	p := &progress{w: &b}
	p.update(0, 1000, 100*time.Millisecond)
	equal(t, "too early", b.String(), "")
	p.update(250, 1000, time.Second)
	if got := b.String(); !strings.Contains(got, "25 % of 1e+03 operations") || !strings.Contains(got, "about 3s to go") {
		t.Errorf("said %q", got)
	}
	b.Reset()
	p.update(300, 1000, 1100*time.Millisecond)
	equal(t, "too soon", b.String(), "")
	p.update(1000, 1000, 2*time.Second)
	p.clear()
	if got := b.String(); !strings.Contains(got, "100 %") || strings.Contains(got, "to go") || !strings.HasSuffix(got, clearLine) {
		t.Errorf("said %q", got)
	}
	showProgress(&b).update(500, 1000, time.Second) // nobody would see it
	equal(t, "thousands", thousands(1234567), "1 234 567")
	equal(t, "thousands of less", thousands(123), "123")
}
