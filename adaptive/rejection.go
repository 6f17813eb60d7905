package adaptive

import (
	"errors"
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear"
)

// ErrRejected is matched, with errors.Is, by every refusal of a limiter. See
// [Rejection] for the facts.
var ErrRejected = errors.New("adaptive: call rejected")

// Rejection is the error of a call that a limiter refused. The call was not run. It
// matches [ErrRejected] and [switchgear.ErrRejected].
//
// Refusals with the same facts share one value; it must not be changed, and is safe
// for concurrent use.
type Rejection struct {
	// Name is the limiter's name.
	Name string
	// Limit is the limit in force.
	Limit int
	// Running is how many calls were running: more than Limit if the limit has fallen
	// since they began.
	Running int
	// Priority is the level that the call was refused at.
	Priority Priority
	// Share is the share of the limit that this level may use.
	Share switchgear.Percent
}

// RetryAfter returns 0 and false: nobody knows when a running call will end.
func (r *Rejection) RetryAfter() (wait time.Duration, known bool) { return 0, false }

// Error names the limiter, the limit, and how much of it was in use.
func (r *Rejection) Error() string {
	if r.Share == 100 {
		return fmt.Sprintf("adaptive limit %q is reached: %d of %d calls running", r.Name, r.Running, r.Limit)
	}
	return fmt.Sprintf("adaptive limit %q sheds %v calls: %d of %d calls running, and only %v are theirs",
		r.Name, r.Priority, r.Running, r.Limit, r.Share)
}

// Is reports whether target is one of the two sentinels.
func (r *Rejection) Is(target error) bool {
	return target == ErrRejected || target == switchgear.ErrRejected
}
