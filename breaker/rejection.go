package breaker

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
)

// ErrRejected is matched, with errors.Is, by every refusal of a breaker. See
// [Rejection] for the facts.
var ErrRejected = errors.New("breaker: call rejected")

// Rejection is the error of a call that a breaker refused (rule P1). The call
// was not run. It matches [ErrRejected] and [switchgear.ErrRejected].
//
// All refusals of one period share one value; it is safe for concurrent use.
type Rejection struct {
	// Name is the breaker's name.
	Name string
	// State is the state that refused the call: OPEN, HALF_OPEN or FORCED_OPEN.
	State State
	// Period is the number of the period that refused it.
	Period uint64

	clk    clock.Clock
	period *period
}

// Trip returns why the breaker opened, or nil where that is not known: in
// HALF_OPEN entered by an operator from a breaker that never tripped.
func (r *Rejection) Trip() *Trip { return r.period.trip.record() }

// RetryAfter returns how long it is, from now, until a probe may be admitted.
// It is never negative. It is unknown, false, in HALF_OPEN and in FORCED_OPEN
// without an expiry.
func (r *Rejection) RetryAfter() (wait time.Duration, known bool) {
	until := r.period.until.Load()
	if r.State == HalfOpen || until == math.MaxInt64 {
		return 0, false
	}
	return max(time.Duration(until)-r.clk.Mono(), 0), true
}

// Error names the breaker, its state, why it opened and when to come back.
func (r *Rejection) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "breaker %q is %v", r.Name, r.State)
	if t := r.Trip(); t != nil {
		fmt.Fprintf(&b, ": %s", t.Text())
	}
	if wait, ok := r.RetryAfter(); ok {
		fmt.Fprintf(&b, "; next probe in %v", roundWait(wait))
	}
	return b.String()
}

// roundWait keeps three or four digits: nobody waits for nanoseconds.
func roundWait(d time.Duration) time.Duration {
	if d >= 10*time.Second {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Millisecond)
}

// Is reports whether target is one of the two sentinels.
func (r *Rejection) Is(target error) bool {
	return target == ErrRejected || target == switchgear.ErrRejected
}
