//go:build !race

package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/switchgear-go/switchgear/sim/sweep"
)

// The race detector would make the thousands of runs here ten times as slow.

// The page on the simulator decides by numbers. They are computed here, by the commands
// that it shows, and the page must show the same.
const simulatorPage = "../../docs/simulator.md"

func TestSimulatorPageShowsTheNumbers(t *testing.T) {
	page, err := os.ReadFile(simulatorPage)
	if err != nil {
		t.Fatal(err)
	}
	shows := func(what, text string) {
		if !strings.Contains(string(page), text) {
			t.Errorf("%s, %s: the page does not have\n%s", simulatorPage, what, text)
		}
	}
	in := func(format string) func(sweep.Spread) string {
		return func(s sweep.Spread) string {
			if s.N == 0 {
				return "never"
			}
			return fmt.Sprintf(format+" ["+format+"–"+format+"]", s.Mean, s.P5, s.P95)
		}
	}
	whole, seconds := in("%.0f"), in("%.1f")
	wait := func(r *sweep.Row) []string {
		return []string{whole(r.Reached), whole(r.Rounds), seconds(r.RecoveryLag), whole(r.GoodRefused)}
	}
	rule := func(r *sweep.Row) []string {
		return []string{seconds(r.TripDelay), whole(r.FalseTrips), whole(r.GoodRefused)}
	}
	for _, c := range []struct {
		args    string
		columns func(*sweep.Row) []string
	}{
		{"sim outage --sweep wait=1s,2s,5s,10s,20s --seeds 500", wait},
		{"sim outage --window-type time --sweep window=5s,10s,30s,60s --seeds 500", rule},
		{"sim outage --error-rate 20 --sweep window=20,50,100,200 --seeds 500", rule},
		{"sim run false-trips --seeds 20", rule},
		{"sim run low-traffic --seeds 100", rule},
	} {
		shows("the command", "switchgear "+c.args)
		table := simulate(t, strings.Fields(c.args)...).Table
		for i := range table.Rows {
			row := &table.Rows[i]
			line := "| " + row.Settings[0].Value + " | " + strings.Join(c.columns(row), " | ") + " |"
			t.Log(line)
			shows(c.args, line)
		}
	}
}
