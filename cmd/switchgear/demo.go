package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/switchgear-go/switchgear/cmd/switchgear/internal/demo"
	"github.com/switchgear-go/switchgear/cmd/switchgear/internal/term"
)

var demoCommand = command{
	name:    "demo",
	args:    "[--speed N] [--act N] [--json] [--no-color]",
	summary: "show a circuit breaker at work, in an outage over real HTTP",
	help: `Starts a small inventory service on a free port of this machine, lets it fail
and recover, and calls it with and without a circuit breaker, in six acts:

  1  a naive client waits through an outage
  2  the same client behind a breaker, with a fallback
  3  malformed requests do not move the breaker
  4  a full recovery, request by request
  5  ten callers arrive at the instant of half-open
  6  one outage, told step by step from the breaker's own events

Each act says what to look at, and compares what was measured with what was
expected.

Flags:
  --speed N    divide all times by N, from 1 (real time) to 20; default 10,
               which takes about 15 seconds
  --act N      play only act N, from 1 to 6
  --json       print one JSON document, and nothing else
  --no-color   no colours; the environment variable NO_COLOR does the same

Without a terminal the output is plain text.

Exit codes:
  0    every count is as expected. A time above its band, as on a busy machine,
       is marked but does no harm
  1    a count is off, or a wait was too short; or the demo could not run
  2    wrong usage
  130  stopped by Ctrl-C or SIGTERM, at once and with nothing left behind

Examples:
  switchgear demo
  switchgear demo --speed 1 --act 4        the recovery in real time
  switchgear demo --speed 20 --json | jq '.acts[1].measured'
`,
}

func init() { demoCommand.run = runDemo }

// number is a flag for a whole number with bounds.
func number(flags *flag.FlagSet, name string, value *int, least, most int) {
	flags.Func(name, "", func(text string) error {
		n, err := strconv.Atoi(text)
		if err != nil || n < least || n > most {
			return fmt.Errorf("must be a whole number from %d to %d", least, most)
		}
		*value = n
		return nil
	})
}

func runDemo(ctx context.Context, args []string, std streams) int {
	cfg := demo.Config{Speed: 10, Version: version()}
	var asJSON, noColour bool
	var flags flag.FlagSet
	number(&flags, "speed", &cfg.Speed, 1, demo.MaxSpeed)
	number(&flags, "act", &cfg.Act, 1, demo.Acts)
	flags.BoolVar(&asJSON, "json", false, "")
	flags.BoolVar(&noColour, "no-color", false, "")
	if code, done := demoCommand.parse(&flags, args, std); done {
		return code
	}
	if !asJSON {
		mode := term.Detect(std.out, os.Getenv)
		mode.Colour = mode.Colour && !noColour
		cfg.Screen = term.New(std.out, mode)
	}

	report, err := demo.Play(ctx, cfg)
	if err != nil {
		return failed(ctx, std, demoCommand.name, err)
	}
	if asJSON {
		if err := writeJSON(std.out, report); err != nil {
			return failed(ctx, std, demoCommand.name, err)
		}
	}
	return verdict(report)
}

func writeJSON(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(v)
}

// verdict is the exit code of a demo that was played to its end.
func verdict(r *demo.Report) int {
	if !r.Pass() {
		return exitFailed
	}
	return exitOK
}

// failed reports why a command ended early and returns its exit code.
func failed(ctx context.Context, std streams, name string, err error) int {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		fmt.Fprintf(std.err, "switchgear %s: stopped\n", name)
		return exitInterrupted
	}
	fmt.Fprintf(std.err, "switchgear %s: %v\n", name, err)
	return exitFailed
}
