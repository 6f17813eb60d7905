package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/sim/report"
	"github.com/switchgear-go/switchgear/sim/scenario"
	"github.com/switchgear-go/switchgear/sim/sweep"
)

var simRunCommand = command{
	name: "sim run",
	args: "FILE|NAME [--set PATH=VALUE] … [--seed N] [--seeds N]\n" +
		"      [--sweep PATH=V,V] … [--json] [--csv DIR] [--html FILE] [--width N]",
	summary: "simulate a scenario from a file or the library",
	help: `Runs all variants of a scenario in virtual time, and shows them together. What
has no / and is the name of a built-in scenario is taken for one; "switchgear
sim list" has the names. Anything else is a YAML file.

Flags:
  --set PATH=VALUE    replace a value of the scenario, such as
                      client.call.breaker.open.wait=1s; may be given several
                      times. A variant keeps what it sets itself. A zero is
                      refused where it would mean the default
  --seed N            of the random numbers; default 1
` + fmt.Sprintf(simFlagsHelp, "PATH=V,V") + `
Values of --sweep cannot have commas. A table has a row for each variant of each
combination. With --sweep the runs shown are the first 12.

Exit codes:
  0    done
  1    the file cannot be read, or the scenario is not valid: all that is wrong
       is listed, with lines; or it could not be done
  2    wrong usage, a path or value of --set or --sweep among it
  130  stopped by Ctrl-C or SIGTERM; what was done until then is printed, and
       marked as incomplete

Examples:
  switchgear sim run outage
  switchgear sim run outage --seeds 100 --html outage.html
  switchgear sim run outage --sweep client.call.breaker.open.wait=1s,5s
  switchgear sim run ./mine.yaml --set load.rate=200
`,
}

func init() { simRunCommand.run = runSimRun }

func runSimRun(ctx context.Context, args []string, std streams) int {
	given := args
	name, args := operand(args)
	f := simFlags{seed: 1}
	var sets []sweep.Setting
	var flags flag.FlagSet
	registerRun(&flags, &f, &sets)
	if code, done := simRunCommand.parse(&flags, args, std); done {
		return code
	}
	if name == "" {
		return complain(std, simRunCommand.name, errors.New("needs a FILE or NAME"))
	}
	doc, err := openScenario(name)
	switch {
	case errors.Is(err, switchgear.ErrConfig):
		return invalid(std, err)
	case err != nil:
		return failed(ctx, std, simRunCommand.name, err)
	}
	for _, s := range sets {
		if doc, err = doc.Set(s.Key, s.Value); err != nil {
			return complain(std, simRunCommand.name, fmt.Errorf("--set %s=%s: %w", plain(s.Key), plain(s.Value), err))
		}
	}
	s, err := scenarios(doc, &f)
	if err != nil {
		return complain(std, simRunCommand.name, err)
	}
	return simRunCommand.simulate(ctx, given, std, &f, *s)
}

func registerRun(flags *flag.FlagSet, f *simFlags, sets *[]sweep.Setting) {
	f.register(flags)
	flags.Func("set", "", func(text string) error {
		path, value, ok := strings.Cut(text, "=")
		if !ok || path == "" || value == "" {
			return errors.New("must be PATH=VALUE, such as load.rate=200")
		}
		*sets = append(*sets, sweep.Setting{Key: path, Value: value})
		return nil
	})
}

// operand takes the first argument that is no flag out of the others. It may stand
// before them, behind or between.
func operand(args []string) (name string, rest []string) {
	var flags flag.FlagSet
	registerRun(&flags, new(simFlags), new([]sweep.Setting))
	flags.Init("", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	if flags.Parse(args) != nil || flags.NArg() == 0 {
		return "", args
	}
	i := len(args) - flags.NArg()
	return args[i], append(args[:i:i], args[i+1:]...)
}

// maxFile is more than any document may have, so that one too long is refused with its
// size, up to a size that nobody would read.
const maxFile = 8 << 20

func openScenario(name string) (*scenario.Document, error) {
	if doc, ok := scenario.Named(name); ok {
		return doc, nil
	}
	file, err := os.Open(name)
	switch {
	case errors.Is(err, os.ErrNotExist) && !strings.ContainsAny(name, `/\.`):
		return nil, fmt.Errorf("there is no scenario and no file %q; \"switchgear sim list\" has the scenarios", name)
	case err != nil:
		return nil, errors.New(plain(err.Error()))
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	switch {
	case err != nil:
		return nil, errors.New(plain(err.Error()))
	case len(data) > maxFile:
		return nil, fmt.Errorf("%s: has more than 8 MiB: must have at most 1", plain(name))
	}
	return scenario.Parse(name, data)
}

// invalid reports a scenario that cannot be used: one line for each thing that is
// wrong, beginning with its place.
func invalid(std streams, err error) int {
	fmt.Fprintf(std.err, "switchgear %s: this is no valid scenario:\n%v\n", simRunCommand.name, err)
	return exitFailed
}

// scenarios says what to simulate: all variants, or those of each combination.
func scenarios(doc *scenario.Document, f *simFlags) (*simulation, error) {
	s := &simulation{title: cmp.Or(doc.Title(), doc.Name()), teaches: doc.Teaches()}
	for _, settings := range combinations(f.axes) {
		combined := sweep.Point{Settings: settings}
		one, err := doc, error(nil)
		for _, set := range settings {
			if one, err = one.Set(set.Key, set.Value); err != nil {
				return nil, fmt.Errorf("--sweep %s=%s: %w", plain(set.Key), plain(set.Value), err)
			}
		}
		valid, err := one.Scenario()
		if err != nil {
			return nil, fmt.Errorf("with %v: %w", &combined, err)
		}
		for _, v := range valid.Variants {
			s.add(settings, v, len(valid.Variants) > 1)
		}
		if n := len(s.points); n > sweep.MaxPoints {
			return nil, fmt.Errorf("--sweep: makes %d rows or more, one for each variant: must be at most %d", n, sweep.MaxPoints)
		}
	}
	if len(f.axes) > 0 {
		s.shown = s.shown[:min(len(s.shown), report.MaxRuns)]
	}
	if !f.tabled() {
		s.points = nil
	}
	return s, nil
}

// add adds a variant of a combination. Where there are several, the variant is one
// setting more.
func (s *simulation) add(settings []sweep.Setting, v scenario.Variant, several bool) {
	name, swept := v.Name, len(settings) > 0
	if several {
		settings = append(settings[:len(settings):len(settings)], sweep.Setting{Key: "variant", Value: v.Name})
	}
	if swept {
		name = runName(settings)
	}
	s.points = append(s.points, sweep.Point{Settings: settings, Config: v.Config})
	s.shown = append(s.shown, namedConfig{name, v.Config})
}
