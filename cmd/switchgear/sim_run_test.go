package main

import (
	"encoding/json"
	"fmt"
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

func TestShow(t *testing.T) {
	for _, d := range scenario.Library() {
		got := invoke(t.Context(), "sim", "show", d.Name())
		if got.code != exitOK || got.err != "" {
			t.Fatalf("exit code %d, stderr %q", got.code, got.err)
		}
		if own, err := scenario.Parse("mine.yaml", []byte(got.out)); err != nil || own.Title() != d.Title() {
			t.Errorf("%s: %v in\n%s", d.Name(), err, got.out)
		}
	}
	for args, want := range map[string]outcome{
		"":            {exitUsage, "", "switchgear sim show: needs the NAME of a scenario\nSee: switchgear help sim show\n"},
		"herd outage": {exitUsage, "", "unexpected argument \"outage\""},
		"--all":       {exitUsage, "", "unknown flag --all"},
		"./mine.yaml": {exitFailed, "", `there is no scenario "./mine.yaml"; "switchgear sim list" has the scenarios`},
		"nothing":     {exitFailed, "", `there is no scenario "nothing"`},
		"--help":      {exitOK, "switchgear sim show: print", ""},
	} {
		got := invoke(t.Context(), append([]string{"sim", "show"}, strings.Fields(args)...)...)
		if got.code != want.code || !strings.Contains(got.out, want.out) || !strings.Contains(got.err, want.err) || (got.err == "") != (want.err == "") {
			t.Errorf("%s: %+v", args, got)
		}
	}
}

func TestSimHasAnOverview(t *testing.T) {
	const all = "list, show, run, outage, reference\nSee: switchgear help sim\n"
	for args, want := range map[string]outcome{
		"sim":           {exitUsage, "", "switchgear sim: needs a command: " + all},
		"sim bogus":     {exitUsage, "", "switchgear sim: unknown command \"bogus\": must be one of " + all},
		"sim --bogus":   {exitUsage, "", "switchgear sim: unknown flag --bogus\nSee: switchgear help sim\n"},
		"sim --help":    {exitOK, simCommand.help, ""},
		"help sim":      {exitOK, simCommand.help, ""},
		"help sim what": {exitUsage, "", `unknown command "sim what"`},
	} {
		got := invoke(t.Context(), strings.Fields(args)...)
		if got.code != want.code || !strings.Contains(got.out, want.out) || !strings.Contains(got.err, want.err) || (got.err == "") != (want.err == "") {
			t.Errorf("%s: %+v", args, got)
		}
	}
	for _, c := range commands() {
		if word, ok := strings.CutPrefix(c.name, "sim "); ok && !strings.Contains(simCommand.help, "\n  "+word+" ") {
			t.Errorf("the overview does not have %s", word)
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
	large, middle := file(t, strings.Repeat(" ", maxFile+1)), file(t, strings.Repeat(" ", 1<<20+1))
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
		path + " --set load.rate=0":     {exitUsage, []string{"--set load.rate=0: load.rate: 0: zero means the default here, 50: leave it out, or write off"}},
		path + " --sweep load.rate=1,0": {exitUsage, []string{"--sweep load.rate=0: load.rate: 0: zero means the default here"}},
		path + " --sweep client.call.breaker=null,{} --sweep client.call.breaker.open.wait=1s": {exitUsage, []string{
			"--sweep client.call.breaker=null: ", "client.call.breaker.open.jitter: client.call.breaker is null, and there is nothing in it to set"}},
		"outage --set client=null --set client.call.timeout=1s": {exitUsage, []string{"must be a mapping"}},
		path + " --set a\x1bb=1":                                {exitUsage, []string{`--set a\x1bb=1: [a\x1bb]: there is no such key`}},
		path + " --sweep load.rate=1,x":                         {exitUsage, []string{"--sweep load.rate=x: "}},
		path + " --sweep load.rate=" + numbers(600, ""):         {exitUsage, []string{"must be at most 1000"}},
		path + " --html /no/x.html":                             {exitFailed, []string{"switchgear sim run: /no/x.html: no such file or directory\n"}},
		"./no\x1b.yaml":                                         {exitFailed, []string{`./no\x1b.yaml: no such file`}},
		large:                                                   {exitFailed, []string{"has more than 8 MiB: must have at most 1"}},
		middle:                                                  {exitFailed, []string{"1048577 bytes: must be at most 1048576"}},
		"nothing":                                               {exitFailed, []string{`there is no scenario and no file "nothing"; "switchgear sim list"`}},
		"./nothing.yaml":                                        {exitFailed, []string{"./nothing.yaml: no such file"}},
		filepath.Dir(path):                                      {exitFailed, []string{"is a directory"}},
		bad:                                                     {exitFailed, []string{bad + ":6:", bad + ":7:", bad + ":8:", "must have a unit", "timeout"}},
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

// What is doubtful is said once, however many runs have it, and kept with each run.
func TestRunWarns(t *testing.T) {
	path := file(t, strings.Replace(small, "{rate: 20}", "{rate: 20, users: 7}", 1))
	const want = "warning: load.users: 7: has no effect with Kind = poisson\n"
	text, data := invoke(t.Context(), "sim", "run", path), invoke(t.Context(), "sim", "run", path, "--json", "--seeds", "2")
	if text.code != exitOK || text.err != want || data.code != exitOK || data.err != want {
		t.Errorf("exit code %d, stderr %q, and %d, %q", text.code, text.err, data.code, data.err)
	}
	for _, r := range decode(t, data.out).Runs {
		if len(r.Warnings) != 1 || r.Warnings[0] != (report.Warning{Path: "load.users", Value: "7", Text: "has no effect with Kind = poisson"}) {
			t.Errorf("%s has %v", r.Name, r.Warnings)
		}
	}
	got := invoke(t.Context(), "sim", "run", path, "--sweep", "load.users="+numbers(30, ""))
	if n := strings.Count(got.err, "warning: "); n != mostWarnings || !strings.HasSuffix(got.err, "and 10 more warnings\n") {
		t.Errorf("%d warnings in\n%s", n, got.err)
	}
}

// A run that is stopped in its middle is shown as far as it came.
func TestRunStoppedInTheMiddle(t *testing.T) {
	long := file(t, "scenario: {duration: 1h, load: {rate: 1000}}")
	got := invoke(newPatience(t, 5), "sim", "run", long, "--json")
	if got.code != exitInterrupted || got.err != "switchgear sim run: stopped after 0 of 1 runs\n" {
		t.Fatalf("exit code %d, stderr %q", got.code, got.err)
	}
	s := decode(t, got.out)
	if len(s.Runs) != 1 || s.Runs[0].Name != "mine (incomplete)" || s.Title != "INCOMPLETE, 0 of 1 runs: mine" {
		t.Fatalf("%d runs, title %q", len(s.Runs), s.Title)
	}
	r := &s.Runs[0].Result
	if n := r.Whole.Requests; n == 0 || n > 1_000_000 {
		t.Errorf("%d calls", n)
	}
	if last := r.Rows[len(r.Rows)-1].At; last > r.Ended || last < r.Ended-2*r.RowLength {
		t.Errorf("the last row begins at %v, and the last call ended at %v", last, r.Ended)
	}
}

func TestErrorsNameNoPackage(t *testing.T) {
	err := fmt.Errorf("with wait=1s: sim: %s with seed %d, at %v: %w", "flood", 1, time.Second, sim.ErrTooMany)
	got := inWords(err).Error()
	if !strings.HasPrefix(got, "with wait=1s: flood with seed 1, at 1s: more than") || strings.Contains(got, "sim: ") {
		t.Errorf("got %q", got)
	}
	if got := inWords(sim.ErrTooMany).Error(); !strings.HasPrefix(got, "more than") {
		t.Errorf("got %q", got)
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
