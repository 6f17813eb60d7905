package sweep

import (
	"context"

	"github.com/switchgear-go/switchgear/sim"
)

// A runner keeps the simulator of the point that it is at.
type runner struct {
	sim    *sim.Simulator
	point  int
	window int
}

func (r *runner) run(ctx context.Context, point int, p *Point, seed uint64) (c [columns]float64, err error) {
	if r.sim == nil || r.point != point {
		r.point = point
		if r.sim, r.window, err = newSimulator(p.Config); err != nil {
			return c, p.wrap(err)
		}
	}
	res, err := r.sim.Run(ctx, seed)
	if err != nil {
		return c, p.wrap(err)
	}
	return figures(res, r.window), nil
}

// newSimulator returns a simulator that measures what a row needs, and little else:
// one window instead of several, and one row of time. What happens in the run does
// not depend on what is measured.
func newSimulator(cfg sim.Config) (*sim.Simulator, int, error) {
	s, err := sim.New(cfg)
	if err != nil {
		return nil, 0, err
	}
	cfg = s.Config()
	window := noFault
	if i, ok := cfg.Fault(); ok {
		cfg.Windows, window = cfg.Windows[i:i+1], 0
	}
	cfg.Row = cfg.Duration
	s, err = sim.New(cfg)
	return s, window, err
}
