package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/switchgear-go/switchgear/sim/scenario"
)

var simListCommand = command{
	name:    "sim list",
	args:    "[--json]",
	summary: "list the built-in scenarios",
	help: `Each scenario with its title, and what it teaches. "switchgear sim run NAME"
runs one.

Flags:
  --json   print a list of objects with name, title and teaches as JSON

Examples:
  switchgear sim list
  switchgear sim list --json | jq -r '.[].name'
`,
}

func init() { simListCommand.run = runSimList }

// listed is what the list tells of a scenario.
type listed struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Teaches string `json:"teaches"`
}

func runSimList(ctx context.Context, args []string, std streams) int {
	var flags flag.FlagSet
	asJSON := flags.Bool("json", false, "")
	if code, done := simListCommand.parse(&flags, args, std); done {
		return code
	}
	list := []listed{}
	for _, d := range scenario.Library() {
		list = append(list, listed{d.Name(), d.Title(), d.Teaches()})
	}
	var err error
	if *asJSON {
		err = writeJSON(std.out, list)
	} else {
		err = printList(std.out, list)
	}
	if err != nil {
		return failed(ctx, std, simListCommand.name, err)
	}
	return exitOK
}

func printList(w io.Writer, list []listed) error {
	var b strings.Builder
	for i, l := range list {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s: %s\n", l.Name, l.Title)
		for line := range strings.Lines(l.Teaches) {
			b.WriteString(strings.TrimRight("    "+strings.TrimSpace(line), " ") + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
