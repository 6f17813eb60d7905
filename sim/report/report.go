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
	// Warnings say what is doubtful about the configuration. The text of a report
	// does not have them.
	Warnings []Warning `json:"warnings,omitempty"`
}

// A Warning is one thing that makes little sense in a configuration, spelled as in a
// document.
type Warning struct {
	Path  string `json:"path"`
	Value string `json:"value"`
	Text  string `json:"text"` // what will be done
}

// String returns the warning in one line.
func (w Warning) String() string { return w.Path + ": " + w.Value + ": " + w.Text }

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
