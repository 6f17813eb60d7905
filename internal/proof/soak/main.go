// Command soak runs the breaker for a very long time under everything at once, and
// checks on the way that what must always hold does hold.
//
//	go run ./internal/proof/soak                  # 10⁸ operations, about a minute
//	go run ./internal/proof/soak --ops 1e9        # before a release
//	go run ./internal/proof/soak --seed 7 --round 12
//
// # Model
//
// A run is a series of rounds. Each draws a scenario from the seed: configurations,
// wiring, real or virtual time, how many goroutines share how many breakers, how sick
// the dependency is and for how long, and what else goes on meanwhile: operators, resets,
// reconfigurations, saving and restoring, snapshots, listeners that call back, panic or
// end the goroutine that they run on, permits settled twice, copied, or never settled.
// The callers keep books of what they did. When all have stopped, their books are
// compared with those of the breaker.
//
// # What is checked
//
// With each event, by a listener (history.go, limits.go): the order of events, one winner
// for each transition, which transitions there may be, that the numbers of a trip justify
// it, that an interval was waited for, and what a half-open period admitted.
//
// With each call (worker.go, gate.go): that a period which refuses calls admitted none, that
// no period had more probes out than allowed, that a refusal makes sense.
//
// With each snapshot (sample.go): that it agrees with itself, that counters only grow, and
// that a window holds no more than was recorded.
//
// When all is quiet (books.go, accounts.go, run.go): that each call is counted once and as what it
// was, that a listener got every event once, and that no goroutine, timer, breaker or memory
// is left.
//
// Callers see from outside when a period began and ended, and by no means to the
// nanosecond. The checks are made so that they never accuse a correct breaker; so some of
// them only see a part of the calls. The exact comparison with a model, step by step, is
// the business of the property tests next door.
//
// # Result
//
// A violation ends the run with exit code 1; it names seed, round, scenario and facts. A run
// of 10⁷ operations or more also fails if a state, a trip rule or one of the circumstances
// above never occurred: it would have tested less than it says. Goroutines are scheduled by the
// machine, so the same seed draws the same scenarios, but not the same history.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal kills
	debug.SetGCPercent(400)      // what is alive is little, so this is little, too
	code := command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// Exit codes.
const (
	exitHeld        = 0
	exitViolated    = 1
	exitUsage       = 2
	exitInterrupted = 130
)

const usage = `usage: soak [flags]

Runs the breaker under random configurations and random load, and checks what
must always hold.

  --ops N              operations, such as 1e8 (the default) or 1e9
  --seed N             draw the same scenarios again; default random
  --round N            play only this round of the seed, again and again; needs
                       the same --ops, since rounds are as long as that allows
  --duration-limit D   stop after so long, such as 90s; default no limit
  --json               print the report as JSON

Exit codes: 0 everything held, 1 a violation, or something was never reached in
10⁷ operations or more, 2 wrong usage, 130 stopped by Ctrl-C.
`

func command(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	p, asJSON, err := parse(args)
	if err != nil {
		fmt.Fprint(stderr, usage)
		if errors.Is(err, flag.ErrHelp) {
			return exitHeld
		}
		fmt.Fprintf(stderr, "\nsoak: %v\n", err)
		return exitUsage
	}
	show := showProgress(stderr)
	rep := soak(ctx, p, show.update)
	show.clear()
	if asJSON {
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		err = e.Encode(rep)
	} else {
		err = rep.print(stdout)
	}
	if err != nil {
		fmt.Fprintf(stderr, "soak: %v\n", err)
		return exitViolated
	}
	return rep.exitCode()
}

// params say what a run is to do.
type params struct {
	ops   uint64
	seed  uint64
	round int           // the only round to run; -1 for all
	limit time.Duration // 0 for none
}

func parse(args []string) (p params, asJSON bool, err error) {
	p = params{ops: 1e8, seed: rand.Uint64() >> 32, round: -1} // a seed that people can type
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Func("ops", "", func(text string) error {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || !(n >= 1 && n <= 1e15) {
			return errors.New("must be a number from 1 to 1e15")
		}
		p.ops = uint64(n)
		return nil
	})
	flags.Uint64Var(&p.seed, "seed", p.seed, "")
	flags.Func("round", "", func(text string) (err error) {
		if p.round, err = strconv.Atoi(text); err != nil || p.round < 0 {
			return errors.New("must be the number of a round, from 0")
		}
		return nil
	})
	flags.DurationVar(&p.limit, "duration-limit", 0, "")
	flags.BoolVar(&asJSON, "json", false, "")
	if err := flags.Parse(args); err != nil {
		return p, asJSON, err
	}
	switch {
	case flags.NArg() > 0:
		return p, asJSON, fmt.Errorf("there are no arguments, but %q was given", flags.Arg(0))
	case p.limit < 0:
		return p, asJSON, errors.New("--duration-limit must not be negative")
	}
	return p, asJSON, nil
}
