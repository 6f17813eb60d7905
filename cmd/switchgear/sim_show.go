package main

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"github.com/switchgear-go/switchgear/sim/scenario"
)

var simShowCommand = command{
	name:    "sim show",
	args:    "NAME",
	summary: "print the document of a built-in scenario",
	help: `Prints it as it was written, to be saved, changed, and run. "switchgear sim
list" has the names.

Examples:
  switchgear sim show outage
  switchgear sim show outage > mine.yaml
  switchgear sim run ./mine.yaml
`,
}

func init() { simShowCommand.run = runSimShow }

func runSimShow(ctx context.Context, args []string, std streams) int {
	var flags flag.FlagSet
	name := ""
	if len(args) > 0 && args[0] != "" && args[0][0] != '-' {
		name, args = args[0], args[1:]
	}
	if code, done := simShowCommand.parse(&flags, args, std); done {
		return code
	}
	if name == "" {
		return complain(std, simShowCommand.name, errors.New("needs the NAME of a scenario"))
	}
	text, ok := scenario.Source(name)
	if !ok {
		return failed(ctx, std, simShowCommand.name, fmt.Errorf("there is no scenario %q; \"switchgear sim list\" has the scenarios", name))
	}
	if _, err := std.out.Write(text); err != nil {
		return failed(ctx, std, simShowCommand.name, err)
	}
	return exitOK
}
