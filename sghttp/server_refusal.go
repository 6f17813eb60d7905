package sghttp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/ratelimit"
)

// RefusedBy is which part of a [Server] refused a request.
type RefusedBy uint8

const (
	// RefusedByKey is [ServerConfig.KeyedRateLimit].
	RefusedByKey RefusedBy = iota
	// RefusedByRate is [ServerConfig.RateLimit].
	RefusedByRate
	// RefusedByAdaptive is [ServerConfig.Adaptive].
	RefusedByAdaptive
	// RefusedByBulkhead is [ServerConfig.Bulkhead].
	RefusedByBulkhead
	// RefusedByDeadline is [ServerConfig.Deadline]: there was too little time to begin,
	// or it was over before the handler wrote anything.
	RefusedByDeadline

	refusers = iota
)

var refuserNames = [refusers]string{"key", "rate", "adaptive", "bulkhead", "deadline"}

// String returns "key", "rate", "adaptive", "bulkhead" or "deadline".
func (by RefusedBy) String() string {
	if by < refusers {
		return refuserNames[by]
	}
	return fmt.Sprintf("refuser(%d)", uint8(by))
}

// MarshalText returns the name. A number that has none is an error.
func (by RefusedBy) MarshalText() ([]byte, error) {
	if by >= refusers {
		return nil, fmt.Errorf("sghttp: %v is no part of a server", by)
	}
	return []byte(by.String()), nil
}

// UnmarshalText accepts the names that String returns.
func (by *RefusedBy) UnmarshalText(text []byte) error {
	for i, name := range refuserNames {
		if string(text) == name {
			*by = RefusedBy(i)
			return nil
		}
	}
	return fmt.Errorf("sghttp: %q is no part of a server: key, rate, adaptive, bulkhead or deadline", text)
}

// status returns the status of the answer: 429 where the client asks too much, and 503
// where the server cannot do more.
func (by RefusedBy) status() int {
	if by == RefusedByKey || by == RefusedByRate {
		return http.StatusTooManyRequests
	}
	return http.StatusServiceUnavailable
}

// text is the body of the answer. It is read by strangers and names no policies.
func (by RefusedBy) text() string {
	switch by {
	case RefusedByKey, RefusedByRate:
		return "Too many requests."
	case RefusedByDeadline:
		return "There was not enough time to answer the request."
	}
	return "The server is busy."
}

// ErrServerRejected is matched, with errors.Is, by every [*ServerRejection].
var ErrServerRejected = errors.New("sghttp: request rejected")

// ServerRejection is a refused request, for [WithServerAnswer]. It matches
// [ErrServerRejected], [switchgear.ErrRejected], and what the policy's own rejection
// matches.
type ServerRejection struct {
	// Name is the server's name.
	Name string
	// By is which part of it refused.
	By RefusedBy
	// Status is the status of the answer: 429 or 503.
	Status int
	// Err is the rejection of the policy, such as a [*bulkhead.Rejection].
	Err error

	wait time.Duration
}

// Error names the server and gives the policy's own words.
func (r *ServerRejection) Error() string {
	return fmt.Sprintf("server %q refused the request: %v", r.Name, r.Err)
}

// Is reports whether target is one of the two sentinels.
func (r *ServerRejection) Is(target error) bool {
	return target == ErrServerRejected || target == switchgear.ErrRejected
}

// Unwrap returns Err.
func (r *ServerRejection) Unwrap() error { return r.Err }

// RetryAfter returns what the Retry-After header says, in whole seconds, and whether
// there is one.
func (r *ServerRejection) RetryAfter() (wait time.Duration, known bool) { return r.wait, r.wait > 0 }

var (
	errNoTime  = errors.New("the deadline leaves too little time")
	errOverdue = errors.New("the deadline passed before anything was written")
)

// refuse counts and answers a request that was not admitted.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, by RefusedBy, err error) {
	switch {
	case !endedWaiting(err):
		s.tally.refused[by].Add(1)
	case r.Context().Err() == nil: // then it was our deadline
		by = RefusedByDeadline
		s.tally.refused[by].Add(1)
	default:
		// Nobody reads the answer but the middleware around us.
		s.tally.gone.Add(1)
	}
	s.reply(w, r, by, err)
}

// endedWaiting reports whether err is the rejection of a request whose context ended
// before it was its turn.
func endedWaiting(err error) bool {
	switch r := err.(type) {
	case *bulkhead.Rejection:
		return r.Reason == bulkhead.GaveUp
	case *ratelimit.Rejection:
		return r.Reason == ratelimit.CallerGone
	}
	return false
}

// reply writes the answer to a refused request.
func (s *Server) reply(w http.ResponseWriter, r *http.Request, by RefusedBy, err error) {
	seconds := s.retryAfter(by, err)
	if seconds > 0 {
		w.Header().Set("Retry-After", strconv.FormatInt(seconds, 10))
	}
	if s.answer == nil {
		http.Error(w, by.text(), by.status())
		return
	}
	const most = math.MaxInt64 / int64(time.Second)
	s.answer(w, r, &ServerRejection{
		Name: s.name, By: by, Status: by.status(), Err: err,
		wait: time.Duration(min(seconds, most)) * time.Second,
	})
}

// retryAfter returns when to come back, in seconds; 0 if that is not known.
func (s *Server) retryAfter(by RefusedBy, err error) int64 {
	wait := s.cfg.RetryAfter // Off is negative
	spread := s.cfg.RetrySpread
	if by == RefusedByKey || by == RefusedByRate {
		known := false
		if wait, known = switchgear.RetryAfter(err); !known {
			return 0
		}
		wait = max(wait, 1)
		if by == RefusedByKey {
			spread = 0
		}
	}
	if wait <= 0 {
		return 0
	}
	seconds := wholeSeconds(wait)
	if n := wholeSeconds(max(spread, 0)); n > 0 {
		seconds += min(max(int64(s.random()*float64(n+1)), 0), n)
	}
	return seconds
}

// describing are the headers that a handler may have set for a response that it then
// did not write.
var describing = [...]string{
	"Content-Type", "Content-Length", "Content-Encoding", "Content-Range", "Content-Disposition",
	"Etag", "Last-Modified", "Cache-Control", "Expires", "Trailer",
}

// overdue answers a request whose deadline passed before its handler wrote anything.
func (s *Server) overdue(w http.ResponseWriter, r *http.Request) {
	for _, name := range describing {
		w.Header().Del(name)
	}
	s.reply(w, r, RefusedByDeadline, fmt.Errorf("%w: %w", errOverdue, context.DeadlineExceeded))
}
