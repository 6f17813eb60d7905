package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/switchgear-go/switchgear/sim"
	"github.com/switchgear-go/switchgear/sim/report"
	"github.com/switchgear-go/switchgear/sim/sweep"
)

var simOutageCommand = command{
	name: "sim outage",
	args: "[--rate N] [--wait D] [--probes N] … [--seeds N]\n" +
		"      [--sweep KEY=V,V] … [--json] [--csv DIR] [--html FILE] [--width N]",
	summary: "simulate an outage without and with a breaker",
	help: `A client calls a dependency that does not answer for a time, first without and
then with a circuit breaker: the real one, in virtual time. Without flags it is
the experiment of "switchgear sim reference".

Flags of the situation:
  --rate N            calls a second, as they come; default 50
  --duration D        how long calls come; default 60s
  --latency-mean D    mean of the exponential latency; default 20ms
  --timeout D         how long the client waits for an answer; default 2s
  --fault-start D     when the outage begins; default 15s
  --fault-end D       when it ends; default 35s
  --error-rate P      percentage of the other calls that fail; default off
  --seed N            of the random numbers; default 42
  --rng NAME          mt19937, default: those of the reference; or pcg

Flags of the breaker:
  --no-breaker        only the client without a breaker; goes with none of
                      the flags below
  --window N|D        the last N calls, or those of the last D; default 20
  --window-type T     count or time; default count
  --min-calls N       outcomes that a rate needs; default 20
  --failure-rate P    percentage of failures that trips it, or off; default 50
  --consecutive N     failures in a row that trip it, or off; default off
  --wait D            how long it stays open; default 5s
  --jitter P          percentage by which that varies, at most 50, or off;
                      default off
  --probes N          calls let through to find out; default 5
  --evidence          trip on evidence too, a sequential test of failures:
  --evidence-healthy R   share of failures when all is well; default 0.01
  --evidence-sick R      that must be caught; default 0.3
  --evidence-budget N    healthy calls for one false trip; default 1e8
  --evidence-burst N     how long failures come in a row while all is well, 1 if
                         they are independent, at most 4; default 1.1
  --evidence-memory D    in which evidence fades, or off; default 30m

Flags of the runs:
` + fmt.Sprintf(simFlagsHelp, "KEY=V,V") + `
A KEY is the name of a flag of the situation or the breaker, but not --seed.
With --sweep the runs shown are those of the first 12 combinations.

Exit codes:
  0    done
  1    it could not be done
  2    wrong usage
  130  stopped by Ctrl-C or SIGTERM; what was done until then is printed, and
       marked as incomplete

Examples:
  switchgear sim outage
  switchgear sim outage --wait 1s --html outage.html
  switchgear sim outage --seeds 1000
  switchgear sim outage --sweep wait=1s,2s,5s --sweep probes=1,5 --seeds 200
  switchgear sim outage --evidence --failure-rate off --error-rate 2
`,
}

func init() { simOutageCommand.run = runSimOutage }

func runSimOutage(ctx context.Context, args []string, std streams) int {
	f := simFlags{seed: sim.ReferenceSeed}
	m := newOutageModel()
	var flags flag.FlagSet
	f.register(&flags)
	m.register(&flags)
	if code, done := simOutageCommand.parse(&flags, args, std); done {
		return code
	}
	s, err := outage(&m, &f, &flags)
	if err != nil {
		return complain(std, simOutageCommand.name, err)
	}
	return simOutageCommand.simulate(ctx, args, std, &f, *s)
}

const (
	withoutBreaker = "without breaker"
	withBreaker    = "with breaker"
)

// outage says what to simulate.
func outage(m *outageModel, f *simFlags, flags *flag.FlagSet) (*simulation, error) {
	if err := m.together(f, flags); err != nil {
		return nil, err
	}
	fault := &m.cfg.Services[0].Faults[0]
	s := &simulation{title: fmt.Sprintf("An outage from %v to %v, without and with a breaker", fault.From, fault.To)}
	if len(f.axes) > 0 {
		return s, s.sweepOutage(m, f)
	}
	without, with, err := m.configs()
	if err != nil {
		return nil, err
	}
	s.shown = []namedConfig{{withoutBreaker, without}, {withBreaker, with}}
	if m.noBreaker {
		s.shown = s.shown[:1]
		s.title = fmt.Sprintf("An outage from %v to %v, without a breaker", fault.From, fault.To)
	}
	if f.tabled() {
		for _, n := range s.shown {
			s.points = append(s.points, sweep.Point{Settings: []sweep.Setting{{Key: "client", Value: n.name}}, Config: n.cfg})
		}
	}
	return s, nil
}

// sweepOutage puts in a point for each combination, and shows the first few.
func (s *simulation) sweepOutage(m *outageModel, f *simFlags) error {
	for _, settings := range combinations(f.axes) {
		one := m.clone()
		for _, set := range settings {
			if err := one.set(set.Key, set.Value); err != nil {
				return err
			}
		}
		point := sweep.Point{Settings: settings}
		without, with, err := one.configs()
		if err != nil {
			return fmt.Errorf("with %v: %w", &point, err)
		}
		point.Config = with
		if one.noBreaker {
			point.Config = without
		}
		s.points = append(s.points, point)
		if len(s.shown) < report.MaxRuns {
			s.shown = append(s.shown, namedConfig{runName(settings), point.Config})
		}
	}
	var keys []string
	for _, a := range f.axes {
		keys = append(keys, a.key)
	}
	s.title = "An outage, by " + strings.Join(keys, ", ")
	return nil
}

// together sees that nobody sets what has no effect: flags of a breaker that is not
// there, or of a test that is not made.
func (m *outageModel) together(f *simFlags, flags *flag.FlagSet) error {
	var given []string
	flags.Visit(func(one *flag.Flag) { given = append(given, one.Name) })
	swept := map[string]bool{}
	for _, a := range f.axes {
		given = append(given, a.key)
		swept[a.key] = true
	}
	for _, name := range given {
		switch {
		case m.noBreaker && !swept["no-breaker"] && ofBreaker(name):
			return fmt.Errorf("--%s and --no-breaker: must not be given together", name)
		case strings.HasPrefix(name, "evidence-") && !m.evidence && !swept["evidence"]:
			return errors.New("--" + name + ": needs --evidence")
		}
	}
	return nil
}

// ofBreaker reports whether a flag says something about the breaker.
func ofBreaker(name string) bool {
	return slices.ContainsFunc(outagePaths, func(p struct{ path, flag string }) bool {
		return p.flag == name && strings.HasPrefix(p.path, "Client.Call.Breaker.")
	}) || name == "window-type" || name == "evidence"
}
