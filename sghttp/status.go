package sghttp

import (
	"fmt"
	"net/http"
	"time"

	"github.com/switchgear-go/switchgear"
)

// outcome returns what an answer with this status says about the host (rule C4).
func (cfg *Config) outcome(code int) switchgear.Outcome {
	if o, ok := cfg.Statuses[code]; ok {
		return o
	}
	switch {
	case code == http.StatusNotImplemented, code == http.StatusHTTPVersionNotSupported:
		return switchgear.Success
	case code >= 500 && code <= 599, code == http.StatusRequestTimeout, code == http.StatusTooManyRequests:
		return switchgear.Failure
	}
	return switchgear.Success
}

// A StatusError stands for an answer with a failing status in the records of policies.
// Callers get the response itself. They get this error, in the chain of another one, only
// where a pipeline had given the answer up for another attempt, which then did not answer.
type StatusError struct {
	// Code is the status code.
	Code int

	wait time.Duration
}

func newStatusError(resp *http.Response, now time.Time) *StatusError {
	wait, _ := ParseRetryAfter(resp.Header.Get("Retry-After"), now)
	return &StatusError{Code: resp.StatusCode, wait: wait}
}

// Error returns "status 503 Service Unavailable", followed by the wait that the
// answer asked for.
func (e *StatusError) Error() string {
	s := fmt.Sprintf("status %d", e.Code)
	if text := http.StatusText(e.Code); text != "" {
		s += " " + text
	}
	if e.wait > 0 {
		s += fmt.Sprintf(", retry after %v", e.wait)
	}
	return s
}

// StatusCode returns Code. Trip records group errors by it (rule T5).
func (e *StatusError) StatusCode() int { return e.Code }

// RetryAfter returns the wait that the answer's Retry-After header asked for,
// from the moment it arrived, and whether there was one (rule O3).
func (e *StatusError) RetryAfter() (wait time.Duration, ok bool) { return e.wait, e.wait > 0 }
