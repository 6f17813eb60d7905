package sghttp

import (
	"context"
	"errors"
	"net/http"

	"github.com/switchgear-go/switchgear"
)

// failed returns what the caller gets for a call that ended without an answer.
func (t *Transport) failed(x *roundTrip, err error) (*http.Response, error) {
	// A caller who left the queue of a policy was not refused by it.
	gone := x.req.Context().Err() != nil
	if t.cfg.SyntheticResponse && !gone && errors.Is(err, switchgear.ErrRejected) {
		return synthesize(x.req, err, x.begun()), nil
	}
	if f, ok := err.(*finalError); ok {
		err = f.err
	}
	return nil, timely(err)
}

// timely makes an error that has a timeout in it say so itself: [net/url.Error], as
// many others, asks the error and not its chain.
func timely(err error) error {
	if _, ok := err.(interface{ Timeout() bool }); ok || errors.Is(err, switchgear.ErrRejected) {
		return err
	}
	if inner, ok := errors.AsType[timeouter](err); ok && inner.Timeout() || errors.Is(err, context.DeadlineExceeded) {
		return &timedOut{err}
	}
	return err
}

type timeouter interface {
	error
	Timeout() bool
}

// timedOut is an error that came of a timeout.
type timedOut struct{ error }

func (t *timedOut) Unwrap() error { return t.error }

// Timeout returns true.
func (t *timedOut) Timeout() bool { return true }

// Temporary returns true, as the errors of packages net and context do that came of a
// timeout.
func (t *timedOut) Temporary() bool { return true }
