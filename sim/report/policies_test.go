package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/sim"
	"github.com/switchgear-go/switchgear/sim/report"
)

func TestFiguresOfPoliciesThatAreThere(t *testing.T) {
	cfg := sim.ReferenceConfig(false)
	with := func(change func(*sim.Call)) sim.Config {
		c := cfg
		change(&c.Client.Call)
		return c
	}
	r := &report.Report{Runs: []report.Run{
		run(t, "plain", cfg, 1),
		run(t, "retries", with(func(c *sim.Call) {
			c.Retry = &retry.Config{}
			c.Total = 10 * time.Second
		}), 1),
		run(t, "budget", with(func(c *sim.Call) { c.Retry, c.Budget = &retry.Config{}, &budget.Config{} }), 1),
	}}
	got := text(t, r, 100)
	_, got, ok := strings.Cut(got, "Policies of the client\n")
	got, _, _ = strings.Cut(got, "\n\n")
	if !ok || strings.Count(got, "\n") != 4 {
		t.Fatalf("got\n%s", got)
	}
	for _, line := range strings.Split(got, "\n") {
		fields := strings.Fields(line)
		values := fields[len(fields)-3:]
		name := strings.Join(fields[:len(fields)-3], " ")
		want := [3]bool{false, true, true} // whether there is such a figure
		switch name {
		case "attempts per call", "retries", "recovered by a retry":
		case "extra attempts refused":
			want = [3]bool{false, false, true}
		case "over the total time":
			want = [3]bool{false, true, false}
		default:
			t.Errorf("figure %q", name)
		}
		for i, v := range values {
			if (v != "—") != want[i] {
				t.Errorf("%s: %v", name, values)
			}
		}
	}
}
