package main

import (
	"context"
	"fmt"
	"io"
	"strings"
)

var helpCommand = command{
	name:    "help",
	args:    "[command]",
	summary: "explain a command",
	help: `Without a command it lists all of them.

Examples:
  switchgear help
  switchgear help demo
  switchgear demo --help        the same
`,
}

func init() { helpCommand.run = runHelp } // it reads the table that it is in

func runHelp(_ context.Context, args []string, std streams) int {
	if len(args) == 0 {
		printOverview(std.out)
		return exitOK
	}
	if strings.HasPrefix(args[0], "-") {
		switch args[0] {
		case "-h", "-help", "--help":
			helpCommand.printHelp(std.out)
			return exitOK
		}
		return complain(std, helpCommand.name, fmt.Errorf("unknown flag %s", args[0]))
	}
	c, rest, ok := lookup(args)
	if !ok || len(rest) > 0 {
		return complain(std, helpCommand.name, fmt.Errorf("unknown command %q", strings.Join(args, " ")))
	}
	c.printHelp(std.out)
	return exitOK
}

// printHelp writes everything about one command.
func (c command) printHelp(w io.Writer) {
	fmt.Fprintf(w, "switchgear %s: %s\n\nUsage:\n  %s\n\n%s", c.name, c.summary,
		strings.TrimRight("switchgear "+c.name+" "+c.args, " "), c.help)
}

// printOverview writes what the program is and what it can do.
func printOverview(w io.Writer) {
	fmt.Fprint(w, `Switchgear keeps a Go program standing while the services it calls fall over.
This is its tool.

Usage:
  switchgear <command> [flags]

Commands:
`)
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-15s %s\n", c.name, c.summary)
	}
	fmt.Fprint(w, `
Examples:
  switchgear demo
  switchgear help demo

Exit codes:
  0    done, and everything is as it should be
  1    done, but something is not; or it could not be done
  2    wrong usage
  130  stopped by Ctrl-C or SIGTERM
`)
}
