package switchgear

import "errors"

// Outcome is what one call says about the health of the dependency.
type Outcome uint8

const (
	// Undecided leaves the decision to the next rule: a classifier that
	// returns it has no opinion on this result.
	Undecided Outcome = iota
	// Success: the dependency did its work.
	Success
	// Failure: the dependency did not, and this counts against it.
	Failure
	// Ignored: the call says nothing about the dependency. It frees what it
	// held and counts in no rate (rule C2).
	Ignored
)

// String returns the outcome's name in lower case.
func (o Outcome) String() string {
	switch o {
	case Success:
		return "success"
	case Failure:
		return "failure"
	case Ignored:
		return "ignored"
	}
	return "undecided"
}

// MarkSuccess marks err at the call site: whatever else it matches, the call
// counts as a success of the dependency. The caller still gets the error, and
// errors.Is and errors.As see through the mark. Use it for errors that prove
// the dependency alive, such as "not found".
//
// A mark is rule C1.1; where marks are nested, the outermost counts.
// MarkSuccess(nil) is nil.
func MarkSuccess(err error) error { return mark(err, Success) }

// MarkFailure marks err as a failure of the dependency, where the rules would
// have ignored it or called it a success. See [MarkSuccess].
// MarkFailure(nil) is nil.
func MarkFailure(err error) error { return mark(err, Failure) }

// MarkIgnored marks err as saying nothing about the dependency, such as a
// mistake found before anything was sent. See [MarkSuccess].
// MarkIgnored(nil) is nil.
func MarkIgnored(err error) error { return mark(err, Ignored) }

func mark(err error, o Outcome) error {
	if err == nil {
		return nil
	}
	return &marked{err, o}
}

// Marked returns the outcome that was fixed at the call site by one of the
// Mark functions, and whether there was one.
func Marked(err error) (Outcome, bool) {
	if m, ok := errors.AsType[*marked](err); ok {
		return m.outcome, true
	}
	return Undecided, false
}

type marked struct {
	err     error
	outcome Outcome
}

func (m *marked) Error() string { return m.err.Error() }
func (m *marked) Unwrap() error { return m.err }
