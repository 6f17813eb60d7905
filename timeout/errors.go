package timeout

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/switchgear-go/switchgear"
)

// ErrTimeout is matched, with errors.Is, by the error of every call that took
// its limit or longer. See [Error] for the facts.
var ErrTimeout = errors.New("timeout: limit exceeded")

// Error is the error of a call that took its limit or longer, and the cause of
// the context that the limit ended (see [context.Cause]). It matches [ErrTimeout]
// and [context.DeadlineExceeded], and not [switchgear.ErrRejected] unless the
// function itself ended in a refusal, which is a local reason. It must not be
// changed, and is then safe for concurrent use.
type Error struct {
	// Name is the name of the timeout.
	Name string
	// Limit is the time that the call was given.
	Limit time.Duration
	// Elapsed is the time that had passed when the call was judged, at least
	// Limit. As the cause of a context it is Limit.
	Elapsed time.Duration
	// Err is what the function returned; nil if it had not returned, or returned
	// no error, or one that says no more than that the time was up.
	Err error
}

// Error names the timeout and its limit, how far it was missed, and what the
// function had to say.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "timeout %q: not done within %v", e.Name, e.Limit)
	if over := roundTime(e.Elapsed); over > e.Limit {
		fmt.Fprintf(&b, " (took %v)", over)
	}
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	return b.String()
}

// roundTime keeps milliseconds of times that have any.
func roundTime(d time.Duration) time.Duration {
	if d >= time.Millisecond {
		return d.Round(time.Millisecond)
	}
	return d
}

// Is reports whether target is [ErrTimeout] or [context.DeadlineExceeded].
func (e *Error) Is(target error) bool {
	return target == ErrTimeout || target == context.DeadlineExceeded
}

// Unwrap returns Err, so that marks, hints and refusals in what the function
// returned are seen. Only an error that was marked as a success is not: it would
// turn an answer that came too late into a good one.
func (e *Error) Unwrap() error {
	if o, ok := switchgear.Marked(e.Err); ok && o == switchgear.Success {
		return nil
	}
	return e.Err
}

// Timeout returns true. Package net and many others ask errors for it.
func (e *Error) Timeout() bool { return true }

// saysNothing reports whether err only repeats that the context has ended.
func (t *Timeout) saysNothing(err error) bool {
	return err == context.DeadlineExceeded || err == error(t.cause)
}
