package main

import (
	"context"
	"flag"
	"fmt"
	"strings"
)

var simCommand = command{
	name:    "sim",
	args:    "COMMAND [flags]",
	summary: "simulate breakers in virtual time",
	help: `Runs callers, services that fail, and the real breaker between them. Only the
clock and the chance are simulated: minutes take milliseconds, and a seed gives
the same run each time.

Commands:
  list        the built-in scenarios, and what they teach
  show        the document of one of them, to begin one's own with
  run         a scenario of these or from a file
  outage      an outage without and with a breaker, set by flags
  reference   a published outage, number by number

"switchgear help sim run" explains one.

Examples:
  switchgear sim list
  switchgear sim run outage
  switchgear sim outage --wait 1s --html outage.html
`,
}

func init() { simCommand.run = runSim } // it reads the table that it is in

// runSim runs when none of its commands follows.
func runSim(_ context.Context, args []string, std streams) int {
	var words []string
	for _, c := range commands() {
		if word, ok := strings.CutPrefix(c.name, simCommand.name+" "); ok {
			words = append(words, word)
		}
	}
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		return complain(std, simCommand.name, fmt.Errorf("unknown command %q: must be one of %s", args[0], strings.Join(words, ", ")))
	}
	var flags flag.FlagSet
	if code, done := simCommand.parse(&flags, args, std); done {
		return code
	}
	return complain(std, simCommand.name, fmt.Errorf("needs a command: %s", strings.Join(words, ", ")))
}
