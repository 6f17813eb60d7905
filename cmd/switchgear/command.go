package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// Exit codes, the same for all commands. "switchgear help" tells them.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130 // as a shell reports a program that Ctrl-C has ended
)

// streams is where a command writes: results to out, complaints to err.
type streams struct {
	out, err io.Writer
}

// A command is one entry of the table.
type command struct {
	name    string // what is typed after "switchgear", one or more words
	args    string // what may follow the name
	summary string // one line for the list of commands
	help    string // the rest: flags, examples
	run     func(ctx context.Context, args []string, std streams) int
}

// commands is the table, in the order in which help lists it. It is a function
// because help reads it.
func commands() []command {
	return []command{
		demoCommand, serveCommand,
		simCommand, simListCommand, simShowCommand, simRunCommand, simOutageCommand, simReferenceCommand,
		ctlCommand, ctlListCommand, ctlShowCommand, ctlHealthCommand, ctlEventsCommand,
		ctlHoldOpenCommand, ctlHoldClosedCommand, ctlDisableCommand, ctlResetCommand,
		versionCommand, helpCommand,
	}
}

// lookup returns the command that args begin with, the one with the longest name
// if there are several, and the arguments that follow.
func lookup(args []string) (found command, rest []string, ok bool) {
	for _, c := range commands() {
		words := strings.Fields(c.name)
		if len(words) > len(args) || strings.Join(args[:len(words)], " ") != c.name {
			continue
		}
		if !ok || len(words) > len(args)-len(rest) {
			found, rest, ok = c, args[len(words):], true
		}
	}
	return found, rest, ok
}

// run is the program, without the process around it.
func run(ctx context.Context, args []string, std streams) int {
	if len(args) == 0 {
		printOverview(std.err)
		return exitUsage
	}
	switch args[0] {
	case "-h", "-help", "--help":
		printOverview(std.out)
		return exitOK
	case "-version", "--version":
		args = []string{versionCommand.name}
	}
	c, rest, ok := lookup(args)
	if !ok {
		return complain(std, "", fmt.Errorf("unknown command %q", args[0]))
	}
	return c.run(ctx, rest, std)
}

// complain reports wrong usage of a command, or of the program if the name is
// empty.
func complain(std streams, name string, err error) int {
	of, help := "switchgear", "switchgear help"
	if name != "" {
		of, help = of+" "+name, help+" "+name
	}
	fmt.Fprintf(std.err, "%s: %v\nSee: %s\n", of, err, help)
	return exitUsage
}

// parse reads a command's arguments: flags, and no others. If done is set the
// command is over, with this exit code.
func (c command) parse(flags *flag.FlagSet, args []string, std streams) (code int, done bool) {
	flags.Init(c.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		c.printHelp(std.out)
		return exitOK, true
	case err != nil:
		return complain(std, c.name, plainer(err)), true
	case flags.NArg() > 0:
		return complain(std, c.name, fmt.Errorf("unexpected argument %q", flags.Arg(0))), true
	}
	return exitOK, false
}

// plainer puts an error of package flag in the words of our help.
func plainer(err error) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		return fmt.Errorf("unknown flag --%s", name)
	}
	for _, before := range []string{" flag -", "an argument: -", " for -"} { // the three ways it names flags
		text = strings.Replace(text, before, strings.TrimSuffix(before, "-")+"--", 1)
	}
	return errors.New(text)
}
