package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/sim"
	"github.com/switchgear-go/switchgear/sim/report"
	"github.com/switchgear-go/switchgear/sim/scenario"
	"github.com/switchgear-go/switchgear/sim/sweep"
)

func TestList(t *testing.T) {
	text := invoke(t.Context(), "sim", "list")
	data := invoke(t.Context(), "sim", "list", "--json")
	if text.code != exitOK || text.err != "" || data.code != exitOK || data.err != "" {
		t.Fatalf("%+v, %+v", text, data)
	}
	var list []listed
	if err := json.Unmarshal([]byte(data.out), &list); err != nil {
		t.Fatal(err)
	}
	library := scenario.Library()
	if len(list) != len(library) || len(list) < 5 {
		t.Fatalf("%d scenarios, want %d", len(list), len(library))
	}
	for i, l := range list {
		if l != (listed{library[i].Name(), library[i].Title(), library[i].Teaches()}) || l.Teaches == "" {
			t.Errorf("%+v is not what the library says", l)
		}
		if !strings.Contains(text.out, l.Name+": "+l.Title+"\n    "+l.Teaches[:20]) {
			t.Errorf("%s is not in:\n%s", l.Name, text.out)
		}
	}
	for line := range strings.Lines(text.out) {
		if n := len([]rune(line)); n > 100 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if got := invoke(t.Context(), "sim", "list", "herd"); got.code != exitUsage {
		t.Errorf("exit code %d", got.code)
	}
}

const small = `
name: small
title: A small outage
teaches: How short it can be.
scenario:
  duration: 5s
  load: {rate: 20}
  client: {call: {timeout: 100ms, breaker: {open: {wait: 500ms}}}}
  services:
    - faults: [{from: 1s, to: 3s}]
variants:
  - name: patient
    set: {client.call.breaker.open.jitter: off}
  - name: bare
    set: {client.call.breaker: null}
`

// file writes a scenario and returns its path.
func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRunFile(t *testing.T) {
	path := file(t, small)
	doc, err := scenario.Parse(path, []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	want, err := doc.Scenario()
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{path, "--seed", "5"}, {"--seed", "5", path}, {"--seed=5", path, "--width", "80"}} {
		got := simulate(t, append([]string{"sim", "run"}, args...)...)
		if got.Title != "A small outage" || got.Teaches != "How short it can be." || got.Table != nil || len(got.Runs) != 2 {
			t.Fatalf("%v: got %+v", args, got)
		}
		for i, v := range want.Variants {
			s, err := sim.New(v.Config)
			if err != nil {
				t.Fatal(err)
			}
			r, err := s.Run(t.Context(), 5)
			if err != nil {
				t.Fatal(err)
			}
			if g := &got.Runs[i]; g.Name != v.Name || g.Result.Whole != r.Whole || !reflect.DeepEqual(g.Result.Rows, r.Rows) {
				t.Errorf("%v: %s differs from a run of its own", args, v.Name)
			}
		}
	}
}

func TestRunText(t *testing.T) {
	got := invoke(t.Context(), "sim", "run", file(t, small))
	if got.code != exitOK || got.err != "" {
		t.Fatalf("exit code %d, stderr %q", got.code, got.err)
	}
	for _, want := range []string{"A small outage\nseed 1 ·", "How short it can be.", "patient", "bare"} {
		if !strings.Contains(got.out, want) {
			t.Errorf("no %q in:\n%s", want, got.out)
		}
	}
}

// Each scenario of the library runs, as it is and over seeds.
func TestRunLibrary(t *testing.T) {
	for _, d := range scenario.Library() {
		if testing.Short() && d.Name() != "outage" {
			continue // some have millions of calls
		}
		got := simulate(t, "sim", "run", d.Name())
		s, err := d.Scenario()
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Runs) != len(s.Variants) || got.Title != d.Title() {
			t.Errorf("%s: %d runs, title %q", d.Name(), len(got.Runs), got.Title)
		}
	}
}

func TestRunSettings(t *testing.T) {
	path := file(t, small)
	plain := simulate(t, "sim", "run", path)
	got := simulate(t, "sim", "run", path, "--set", "load.rate=100", "--set", "duration=8s")
	if got.Runs[0].Config.Duration != 8*time.Second || got.Runs[0].Result.Whole.Requests < 5*plain.Runs[0].Result.Whole.Requests {
		t.Errorf("the settings had no effect: %+v", got.Runs[0].Result.Whole)
	}
}

func TestRunSweep(t *testing.T) {
	path := file(t, small)
	got := simulate(t, "sim", "run", path, "--sweep", "client.call.breaker.open.wait=250ms,1s", "--sweep", "load.rate=20,40,60,80", "--seeds", "10")
	table := got.Table
	if table == nil || strings.Join(table.Keys, " ") != "client.call.breaker.open.wait load.rate variant" || len(table.Rows) != 16 || table.Seeds != 10 {
		t.Fatalf("the table is %+v", table)
	}
	// The second combination with the first variant.
	row := table.Rows[2]
	doc, err := scenario.Parse(path, []byte(strings.NewReplacer("rate: 20", "rate: 40", "500ms", "250ms").Replace(small)))
	if err != nil {
		t.Fatal(err)
	}
	s, err := doc.Scenario()
	if err != nil {
		t.Fatal(err)
	}
	want, err := sweep.Run(t.Context(), []sweep.Point{{Settings: row.Settings, Config: s.Variants[0].Config}}, 1, 10, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(row, want.Rows[0]) {
		t.Errorf("the row is %+v, want %+v", row, want.Rows[0])
	}
	if len(got.Runs) != report.MaxRuns || got.Runs[2].Name != "250ms, 40, patient" {
		t.Errorf("%d runs, one is %q", len(got.Runs), got.Runs[2].Name)
	}
}

func TestRunSeeds(t *testing.T) {
	got := simulate(t, "sim", "run", file(t, small), "--seeds", "7")
	if got.Table == nil || strings.Join(got.Table.Keys, " ") != "variant" || len(got.Table.Rows) != 2 || got.Table.Rows[1].Runs != 7 {
		t.Fatalf("the table is %+v", got.Table)
	}
	if len(got.Runs) != 2 || got.Runs[0].Name != "patient" {
		t.Errorf("%d runs, the first is %q", len(got.Runs), got.Runs[0].Name)
	}
	before, _, _ := strings.Cut(small, "variants:")
	if one := simulate(t, "sim", "run", file(t, before), "--seeds", "7"); len(one.Table.Keys) != 0 || len(one.Table.Rows) != 1 {
		t.Errorf("without variants the table is %+v", one.Table)
	}
}

func TestRunComplaints(t *testing.T) {
	path := file(t, small)
	bad := file(t, strings.NewReplacer("5s", "5", "timeout", "timeuot", "20}", "-20}").Replace(small))
	for args, want := range map[string]struct {
		code int
		said []string
	}{
		"":                              {exitUsage, []string{"needs a FILE or NAME"}},
		"--seeds 3":                     {exitUsage, []string{"needs a FILE or NAME"}},
		path + " twice":                 {exitUsage, []string{`unexpected argument "twice"`}},
		path + " --sets 1":              {exitUsage, []string{"unknown flag --sets"}},
		path + " --set load.rate":       {exitUsage, []string{`invalid value "load.rate" for flag --set: must be PATH=VALUE`}},
		path + " --set load.rat=1":      {exitUsage, []string{"--set load.rat=1: ", "load.rate"}},
		path + " --set load.rate=-1":    {exitUsage, []string{"--set load.rate=-1: ", "from 0.001"}},
		path + " --sweep load.rate=1,x": {exitUsage, []string{"--sweep load.rate=x: "}},
		path + " --sweep load.rate=" + numbers(600, ""): {exitUsage, []string{"must be at most 1000"}},
		"nothing":          {exitFailed, []string{`there is no scenario and no file "nothing"; "switchgear sim list"`}},
		"./nothing.yaml":   {exitFailed, []string{"./nothing.yaml: no such file"}},
		filepath.Dir(path): {exitFailed, []string{"is a directory"}},
		bad:                {exitFailed, []string{bad + ":6:", bad + ":7:", bad + ":8:", "must have a unit", "timeout"}},
	} {
		got := invoke(t.Context(), append([]string{"sim", "run"}, strings.Fields(args)...)...)
		if got.code != want.code || got.out != "" || !strings.HasPrefix(got.err, "switchgear sim run: ") {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", args, got.code, got.out, got.err)
		}
		for _, s := range want.said {
			if !strings.Contains(got.err, s) {
				t.Errorf("%s: no %q in %q", args, s, got.err)
			}
		}
	}
}

func TestRunStopped(t *testing.T) {
	got := invoke(newPatience(t, 1), "sim", "run", file(t, small), "--json")
	if got.code != exitInterrupted || got.err != "switchgear sim run: stopped after 1 of 2 runs\n" {
		t.Fatalf("exit code %d, stderr %q", got.code, got.err)
	}
	if s := decode(t, got.out); len(s.Runs) != 1 || s.Title != "INCOMPLETE, 1 of 2 runs: A small outage" {
		t.Errorf("%d runs, title %q", len(s.Runs), s.Title)
	}
}

// What was done before something failed is shown, and is not taken for the whole.
func TestSimulationFails(t *testing.T) {
	good, bad := sim.ReferenceConfig(true), sim.ReferenceConfig(true)
	bad.Load.Rate = -1
	for name, s := range map[string]simulation{
		"run":   {title: "x", shown: []namedConfig{{"good", good}, {"bad", bad}}},
		"sweep": {title: "x", shown: []namedConfig{{"good", good}}, points: []sweep.Point{{Config: bad}}},
	} {
		var out, errs strings.Builder
		code := simRunCommand.simulate(t.Context(), nil, streams{&out, &errs}, &simFlags{asJSON: true}, s)
		if code != exitFailed || !strings.HasPrefix(errs.String(), "switchgear sim run: ") || !strings.Contains(errs.String(), "Load.Rate = -1") {
			t.Errorf("%s: exit code %d, stderr %q", name, code, &errs)
		}
		if got := decode(t, out.String()); len(got.Runs) != 1 || got.Title != "INCOMPLETE, 1 of 2 runs: x" {
			t.Errorf("%s: %d runs, title %q", name, len(got.Runs), got.Title)
		}
	}
}
