package sghttp

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/switchgear-go/switchgear/pipeline"
)

// A roundTrip is one call through a pipeline, with all its attempts.
type roundTrip struct {
	t      *Transport
	req    *http.Request // the caller's: it must not be changed
	record *recording    // of its body, if that cannot be had again otherwise

	single     bool // there is one attempt, whatever comes of it
	lone       bool // nothing in the pipeline would make another
	reopens    bool // there is no body, or it can be had again at any time
	idempotent bool
	concurrent bool // attempts may run at the same time

	// mu guards what follows. An attempt that a race has left behind must not look at
	// the request any more when the caller has it back.
	mu    sync.Mutex
	taken bool // an attempt has the body of the request, and closes it
	over  bool
}

// piped makes a call that has been begun at e, which has a pipeline.
func (t *Transport) piped(req *http.Request, e *entry) (*http.Response, error) {
	defer func() { e.end(t.clk.Mono()) }()
	x := &roundTrip{t: t, req: req, idempotent: isIdempotent(req), concurrent: e.hedges}
	defer x.end()
	x.lone = !e.retries && !e.hedges
	x.single = x.lone || len(req.Trailer) > 0
	x.reopens = req.Body == nil || req.Body == http.NoBody || req.GetBody != nil
	ctx := req.Context()
	if e.hedges {
		ctx = x.hedging(ctx)
	}
	resp, end, err := pipeline.Open(ctx, e.pipeline, x.call(), t.cfg.LimitBody)
	if err != nil {
		return t.failed(x, err)
	}
	resp.Body = untilEnd(resp.Body, end)
	return resp, nil
}

// call returns what is to be done.
func (x *roundTrip) call() pipeline.Call[*http.Response] {
	c := pipeline.Call[*http.Response]{Func: x.attempt, Check: x.t.judgeOnce, Discard: x.t.discard}
	switch {
	case x.single || !x.idempotent:
	case x.reopens:
		c.Check = x.t.judge
	case x.t.cfg.MaxBufferedBody > 0 && x.req.ContentLength <= int64(x.t.cfg.MaxBufferedBody):
		x.record = newRecording(x.req, x.t.cfg.MaxBufferedBody)
		c.Check = x.judge
	}
	return c
}

// attempt makes one attempt.
func (x *roundTrip) attempt(ctx context.Context) (*http.Response, error) {
	req, err := x.request(ctx)
	if err != nil {
		return nil, err
	}
	resp, err := x.t.next.RoundTrip(req)
	if err != nil {
		return nil, x.judgeError(err)
	}
	if resp == nil {
		return nil, x.judgeError(errNoResponse)
	}
	if resp.Request == req {
		resp.Request = x.req
	}
	return resp, nil
}

// errOver is for an attempt that begins when its call has ended. Nobody gets to see it.
var errOver = errors.New("sghttp: the call has ended")

// request returns the request of an attempt, with a body of its own. The first is a
// shallow copy, which is enough under the contract of http.RoundTripper; the others,
// and those that run at the same time, share nothing, in case the inner transport
// does not keep to it.
func (x *roundTrip) request(ctx context.Context) (*http.Request, error) {
	x.mu.Lock()
	if x.over {
		x.mu.Unlock()
		return nil, errOver
	}
	first := !x.taken
	x.taken = true
	var req *http.Request
	if first && !x.concurrent || x.single {
		req = x.req.WithContext(ctx)
	} else {
		req = x.req.Clone(ctx)
	}
	x.mu.Unlock()
	switch {
	case req.Body == nil || req.Body == http.NoBody:
	case !first:
		return x.withBody(req)
	case x.record != nil:
		req.Body = x.record
	}
	return req, nil
}

// begun reports whether there was an attempt.
func (x *roundTrip) begun() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.taken
}

// end takes the request back from the attempts. The contract of http.RoundTripper is
// that its body gets closed, also if there was no attempt.
func (x *roundTrip) end() {
	x.mu.Lock()
	unused := !x.taken
	x.taken, x.over = true, true
	x.mu.Unlock()
	if unused && x.req.Body != nil {
		x.req.Body.Close()
	}
}
