package retry

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrExhausted is matched, with errors.Is, by every [*Error]: the loop ended at
// one of its limits, and another attempt might have succeeded.
var ErrExhausted = errors.New("retry: gave up")

// Error is what a call returns whose loop ended at a limit. It matches
// [ErrExhausted] and everything that Last, Earlier and Cause match, and so it
// matches [switchgear.ErrRejected] only if another policy refused an attempt: an
// exhausted budget is no refusal, since attempts did reach the dependency.
//
// It is safe for concurrent use as long as nobody changes it.
type Error struct {
	// Name is the name of the retry.
	Name string
	// Last is the error of the last attempt.
	Last error
	// Earlier is the error of the last attempt before that which tells of the
	// dependency, where Last does not: because it is another policy's refusal, or
	// only says that the caller is gone. Otherwise nil.
	Earlier error
	// Cause is what stood behind the limit: the error of the caller's context,
	// context.DeadlineExceeded if its deadline was too near, or the budget's. Nil
	// with the other limits.
	Cause error
	// Attempts is how many attempts were made, refused ones included.
	Attempts int
	// Limit is what ended the loop.
	Limit Limit
	// Elapsed is how long the loop took. It is 0 if MaxElapsed is off, since then
	// nothing measures it.
	Elapsed time.Duration
	// Hint is the wait that came with Last, from the dependency or from the
	// refusal; 0 if there was none.
	Hint time.Duration
}

// Unwrap returns Last, Earlier and Cause, those that are there.
func (e *Error) Unwrap() []error {
	chain := make([]error, 0, 3)
	for _, err := range [...]error{e.Last, e.Earlier, e.Cause} {
		if err != nil {
			chain = append(chain, err)
		}
	}
	return chain
}

// Is reports whether target is [ErrExhausted].
func (e *Error) Is(target error) bool { return target == ErrExhausted }

// Error says how many attempts there were, why there is no other, and how the
// last one ended.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "retry %q gave up after %d attempt", e.Name, e.Attempts)
	if e.Attempts != 1 {
		b.WriteByte('s')
	}
	if e.Elapsed > 0 {
		fmt.Fprintf(&b, " in %v", roundWait(e.Elapsed))
	}
	switch e.Limit {
	case ByAttempts:
		b.WriteString(", as many as are allowed")
	case ByElapsed:
		b.WriteString(": the next would have begun too late")
	case ByBudget:
		b.WriteString(": the budget has nothing left")
	case ByDeadline:
		b.WriteString(": the caller's deadline leaves no time")
	case ByHint:
		fmt.Fprintf(&b, ": the dependency asks for a wait of %v", roundWait(e.Hint))
	case ByRefusal:
		b.WriteString(": the last was refused")
	case ByCancellation:
		b.WriteString(": the caller gave up")
	}
	for _, part := range [...]struct {
		name string
		err  error
	}{{"last error", e.Last}, {"earlier error", e.Earlier}, {"cause", e.Cause}} {
		if part.err != nil {
			fmt.Fprintf(&b, "; %s: %v", part.name, part.err)
		}
	}
	return b.String()
}

// roundWait keeps three or four digits: nobody waits for nanoseconds.
func roundWait(d time.Duration) time.Duration {
	switch {
	case d >= 10*time.Second:
		return d.Round(100 * time.Millisecond)
	case d >= 10*time.Millisecond:
		return d.Round(time.Millisecond)
	}
	return d
}
