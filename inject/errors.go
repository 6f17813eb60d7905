package inject

import (
	"errors"
	"fmt"
)

// ErrInjected is matched, with errors.Is, by the error of every call that an
// injector made fail. See [Error] for the facts.
var ErrInjected = errors.New("inject: injected fault")

// Error is the error of a call that an injector made fail, and the value of an
// injected panic. It matches [ErrInjected], and stands for a failure of the
// dependency. It must not be changed, and is then safe for concurrent use.
type Error struct {
	// Name is the name of the injector.
	Name string
	// Kind is what was done: [Failure], [Hang], [Panic], or [Latency] where the
	// context ended while the call was made to wait.
	Kind Kind
	// Message is the fault's.
	Message string
	// Err is the error of the context that ended the wait or the hang; nil
	// otherwise.
	Err error
}

// Error says that the fault was injected, of which kind it was and by whom.
func (e *Error) Error() string {
	s := fmt.Sprintf("inject %q: injected %v", e.Name, e.Kind)
	if e.Message != "" {
		s += ": " + e.Message
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Is reports whether target is [ErrInjected].
func (e *Error) Is(target error) bool { return target == ErrInjected }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }
