package switchgear

import (
	"errors"
	"time"
)

// ErrRejected is matched, with errors.Is, by the error of every call that a
// policy refused: an open breaker, a full bulkhead, an exhausted limit. The
// call did not reach the dependency, so nothing may be concluded about it
// (rule C1.2), and a retry at once is pointless.
//
// Each policy has an error type of its own that tells who refused, why, and
// when to come back.
var ErrRejected = errors.New("switchgear: rejected")

// WithRetryAfter attaches to err the dependency's own hint on how long to
// stay away, as HTTP sends it in Retry-After. A breaker lengthens its open
// interval by it (rule O3). The hint of a wait that is not positive is
// dropped. WithRetryAfter(nil, d) is nil.
func WithRetryAfter(err error, wait time.Duration) error {
	if err == nil || wait <= 0 {
		return err
	}
	return &hinted{err, wait}
}

// RetryAfter returns the wait that err asks for, and whether it is known. It
// finds hints attached by [WithRetryAfter] and any error in the chain with a
// method RetryAfter() (time.Duration, bool), the rejections of this project's
// policies among them.
func RetryAfter(err error) (time.Duration, bool) {
	h, ok := errors.AsType[interface {
		error
		RetryAfter() (time.Duration, bool)
	}](err)
	if !ok {
		return 0, false
	}
	return h.RetryAfter()
}

type hinted struct {
	err  error
	wait time.Duration
}

func (h *hinted) Error() string                     { return h.err.Error() }
func (h *hinted) Unwrap() error                     { return h.err }
func (h *hinted) RetryAfter() (time.Duration, bool) { return h.wait, true }
