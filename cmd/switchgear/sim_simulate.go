package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/switchgear-go/switchgear/sim"
	"github.com/switchgear-go/switchgear/sim/report"
	"github.com/switchgear-go/switchgear/sim/sweep"
)

// A simulation is what a command wants to be simulated.
type simulation struct {
	title   string
	teaches string
	shown   []namedConfig // runs of the first seed, to be laid over each other
	points  []sweep.Point // of the table; none if there is to be no table
}

type namedConfig struct {
	name string
	cfg  sim.Config
}

// runName is what a combination is called in charts and columns: a long one by its
// values alone.
func runName(settings []sweep.Setting) string {
	const most = 24
	p := sweep.Point{Settings: settings}
	if name := p.String(); len(name) <= most {
		return name
	}
	var values []string
	for _, s := range settings {
		values = append(values, s.Value)
	}
	return strings.Join(values, ", ")
}

// simulate makes the runs and writes the report. All configurations have been
// found valid.
func (c command) simulate(ctx context.Context, args []string, std streams, f *simFlags, s simulation) int {
	out, err := openOutputs(f)
	if err != nil {
		return failed(ctx, std, c.name, err)
	}
	defer out.drop()

	s.warn(std.err)
	r := &report.Report{Title: s.title, Teaches: s.teaches, Command: commandLine(c, args)}
	p := startProgress(std, len(s.shown)+len(s.points)*max(f.seeds, 1))
	done, err := s.run(ctx, f, r, p)
	p.stop()

	if err == nil {
		if err := out.write(std, r); err != nil {
			return failed(ctx, std, c.name, err)
		}
		return exitOK
	}
	total := p.total.Load()
	if r.Table != nil {
		done += r.Table.Runs()
	}
	if done > 0 || len(r.Runs) > 0 { // better than nothing, but it must not be taken for the whole
		r.Title = fmt.Sprintf("INCOMPLETE, %d of %d runs: %s", done, total, r.Title)
		if err := out.write(std, r); err != nil {
			return failed(ctx, std, c.name, err)
		}
	}
	if !stopped(ctx, err) {
		return failed(ctx, std, c.name, inWords(err))
	}
	fmt.Fprintf(std.err, "switchgear %s: stopped after %d of %d runs\n", c.name, done, total)
	return exitInterrupted
}

// stopped reports whether err says that ctx is done.
func stopped(ctx context.Context, err error) bool {
	return ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx)))
}

// inWords returns an error of packages sim and sweep without their names, of which the
// one that reads it knows nothing.
func inWords(err error) error {
	return errors.New(strings.ReplaceAll(strings.TrimPrefix(err.Error(), "sim: "), ": sim: ", ": "))
}

// run fills in the report, as far as it comes, and returns how many of the runs to be
// shown are complete. The last may not be, and is named so.
func (s *simulation) run(ctx context.Context, f *simFlags, r *report.Report, p *progress) (done int, err error) {
	for _, n := range s.shown {
		simulator, err := sim.New(n.cfg)
		if err != nil {
			return done, err
		}
		result, err := simulator.Run(ctx, f.seed)
		one := report.Run{Name: n.name, Config: simulator.Config(), Result: result, Warnings: warnings(simulator)}
		if err != nil {
			if result != nil && result.Whole.Requests > 0 {
				one.Name += " (incomplete)"
				// Rows of the time after that would show calls in flight that nobody sees end.
				result.Rows = slices.DeleteFunc(result.Rows, func(r sim.Row) bool { return r.At > result.Ended })
				r.Runs = append(r.Runs, one)
			}
			return done, err
		}
		r.Runs = append(r.Runs, one)
		done++
		p.done.Add(1)
	}
	if len(s.points) == 0 {
		return done, nil
	}
	table, err := sweep.Run(ctx, s.points, f.seed, max(f.seeds, 1), func(int, int) { p.done.Add(1) })
	if table != nil && len(table.Rows) > 0 {
		r.Table = table
	}
	return done, err
}
