package hedge

import (
	"fmt"
	"strings"

	"github.com/switchgear-go/switchgear"
)

// Error is the error of a call of which more than one attempt failed, or that ended
// with its context after some had. A call with only one attempt returns that
// attempt's error, as if it had not been hedged.
type Error struct {
	// Name is the hedge's name.
	Name string
	// Attempts are the attempts that failed, in the order in which they did.
	Attempts []AttemptError
	// Running is how many attempts were still running when the context ended.
	Running int
	// Stopped is the context's error, or its cause and its error, if the context
	// ended the call; nil if all attempts had failed.
	Stopped error
}

// AttemptError is how one attempt failed.
type AttemptError struct {
	// Number is the attempt's number in its call, from 1.
	Number int
	// Err is what the function returned.
	Err error
	// Health is how it was judged: Failure or Ignored.
	Health switchgear.Outcome
}

// Error names the hedge and lists the error of each attempt.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "hedge %q: ", e.Name)
	if e.Stopped != nil {
		fmt.Fprintf(&b, "stopped with %d running: %v; ", e.Running, e.Stopped)
	}
	fmt.Fprintf(&b, "%d failed: ", len(e.Attempts))
	for i, a := range e.Attempts {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "attempt %d: %v", a.Number, a.Err)
	}
	return b.String()
}

// Unwrap returns what ended the call, if it was the context, and the attempts'
// errors, for errors.Is and errors.As.
//
// If some attempt failed through the dependency, those that say nothing about it are
// left out here (not in Attempts and not in the text). Otherwise a hedge that our own
// full bulkhead refused would turn the failure of the first attempt into a local
// matter, and hide the dependency's trouble from every policy further out.
func (e *Error) Unwrap() []error {
	errs := make([]error, 0, len(e.Attempts)+1)
	if e.Stopped != nil {
		errs = append(errs, e.Stopped)
	}
	failed := false
	for _, a := range e.Attempts {
		failed = failed || a.Health != switchgear.Ignored
	}
	for _, a := range e.Attempts {
		if !failed || a.Health != switchgear.Ignored {
			errs = append(errs, a.Err)
		}
	}
	return errs
}
