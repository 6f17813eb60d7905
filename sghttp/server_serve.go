package sghttp

import (
	"context"
	"net/http"

	"github.com/switchgear-go/switchgear"
)

// protected is a handler behind a server.
type protected struct {
	server *Server
	next   http.Handler
}

func (h *protected) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := h.server
	s.tally.requests.Add(1)
	if s.exempt != nil && s.exempt(r) {
		s.tally.exempt.Add(1)
		h.next.ServeHTTP(w, r)
		return
	}
	v, by, err := s.admit(r)
	if err != nil {
		s.refuse(w, r, by, err)
		return
	}
	s.tally.admitted.Add(1)
	if s.wraps {
		h.exchange(&exchange{visit: v, inner: w}, r)
		return
	}
	h.plain(v, w, r)
}

// plain serves a request where nobody needs to know what becomes of the response.
func (h *protected) plain(v visit, w http.ResponseWriter, r *http.Request) {
	returned := false
	defer func() {
		v.release()
		h.server.tally.ended.Add(1)
		if !returned {
			h.server.unwind(recover())
		}
	}()
	h.next.ServeHTTP(w, r)
	returned = true
}

// exchange serves a request and judges what became of it.
func (h *protected) exchange(x *exchange, r *http.Request) {
	returned := false
	defer func() {
		if returned {
			return
		}
		cause := recover()
		x.settle(x.outcome(true, cause))
		x.server.unwind(cause)
	}()
	inner := r
	if x.cancel != nil {
		inner = r.WithContext(x.ctx)
	}
	h.next.ServeHTTP(x.shaped(), inner)
	if inner.MultipartForm != nil {
		r.MultipartForm = inner.MultipartForm // net/http removes its files, but knows only r
	}
	x.finish(r)
	returned = true
}

// finish ends a request whose handler has returned.
func (x *exchange) finish(r *http.Request) {
	if x.status == 0 && !x.hijacked {
		if x.cancel != nil && x.ctx.Err() == context.DeadlineExceeded {
			// By the exchange, which notes the status.
			x.server.overdue(x, r)
		}
		x.wrote(http.StatusOK) // which net/http sends if nobody else did
	}
	x.settle(x.outcome(false, nil))
}

// outcome is what the end of a request says about the server (see
// [ServerConfig.Adaptive]). A handler that did not return has a cause, except after
// runtime.Goexit.
func (x *exchange) outcome(unwound bool, cause any) switchgear.Outcome {
	switch ended := x.ctx.Err(); {
	case unwound && cause == nil:
		return switchgear.Undecided
	case unwound && cause != http.ErrAbortHandler:
		return switchgear.Failure
	case x.hijacked, ended == context.Canceled:
		return switchgear.Ignored
	case ended != nil:
		return switchgear.Failure
	case unwound:
		return switchgear.Ignored
	case x.status == http.StatusNotImplemented, x.status == http.StatusHTTPVersionNotSupported:
		return switchgear.Success
	case x.status >= http.StatusInternalServerError:
		return switchgear.Failure
	}
	return switchgear.Success
}

// settle counts how the request ended and gives back what it holds, once.
func (x *exchange) settle(o switchgear.Outcome) {
	if x.left {
		return
	}
	x.left = true
	t := &x.server.tally
	if x.ctx.Err() == context.DeadlineExceeded {
		t.overdue.Add(1)
	}
	if !x.hijacked && x.status != 0 {
		t.statuses[min(x.status/100, len(t.statuses)-1)].Add(1)
	}
	defer t.ended.Add(1)
	defer x.release() // also if a listener ends the goroutine
	x.adaptive.Done(o)
}

// unwind goes on with what ended a handler that did not return: a panic, or nil after
// runtime.Goexit, which goes on by itself.
func (s *Server) unwind(cause any) {
	if cause == nil {
		return
	}
	if cause == http.ErrAbortHandler {
		s.tally.aborted.Add(1)
	} else {
		s.tally.panics.Add(1)
	}
	panic(cause)
}
