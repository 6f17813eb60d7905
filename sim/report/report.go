package report

import (
	"github.com/switchgear-go/switchgear/sim"
	"github.com/switchgear-go/switchgear/sim/sweep"
)

// Bounds of what [Text] and [HTML] show.
const (
	MaxRuns        = 12  // runs in one text or page
	MaxTransitions = 200 // transitions of each run that a page lists
	MaxRounds      = 100 // half-open rounds of each run that a page lists
)

// A Report is one or several runs of one situation, to be shown together.
type Report struct {
	Title   string `json:"title"`
	Teaches string `json:"teaches,omitempty"` // what one learns from it
	Command string `json:"command,omitempty"` // the command line that made it
	Runs    []Run  `json:"runs"`
	// Table has the figures of a sweep over many seeds. It may be nil.
	Table *sweep.Table `json:"table,omitempty"`
}

// A Run is one of the runs to be compared.
type Run struct {
	Name   string      `json:"name"`
	Config sim.Config  `json:"config"` // with every default filled in
	Result *sim.Result `json:"result"`
}

// shown returns the runs that a summary shows, and how many it leaves out. A run
// without a result has nothing to show.
func (r *Report) shown() (runs []Run, left int) {
	for _, run := range r.Runs {
		if run.Result != nil {
			runs = append(runs, run)
		}
	}
	n := min(len(runs), MaxRuns)
	return runs[:n], len(runs) - n
}
