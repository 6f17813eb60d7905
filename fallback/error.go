package fallback

import (
	"fmt"
	"strings"
)

// Error is the error of a call that failed and whose fallbacks failed as well. With
// errors.Is and errors.As it matches everything that its parts match, the call's
// own error first.
type Error struct {
	// Call is what the call returned.
	Call error
	// Fallbacks holds what was tried after that, in order; at least one entry.
	Fallbacks []Failed
}

// Failed is a handler, or a provider of a chain, that failed.
type Failed struct {
	// Name is the handler's.
	Name string
	// Err is what it returned.
	Err error
}

// Error returns, for example:
//
//	connection refused; fallback "mirror" failed too: context deadline exceeded
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprint(&b, e.Call)
	for _, f := range e.Fallbacks {
		fmt.Fprintf(&b, "; fallback %q failed too: %v", f.Name, f.Err)
	}
	return b.String()
}

// Unwrap returns all errors, the call's first.
func (e *Error) Unwrap() []error {
	errs := make([]error, 0, 1+len(e.Fallbacks))
	errs = append(errs, e.Call)
	for _, f := range e.Fallbacks {
		errs = append(errs, f.Err)
	}
	return errs
}
