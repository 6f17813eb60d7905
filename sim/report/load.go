package report

import (
	"fmt"

	"github.com/switchgear-go/switchgear/sim"
)

// load says in a few words how calls arrive.
func load(r *Run) string {
	l := &r.Config.Load
	switch l.Kind {
	case sim.Poisson:
		return fmt.Sprintf("%s calls/s at random", trim(l.Rate))
	case sim.Constant:
		return fmt.Sprintf("%s calls/s in step", trim(l.Rate))
	case sim.Bursts:
		return fmt.Sprintf("%s calls at once every %s", count(l.Size), round(l.Every))
	case sim.Closed:
		return fmt.Sprintf("%s users", count(l.Users))
	case sim.Recorded:
		return fmt.Sprintf("%s recorded calls", count(len(l.Arrivals)))
	}
	return ""
}

// trim writes v in as few digits as it takes.
func trim(v float64) string { return fmt.Sprintf("%.6g", v) }
