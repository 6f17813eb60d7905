package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/sim/report"
)

func TestJSONHoldsTheWholeReport(t *testing.T) {
	var first, second bytes.Buffer
	if err := report.JSON(&first, theReference(t)); err != nil {
		t.Fatal(err)
	}
	var back report.Report
	if err := json.Unmarshal(first.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if err := report.JSON(&second, &back); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("what is read back is not what was written")
	}
	want := theReference(t)
	if got := back.Runs[1].Result; got.Whole != want.Runs[1].Result.Whole || len(got.Transitions) != 7 || len(got.Rows) != 60 {
		t.Errorf("%+v", got.Whole)
	}
	if got := back.Table.Rows[0].TripDelay; got != want.Table.Rows[0].TripDelay {
		t.Errorf("%+v", got)
	}
}

// A sheet is a CSV file, by the names of its columns.
type sheet struct {
	t      *testing.T
	header []string
	lines  [][]string
}

func read(t *testing.T, dir, name string) sheet {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return sheet{t, all[0], all[1:]}
}

func (s sheet) text(line int, column string) string {
	s.t.Helper()
	i := slices.Index(s.header, column)
	if i < 0 {
		s.t.Fatalf("no column %s", column)
	}
	return s.lines[line][i]
}

func (s sheet) is(line int, column string, want float64) {
	s.t.Helper()
	if got, err := strconv.ParseFloat(s.text(line, column), 64); err != nil || math.Abs(got-want) > 1e-12*math.Abs(want) {
		s.t.Errorf("line %d, %s: %s, want %g", line, column, s.text(line, column), want)
	}
}

func TestCSVHoldsTheWholeReport(t *testing.T) {
	r := theReference(t)
	r.Runs = append(r.Runs, crowd(t).Runs...)
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := report.CSV(dir, r); err != nil {
		t.Fatal(err)
	}
	runs, rows, transitions, rounds := read(t, dir, "runs.csv"), read(t, dir, "rows.csv"), read(t, dir, "transitions.csv"), read(t, dir, "rounds.csv")
	if len(runs.lines) != len(r.Runs) {
		t.Fatalf("%d runs", len(runs.lines))
	}
	row, transition, round := 0, 0, 0
	for i := range r.Runs {
		run := &r.Runs[i]
		res := run.Result
		w, f := &res.Windows[1], res.Figures(1)
		if runs.text(i, "run") != run.Name {
			t.Errorf("run %d is %s", i, runs.text(i, "run"))
		}
		for column, want := range map[string]float64{
			"seed": float64(res.Seed), "duration_s": run.Config.Duration.Seconds(), "ended_s": res.Ended.Seconds(),
			"requests": float64(res.Whole.Requests), "reached": float64(res.Whole.Reached), "attempts": float64(res.Whole.Attempts),
			"succeeded": float64(res.Whole.Succeeded), "failed": float64(res.Whole.Failed), "timed_out": float64(res.Whole.TimedOut),
			"rejected": float64(res.Whole.Rejected), "shed": float64(res.Whole.Shed),
			"mean_s": res.Whole.Mean.Seconds(), "p50_s": res.Whole.P50.Seconds(), "p90_s": res.Whole.P90.Seconds(),
			"p99_s": res.Whole.P99.Seconds(), "p999_s": res.Whole.P999.Seconds(), "max_s": res.Whole.Max.Seconds(),
			"fault_from_s": w.From.Seconds(), "fault_to_s": w.To.Seconds(), "fault_requests": float64(w.Requests),
			"fault_reached": float64(w.Reached), "fault_share_percent": w.Share(), "fault_mean_s": w.Mean.Seconds(),
			"fault_p99_s": w.P99.Seconds(), "fault_in_flight_mean": w.InFlight, "fault_in_flight_peak": float64(w.Peak),
			"transitions": float64(res.TransitionsTotal),
		} {
			runs.is(i, column, want)
		}
		if run.Name == "no breaker" {
			if got := runs.text(i, "trip_delay_s") + runs.text(i, "false_trips"); got != "" {
				t.Errorf("figures of no breaker: %s", got)
			}
		} else {
			for column, want := range map[string]float64{
				"trip_delay_s": f.TripDelay.Seconds(), "recovery_lag_s": f.RecoveryLag.Seconds(), "fault_rounds": float64(f.Rounds),
				"false_trips": float64(f.FalseTrips), "good_refused": float64(f.GoodRefused),
			} {
				runs.is(i, column, want)
			}
		}
		for _, want := range res.Rows {
			if rows.text(row, "run") != run.Name {
				t.Fatalf("line %d of rows.csv is of %s", row, rows.text(row, "run"))
			}
			for column, want := range map[string]float64{
				"at_s": want.At.Seconds(), "length_s": res.RowLength.Seconds(), "requests": float64(want.Requests), "attempts": float64(want.Attempts),
				"sent": float64(want.Sent), "in_flight_mean": want.InFlight, "in_flight_peak": float64(want.Peak),
				"mean_s": want.Mean.Seconds(), "p99_s": want.P99.Seconds(), "max_s": want.Max.Seconds(), "timed_out": float64(want.TimedOut),
			} {
				rows.is(row, column, want)
			}
			row++
		}
		for _, want := range res.Transitions {
			transitions.is(transition, "at_s", want.At.Seconds())
			transitions.is(transition, "instance", float64(want.Instance))
			transitions.is(transition, "target", float64(want.Target))
			if got := transitions.text(transition, "from") + transitions.text(transition, "to"); got != want.From.String()+want.To.String() {
				t.Errorf("line %d: %s", transition, got)
			}
			if (want.Trip != nil) != (transitions.text(transition, "rule") != "") {
				t.Errorf("line %d has the rule %q", transition, transitions.text(transition, "rule"))
			}
			transition++
		}
		for _, want := range res.Rounds {
			rounds.is(round, "from_s", want.From.Seconds())
			rounds.is(round, "refused", float64(want.Refused))
			if want.To == 0 {
				if got := rounds.text(round, "to_s") + rounds.text(round, "decision"); got != "" {
					t.Errorf("line %d was decided: %s", round, got)
				}
			} else {
				rounds.is(round, "to_s", want.To.Seconds())
				if got := rounds.text(round, "decision"); got != want.Decision.String() {
					t.Errorf("line %d: %s", round, got)
				}
			}
			n := 0.0
			for _, column := range []string{"probes_ok", "probes_error", "probes_timeout", "probes_other", "probes_unfinished"} {
				v, _ := strconv.ParseFloat(rounds.text(round, column), 64)
				n += v
			}
			if n != float64(len(want.Probes)) || want.Decision == breaker.Closed && want.To > 0 && rounds.text(round, "probes_ok") == "0" {
				t.Errorf("line %d has %g probes of %d", round, n, len(want.Probes))
			}
			round++
		}
	}
	if len(rows.lines) != row || len(transitions.lines) != transition || len(rounds.lines) != round {
		t.Error("there are lines that belong to nothing")
	}
	table := read(t, dir, "sweep.csv")
	for i, want := range r.Table.Rows {
		table.is(i, "runs", 200)
		if got := table.text(i, "client.call.breaker.open.wait"); got != want.Settings[0].Value {
			t.Errorf("row %d: %s", i, got)
		}
		table.is(i, "trip_delay_n", float64(want.TripDelay.N))
		if want.TripDelay.N == 0 {
			if got := table.text(i, "trip_delay_mean_s"); got != "" {
				t.Errorf("row %d: %s", i, got)
			}
			continue
		}
		table.is(i, "trip_delay_mean_s", want.TripDelay.Mean)
		table.is(i, "trip_delay_p5_s", want.TripDelay.P5)
		table.is(i, "share_p95_percent", want.Share.P95)
	}
}

func TestCSVReplacesItsOwnFilesAndTouchesNoOther(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"sweep.csv", "runs.csv", "mine.csv"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("old"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := theReference(t)
	r.Table = nil
	if err := report.CSV(dir, r); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); got != "mine.csv rounds.csv rows.csv runs.csv transitions.csv" {
		t.Errorf("the folder has %s", got)
	}
	if len(read(t, dir, "runs.csv").lines) != 2 {
		t.Error("runs.csv is not the new one")
	}
}

func TestCSVThatFailsLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	// A folder that is not empty stands where a file is to go.
	if err := os.MkdirAll(filepath.Join(dir, "transitions.csv", "full"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := report.CSV(dir, theReference(t)); err == nil {
		t.Fatal("no error")
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("it left %v, %v", left, err)
	}
}
