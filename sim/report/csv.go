package report

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/switchgear-go/switchgear/sim"
)

// CSV writes the report into a directory, which it makes if need be: runs.csv with a
// line for each run, rows.csv, transitions.csv and rounds.csv with those of all runs,
// and sweep.csv if there is a table. The first line of each names the columns, with
// units. A figure that does not exist is an empty field.
//
// Files of these names are replaced, and an older sweep.csv is removed if there is no
// table, so that what lies together belongs together. Nothing is replaced before all
// files are complete, nor if a folder has one of the names.
func CSV(dir string, r *Report) (err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	files := []struct {
		name    string
		records [][]string
	}{
		{"runs.csv", runRecords(r)},
		{"rows.csv", rowRecords(r)},
		{"transitions.csv", transitionRecords(r)},
		{"rounds.csv", roundRecords(r)},
		{"sweep.csv", sweepRecords(r)},
	}
	for _, f := range files {
		target := filepath.Join(dir, f.name)
		if info, err := os.Lstat(target); err == nil && info.IsDir() {
			return fmt.Errorf("%s: is a folder, and a file of this name is to be written", target)
		}
	}
	written := make([]string, len(files)) // by what name so far, "" if not
	defer func() {
		for _, name := range written {
			if name != "" {
				err = errors.Join(err, os.Remove(name))
			}
		}
	}()
	for i, f := range files {
		if f.records == nil {
			continue
		}
		if written[i], err = writeCSV(dir, f.name, f.records); err != nil {
			return err
		}
	}
	for i, f := range files {
		target := filepath.Join(dir, f.name)
		if f.records == nil {
			if err := os.Remove(target); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			continue
		}
		if err := os.Rename(written[i], target); err != nil {
			return err
		}
		written[i] = ""
	}
	return nil
}

// writeCSV writes a new file beside the one it is to become, and returns its name,
// also when it could not be finished.
func writeCSV(dir, name string, records [][]string) (string, error) {
	f, err := os.CreateTemp(dir, name+".*.tmp")
	if err != nil {
		return "", err
	}
	w := csv.NewWriter(f)
	err = w.WriteAll(records)
	return f.Name(), errors.Join(err, f.Chmod(0o644), f.Close())
}

func number[N ~int | ~int64 | ~uint64](n N) string { return strconv.FormatInt(int64(n), 10) }

func decimal(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// known is seconds, or empty where -1 says that there is no such time.
func known(d time.Duration) string {
	if d < 0 {
		return ""
	}
	return seconds(d)
}

func (r *Report) complete() (runs []*Run) {
	for i := range r.Runs {
		if r.Runs[i].Result != nil {
			runs = append(runs, &r.Runs[i])
		}
	}
	return runs
}

func runRecords(r *Report) [][]string {
	out := [][]string{{
		"run", "seed", "duration_s", "ended_s",
		"requests", "reached", "attempts", "succeeded", "failed", "timed_out", "rejected", "shed",
		"mean_s", "p50_s", "p90_s", "p99_s", "p999_s", "max_s",
		"fault_from_s", "fault_to_s", "fault_requests", "fault_reached", "fault_share_percent",
		"fault_mean_s", "fault_p99_s", "fault_in_flight_mean", "fault_in_flight_peak",
		"trip_delay_s", "recovery_lag_s", "fault_rounds", "false_trips", "good_refused",
		"transitions",
	}}
	for _, run := range r.complete() {
		res := run.Result
		s := &res.Whole
		rec := []string{run.Name, strconv.FormatUint(res.Seed, 10), seconds(run.Config.Duration), seconds(res.Ended)}
		rec = append(rec, counts(&s.Counts)...)
		for _, d := range []time.Duration{s.Mean, s.P50, s.P90, s.P99, s.P999, s.Max} {
			rec = append(rec, seconds(d))
		}
		if w := fault(run); w != nil {
			rec = append(rec, seconds(w.From), seconds(w.To), number(w.Requests), number(w.Reached), decimal(w.Share()),
				seconds(w.Mean), seconds(w.P99), decimal(w.InFlight), number(w.Peak))
		} else {
			rec = append(rec, make([]string, 9)...)
		}
		if f, ok := faultFigures(run); ok && guarded(&run.Config) {
			rec = append(rec, known(f.TripDelay), known(f.RecoveryLag), number(f.Rounds), number(f.FalseTrips), number(f.GoodRefused))
		} else {
			rec = append(rec, make([]string, 5)...)
		}
		out = append(out, append(rec, number(res.TransitionsTotal)))
	}
	return out
}

func counts(c *sim.Counts) (out []string) {
	for _, n := range []uint64{c.Requests, c.Reached, c.Attempts, c.Succeeded, c.Failed, c.TimedOut, c.Rejected, c.Shed} {
		out = append(out, number(n))
	}
	return out
}

func rowRecords(r *Report) [][]string {
	out := [][]string{{
		"run", "at_s", "length_s",
		"requests", "reached", "attempts", "succeeded", "failed", "timed_out", "rejected", "shed",
		"sent", "in_flight_mean", "in_flight_peak", "mean_s", "p99_s", "max_s",
	}}
	for _, run := range r.complete() {
		for i := range run.Result.Rows {
			row := &run.Result.Rows[i]
			rec := append([]string{run.Name, seconds(row.At), seconds(rowLength(run, row))}, counts(&row.Counts)...)
			out = append(out, append(rec, number(row.Sent), decimal(row.InFlight), number(row.Peak),
				seconds(row.Mean), seconds(row.P99), seconds(row.Max)))
		}
	}
	return out
}

func transitionRecords(r *Report) [][]string {
	out := [][]string{{
		"run", "at_s", "place", "instance", "target", "from", "to", "rule", "calls", "failed", "slow", "wait_s", "why",
	}}
	for _, run := range r.complete() {
		for i := range run.Result.Transitions {
			t := &run.Result.Transitions[i]
			rec := []string{run.Name, seconds(t.At), number(t.Place), number(t.Instance), number(t.Target), t.From.String(), t.To.String()}
			if trip := t.Trip; trip != nil {
				n := &trip.Numbers
				rec = append(rec, string(trip.Rule), number(n.Calls), number(n.Failed), number(n.Slow), seconds(trip.Wait), trip.Text())
			} else {
				rec = append(rec, make([]string, 6)...)
			}
			out = append(out, rec)
		}
	}
	return out
}

func roundRecords(r *Report) [][]string {
	out := [][]string{{
		"run", "from_s", "to_s", "place", "instance", "target", "decision",
		"probes_ok", "probes_error", "probes_timeout", "probes_other", "probes_unfinished", "refused",
	}}
	for _, run := range r.complete() {
		for i := range run.Result.Rounds {
			t := &run.Result.Rounds[i]
			rec := []string{run.Name, seconds(t.From), "", number(t.Place), number(t.Instance), number(t.Target), ""}
			if t.To > 0 {
				rec[2], rec[6] = seconds(t.To), t.Decision.String()
			}
			var n [5]int
			for _, p := range t.Probes {
				n[kindOf(p)]++
			}
			for _, k := range n {
				rec = append(rec, number(k))
			}
			out = append(out, append(rec, number(t.Refused)))
		}
	}
	return out
}

// Kinds of probes, by how they ended.
const (
	probeOK = iota
	probeError
	probeTimeout
	probeOther
	probeUnfinished
)

func kindOf(p sim.Probe) int {
	switch {
	case p.Took < 0:
		return probeUnfinished
	case p.Outcome == sim.Succeeded:
		return probeOK
	case p.Outcome == sim.Failed:
		return probeError
	case p.Outcome == sim.TimedOut:
		return probeTimeout
	}
	return probeOther
}

func sweepRecords(r *Report) [][]string {
	t := r.Table
	if t == nil {
		return nil
	}
	head := append(append([]string{}, t.Keys...), "runs")
	for i := range columns {
		c := &columns[i]
		suffix := map[string]string{"s": "_s", "%": "_percent"}[c.unit]
		for _, part := range []string{"mean", "p5", "p95"} {
			head = append(head, c.field+"_"+part+suffix)
		}
		head = append(head, c.field+"_n")
	}
	out := [][]string{head}
	for i := range t.Rows {
		row := &t.Rows[i]
		var rec []string
		for _, k := range t.Keys {
			rec = append(rec, valueOf(row, k))
		}
		rec = append(rec, number(row.Runs))
		for j := range columns {
			if s := columns[j].of(row); s.N > 0 {
				rec = append(rec, decimal(s.Mean), decimal(s.P5), decimal(s.P95), number(s.N))
			} else {
				rec = append(rec, "", "", "", "0")
			}
		}
		out = append(out, rec)
	}
	return out
}
