package throttle

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/switchgear-go/switchgear"
)

// ErrRejected is matched, with errors.Is, by every refusal of a throttle. See
// [Rejection] for the facts.
var ErrRejected = errors.New("throttle: call rejected")

// Rejection is the error of a call that a throttle refused. The call was not made. It
// matches [ErrRejected] and [switchgear.ErrRejected].
type Rejection struct {
	// Name is the throttle's name.
	Name string
	// Refusal is the share of calls that were being refused, rounded to hundredths of
	// a percent.
	Refusal switchgear.Percent
	// Requests and Accepts are the numbers of the window that led to it, before this
	// call.
	Requests int64
	Accepts  int64
	// Window is how far back they were counted.
	Window time.Duration
}

// RetryAfter returns false: the next call may pass.
func (r *Rejection) RetryAfter() (wait time.Duration, known bool) { return 0, false }

// Error names the throttle and the numbers, for example
//
//	throttle "stock" refuses 79.97 % of calls: 1000 of 10003 requests accepted in 2m0s
func (r *Rejection) Error() string {
	return fmt.Sprintf("throttle %q refuses %v of calls: %d of %d requests accepted in %v",
		r.Name, r.Refusal, r.Accepts, r.Requests, r.Window)
}

// Is reports whether target is one of the two sentinels.
func (r *Rejection) Is(target error) bool {
	return target == ErrRejected || target == switchgear.ErrRejected
}

// percent makes a probability a percentage in whole hundredths.
func percent(p float64) switchgear.Percent { return switchgear.Percent(math.Round(p*100_00) / 100) }
