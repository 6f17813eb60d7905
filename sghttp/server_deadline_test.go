package sghttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/ratelimit"
)

const limit = 10 * time.Second

// waits makes a handler that takes a while but looks at its context.
func waits(d time.Duration) http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(d):
		case <-r.Context().Done():
		}
	}
}

// remaining makes a handler that tells how much time it has.
func remaining(left *time.Duration) http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) {
		*left = 0
		if d, ok := r.Context().Deadline(); ok {
			*left = time.Until(d)
		}
	}
}

func TestServerDeadline(t *testing.T) {
	cfg := ServerConfig{Deadline: &DeadlineConfig{Limit: limit}, Adaptive: &adaptive.Config{}}
	dropped := func(t *testing.T, s *Server, n uint64) {
		t.Helper()
		equal(t, "dropped", s.Adaptive().Counters().Dropped, n)
		equal(t, "overdue", s.Counters().Overdue, n)
		s.atRest(t)
	}
	bubble := func(name string, f func(t *testing.T)) {
		t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
	}
	bubble("in time", func(t *testing.T) {
		s := newServer(t, cfg)
		equal(t, "status", s.serve(waits(limit-1)).Code, 200)
		dropped(t, s, 0)
	})
	bubble("nothing written", func(t *testing.T) {
		s := newServer(t, cfg)
		began := time.Now()
		refusedWith(t, s.serve(waits(time.Hour)), 503, "2", noTime)
		equal(t, "took", time.Since(began), limit)
		equal(t, "status", s.Counters().Statuses, ServerStatuses{ServerErrors: 1})
		equal(t, "refused", s.Counters().Refused, ServerRefused{})
		dropped(t, s, 1)
	})
	bubble("the handler's headers describe another body", func(t *testing.T) {
		s := newServer(t, cfg)
		w := s.serve(func(w http.ResponseWriter, r *http.Request) {
			for _, h := range describing {
				w.Header().Set(h, "1000")
			}
			w.Header().Set("Set-Cookie", "a=b")
			waits(time.Hour)(w, r)
		})
		refusedWith(t, w, 503, "2", noTime)
		equal(t, "headers", w.Header(), http.Header{
			"Content-Type": {"text/plain; charset=utf-8"}, "X-Content-Type-Options": {"nosniff"}, "Retry-After": {"2"},
			"Set-Cookie": {"a=b"},
		})
	})
	bubble("K53: something written", func(t *testing.T) {
		s := newServer(t, cfg)
		w := s.serve(func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "half")
			waits(time.Hour)(w, r)
		})
		refusedWith(t, w, 200, "", "half")
		equal(t, "superfluous", s.Counters().Superfluous, 0)
		dropped(t, s, 1)
	})
	bubble("a handler that does not look", func(t *testing.T) {
		s := newServer(t, cfg)
		w := s.serve(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Hour)
			equal(t, "held", s.Adaptive().Running(), 1)
			w.WriteHeader(201)
		})
		equal(t, "status", w.Code, 201)
		dropped(t, s, 1)
	})
	bubble("a panic after it", func(t *testing.T) {
		s := newServer(t, cfg)
		cause := s.serveSafely(t.Context(), func(w http.ResponseWriter, r *http.Request) {
			waits(time.Hour)(w, r)
			panic(http.ErrAbortHandler)
		})
		equal(t, "cause", cause, any(http.ErrAbortHandler))
		equal(t, "status", s.Counters().Statuses, ServerStatuses{})
		dropped(t, s, 1)
	})
	bubble("the client leaves before it", func(t *testing.T) {
		s := newServer(t, cfg)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		equal(t, "status", s.serveContext(ctx, waits(time.Hour)).Code, 200) // which nobody sees
		equal(t, "ignored", s.Adaptive().Counters().Ignored, 1)
		dropped(t, s, 0)
	})
	bubble("the deadline of somebody around us is theirs to answer", func(t *testing.T) {
		s := newServer(t, ServerConfig{CountStatuses: true})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		equal(t, "status", s.serveContext(ctx, waits(time.Hour)).Code, 200)
		equal(t, "overdue", s.Counters().Overdue, 1)
	})
	bubble("an answer of one's own", func(t *testing.T) {
		var seen *ServerRejection
		s := newServer(t, cfg, WithServerAnswer(func(w http.ResponseWriter, _ *http.Request, why *ServerRejection) {
			seen = why
			equal(t, "held", s0(w).Adaptive().Running(), 1)
			w.WriteHeader(http.StatusGatewayTimeout)
		}))
		equal(t, "status", s.serve(waits(time.Hour)).Code, 504)
		equal(t, "by", seen.By, RefusedByDeadline)
		matches(t, "rejection", seen, context.DeadlineExceeded)
		dropped(t, s, 1)

		// It panics, and everything is given back all the same.
		s = newServer(t, cfg, WithServerAnswer(func(http.ResponseWriter, *http.Request, *ServerRejection) { panic("boom") }))
		equal(t, "cause", s.serveSafely(t.Context(), waits(time.Hour)), any("boom"))
		dropped(t, s, 1)
	})
	bubble("nothing is left of it", func(t *testing.T) {
		var ctx context.Context
		newServer(t, cfg).serve(func(_ http.ResponseWriter, r *http.Request) { ctx = r.Context() })
		matches(t, "context", ctx.Err(), context.Canceled)
	})
}

// s0 returns the server of an exchange.
func s0(w http.ResponseWriter) *Server { return w.(*exchange).server }

// The deadline counts from the arrival, with every wait.
func TestServerDeadlineFromArrival(t *testing.T) {
	t.Run("waits for a rate limit", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newServer(t, ServerConfig{
				RateLimit: &ratelimit.Config{Rate: 1, MaxWait: 5 * time.Second},
				Deadline:  &DeadlineConfig{Limit: limit, Header: "X-Timeout"},
			})
			var left time.Duration
			s.serve(remaining(&left))
			equal(t, "at once", left, limit)
			s.serve(remaining(&left))
			equal(t, "after a second", left, limit-time.Second)
			refusedWith(t, s.serve(never(t), header("X-Timeout", "0.5")), 503, "2", noTime)
			equal(t, "counters", s.Counters().Refused, ServerRefused{Deadline: 1})
			s.atRest(t)
		})
	})
	t.Run("waits in the queue", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newServer(t, ServerConfig{
				Bulkhead: &bulkhead.Config{MaxConcurrent: 1, MaxWaiting: 5, MaxWait: time.Hour},
				Deadline: &DeadlineConfig{Limit: limit, Minimum: 3 * time.Second},
			})
			hold := func(d time.Duration) {
				end := s.occupied(1)
				time.AfterFunc(d, end)
			}
			var left time.Duration
			hold(7 * time.Second)
			equal(t, "status", s.serve(remaining(&left)).Code, 200)
			equal(t, "just enough", left, 3*time.Second)
			synctest.Wait()

			hold(7*time.Second + 1)
			refusedWith(t, s.serve(never(t)), 503, "2", noTime)
			synctest.Wait()

			hold(time.Minute)
			began := time.Now()
			refusedWith(t, s.serve(never(t)), 503, "2", noTime)
			equal(t, "waited", time.Since(began), limit)
			time.Sleep(time.Minute)
			synctest.Wait()
			equal(t, "counters", s.Counters().Refused, ServerRefused{Deadline: 2})
			equal(t, "of the bulkhead", s.Bulkhead().Counters().GaveUp, 1)
			s.atRest(t)
		})
	})
}

func TestServerDeadlineHeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := DeadlineConfig{Limit: limit, Minimum: 100 * time.Millisecond, Header: "x-timeout"}
		for value, want := range map[string]time.Duration{
			"":                         limit,
			"2":                        2 * time.Second,
			"1.5":                      1500 * time.Millisecond,
			"250ms":                    250 * time.Millisecond,
			"0.1":                      100 * time.Millisecond,
			"10":                       limit,
			"11":                       limit,
			"1h":                       limit,
			"99999999999999999999999":  limit,
			"-1":                       limit,
			"-5s":                      limit,
			"soon":                     limit,
			"1e9":                      limit,
			"NaN":                      limit,
			"Mon, 30 Nov 2026 04:15:1": limit,
		} {
			s := newServer(t, ServerConfig{Deadline: &cfg})
			var left time.Duration
			equal(t, value+": status", s.serve(remaining(&left), header("X-Timeout", value)).Code, 200)
			equal(t, value, left, want)
		}
		for _, value := range []string{"0", "0s", "99ms", "0.0999"} {
			s := newServer(t, ServerConfig{Deadline: &cfg, Bulkhead: &bulkhead.Config{}})
			refusedWith(t, s.serve(never(t), header("X-Timeout", value)), 503, "2", noTime)
			equal(t, "refused", s.Counters().Refused, ServerRefused{Deadline: 1})
			s.atRest(t)
		}
		var left time.Duration
		s := newServer(t, ServerConfig{Deadline: &DeadlineConfig{Limit: limit}})
		s.serve(remaining(&left), header("X-Timeout", "1"))
		equal(t, "not asked", left, limit)
	})
}

// A deadline that somebody around us has set, and that is nearer, stays in force.
func TestServerDeadlineNearerOutside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("theirs"))
		defer cancel()
		var left time.Duration
		newServer(t, ServerConfig{Deadline: &DeadlineConfig{Limit: limit}}).serveContext(ctx, remaining(&left))
		equal(t, "left", left, time.Second)
	})
}
