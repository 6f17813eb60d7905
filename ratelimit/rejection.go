package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/switchgear-go/switchgear"
)

// ErrRejected is matched, with errors.Is, by every refusal of a limiter. See
// [Rejection] for the facts.
var ErrRejected = errors.New("ratelimit: call rejected")

// Reason is why a limiter refused a call.
type Reason uint8

const (
	// UsedUp: there is no token, and none soon enough.
	UsedUp Reason = iota
	// TooMany: the call asks for more than a burst, so it can never be admitted.
	TooMany
	// CallerGone: the caller's context ended before the call could begin.
	CallerGone
)

// String returns "used up", "too many" or "caller gone".
func (r Reason) String() string {
	switch r {
	case TooMany:
		return "too many"
	case CallerGone:
		return "caller gone"
	}
	return "used up"
}

// Rejection is the error of a call that a limiter refused. The call did not begin, and
// the limiter is as if it had not asked. It matches [ErrRejected] and
// [switchgear.ErrRejected]; if the caller was gone, also the error of its context and
// that context's cause.
type Rejection struct {
	// Name is the name of the limiter, or of the [Keyed] it belongs to.
	Name string
	// Key is the key in a Keyed, [OtherKeys] for the limiter that keys share. Empty
	// otherwise.
	Key string
	// Reason is why.
	Reason Reason
	// Requested is how many calls were to begin.
	Requested int
	// MaxWait is how long the caller would have waited.
	MaxWait time.Duration

	limiter *Limiter
	due     time.Duration // when it would be admitted; never
	err     error         // of the caller's context
	cause   error
}

func (l *Limiter) reject(n int, most, due time.Duration) error {
	r := &Rejection{Name: l.name, Key: l.key, Requested: n, MaxWait: most, limiter: l, due: due}
	if n > l.cfg.Burst {
		r.Reason = TooMany
	}
	return r
}

// gone returns the rejection of a caller that did not wait for its turn.
func gone(ctx context.Context, name, key string, n int) error {
	return &Rejection{
		Name: name, Key: key, Reason: CallerGone, Requested: n, due: never,
		err: ctx.Err(), cause: context.Cause(ctx),
	}
}

// RetryAfter returns how long it is, from now, until the calls would have been
// admitted without a wait, if nobody else came first. It is never negative. It is
// unknown, false, where that never happens, and where the caller was gone.
func (r *Rejection) RetryAfter() (wait time.Duration, known bool) {
	if r.due == never {
		return 0, false
	}
	return max(r.due-r.limiter.now(), 0), true
}

// Error names the limiter, the limit, and when to come back.
func (r *Rejection) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "ratelimit %q", r.Name)
	if r.Key != "" {
		fmt.Fprintf(&b, " for %q", r.Key)
	}
	switch r.Reason {
	case CallerGone:
		fmt.Fprintf(&b, ": the caller is gone: %v", r.cause)
	case TooMany:
		fmt.Fprintf(&b, " never admits %d at once: its burst is %d", r.Requested, r.limiter.cfg.Burst)
	default:
		cfg := r.limiter.cfg
		if cfg.Rate == off {
			fmt.Fprintf(&b, " is used up for good: %d calls in all", cfg.Burst)
			break
		}
		fmt.Fprintf(&b, " is used up: %s calls a second, at most %d at once", rateText(cfg.Rate), cfg.Burst)
		if wait, ok := r.RetryAfter(); ok {
			fmt.Fprintf(&b, "; next in %v", roundWait(wait))
		}
		if r.MaxWait > 0 {
			fmt.Fprintf(&b, ", later than the %v allowed", roundWait(r.MaxWait))
		}
	}
	return b.String()
}

// Is reports whether target is one of the two sentinels.
func (r *Rejection) Is(target error) bool {
	return target == ErrRejected || target == switchgear.ErrRejected
}

// Unwrap returns the error of the caller's context and its cause, if the caller was
// gone.
func (r *Rejection) Unwrap() []error {
	if r.err == nil {
		return nil
	}
	return []error{r.err, r.cause}
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

func rateText(rate float64) string {
	switch {
	case rate == off:
		return "off"
	case math.IsInf(rate, 1):
		return "infinite"
	}
	return strconv.FormatFloat(rate, 'f', -1, 64)
}
