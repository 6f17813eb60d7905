package term

import (
	"io"
	"os"
)

// A Mode says what the receiver of the output can do with it.
type Mode struct {
	// Colour allows escape codes that paint.
	Colour bool
	// Live allows a line that is drawn over and over, with carriage returns.
	Live bool
}

// Detect returns the mode for w: everything on a terminal, nothing in a pipe or
// a file. The environment may forbid colours (NO_COLOR, not empty) and both
// (TERM=dumb); getenv is [os.Getenv] but in tests.
func Detect(w io.Writer, getenv func(string) string) Mode {
	f, ok := w.(*os.File)
	if !ok || getenv("TERM") == "dumb" || !console(f) {
		return Mode{}
	}
	return Mode{Colour: getenv("NO_COLOR") == "" && paints(f), Live: true}
}
