package sghttp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
)

// newOpen returns a rig whose breaker for api.example has just opened, for ten
// seconds, and what its transport does afterwards.
func newOpen(t *testing.T, cfg Config, then sender) *rig {
	t.Helper()
	cfg.Breaker = plain()
	down := true
	r := newRig(t, sender(func(req *http.Request) (*http.Response, error) {
		if down {
			return nil, errDown
		}
		return then(req)
	}), cfg)
	for range 5 {
		r.get("http://api.example/")
	}
	equal(t, "state", r.only().State(), breaker.Open)
	down = false
	return r
}

func unreachable(*http.Request) (*http.Response, error) { panic("a refused request was sent") }

func TestRefusalIsAnError(t *testing.T) {
	t.Run("P1: through http.Client it can be matched, and has the facts", func(t *testing.T) {
		r := newOpen(t, Config{}, unreachable)
		r.clock.Advance(3 * time.Second)
		_, err := (&http.Client{Transport: r}).Get("http://api.example/items")

		if _, ok := err.(*url.Error); !ok {
			t.Fatalf("got %T, want a *url.Error", err)
		}
		matches(t, "Get", err, breaker.ErrRejected)
		matches(t, "Get", err, switchgear.ErrRejected)
		rejection, ok := errors.AsType[*breaker.Rejection](err)
		if !ok {
			t.Fatal("no *breaker.Rejection in the error")
		}
		equal(t, "name", rejection.Name, "api.example")
		equal(t, "state", rejection.State, breaker.Open)
		wait, known := switchgear.RetryAfter(err)
		equal(t, "wait", wait, 7*time.Second)
		equal(t, "known", known, true)
	})
	t.Run("the body of the request is closed, once, unread", func(t *testing.T) {
		for _, synthetic := range []bool{false, true} {
			r := newOpen(t, Config{SyntheticResponse: synthetic}, unreachable)
			body := trackedBody("hello")
			req := must(http.NewRequest(http.MethodPost, "http://api.example/", body))
			r.send(req)
			equal(t, "closed", body.closed, 1)
			equal(t, "unread", body.Len(), 5)
		}
	})
	t.Run("the body of an admitted request is the inner transport's to close", func(t *testing.T) {
		r := newRig(t, answers(200), Config{MaxBreakers: 1})
		for _, url := range []string{"http://api.example/", "http://unprotected.example/"} {
			body := trackedBody("hello")
			r.send(must(http.NewRequest(http.MethodPost, url, body)))
			equal(t, "closed", body.closed, 0)
		}
	})
}

// K24: refusals are counted as such and enter no statistics.
func TestK24RefusalsAreNoOutcomes(t *testing.T) {
	r := newOpen(t, Config{}, answers(200))
	b := r.only()
	for range 10_000 {
		if _, err := r.get("http://api.example/"); !errors.Is(err, breaker.ErrRejected) {
			t.Fatalf("got %v, want a rejection", err)
		}
	}
	equal(t, "rejected", b.Counters().Rejected, 10_000)
	counted(t, b, 0, 5, 0)

	r.clock.Advance(10 * time.Second)
	r.get("http://api.example/")
	equal(t, "state after a good probe", b.State(), breaker.Closed)
	for i := range 21 {
		next := answers(200)
		if i == 10 {
			next = answers(503)
		}
		r.next = next
		r.get("http://api.example/")
	}
	equal(t, "state after 1 failure in 21", b.State(), breaker.Closed)
}

func TestSyntheticResponse(t *testing.T) {
	const text = "The circuit breaker is OPEN: the request was not sent.\n"
	t.Run("it is complete and consistent", func(t *testing.T) {
		r := newOpen(t, Config{SyntheticResponse: true}, unreachable)
		r.clock.Advance(2500 * time.Millisecond)
		req := request(context.Background(), "http://api.example/items")
		resp := must(r.RoundTrip(req))

		equal(t, "Status", resp.Status, "503 Service Unavailable")
		equal(t, "StatusCode", resp.StatusCode, 503)
		equal(t, "Proto", fmt.Sprintf("%s %d.%d", resp.Proto, resp.ProtoMajor, resp.ProtoMinor), "HTTP/1.1 1.1")
		equal(t, "Request", resp.Request == req, true)
		equal(t, "Header", resp.Header, http.Header{
			"Content-Type":   {"text/plain; charset=utf-8"},
			"Content-Length": {"55"},
			"Retry-After":    {"8"}, // 7.5 s, rounded up
		})
		equal(t, "ContentLength", resp.ContentLength, 55)
		equal(t, "body", string(must(io.ReadAll(resp.Body))), text)
		equal(t, "Close", resp.Body.Close(), nil)
		equal(t, "rejected", r.only().Counters().Rejected, 1)
	})
	t.Run("it can be written to the wire and read back", func(t *testing.T) {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			r := newOpen(t, Config{SyntheticResponse: true}, unreachable)
			req := must(http.NewRequest(method, "http://api.example/", nil))
			var wire bytes.Buffer
			equal(t, "Write", must(r.RoundTrip(req)).Write(&wire), nil)
			resp := must(http.ReadResponse(bufio.NewReader(&wire), req))
			equal(t, method+" status", resp.StatusCode, 503)
			equal(t, method+" length", resp.ContentLength, int64(len(text)))
			want := text
			if method == http.MethodHead {
				want = ""
			}
			equal(t, method+" body", string(must(io.ReadAll(resp.Body))), want)
		}
	})
	t.Run("http.Client takes it for an answer", func(t *testing.T) {
		r := newOpen(t, Config{SyntheticResponse: true}, unreachable)
		resp, err := (&http.Client{Transport: r, Timeout: time.Hour}).Get("http://api.example/")
		equal(t, "error", err, nil)
		equal(t, "status", resp.StatusCode, 503)
		resp.Body.Close()
	})
	t.Run("no Retry-After where the time is not known", func(t *testing.T) {
		r := newOpen(t, Config{SyntheticResponse: true}, unreachable)
		equal(t, "Move", r.only().Move(breaker.Move{To: breaker.ForcedOpen, Reason: "maintenance"}), nil)
		resp := must(r.RoundTrip(request(context.Background(), "http://api.example/")))
		_, present := resp.Header["Retry-After"]
		equal(t, "present", present, false)
		equal(t, "body", string(must(io.ReadAll(resp.Body))), strings.Replace(text, "OPEN", "FORCED_OPEN", 1))
	})
	t.Run("it names neither the host nor an error", func(t *testing.T) {
		r := newOpen(t, Config{SyntheticResponse: true}, unreachable)
		var wire bytes.Buffer
		must(r.RoundTrip(request(context.Background(), "http://api.example/"))).Write(&wire)
		for _, secret := range []string{"api.example", errDown.Error()} {
			equal(t, "contains "+secret, strings.Contains(wire.String(), secret), false)
		}
	})
	t.Run("C1.2: an outer transport ignores it", func(t *testing.T) {
		inner := newOpen(t, Config{SyntheticResponse: true}, unreachable)
		outer := newRig(t, inner, Config{JudgeBody: true})
		code, err := outer.get("http://api.example/")
		equal(t, "status", code, 503)
		equal(t, "error", err, nil)
		counted(t, outer.only(), 0, 0, 1)
	})
	t.Run("C1.2: and so it ignores the error", func(t *testing.T) {
		inner := newOpen(t, Config{}, unreachable)
		outer := newRig(t, inner, Config{})
		_, err := outer.get("http://api.example/")
		matches(t, "get", err, breaker.ErrRejected)
		counted(t, outer.only(), 0, 0, 1)
	})
}

func TestWholeSeconds(t *testing.T) {
	for d, want := range map[time.Duration]int64{
		0: 0, 1: 1, time.Second - 1: 1, time.Second: 1, time.Second + 1: 2, time.Hour: 3600,
		math.MaxInt64: math.MaxInt64/int64(time.Second) + 1,
	} {
		equal(t, d.String(), wholeSeconds(d), want)
	}
}
