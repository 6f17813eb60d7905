package report

import (
	"encoding/json"
	"io"
)

// JSON writes the whole report as one indented document. Times are whole
// nanoseconds, save those of a table, which are seconds; field names say which. The
// same report gives the same text.
func JSON(w io.Writer, r *Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}
