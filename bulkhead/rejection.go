package bulkhead

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear"
)

// ErrRejected is matched, with errors.Is, by every refusal of a bulkhead. See
// [Rejection] for the facts.
var ErrRejected = errors.New("bulkhead: call rejected")

// Reason is why a bulkhead refused a call.
type Reason uint8

const (
	// Full: no permit was free and there was no place in the queue.
	Full Reason = iota
	// TimedOut: the caller waited for [Config.MaxWait] and got no permit.
	TimedOut
	// GaveUp: the caller's context ended before it got a permit.
	GaveUp
)

var reasons = [...]string{"full", "timed_out", "gave_up"}

// String returns the reason's name: "full", "timed_out" or "gave_up".
func (r Reason) String() string {
	if int(r) < len(reasons) {
		return reasons[r]
	}
	return fmt.Sprintf("reason(%d)", uint8(r))
}

// MarshalText returns the reason's name. A number that is no reason is an error.
func (r Reason) MarshalText() ([]byte, error) {
	if int(r) < len(reasons) {
		return []byte(reasons[r]), nil
	}
	return nil, fmt.Errorf("bulkhead: %v is no reason", r)
}

// UnmarshalText accepts the names that String returns.
func (r *Reason) UnmarshalText(text []byte) error {
	for i, name := range reasons {
		if string(text) == name {
			*r = Reason(i)
			return nil
		}
	}
	return fmt.Errorf("%q is not a reason: full, timed_out or gave_up", text)
}

// Rejection is the error of a call that a bulkhead refused. The call was not made. It
// matches [ErrRejected] and [switchgear.ErrRejected] and, where the caller gave up,
// also the context's error and its cause.
//
// Calls that were refused for the same facts may share one value. Do not change it.
type Rejection struct {
	// Name is the bulkhead's name.
	Name string
	// Reason is why the call was refused.
	Reason Reason
	// Running is how many permits were out, of Limit. It can be more than Limit for
	// a while after a reconfiguration has lowered that.
	Running int
	Limit   int
	// Waiting is how many callers were in the queue, of MaxWaiting; both are 0 for a
	// bulkhead without a queue. The caller that was refused is not among them.
	Waiting    int
	MaxWaiting int
	// Waited is how long the caller was in the queue, if the reason is TimedOut, else 0.
	Waited time.Duration

	ended, cause error // of the caller's context, if it gave up
}

// reject makes a refusal by these rules.
func (r *rules) reject(name string, why Reason, running int64, waiting int) *Rejection {
	return &Rejection{
		Name: name, Reason: why,
		Running: int(running), Limit: int(r.limit),
		Waiting: waiting, MaxWaiting: r.queue,
	}
}

// becauseOf adds to a refusal that the caller's context, which has ended, is why.
func (r *Rejection) becauseOf(ctx context.Context) *Rejection {
	r.ended, r.cause = ctx.Err(), context.Cause(ctx)
	return r
}

// RetryAfter returns false: nobody knows when a call will end.
func (r *Rejection) RetryAfter() (wait time.Duration, known bool) { return 0, false }

// Error names the bulkhead, the reason and the numbers, for example
//
//	bulkhead "stock" is full: 10 of 10 calls running, 20 of 20 waiting
func (r *Rejection) Error() string {
	what := "is full"
	switch r.Reason {
	case TimedOut:
		what = fmt.Sprintf("had no room within %v", r.Waited)
	case GaveUp:
		what = "had no room until the caller gave up"
		if r.ended != nil {
			what += fmt.Sprintf(" (%v)", r.ended)
		}
	}
	text := fmt.Sprintf("bulkhead %q %s: %d of %d calls running", r.Name, what, r.Running, r.Limit)
	if r.MaxWaiting > 0 || r.Waiting > 0 {
		text += fmt.Sprintf(", %d of %d waiting", r.Waiting, r.MaxWaiting)
	}
	return text
}

// Is reports whether target is one of the two sentinels.
func (r *Rejection) Is(target error) bool {
	return target == ErrRejected || target == switchgear.ErrRejected
}

// Unwrap returns the context's error and its cause if the caller gave up.
func (r *Rejection) Unwrap() []error {
	if r.ended == nil {
		return nil
	}
	return []error{r.ended, r.cause}
}
