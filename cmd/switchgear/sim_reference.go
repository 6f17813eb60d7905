package main

import (
	"bytes"
	"context"
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

func runSimReference(ctx context.Context, args []string, std streams) int {
	var flags flag.FlagSet
	details := flags.Bool("details", false, "")
	asJSON := flags.Bool("json", false, "")
	if code, done := simReferenceCommand.parse(&flags, args, std); done {
		return code
	}
	c, err := sim.Reference()
	if err != nil {
		return failed(ctx, std, simReferenceCommand.name, inWords(err))
	}
	if *asJSON {
		err = writeJSON(std.out, c)
	} else {
		err = printReference(std.out, c, *details)
	}
	if err != nil {
		return failed(ctx, std, simReferenceCommand.name, err)
	}
	if len(c.Different()) > 0 {
		return exitFailed
	}
	return exitOK
}

// printReference shows published beside measured. Of the details it shows those that
// differ, unless all are wanted.
func printReference(w io.Writer, c *sim.Comparison, details bool) error {
	var b bytes.Buffer
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
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
		fmt.Fprintf(&b, "\nAll %d values agree, %d of them behind the published ones.\n", all, len(c.Details))
	} else {
		fmt.Fprintf(&b, "\n%d of %d values differ.\n", different, all)
	}
	_, err := w.Write(b.Bytes())
	return err
}
