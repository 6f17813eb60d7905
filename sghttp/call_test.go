package sghttp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
)

// How errors of the inner transport are judged. What real transports return when
// a request is cancelled is in net_test.go.
func TestC1(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	errGone := errors.New("the user has left")
	withCause, cancelCause := context.WithCancelCause(context.Background())
	cancelCause(errGone)
	expired, cancelExpired := context.WithDeadline(context.Background(), start.Add(-time.Second))
	defer cancelExpired()

	for _, c := range []struct {
		rule                       string
		ctx                        context.Context
		err                        error
		successful, failed, ignore uint64
	}{
		{"C1.1: a mark wins: success", cancelled, switchgear.MarkSuccess(context.Canceled), 1, 0, 0},
		{"C1.1: a mark wins: failure", cancelled, switchgear.MarkFailure(context.Canceled), 0, 1, 0},
		{"C1.1: a mark is found deep inside", context.Background(), fmt.Errorf("write: %w", switchgear.MarkIgnored(errDown)), 0, 0, 1},
		{"C1.2: a refusal by another policy", context.Background(), fmt.Errorf("%w: bulkhead full", switchgear.ErrRejected), 0, 0, 1},
		{"C1.3: the caller gave up", cancelled, fmt.Errorf("get: %w", context.Canceled), 0, 0, 1},
		{"C1.3: the caller gave up, and said why", withCause, fmt.Errorf("get: %w", errGone), 0, 0, 1},
		{"C1.3: cancelled, but the error is another", cancelled, errDown, 0, 1, 0},
		{"C1.4: the caller's deadline has passed", expired, context.DeadlineExceeded, 0, 1, 0},
		{"C1.6: the dependency's own timeout", context.Background(), context.DeadlineExceeded, 0, 1, 0},
		{"C1.6: the dependency's own cancellation", context.Background(), context.Canceled, 0, 1, 0},
		{"C1.6: any other error", context.Background(), errDown, 0, 1, 0},
	} {
		t.Run(c.rule, func(t *testing.T) {
			r := newRig(t, fails(c.err), Config{})
			_, err := r.send(request(c.ctx, "http://api.example/"))
			equal(t, "the error, untouched", err, c.err)
			counted(t, r.only(), c.successful, c.failed, c.ignore)
		})
	}
	t.Run("an answer is an answer, also after the caller has given up", func(t *testing.T) {
		for code, failed := range map[int]uint64{200: 0, 503: 1} {
			r := newRig(t, answers(code), Config{})
			r.send(request(cancelled, "http://api.example/"))
			counted(t, r.only(), 1-failed, failed, 0)
		}
	})
}

// P4: the permit is settled on every way out, and the call has ended.
func TestP4(t *testing.T) {
	ended := func(t *testing.T, r *rig) {
		t.Helper()
		for e := range r.breakers.table.all() {
			equal(t, "calls in progress", e.use.Load()&runningMask, 0)
		}
	}
	t.Run("P4: a panic is a failure, and goes on", func(t *testing.T) {
		r := newRig(t, sender(func(*http.Request) (*http.Response, error) { panic("boom") }),
			Config{Breaker: breaker.Config{ConsecutiveFailures: 1}})
		func() {
			defer func() { equal[any](t, "panic", recover(), "boom") }()
			r.get("http://api.example/")
		}()
		counted(t, r.only(), 0, 1, 0)
		equal(t, "sample", r.only().Snapshot().LastTrip.Errors[0].Sample, "panic: boom")
		ended(t, r)
	})
	t.Run("P4: runtime.Goexit releases", func(t *testing.T) {
		r := newRig(t, sender(func(*http.Request) (*http.Response, error) { runtime.Goexit(); return nil, nil }), Config{})
		together(1, func(int) { r.get("http://api.example/") })
		counted(t, r.only(), 0, 0, 0)
		equal(t, "released", r.only().Counters().Released, 1)
		ended(t, r)
	})
	t.Run("P4: so is a panic in the user's classifier", func(t *testing.T) {
		r := newRig(t, fails(errDown), Config{},
			WithBreaker(breaker.WithClassifier(func(error) switchgear.Outcome { panic("boom") })))
		func() {
			defer func() { equal[any](t, "panic", recover(), "boom") }()
			r.get("http://api.example/")
		}()
		counted(t, r.only(), 0, 1, 0)
		ended(t, r)
	})
	t.Run("neither response nor error is a failure, and left to the client to report", func(t *testing.T) {
		r := newRig(t, sender(func(*http.Request) (*http.Response, error) { return nil, nil }), Config{})
		resp, err := r.RoundTrip(request(context.Background(), "http://api.example/"))
		equal(t, "response", resp, nil)
		equal(t, "error", err, nil)
		counted(t, r.only(), 0, 1, 0)
		ended(t, r)
	})
	t.Run("both response and error are passed on", func(t *testing.T) {
		both := &http.Response{StatusCode: 200}
		r := newRig(t, sender(func(*http.Request) (*http.Response, error) { return both, errDown }), Config{JudgeBody: true})
		resp, err := r.RoundTrip(request(context.Background(), "http://api.example/"))
		equal(t, "response", resp, both)
		equal(t, "error", err, errDown)
		counted(t, r.only(), 0, 1, 0)
	})
}

func TestRequestIsUntouched(t *testing.T) {
	ctx := WithRoute(context.Background(), "items")
	req := request(ctx, "http://API.example:80/items?id=7")
	req.Header.Set("Accept", "application/json")
	want := req.Clone(ctx)

	var got *http.Request
	r := newRig(t, sender(func(req *http.Request) (*http.Response, error) {
		got = req
		return answers(200)(req)
	}), Config{JudgeBody: true})
	resp, err := r.RoundTrip(req)
	equal(t, "error", err, nil)
	equal(t, "the request that was sent", got == req, true)
	equal(t, "the request of the response", resp.Request == req, true)
	equal(t, "URL", req.URL.String(), want.URL.String())
	equal(t, "header", req.Header, want.Header)
	equal(t, "context", req.Context(), ctx)
}

// K2: the default mode allocates nothing of its own.
func TestAllocations(t *testing.T) {
	plainRequest := request(context.Background(), "https://api.example/items")
	routed := request(WithRoute(context.Background(), "items"), "https://api.example:443/items")
	allocations := func(next http.RoundTripper, cfg Config, req *http.Request) float64 {
		rt := newTransport(t, next, cfg)
		call := func(rt http.RoundTripper) func() {
			return func() {
				if resp, err := rt.RoundTrip(req); err == nil {
					resp.Body.Close()
				}
			}
		}
		call(rt)() // makes the breaker
		return testing.AllocsPerRun(200, call(rt)) - testing.AllocsPerRun(200, call(next))
	}
	refusing := Config{Breaker: breaker.Config{ConsecutiveFailures: 1}}

	equal(t, "by host", allocations(okay, Config{}, plainRequest), 0)
	equal(t, "by route, default port", allocations(okay, Config{}, routed), 0)
	equal(t, "with slow calls", allocations(okay, Config{Breaker: breaker.Config{SlowCall: breaker.SlowCallConfig{Duration: time.Second}}}, plainRequest), 0)
	equal(t, "JudgeBody, no body", allocations(okay, Config{JudgeBody: true}, plainRequest), 0)
	equal(t, "JudgeBody, a body", allocations(withBody{}, Config{JudgeBody: true}, plainRequest), 1)
	equal(t, "refused", allocations(fails(errDown), refusing, plainRequest), 0)
	equal(t, "a failing status keeps its error", allocations(null{&http.Response{StatusCode: 502, Body: http.NoBody}}, Config{Breaker: neverTrips}, plainRequest), 1)
}
