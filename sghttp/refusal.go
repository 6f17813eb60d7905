package sghttp

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
)

// refuse ends a call that a breaker has refused.
func (t *Transport) refuse(req *http.Request, err error) (*http.Response, error) {
	if req.Body != nil {
		req.Body.Close() // the contract of http.RoundTripper
	}
	if _, ok := err.(*breaker.Rejection); ok && t.cfg.SyntheticResponse {
		return synthesize(req, err, false), nil
	}
	return nil, err
}

// syntheticBody marks a response as ours by its type.
type syntheticBody struct{ io.Reader }

func (syntheticBody) Close() error { return nil }

func isSynthetic(resp *http.Response) bool {
	_, ok := resp.Body.(syntheticBody)
	return ok
}

// synthesize makes the response that takes the place of a refusal. Its text names
// neither the host nor the errors that opened the breaker: behind a reverse
// proxy it is read by strangers. If there was an attempt before, it was another one that
// was refused.
func synthesize(req *http.Request, refusal error, begun bool) *http.Response {
	text := "A limit of this side is reached"
	if r, ok := errors.AsType[*breaker.Rejection](refusal); ok {
		text = fmt.Sprintf("The circuit breaker is %v", r.State)
	}
	if begun {
		text += ": the request was not sent again.\n"
	} else {
		text += ": the request was not sent.\n"
	}
	header := http.Header{
		"Content-Type":   {"text/plain; charset=utf-8"},
		"Content-Length": {strconv.Itoa(len(text))},
	}
	if wait, known := switchgear.RetryAfter(refusal); known {
		header.Set("Retry-After", strconv.FormatInt(wholeSeconds(wait), 10))
	}
	content := text
	if req.Method == http.MethodHead {
		content = ""
	}
	return &http.Response{
		Status:        "503 Service Unavailable",
		StatusCode:    http.StatusServiceUnavailable,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        header,
		Body:          syntheticBody{strings.NewReader(content)},
		ContentLength: int64(len(text)),
		Request:       req,
	}
}

// wholeSeconds rounds up, so that nobody comes back too early.
func wholeSeconds(d time.Duration) int64 {
	n := int64(d / time.Second)
	if d%time.Second > 0 {
		n++
	}
	return n
}
