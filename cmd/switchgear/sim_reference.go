package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/switchgear-go/switchgear/sim"
)

var simReferenceCommand = command{
	name:    "sim reference",
	args:    "[--details] [--json]",
	summary: "simulate a published outage, and compare every number",
	help: `Simulates a client of a dependency that is down from second 15 to second 35 of
60, first without and then with a circuit breaker: the real one, in virtual
time. The results are compared with those of the publication that the
experiment comes from: counts exactly, times and latencies to a microsecond.

Flags:
  --details    list also the values behind the published ones: random numbers,
               transitions, probes, sums, and the 60 rows of both runs
  --json       print all of it, and both runs, as JSON

Exit codes: 0 all agree, 1 at least one differs.

Examples:
  switchgear sim reference
  switchgear sim reference --json | jq .reported
`,
}

func init() { simReferenceCommand.run = runSimReference }

func runSimReference(_ context.Context, args []string, std streams) int {
	var flags flag.FlagSet
	details := flags.Bool("details", false, "")
	asJSON := flags.Bool("json", false, "")
	if code, done := simReferenceCommand.parse(&flags, args, std); done {
		return code
	}
	c, err := sim.Reference()
	if err != nil {
		fmt.Fprintf(std.err, "switchgear sim reference: %v\n", err)
		return exitFailed
	}
	if *asJSON {
		encoder := json.NewEncoder(std.out)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(c); err != nil {
			fmt.Fprintf(std.err, "switchgear sim reference: %v\n", err)
			return exitFailed
		}
	} else {
		printReference(std.out, c, *details)
	}
	if len(c.Different()) > 0 {
		return exitFailed
	}
	return exitOK
}

// printReference shows published beside measured. Of the details it shows those that
// differ, unless all are wanted.
func printReference(w io.Writer, c *sim.Comparison, details bool) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\tpublished\tmeasured\t")
	row := func(check sim.Check) {
		mark := ""
		if !check.OK {
			mark = "DIFFERS"
		}
		fmt.Fprintf(t, "%s\t%s %s\t%s\t%s\n", check.What, check.Published, check.Unit, check.Measured, mark)
	}
	for _, check := range c.Reported {
		row(check)
	}
	for _, check := range c.Details {
		if details || !check.OK {
			row(check)
		}
	}
	t.Flush()
	all, different := len(c.Reported)+len(c.Details), len(c.Different())
	if different == 0 {
		fmt.Fprintf(w, "\nAll %d values agree, %d of them behind the published ones.\n", all, len(c.Details))
		return
	}
	fmt.Fprintf(w, "\n%d of %d values differ.\n", different, all)
}
