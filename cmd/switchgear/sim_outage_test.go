package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/sim"
	"github.com/switchgear-go/switchgear/sim/report"
	"github.com/switchgear-go/switchgear/sim/sweep"
)

// simulated is what a command has printed with --json.
type simulated struct {
	Title   string
	Teaches string
	Command string
	Runs    []struct {
		Name     string
		Config   struct{ Duration time.Duration }
		Result   sim.Result
		Warnings []report.Warning
	}
	Table *sweep.Table
}

// simulate runs a command with --json and more, which must succeed. It may warn.
func simulate(t *testing.T, args ...string) simulated {
	t.Helper()
	got := invoke(t.Context(), append(args, "--json")...)
	for strings.HasPrefix(got.err, "warning: ") {
		_, got.err, _ = strings.Cut(got.err, "\n")
	}
	if got.code != exitOK || got.err != "" {
		t.Fatalf("%v: exit code %d, stderr %q", args, got.code, got.err)
	}
	return decode(t, got.out)
}

func decode(t *testing.T, text string) (s simulated) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	return s
}

func TestOutageIsTheReference(t *testing.T) {
	got := simulate(t, "sim", "outage")
	want, err := sim.Reference()
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Runs) != 2 || got.Table != nil {
		t.Fatalf("%d runs, table %v", len(got.Runs), got.Table)
	}
	for i, one := range []struct {
		name string
		want *sim.Result
	}{{"without breaker", want.NoBreaker}, {"with breaker", want.Breaker}} {
		r := &got.Runs[i]
		if r.Name != one.name || r.Result.Seed != 42 {
			t.Errorf("run %d is %q with seed %d", i, r.Name, r.Result.Seed)
		}
		if r.Result.Whole != one.want.Whole || !reflect.DeepEqual(r.Result.Rows, one.want.Rows) || r.Result.Figures(1) != one.want.Figures(1) {
			t.Errorf("%s: %+v\nwant %+v", one.name, r.Result.Whole, one.want.Whole)
		}
		if len(r.Result.Transitions) != len(one.want.Transitions) {
			t.Errorf("%s: %d transitions, want %d", one.name, len(r.Result.Transitions), len(one.want.Transitions))
		}
	}
	if got.Command != "switchgear sim outage --json" {
		t.Errorf("the command is %q", got.Command)
	}
}

func TestOutageText(t *testing.T) {
	got := invoke(t.Context(), "sim", "outage", "--width", "90")
	if got.code != exitOK || got.err != "" {
		t.Fatalf("exit code %d, stderr %q", got.code, got.err)
	}
	for _, want := range []string{
		"An outage from 15s to 35s, without and with a breaker\n", "without breaker", "with breaker",
		"2,946", "10.3 %", "207 ms", "17.165 s  closed → open", "36.376 s",
	} {
		if !strings.Contains(got.out, want) {
			t.Errorf("no %q in:\n%s", want, got.out)
		}
	}
	for line := range strings.Lines(got.out) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 90 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// Every flag changes something, and as its name says.
func TestOutageFlags(t *testing.T) {
	figures := func(args string) (sim.Figures, *sim.Result) {
		r := simulate(t, append([]string{"sim", "outage"}, strings.Fields(args)...)...)
		last := &r.Runs[len(r.Runs)-1].Result
		return last.Figures(1), last
	}
	base, whole := figures("")
	for args, holds := range map[string]func(f sim.Figures, r *sim.Result) bool{
		"--rate 100":           func(_ sim.Figures, r *sim.Result) bool { return r.Whole.Requests > 5500 },
		"--duration 40s":       func(_ sim.Figures, r *sim.Result) bool { return len(r.Rows) == 40 },
		"--latency-mean 200ms": func(_ sim.Figures, r *sim.Result) bool { return r.Whole.P50 > 5*whole.Whole.P50 },
		"--timeout 1s":         func(f sim.Figures, _ *sim.Result) bool { return f.TripDelay < 1300*time.Millisecond },
		"--fault-start 20s":    func(_ sim.Figures, r *sim.Result) bool { return r.Windows[1].From == 20*time.Second },
		"--fault-end 30s":      func(_ sim.Figures, r *sim.Result) bool { return r.Windows[1].To == 30*time.Second },
		"--error-rate 20":      func(_ sim.Figures, r *sim.Result) bool { return r.Whole.Failed > 200 },
		"--seed 43":            func(_ sim.Figures, r *sim.Result) bool { return r.Seed == 43 },
		"--rng pcg":            func(_ sim.Figures, r *sim.Result) bool { return r.Whole.Requests != whole.Whole.Requests },
		"--no-breaker":         func(f sim.Figures, r *sim.Result) bool { return f.Share() == 100 && len(r.Transitions) == 0 },
		"--window 100":         func(f sim.Figures, _ *sim.Result) bool { return f.TripDelay > base.TripDelay+500*time.Millisecond },
		"--window-type time --window 2s": func(_ sim.Figures, r *sim.Result) bool {
			return strings.Contains(fmt.Sprint(r.Transitions[0].Trip.Text()), "calls failed") && r.Transitions[0].At != whole.Transitions[0].At
		},
		"--window 100 --min-calls 1": func(f sim.Figures, r *sim.Result) bool { return r.Whole.Reached > 0 },
		"--failure-rate 25":          func(f sim.Figures, _ *sim.Result) bool { return f.TripDelay < base.TripDelay },
		"--failure-rate off":         func(_ sim.Figures, r *sim.Result) bool { return len(r.Transitions) == 0 },
		"--failure-rate off --consecutive 5": func(f sim.Figures, _ *sim.Result) bool {
			return f.TripDelay > 0 && f.TripDelay < base.TripDelay
		},
		"--wait 1s":                     func(f sim.Figures, _ *sim.Result) bool { return f.Rounds == 6 },
		"--jitter 50":                   func(_ sim.Figures, r *sim.Result) bool { return r.Transitions[1].At != whole.Transitions[1].At },
		"--probes 1":                    func(_ sim.Figures, r *sim.Result) bool { return len(r.Rounds[0].Probes) == 1 },
		"--failure-rate off --evidence": func(f sim.Figures, _ *sim.Result) bool { return f.TripDelay > 0 && f.TripDelay != base.TripDelay },
		"--failure-rate off --evidence --evidence-healthy 0.2 --evidence-sick 0.9 --evidence-budget 1e12 --evidence-burst 2 --evidence-memory off": func(f sim.Figures, _ *sim.Result) bool {
			return f.TripDelay > base.TripDelay
		},
	} {
		if f, r := figures(args); !holds(f, r) {
			t.Errorf("%s: %+v, %+v", args, f, r.Whole)
		}
	}
}

var defaultInHelp = regexp.MustCompile(`(?s)--([a-z-]+) [A-Z|]+ [^-]*?default ([a-z0-9.]+)`)

// The defaults that the help tells are those of the model, and those that are in no
// flag are those of the reference.
func TestOutageDefaults(t *testing.T) {
	told := map[string]string{}
	for _, m := range defaultInHelp.FindAllStringSubmatch(simOutageCommand.help, -1) {
		told[m[1]] = strings.TrimSuffix(m[2], ".")
	}
	m := newOutageModel()
	for _, name := range m.keys() {
		value, ok := told[name]
		if name == "no-breaker" || name == "evidence" || name == "rng" {
			continue
		}
		if !ok {
			t.Errorf("the help tells no default of --%s", name)
			continue
		}
		// Those of evidence are put in by its package.
		before := newOutageModel()
		before.test = before.test.WithDefaults()
		after := before.clone()
		if err := after.set(name, value); err != nil {
			t.Errorf("--%s %s: %v", name, value, err)
		}
		_, a, _ := before.configs()
		_, b, _ := after.configs()
		if !reflect.DeepEqual(inDefaults(t, a), inDefaults(t, b)) || after.test != before.test {
			t.Errorf("--%s %s is not what holds without", name, value)
		}
	}
	_, with, err := m.configs()
	if err != nil {
		t.Fatal(err)
	}
	want := sim.ReferenceConfig(true)
	want.Name, want.Windows = with.Name, nil
	if !reflect.DeepEqual(inDefaults(t, with), inDefaults(t, want)) {
		t.Errorf("the model is %+v, want %+v", with, want)
	}
}

func inDefaults(t *testing.T, cfg sim.Config) sim.Config {
	t.Helper()
	s, err := sim.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s.Config()
}

func TestOutageComplaints(t *testing.T) {
	for args, want := range map[string]string{
		"now":                                  `unexpected argument "now"`,
		"--wiat 1s":                            `unknown flag --wiat`,
		"--rate 0":                             `invalid value "0" for flag --rate: must be a number above 0`,
		"--rate 1e9":                           `invalid value 1e+09 for --rate: must be from 0.001 to 1e+07`,
		"--duration 31d":                       `invalid value "31d" for flag --duration: must be a duration above 0`,
		"--duration 10us":                      `must be at most --duration, 10µs`,
		"--wait 800h":                          `invalid value 800h0m0s for --wait: must be from 1ns to 720h0m0s`,
		"--wait 0s":                            `invalid value "0s" for flag --wait: must be a duration above 0`,
		"--probes 0":                           `invalid value "0" for flag --probes: must be a whole number from 1`,
		"--probes 10001":                       `invalid value 10001 for --probes: must be from 1 to 10000`,
		"--failure-rate 0":                     `invalid value "0" for flag --failure-rate: must be from 1 to 100 percent with at most two decimals, or off`,
		"--evidence-sick 30":                   `invalid value "30" for flag --evidence-sick: must be a number between 0 and 1`,
		"--failure-rate 0.5":                   `must be from 1 to 100 percent`,
		"--error-rate 101":                     `invalid value "101" for flag --error-rate: must be from 1 to 100 percent`,
		"--jitter 60":                          `invalid value "60" for flag --jitter: must be from 1 to 50 percent with at most two decimals, or off`,
		"--no-breaker --wait 1s":               `--wait and --no-breaker: must not be given together`,
		"--no-breaker --window-type count":     `--window-type and --no-breaker: must not be given together`,
		"--no-breaker --evidence":              `--evidence and --no-breaker: must not be given together`,
		"--no-breaker --sweep wait=1s,2s":      `--wait and --no-breaker: must not be given together`,
		"--evidence=false --evidence-sick 0.4": `--evidence-sick: needs --evidence`,
		"--consecutive -1":                     `invalid value "-1" for flag --consecutive: must be a whole number from 1, or off`,
		"--window 10s":                         `invalid value "10s" for --window: must be a number of calls from 1, or have --window-type time`,
		"--window-type time":                   `invalid value "20" for --window: must be a duration above 0, such as 10s, with --window-type time`,
		"--window-type both":                   `invalid value "both" for flag --window-type: must be count or time`,
		"--window 99999999":                    `for --window: must be from 1 to 10000000`,
		"--rng dice":                           `invalid value "dice" for flag --rng: sim: "dice" is no generator; there are pcg, mt19937`,
		"--seed -1":                            `invalid value "-1" for flag --seed: must be a whole number from 0 to 18446744073709551615`,
		"--seeds 0":                            `invalid value "0" for flag --seeds: must be a whole number from 1 to 100000`,
		"--width 10":                           `invalid value "10" for flag --width: must be a whole number from 60 to 500`,
		"--fault-end 10s":                      `invalid value 10s for --fault-end: must be later than --fault-start, 15s`,
		"--fault-end 61s":                      `invalid value 1m1s for --fault-end: must be at most --duration, 1m0s`,
		"--evidence-sick 0.4":                  `--evidence-sick: needs --evidence`,
		"--evidence --evidence-burst 9":        `invalid value 9 for --evidence-burst: must be from 1 to 4`,
		"--evidence --evidence-healthy 0.6 --evidence-sick 0.4": `for --evidence-sick: must be above Healthy`,
		"--wait 800h --probes 10001":                            "800h0m0s for --wait: must be from 1ns to 720h0m0s; invalid value 10001 for --probes",
		"--sweep wait":                                          `invalid value "wait" for flag --sweep: must be KEY=VALUE,VALUE, such as wait=1s,5s`,
		"--sweep wait=":                                         `must not have an empty value`,
		"--sweep wait=1s,,2s":                                   `must not have an empty value`,
		"--sweep wait=1s,1s":                                    `must not have 1s twice`,
		"--sweep wiat=1s":                                       `there is no flag --wiat to sweep; there are consecutive, duration,`,
		"--sweep seed=1":                                        `there is no flag --seed to sweep`,
		"--sweep wait=1s,soon":                                  `invalid value "soon" for --wait: must be a duration above 0`,
		"--sweep probes=1,20000":                                `with probes=20000: invalid value 20000 for --probes: must be from 1 to 10000`,
		"--sweep wait=1s --sweep wait=2s":                       `must have another key than wait`,
		"--sweep wait=" + numbers(32, "s") + " --sweep probes=" + numbers(32, ""): `makes 1024 combinations: must be at most 1000`,
	} {
		got := invoke(t.Context(), append([]string{"sim", "outage"}, strings.Fields(args)...)...)
		if got.code != exitUsage || got.out != "" || !strings.HasPrefix(got.err, "switchgear sim outage: ") ||
			!strings.Contains(got.err, want) || !strings.HasSuffix(got.err, "\nSee: switchgear help sim outage\n") {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q, want %q", args, got.code, got.out, got.err, want)
		}
	}
}

func numbers(n int, unit string) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprint(i+1, unit))
	}
	return strings.ReplaceAll(strings.Join(list, ","), " ", "")
}

func TestOutageSweep(t *testing.T) {
	got := simulate(t, strings.Fields("sim outage --sweep wait=1s,5s,10s --sweep probes=1,5 --seeds 10 --seed 1000 --rng pcg --timeout 1s")...)
	table := got.Table
	if table == nil || len(table.Rows) != 6 || table.Seeds != 10 || table.FirstSeed != 1000 || strings.Join(table.Keys, " ") != "wait probes" {
		t.Fatalf("the table is %+v", table)
	}
	row := table.Rows[3] // wait=5s, probes=5
	if fmt.Sprint(row.Settings) != "[{wait 5s} {probes 5}]" {
		t.Fatalf("the settings are %v", row.Settings)
	}
	cfg := sim.ReferenceConfig(true)
	cfg.Generator, cfg.Client.Call.Timeout = sim.PCG, time.Second
	want, err := sweep.Run(t.Context(), []sweep.Point{{Settings: row.Settings, Config: cfg}}, 1000, 10, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(row, want.Rows[0]) {
		t.Errorf("the row is %+v, want %+v", row, want.Rows[0])
	}
	if len(got.Runs) != 6 || got.Runs[3].Name != "wait=5s, probes=5" || got.Runs[3].Result.Seed != 1000 {
		t.Errorf("%d runs, one is %q", len(got.Runs), got.Runs[3].Name)
	}
	if got.Title != "An outage, by wait, probes" {
		t.Errorf("the title is %q", got.Title)
	}
}

// Nothing that one combination sets stays for the next, nor comes back to one before.
func TestOutageCombinationsAreApart(t *testing.T) {
	for sweep, of := range map[string]func(r *sim.Result) time.Duration{
		"latency-mean=10ms,20ms,40ms": func(r *sim.Result) time.Duration { return r.Windows[0].Mean },
		"fault-end=20s,25s,30s":       func(r *sim.Result) time.Duration { return r.Windows[1].To },
		"duration=40s,50s,60s":        func(r *sim.Result) time.Duration { return r.Ended },
		"timeout=1s,2s,3s":            func(r *sim.Result) time.Duration { return r.Whole.Max },
		"window=20,40,80":             func(r *sim.Result) time.Duration { return r.Transitions[0].At },
	} {
		got := simulate(t, "sim", "outage", "--sweep", sweep)
		a, b, c := of(&got.Runs[0].Result), of(&got.Runs[1].Result), of(&got.Runs[2].Result)
		if a >= b || b >= c {
			t.Errorf("%s: %v, %v, %v should grow", sweep, a, b, c)
		}
	}
}

func TestOutageShowsTwelveRunsAtMost(t *testing.T) {
	got := simulate(t, "sim", "outage", "--sweep", "probes="+numbers(20, ""))
	if len(got.Runs) != report.MaxRuns || len(got.Table.Rows) != 20 || got.Table.Seeds != 1 {
		t.Errorf("%d runs, %d rows, %d seeds", len(got.Runs), len(got.Table.Rows), got.Table.Seeds)
	}
}

func TestOutageSeeds(t *testing.T) {
	got := simulate(t, strings.Fields("sim outage --seeds 20 --seed 1000")...)
	if got.Table == nil || len(got.Table.Rows) != 2 || got.Table.Rows[0].Share.Mean != 100 || got.Table.Rows[1].Rounds.Mean != 2 {
		t.Fatalf("the table is %+v", got.Table)
	}
	if one := simulate(t, strings.Fields("sim outage --seeds 20 --no-breaker")...); len(one.Table.Rows) != 1 || len(one.Runs) != 1 {
		t.Errorf("without a breaker: %+v", one.Table)
	}
	if both := simulate(t, strings.Fields("sim outage --sweep no-breaker=true,false")...); both.Table.Rows[0].Share.Mean != 100 || both.Table.Rows[1].Share.Mean > 20 {
		t.Errorf("the table is %+v", both.Table)
	}
}

func TestOutageFiles(t *testing.T) {
	dir := t.TempDir()
	page, tables := filepath.Join(dir, "page.html"), filepath.Join(dir, "a", "tables")
	args := []string{"sim", "outage", "--seeds", "3", "--html", page, "--csv", tables}
	got := invoke(t.Context(), args...)
	if got.code != exitOK || !strings.Contains(got.err, page) || !strings.Contains(got.err, tables) {
		t.Fatalf("exit code %d, stderr %q", got.code, got.err)
	}
	text, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(text), "An outage from 15s to 35s") || !strings.HasSuffix(strings.TrimSpace(string(text)), "</html>") {
		t.Errorf("the page: %v, %d bytes", err, len(text))
	}
	for name, rows := range map[string]int{"runs.csv": 2, "rows.csv": 120, "transitions.csv": 7, "rounds.csv": 3, "sweep.csv": 2} {
		text, err := os.ReadFile(filepath.Join(tables, name))
		if n := strings.Count(string(text), "\n"); err != nil || n < rows {
			t.Errorf("%s: %v, %d lines, want %d and more", name, err, n, rows)
		}
	}
	if list, _ := os.ReadDir(dir); len(list) != 2 {
		t.Errorf("something else is left: %v", list)
	}
}

// What cannot be written to is found out before anything is simulated.
func TestOutageFilesThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"--html " + dir:                          "is not a regular file",
		"--html " + filepath.Join(dir, "a", "b"): "no such file",
		"--csv " + file:                          "not a directory",
	} {
		got := invoke(t.Context(), append([]string{"sim", "outage", "--seeds", "100000"}, strings.Fields(args)...)...)
		if got.code != exitFailed || got.out != "" || !strings.Contains(got.err, want) {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", args, got.code, got.out, got.err)
		}
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("something is left: %v", list)
	}
}

func TestOutageCannotWrite(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.html")
	for _, args := range []string{"sim outage", "sim outage --json"} {
		var errs strings.Builder
		code := run(t.Context(), append(strings.Fields(args), "--html", page), streams{full{}, &errs})
		if code != exitFailed || errs.String() != "switchgear sim outage: no space left\n" {
			t.Errorf("%s: exit code %d, stderr %q", args, code, &errs)
		}
	}
	if list, _ := os.ReadDir(filepath.Dir(page)); len(list) != 0 {
		t.Errorf("something is left: %v", list)
	}
}

// patience is a context that is done after it has been asked so many times.
type patience struct {
	context.Context
	left atomic.Int64
}

func newPatience(t *testing.T, n int64) *patience {
	p := &patience{Context: t.Context()}
	p.left.Store(n)
	return p
}

func (p *patience) Err() error {
	if p.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

func TestOutageStopped(t *testing.T) {
	t.Run("before anything is done, there is nothing to print", func(t *testing.T) {
		page := filepath.Join(t.TempDir(), "page.html")
		got := invoke(newPatience(t, 0), "sim", "outage", "--html", page)
		if got.code != exitInterrupted || got.out != "" || got.err != "switchgear sim outage: stopped after 0 of 2 runs\n" {
			t.Errorf("exit code %d, stdout %q, stderr %q", got.code, got.out, got.err)
		}
		if list, _ := os.ReadDir(filepath.Dir(page)); len(list) != 0 {
			t.Errorf("something is left: %v", list)
		}
	})
	t.Run("what is done is printed, and marked", func(t *testing.T) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so that it is asked in the same order each time
		args := strings.Fields("sim outage --sweep wait=1s,2s,5s --seeds 20 --json")
		got := invoke(newPatience(t, 33), args...) // each run asks once
		if got.code != exitInterrupted || got.err != "switchgear sim outage: stopped after 33 of 63 runs\n" {
			t.Fatalf("exit code %d, stderr %q", got.code, got.err)
		}
		s := decode(t, got.out)
		if s.Title != "INCOMPLETE, 33 of 63 runs: An outage, by wait" || len(s.Runs) != 3 || s.Table == nil || len(s.Table.Rows) != 2 {
			t.Fatalf("title %q, %d runs, table %+v", s.Title, len(s.Runs), s.Table)
		}
		if r := s.Table.Rows[1]; r.Runs != 10 || r.Rounds.N != 10 || s.Table.Complete() {
			t.Errorf("the second row is %+v", r)
		}
		if whole := simulate(t, args[:len(args)-1]...); !reflect.DeepEqual(s.Table.Rows[0], whole.Table.Rows[0]) {
			t.Errorf("the first row is %+v, want %+v", s.Table.Rows[0], whole.Table.Rows[0])
		}
	})
	t.Run("in the text as well", func(t *testing.T) {
		got := invoke(newPatience(t, 2), strings.Fields("sim outage --seeds 5")...)
		if got.code != exitInterrupted || !strings.HasPrefix(got.out, "INCOMPLETE, ") {
			t.Errorf("exit code %d, stdout %q", got.code, got.out)
		}
	})
}

func TestStopped(t *testing.T) {
	why := errors.New("a signal came")
	ctx, cancel := context.WithCancelCause(t.Context())
	if stopped(ctx, context.Canceled) {
		t.Error("stopped, though it is not")
	}
	cancel(why)
	for err, want := range map[error]bool{why: true, context.Canceled: true, errors.New("other"): false} {
		if got := stopped(ctx, fmt.Errorf("in a run: %w", err)); got != want {
			t.Errorf("%v: %v, want %v", err, got, want)
		}
	}
}

func TestSweepKeysAreFlags(t *testing.T) {
	var flags flag.FlagSet
	m := newOutageModel()
	m.register(&flags)
	for _, p := range outagePaths {
		if flags.Lookup(p.flag) == nil {
			t.Errorf("there is no flag --%s", p.flag)
		}
	}
	for _, key := range m.keys() {
		if !strings.Contains(simOutageCommand.help, "\n  --"+key+" ") {
			t.Errorf("--%s is not in the help", key)
		}
	}
}
