package report

import (
	"encoding/json"
	"io"
)

// JSON writes the whole report as one indented document. Times are whole nanoseconds,
// save those of a table, which are seconds.
//
// What has been measured says so in the names of its fields, which end in _ns and _s, and
// so do the bounds of a window. The rest of the configuration has the names of [sim.Config] and all that is in it, and values as Go has them: durations in
// nanoseconds, percentages from 0 to 100, and -2147483648 for what is off. The same report
// gives the same text.
func JSON(w io.Writer, r *Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}
