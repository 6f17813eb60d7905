package sghttp

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/switchgear-go/switchgear"
)

// replayable reports whether another attempt could send what the first was to send. It
// does not look at the request, which the caller may have back.
func (x *roundTrip) replayable() bool {
	if x.single {
		return false
	}
	if x.reopens {
		return true
	}
	if x.record == nil {
		return false
	}
	_, complete := x.record.all()
	return complete
}

// withBody gives the request of a second or later attempt its body. If that cannot be
// had, which is no fault of the dependency, there is no such attempt.
func (x *roundTrip) withBody(req *http.Request) (*http.Request, error) {
	if req.GetBody == nil && x.record != nil {
		if data, complete := x.record.all(); complete {
			req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
		}
	}
	err := error(errOneBody)
	if req.GetBody != nil {
		if req.Body, err = req.GetBody(); err == nil {
			return req, nil
		}
	}
	return nil, switchgear.MarkFinal(switchgear.MarkIgnored(fmt.Errorf("sghttp: the body cannot be sent again: %w", err)))
}

// errOneBody is behind the error of an attempt that comes too early for a recording.
var errOneBody = fmt.Errorf("it has not been read to its end")

// A recording keeps what the first attempt reads of a body, so that others can send
// it again. Nothing is read ahead of the attempt: a body may be written by somebody who
// waits for the answer.
type recording struct {
	from  io.ReadCloser
	bound int
	known int64 // the length that was announced, or -1

	mu    sync.Mutex // never held while from is read
	data  []byte     // final when ended
	state recordingState
}

type recordingState uint8

const (
	recordingOn recordingState = iota
	recordingComplete
	recordingSpoilt // by an error, or by more than the bound
)

func newRecording(req *http.Request, bound int) *recording {
	r := &recording{from: req.Body, bound: bound, known: -1}
	if req.ContentLength > 0 {
		r.known = req.ContentLength
	}
	return r
}

// Read reads from the body.
func (r *recording) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.keep(p[:n], err)
	return n, err
}

func (r *recording) keep(p []byte, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.state == recordingSpoilt:
	case r.state == recordingComplete:
		if len(p) > 0 {
			r.spoil() // more than was announced: not for us to hide
		}
	case len(p) > r.bound-len(r.data), err != nil && err != io.EOF:
		r.spoil()
	default:
		r.data = append(r.data, p...)
		// Who knows the length may never ask for the end.
		if err == io.EOF || r.known >= 0 && int64(len(r.data)) >= r.known {
			r.state = recordingComplete
		}
	}
}

func (r *recording) spoil() { r.state, r.data = recordingSpoilt, nil }

// all returns the whole body, and whether it has been read to its end.
func (r *recording) all() (data []byte, complete bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.data, r.state == recordingComplete
}

// Close closes the body.
func (r *recording) Close() error { return r.from.Close() }
