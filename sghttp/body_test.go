package sghttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
)

var errCut = errors.New("connection reset")

// withBody answers every request with a body of two bytes.
type withBody struct{}

func (withBody) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("ok"))}, nil
}

// streams makes a transport that answers with the given body.
func streams(code int, body io.ReadCloser) sender {
	return func(req *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: code, Body: body, Request: req}, nil
	}
}

// open sends a request and returns the body of the answer.
func open(t *testing.T, r *rig, ctx context.Context) io.ReadCloser {
	t.Helper()
	resp, err := r.RoundTrip(request(ctx, "http://api.example/"))
	if err != nil {
		t.Fatal(err)
	}
	return resp.Body
}

// inProgress returns the number of calls that have not ended.
func (r *rig) inProgress() (n uint64) {
	for e := range r.breakers.table.all() {
		n += e.use.Load() & runningMask / useRunning
	}
	return n
}

func TestJudgeBody(t *testing.T) {
	background := context.Background()
	judged := Config{JudgeBody: true}

	t.Run("by default the headers settle the call, and the body is untouched", func(t *testing.T) {
		from := trackedBody("hello")
		r := newRig(t, streams(200, from), Config{})
		equal(t, "body", open(t, r, background), io.ReadCloser(from))
		counted(t, r.only(), 1, 0, 0)
	})
	t.Run("the end of the body is a success", func(t *testing.T) {
		from := trackedBody("hello")
		r := newRig(t, streams(200, from), judged)
		body := open(t, r, background)
		counted(t, r.only(), 0, 0, 0)
		equal(t, "in progress", r.inProgress(), 1)

		equal(t, "text", string(must(io.ReadAll(body))), "hello")
		counted(t, r.only(), 1, 0, 0)
		equal(t, "in progress", r.inProgress(), 0)

		equal(t, "Close", body.Close(), nil)
		equal(t, "closed", from.closed, 1)
		counted(t, r.only(), 1, 0, 0)
	})
	t.Run("so is an end that comes together with the last bytes", func(t *testing.T) {
		from := io.NopCloser(iotest.DataErrReader(strings.NewReader("hello")))
		r := newRig(t, streams(200, from), judged)
		body := open(t, r, background)
		n, err := body.Read(make([]byte, 10))
		equal(t, "bytes", n, 5)
		equal(t, "error", err, io.EOF)
		counted(t, r.only(), 1, 0, 0)
	})
	t.Run("a body that fails in the middle is a failure", func(t *testing.T) {
		from := io.NopCloser(io.MultiReader(strings.NewReader("hel"), iotest.ErrReader(errCut)))
		r := newRig(t, streams(200, from), judged)
		body := open(t, r, background)
		text, err := io.ReadAll(body)
		equal(t, "text", string(text), "hel")
		equal(t, "the error, untouched", err, errCut)
		body.Close()
		counted(t, r.only(), 0, 1, 0)
	})
	t.Run("one that is closed early counts as what its status said", func(t *testing.T) {
		from := trackedBody("hello")
		r := newRig(t, streams(200, from), judged)
		body := open(t, r, background)
		body.Read(make([]byte, 2))
		equal(t, "Close", body.Close(), nil)
		equal(t, "closed", from.closed, 1)
		counted(t, r.only(), 1, 0, 0)
	})
	t.Run("C1.3: unless the caller has given up", func(t *testing.T) {
		ctx, cancel := context.WithCancel(background)
		r := newRig(t, streams(200, trackedBody("hello")), judged)
		body := open(t, r, ctx)
		cancel()
		body.Close()
		counted(t, r.only(), 0, 0, 1)
	})
	t.Run("C1.3: an error because the caller gave up is ignored", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(background)
		r := newRig(t, streams(200, io.NopCloser(iotest.ErrReader(errCut))), judged)
		body := open(t, r, ctx)
		cancel(errCut)
		io.ReadAll(body)
		counted(t, r.only(), 0, 0, 1)
	})
	t.Run("C1.4: an error after the caller's deadline is a failure", func(t *testing.T) {
		ctx, cancel := context.WithDeadline(background, start)
		defer cancel()
		r := newRig(t, streams(200, io.NopCloser(iotest.ErrReader(context.DeadlineExceeded))), judged)
		io.ReadAll(open(t, r, ctx))
		counted(t, r.only(), 0, 1, 0)
	})
	t.Run("a deadline that passes while nobody reads is no error", func(t *testing.T) {
		ctx, cancel := context.WithDeadline(background, start)
		defer cancel()
		r := newRig(t, streams(200, trackedBody("hello")), judged)
		open(t, r, ctx).Close()
		counted(t, r.only(), 1, 0, 0)
	})
	t.Run("a failing or ignored status settles at once", func(t *testing.T) {
		from := trackedBody("hello")
		r := newRig(t, streams(503, from), judged)
		equal(t, "body", open(t, r, background), io.ReadCloser(from))
		counted(t, r.only(), 0, 1, 0)
	})
	t.Run("so does an answer without a body", func(t *testing.T) {
		r := newRig(t, streams(204, http.NoBody), judged)
		equal(t, "body", open(t, r, background), io.ReadCloser(http.NoBody))
		counted(t, r.only(), 1, 0, 0)

		r = newRig(t, streams(204, nil), judged) // which only a careless transport sends
		equal(t, "body", open(t, r, background), nil)
		counted(t, r.only(), 1, 0, 0)
	})
	t.Run("and an upgraded connection, which stays one", func(t *testing.T) {
		type connection struct {
			io.ReadCloser
			io.Writer
		}
		for _, code := range []int{101, 200} {
			conn := connection{io.NopCloser(strings.NewReader("")), io.Discard}
			r := newRig(t, streams(code, conn), judged)
			equal(t, "body", open(t, r, background), io.ReadCloser(conn))
			counted(t, r.only(), 1, 0, 0)
		}
	})
	t.Run("C3: a call is slow if its body takes long", func(t *testing.T) {
		cfg := judged
		cfg.Breaker.SlowCall.Duration = time.Second
		r := newRig(t, streams(200, trackedBody("hello")), cfg)
		body := open(t, r, background)
		r.clock.Advance(time.Second + 1)
		io.ReadAll(body)
		equal(t, "slow", r.only().Counters().Slow, 1)
	})
	t.Run("H1: a probe holds its slot until its body ends", func(t *testing.T) {
		r := newOpen(t, judged, nil)
		r.next = withBody{}
		r.clock.Advance(10 * time.Second)
		body := open(t, r, background)
		equal(t, "state", r.only().State(), breaker.HalfOpen)
		_, err := r.get("http://api.example/")
		matches(t, "second probe", err, breaker.ErrRejected)
		io.ReadAll(body)
		equal(t, "state", r.only().State(), breaker.Closed)
	})
	t.Run("H4: and gives it back if the caller gave up", func(t *testing.T) {
		r := newOpen(t, judged, nil)
		r.next = withBody{}
		r.clock.Advance(10 * time.Second)
		ctx, cancel := context.WithCancel(background)
		body := open(t, r, ctx)
		cancel()
		body.Close()
		equal(t, "state", r.only().State(), breaker.HalfOpen)
		equal(t, "given back", r.only().Counters().GivenBack, 1)
		equal(t, "ready", r.only().Ready(), true)
	})
	t.Run("S5: a body that outlives its period decides nothing", func(t *testing.T) {
		r := newRig(t, withBody{}, Config{JudgeBody: true, Breaker: plain()})
		body := open(t, r, background)
		r.next = fails(errDown)
		for range 5 {
			r.get("http://api.example/")
		}
		io.ReadAll(body)
		equal(t, "state", r.only().State(), breaker.Open)
		equal(t, "late", r.only().Counters().Late, 1)
	})
	t.Run("io.Copy works, whatever the inner body can do", func(t *testing.T) {
		r := newRig(t, withBody{}, judged) // an inner body with WriteTo
		var text strings.Builder
		n, err := io.Copy(&text, open(t, r, background))
		equal(t, "copied", n, 2)
		equal(t, "error", err, nil)
		equal(t, "text", text.String(), "ok")
		counted(t, r.only(), 1, 0, 0)
	})
}
