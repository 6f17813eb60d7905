package term_test

import (
	"os"

	"github.com/switchgear-go/switchgear/cmd/switchgear/internal/term"
)

// The output of an example goes into a pipe, so it is plain.
func Example() {
	screen := term.New(os.Stdout, term.Detect(os.Stdout, os.Getenv))

	stop := screen.Watch(func() string { return "waiting" }) // not seen here
	screen.Printf("%s it works\n", screen.Paint(term.Good, "✓"))
	stop()
	// Output: ✓ it works
}
