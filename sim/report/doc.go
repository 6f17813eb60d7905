// Package report shows simulated runs: as text, as data, and as a page to look at.
//
// A [Report] holds one or several runs of one situation, and perhaps the table of a
// sweep. Four functions write it. [Text] is for a terminal, [JSON] and [CSV] are
// for programs, and [HTML] is one page with charts that needs no network. They
// compute nothing that a [sim.Result] does not hold: they choose, group and format.
//
// # The fault
//
// Some figures are about the time of the fault, as in [sim.Figures]. That is a run's
// second window, the one that a scenario with faults has by default. A run with
// fewer windows has no such figures, and "—" stands in their place. The charts
// mark the faults of the configuration themselves, flapping included.
//
// # Bounds
//
// A report may be long, a summary may not. Text and page show the first [MaxRuns]
// runs; the page lists the first [MaxTransitions] transitions and [MaxRounds] rounds
// of each. Whatever is left out is counted where it is missing. JSON and CSV
// leave nothing out.
//
// # Trust
//
// Titles, names and settings may come from a stranger's scenario. The text shows
// control characters as "�", so that they cannot command the terminal. The page
// escapes them, and its Content-Security-Policy lets it load nothing and run only
// the scripts that it was written with.
//
// # What it does not do
//
// Nothing is simulated here, and nothing is averaged over runs: that is package sweep.
// A page is a document, not a program to explore with: to ask another question, make
// another run.
package report
