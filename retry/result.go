package retry

import (
	"context"
	"errors"

	"github.com/switchgear-go/switchgear"
)

// Err returns what the caller should get when [Loop.Next] has said that there is no
// other attempt: err itself if it is final, or if it is all there is to say, or an
// [*Error]. err is the error that Next was given; if it is nil, so is the result.
func (l *Loop) Err(err error) error {
	if err == nil || l.limit == NoLimit {
		return err
	}
	earlier := l.before(err)
	if earlier == nil && (l.limit == ByRefusal || l.silent) {
		return err
	}
	return l.error(err, earlier, l.attempt)
}

// before returns the error that tells of the dependency, if last does not.
func (l *Loop) before(last error) error {
	if l.silent || errors.Is(last, switchgear.ErrRejected) {
		return l.earlier
	}
	return nil
}

func (l *Loop) error(last, earlier error, attempts int) *Error {
	return &Error{
		Name: l.r.name, Last: last, Earlier: earlier, Cause: l.cause,
		Attempts: attempts, Limit: l.limit, Elapsed: l.elapsed, Hint: l.hint,
	}
}

// Abandon says that the attempt that was waited for is not made, because the
// caller gave up: the budget gets it back, and the loop has ended. cause is what
// ended the wait, such as what [Loop.Wait] returned; nil stands for
// context.Canceled. err is the error of the last attempt. The result matches both.
func (l *Loop) Abandon(cause error, err error) error {
	if l.r == nil || l.over {
		return l.Err(err)
	}
	if cause == nil {
		cause = context.Canceled
	}
	attempts := l.attempt - 1
	if attempts == 0 { // nothing was waited for
		attempts = 1
		l.settle(switchgear.Ignored, false)
	}
	l.extra.Cancel()
	l.stop(cancelledBy(cause), cause)
	l.ended(switchgear.Ignored)
	return l.error(err, l.before(err), attempts)
}
