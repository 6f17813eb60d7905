package report_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/switchgear-go/switchgear/sim"
	"github.com/switchgear-go/switchgear/sim/report"
	"github.com/switchgear-go/switchgear/sim/sweep"
)

var update = flag.Bool("update", false, "write the files in testdata anew")

// run simulates a scenario that is expected to be fine.
func run(t testing.TB, name string, cfg sim.Config, seed uint64) report.Run {
	t.Helper()
	s, err := sim.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.Run(context.Background(), seed)
	if err != nil {
		t.Fatal(err)
	}
	return report.Run{Name: name, Config: s.Config(), Result: res}
}

// theReference is a report of the reference experiment, whose numbers are fixed to the
// last digit, with a table of made-up ones.
func theReference(t testing.TB) *report.Report {
	return &report.Report{
		Title: "An outage of twenty seconds",
		Teaches: "What a circuit breaker changes when a dependency does not answer any more. Without it every\n" +
			"call waits for its timeout.\n\nWith it most are refused at once, and a few find out when the dependency is back.",
		Command: "switchgear sim outage --seed 42",
		Runs: []report.Run{
			run(t, "no breaker", sim.ReferenceConfig(false), sim.ReferenceSeed),
			run(t, "breaker", sim.ReferenceConfig(true), sim.ReferenceSeed),
		},
		Table: table(),
	}
}

func table() *sweep.Table {
	row := func(wait, calls string, delay sweep.Spread) sweep.Row {
		return sweep.Row{
			Settings:  []sweep.Setting{{Key: "client.call.breaker.open.wait", Value: wait}, {Key: "client.call.breaker.window.calls", Value: calls}},
			Runs:      200,
			TripDelay: delay,
			Reached:   sweep.Spread{Mean: 121.4, P5: 110, P95: 131, N: 200},
			Share:     sweep.Spread{Mean: 12.14, P5: 11.2, P95: 13.06, N: 200},
			Mean:      sweep.Spread{Mean: 0.2431, P5: 0.2217, P95: 0.2604, N: 200},
			P99:       sweep.Spread{Mean: 2, P5: 2, P95: 2, N: 200},
			Rounds:    sweep.Spread{Mean: 2.99, P5: 3, P95: 3, N: 200},
		}
	}
	return &sweep.Table{
		Keys: []string{"client.call.breaker.open.wait", "client.call.breaker.window.calls"},
		Rows: []sweep.Row{
			row("1s", "20", sweep.Spread{Mean: 2.2041, P5: 2.1, P95: 2.33, N: 200}),
			row("1s", "1000", sweep.Spread{Mean: 11.7, P5: 11.2, P95: 12.2, N: 31}),
			row("10s", "1000", sweep.Spread{}),
		},
		FirstSeed: 1, Seeds: 200,
	}
}

// crowd is a report of many breakers in a chain, in which much happens.
func crowd(t testing.TB) *report.Report {
	cfg := crowded()
	return &report.Report{Title: "A fleet", Runs: []report.Run{run(t, "fleet", cfg, 7)}}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (see with -update what changes):\n%s", file, got)
	}
}
