package timeout

import (
	"errors"
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear"
)

// ErrRejected is matched, with errors.Is, by every refusal of a timeout. See
// [Rejection] for the facts.
var ErrRejected = errors.New("timeout: call rejected")

// Reason is why a timeout refused a call.
type Reason uint8

const (
	// TooLittleTime: the caller's deadline leaves less than [Config.Minimum].
	TooLittleTime Reason = iota
	// TooManyAbandoned: [Config.MaxAbandoned] functions that were left behind
	// are still running.
	TooManyAbandoned
)

const reasons = 2

var reasonNames = [reasons]string{"too_little_time", "too_many_abandoned"}

// String returns "too_little_time" or "too_many_abandoned".
func (r Reason) String() string {
	if r < reasons {
		return reasonNames[r]
	}
	return fmt.Sprintf("Reason(%d)", uint8(r))
}

// MarshalText writes the reason's name.
func (r Reason) MarshalText() ([]byte, error) {
	if r >= reasons {
		return nil, fmt.Errorf("timeout: %v is no reason", r)
	}
	return []byte(reasonNames[r]), nil
}

// UnmarshalText reads a reason's name, exactly as [Reason.String] writes it.
func (r *Reason) UnmarshalText(text []byte) error {
	for i, name := range reasonNames {
		if name == string(text) {
			*r = Reason(i)
			return nil
		}
	}
	return fmt.Errorf("timeout: %q is no reason; reasons are %v", text, reasonNames)
}

// Rejection is the error of a call that a timeout refused. The call was not made.
// It matches [ErrRejected] and [switchgear.ErrRejected], and is safe for
// concurrent use.
type Rejection struct {
	// Name is the name of the timeout.
	Name string
	// Reason is why the call was refused.
	Reason Reason
	// Left is the time that the caller's deadline left, below 0 if it had
	// passed, and Minimum what a call needs. Both are 0 for another reason.
	Left, Minimum time.Duration
	// Abandoned is the number of functions left behind that were still running,
	// and MaxAbandoned the bound. Both are 0 for another reason.
	Abandoned, MaxAbandoned int
}

// RetryAfter returns 0 and false: when there will be more time, or less running,
// is not known.
func (r *Rejection) RetryAfter() (wait time.Duration, known bool) { return 0, false }

// Error names the timeout and the reason.
func (r *Rejection) Error() string {
	if r.Reason == TooManyAbandoned {
		return fmt.Sprintf("timeout %q refuses calls: %d functions left behind are still running, %d may be", r.Name, r.Abandoned, r.MaxAbandoned)
	}
	return fmt.Sprintf("timeout %q refuses the call: the caller's deadline leaves %v, at least %v are needed", r.Name, r.Left, r.Minimum)
}

// Is reports whether target is one of the two sentinels.
func (r *Rejection) Is(target error) bool {
	return target == ErrRejected || target == switchgear.ErrRejected
}
