package sghttp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/ratelimit"
)

// fixed is an adaptive limit that does not move.
func fixed(limit int) *adaptive.Config {
	return &adaptive.Config{Min: limit, Max: limit}
}

func TestServerWithoutPolicies(t *testing.T) {
	s := newServer(t, ServerConfig{})
	w := s.serve(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") })
	equal(t, "body", w.Body.String(), "hello")
	equal(t, "counters", s.Counters(), ServerCounters{Requests: 1, Admitted: 1})
	equal(t, "policies", s.KeyedRateLimit() == nil && s.RateLimit() == nil && s.Adaptive() == nil && s.Bulkhead() == nil, true)
	equal(t, "name", s.Name(), "api")
	s.atRest(t)
}

func TestServerWrapNil(t *testing.T) {
	h := newServer(t, ServerConfig{}).Wrap(nil).(*protected)
	equal(t, "next", h.next, http.Handler(http.DefaultServeMux))
}

func TestServerRateLimit(t *testing.T) {
	s, clk := virtualServer(t, ServerConfig{RateLimit: &ratelimit.Config{Rate: 0.4, Burst: 2}})
	for range 2 {
		equal(t, "status", s.serve(status(http.StatusNoContent)).Code, http.StatusNoContent)
	}
	// The next token is there after 2.5 s; rounded up, and one more by chance.
	refusedWith(t, s.serve(never(t)), http.StatusTooManyRequests, "4", tooMany)
	clk.Advance(2500 * time.Millisecond)
	equal(t, "status", s.serve(nothing).Code, http.StatusOK)
	equal(t, "counters", s.Counters(), ServerCounters{Requests: 4, Admitted: 3, Refused: ServerRefused{Rate: 1}})
	equal(t, "of the policy", s.RateLimit().Counters(), ratelimit.Counters{Admitted: 3, Refused: 1})
	s.atRest(t)
}

func TestServerRetryAfterOfRateLimits(t *testing.T) {
	t.Run("never less than a second", func(t *testing.T) {
		s, _ := virtualServer(t, ServerConfig{RateLimit: &ratelimit.Config{Rate: 1000, Burst: 1}, RetrySpread: off})
		s.serve(nothing)
		refusedWith(t, s.serve(never(t)), http.StatusTooManyRequests, "1", tooMany)
	})
	t.Run("also if a token has come in the meantime", func(t *testing.T) {
		s, clk := virtualServer(t, ServerConfig{RateLimit: &ratelimit.Config{Rate: 1}, RetrySpread: off})
		s.serve(nothing)
		err := s.RateLimit().Allow()
		clk.Advance(time.Minute)
		equal(t, "seconds", s.retryAfter(RefusedByRate, err), 1)
	})
	t.Run("unknown", func(t *testing.T) {
		s, _ := virtualServer(t, ServerConfig{RateLimit: &ratelimit.Config{Rate: off, Burst: 1}})
		s.serve(nothing)
		refusedWith(t, s.serve(never(t)), http.StatusTooManyRequests, "", tooMany)
	})
	t.Run("known also if that of the 503 is off", func(t *testing.T) {
		s, _ := virtualServer(t, ServerConfig{RateLimit: &ratelimit.Config{Rate: 0.1}, RetryAfter: off})
		s.serve(nothing)
		refusedWith(t, s.serve(never(t)), http.StatusTooManyRequests, "11", tooMany)
	})
}

func TestServerRateLimitByKey(t *testing.T) {
	cfg := ServerConfig{
		KeyedRateLimit: &ratelimit.KeyedConfig{Limit: ratelimit.Config{Rate: 0.1}},
		RateLimit:      &ratelimit.Config{Rate: 1, Burst: 3},
	}
	t.Run("by address, whatever the port", func(t *testing.T) {
		s, _ := virtualServer(t, cfg)
		equal(t, "first", s.serve(nothing, from("192.0.2.1:1000")).Code, 200)
		for range 5 {
			// Every client has its own time: nothing is added by chance.
			refusedWith(t, s.serve(never(t), from("192.0.2.1:1001")), 429, "10", tooMany)
		}
		// The refused ones have not used up what is there for all.
		equal(t, "second", s.serve(nothing, from("192.0.2.2:1000")).Code, 200)
		equal(t, "third", s.serve(nothing, from("192.0.2.3:1000")).Code, 200)
		equal(t, "fourth", s.serve(never(t), from("192.0.2.4:1000")).Code, 429)
		equal(t, "refused", s.Counters().Refused, ServerRefused{Key: 5, Rate: 1})
		equal(t, "keys", s.Snapshot().KeyedRateLimit.Keys, 4)
		s.atRest(t)
	})
	t.Run("by a function", func(t *testing.T) {
		s, _ := virtualServer(t, cfg, WithServerKey(func(r *http.Request) (string, bool) {
			customer := r.Header.Get("Customer")
			return customer, customer != ""
		}))
		equal(t, "ana", s.serve(nothing, header("Customer", "ana")).Code, 200)
		equal(t, "ana again", s.serve(never(t), header("Customer", "ana")).Code, 429)
		equal(t, "nobody", s.serve(nothing).Code, 200)
		equal(t, "nobody again", s.serve(nothing).Code, 200)
	})
	t.Run("bounded", func(t *testing.T) {
		cfg := cfg
		cfg.KeyedRateLimit = &ratelimit.KeyedConfig{Limit: ratelimit.Config{Rate: 0.1}, MaxKeys: 1}
		s, _ := virtualServer(t, cfg)
		equal(t, "first", s.serve(nothing, from("192.0.2.1:1")).Code, 200)
		equal(t, "shared", s.serve(nothing, from("192.0.2.2:1")).Code, 200)
		equal(t, "shared again", s.serve(never(t), from("192.0.2.3:1")).Code, 429)
		equal(t, "keys", s.Snapshot().KeyedRateLimit.Keys, 1)
	})
}

func TestServerRateLimitWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, ServerConfig{RateLimit: &ratelimit.Config{Rate: 1, MaxWait: 3 * time.Second}})
		began := time.Now()
		for range 3 {
			equal(t, "status", s.serve(nothing).Code, 200)
		}
		equal(t, "waited", time.Since(began), 2*time.Second)

		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, cancel)
		equal(t, "client gone", s.serveContext(ctx, never(t)).Code, 429)
		equal(t, "counters", s.Counters(), ServerCounters{Requests: 4, Admitted: 3, Gone: 1})
		s.atRest(t)
	})
}

func TestServerBulkhead(t *testing.T) {
	s := newServer(t, ServerConfig{Bulkhead: &bulkhead.Config{MaxConcurrent: 2}})
	end := s.occupied(2)
	refusedWith(t, s.serve(never(t)), http.StatusServiceUnavailable, "2", busy)
	equal(t, "running", s.Snapshot().Running, 2)
	equal(t, "in the bulkhead", s.Snapshot().Bulkhead.Running, 2)
	end()
	equal(t, "status", s.serve(nothing).Code, 200)
	equal(t, "counters", s.Counters(), ServerCounters{Requests: 4, Admitted: 3, Refused: ServerRefused{Bulkhead: 1}})
	s.atRest(t)

	// Two handlers, one limit.
	other := s.Wrap(status(http.StatusAccepted))
	equal(t, "shared", other.(*protected).server, s)
	equal(t, "reconfigured", s.Bulkhead().Reconfigure(bulkhead.Config{MaxConcurrent: 1}), nil)
	end = s.occupied(1)
	equal(t, "status", s.serve(never(t)).Code, 503)
	end()
}

func TestServerBulkheadQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, ServerConfig{Bulkhead: &bulkhead.Config{MaxConcurrent: 1, MaxWaiting: 1, MaxWait: time.Minute}})
		end := s.occupied(1)
		codes := make(chan int)
		go func() { codes <- s.serve(nothing).Code }()
		synctest.Wait()
		equal(t, "waiting", s.Snapshot().Bulkhead.Waiting, 1)
		equal(t, "no place in the queue", s.serve(never(t)).Code, 503)
		end()
		equal(t, "waited", <-codes, 200)

		end = s.occupied(1)
		began := time.Now()
		equal(t, "waited in vain", s.serve(never(t)).Code, 503)
		equal(t, "waited", time.Since(began), time.Minute)

		ctx, cancel := context.WithCancel(t.Context())
		go func() { codes <- s.serveContext(ctx, never(t)).Code }()
		synctest.Wait()
		cancel()
		equal(t, "client gone", <-codes, 503)
		end()
		equal(t, "counters", s.Counters(), ServerCounters{
			Requests: 6, Admitted: 3, Refused: ServerRefused{Bulkhead: 2}, Gone: 1,
		})
		s.atRest(t)
	})
}

func TestServerAdaptivePriorities(t *testing.T) {
	byPath := func(r *http.Request) adaptive.Priority {
		switch r.URL.Path {
		case "/search":
			return adaptive.Background
		case "/browse":
			return adaptive.Normal
		}
		return adaptive.Critical
	}
	path := func(p string) func(*http.Request) { return func(r *http.Request) { r.URL.Path = p } }
	s := newServer(t, ServerConfig{Adaptive: fixed(10)}, WithServerPriority(byPath))
	admitted := func(when string, background, normal, critical bool) {
		t.Helper()
		code := map[bool]int{true: 200, false: 503}
		equal(t, when+": background", s.serve(nothing, path("/search")).Code, code[background])
		equal(t, when+": normal", s.serve(nothing, path("/browse")).Code, code[normal])
		equal(t, when+": critical", s.serve(nothing, path("/buy")).Code, code[critical])
	}
	five := s.occupied(5)
	admitted("5 of 10", true, true, true)
	two := s.occupied(2)
	admitted("7 of 10", false, true, true)
	last := s.occupied(2)
	admitted("9 of 10", false, false, true)
	full := s.occupied(1)
	admitted("10 of 10", false, false, false)
	refusedWith(t, s.serve(never(t)), 503, "2", busy)
	for _, end := range []func(){five, two, last, full} {
		end()
	}
	equal(t, "by priority", s.Adaptive().Counters().RejectedBy, []uint64{2, 2, 3})
	equal(t, "refused", s.Counters().Refused, ServerRefused{Adaptive: 7})
	s.atRest(t)

	t.Run("the default is the context's", func(t *testing.T) {
		s := newServer(t, ServerConfig{Adaptive: fixed(10)})
		end := s.occupied(7)
		defer end()
		ctx := adaptive.WithPriority(t.Context(), adaptive.Background)
		equal(t, "background", s.serveContext(ctx, never(t)).Code, 503)
		equal(t, "critical", s.serve(nothing).Code, 200)
	})
}

// The answer comes from the first that refuses, and what was taken before is given
// back.
func TestServerOrder(t *testing.T) {
	var asked []string
	s, clk := virtualServer(t, ServerConfig{
		KeyedRateLimit: &ratelimit.KeyedConfig{Limit: ratelimit.Config{Rate: 1, Burst: 5}},
		RateLimit:      &ratelimit.Config{Rate: 1, Burst: 4},
		Adaptive:       fixed(2),
		Bulkhead:       &bulkhead.Config{MaxConcurrent: 1},
		Deadline:       &DeadlineConfig{Limit: time.Minute},
	}, WithServerKey(func(*http.Request) (string, bool) {
		asked = append(asked, "key")
		return "all", true
	}), WithServerPriority(func(*http.Request) adaptive.Priority {
		asked = append(asked, "priority")
		return adaptive.Critical
	}), WithServerExempt(func(*http.Request) bool {
		asked = append(asked, "exempt")
		return false
	}))
	end := s.occupied(1)
	equal(t, "asked", asked, []string{"exempt", "key", "priority"})
	equal(t, "bulkhead", s.serve(never(t)).Code, 503)
	equal(t, "adaptive: given back", s.Adaptive().Running(), 1)
	equal(t, "adaptive: no sample", s.Adaptive().Counters().Released, 1)

	permit, err := s.Adaptive().TryAcquire(adaptive.Critical)
	equal(t, "error", err, nil)
	equal(t, "adaptive", s.serve(never(t)).Code, 503)
	permit.Release()
	end()

	equal(t, "the last token", s.serve(nothing).Code, 200)
	equal(t, "rate", s.serve(never(t)).Code, 429)
	equal(t, "key", s.serve(never(t)).Code, 429)
	clk.Advance(time.Hour)
	equal(t, "status", s.serve(nothing).Code, 200)
	equal(t, "counters", s.Counters().Refused, ServerRefused{Key: 1, Rate: 1, Adaptive: 1, Bulkhead: 1})
	s.atRest(t)
}

func TestServerExempt(t *testing.T) {
	s := newServer(t, ServerConfig{Bulkhead: &bulkhead.Config{MaxConcurrent: 1}, Deadline: &DeadlineConfig{Limit: time.Hour}},
		WithServerExempt(func(r *http.Request) bool { return r.URL.Path == "/healthz" }))
	end := s.occupied(1)
	equal(t, "other", s.serve(never(t)).Code, 503)
	w := s.serve(func(w http.ResponseWriter, r *http.Request) {
		_, wrapped := w.(interface{ Unwrap() http.ResponseWriter })
		_, limited := r.Context().Deadline()
		equal(t, "wrapped", wrapped, false)
		equal(t, "limited", limited, false)
	}, func(r *http.Request) { r.URL.Path = "/healthz" })
	equal(t, "health", w.Code, 200)
	end()
	equal(t, "exempt", s.Counters().Exempt, 1)
	s.atRest(t)
}

// Where no policy needs the status, handlers get the server's own writer.
func TestServerWrapsOnlyIfNeeded(t *testing.T) {
	for name, tt := range map[string]struct {
		cfg   ServerConfig
		wraps bool
	}{
		"nothing":                         {ServerConfig{}, false},
		"rate limit":                      {ServerConfig{RateLimit: &ratelimit.Config{Rate: 1}}, false},
		"bulkhead":                        {ServerConfig{Bulkhead: &bulkhead.Config{}}, false},
		"adaptive":                        {ServerConfig{Adaptive: &adaptive.Config{}}, true},
		"deadline":                        {ServerConfig{Deadline: &DeadlineConfig{Limit: time.Hour}}, true},
		"statuses":                        {ServerConfig{CountStatuses: true}, true},
		"hijack, and nothing held":        {ServerConfig{ReleaseOnHijack: true}, false},
		"hijack, and a bulkhead to leave": {ServerConfig{ReleaseOnHijack: true, Bulkhead: &bulkhead.Config{}}, true},
	} {
		newServer(t, tt.cfg).serve(func(w http.ResponseWriter, _ *http.Request) {
			_, wrapped := w.(interface{ Unwrap() http.ResponseWriter })
			equal(t, name, wrapped, tt.wraps)
		})
	}
}

// How requests end, and what the adaptive limit makes of it.
func TestServerJudgement(t *testing.T) {
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	late, cancel := context.WithDeadline(context.Background(), start) // in the past
	defer cancel()
	now := context.Background()
	panics := func(v any) http.HandlerFunc { return func(http.ResponseWriter, *http.Request) { panic(v) } }
	boom := errors.New("boom")
	nobody := func(http.ResponseWriter, *http.Request) { runtime.Goexit() }
	type ends = adaptive.Counters
	succeeded, dropped, ignored, released := ends{Succeeded: 1}, ends{Dropped: 1}, ends{Ignored: 1}, ends{Released: 1}
	for name, tt := range map[string]struct {
		ctx     context.Context
		handler http.HandlerFunc
		want    ends
		cause   any
	}{
		"nothing written":       {now, nothing, succeeded, nil},
		"200":                   {now, status(200), succeeded, nil},
		"404":                   {now, status(404), succeeded, nil},
		"429":                   {now, status(429), succeeded, nil},
		"500":                   {now, status(500), dropped, nil},
		"501":                   {now, status(501), succeeded, nil},
		"503":                   {now, status(503), dropped, nil},
		"505":                   {now, status(505), succeeded, nil},
		"999":                   {now, status(999), dropped, nil},
		"panic":                 {now, panics(boom), dropped, boom},
		"abort":                 {now, panics(http.ErrAbortHandler), ignored, http.ErrAbortHandler},
		"Goexit":                {now, nobody, released, nil},
		"client gone":           {gone, nothing, ignored, nil},
		"client gone, 500":      {gone, status(500), ignored, nil},
		"client gone, abort":    {gone, panics(http.ErrAbortHandler), ignored, http.ErrAbortHandler},
		"client gone, panic":    {gone, panics(boom), dropped, boom},
		"deadline passed, 200":  {late, status(200), dropped, nil},
		"deadline passed":       {late, nothing, dropped, nil},
		"deadline passed abort": {late, panics(http.ErrAbortHandler), dropped, http.ErrAbortHandler},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, ServerConfig{Adaptive: &adaptive.Config{}, Bulkhead: &bulkhead.Config{}})
			equal(t, "cause", s.serveSafely(tt.ctx, tt.handler), tt.cause)
			got := s.Adaptive().Counters()
			equal(t, "outcome", ends{Succeeded: got.Succeeded, Dropped: got.Dropped, Ignored: got.Ignored, Released: got.Released}, tt.want)
			s.atRest(t)
			c := s.Counters()
			equal(t, "panics", c.Panics == 1, tt.cause == boom)
			equal(t, "aborted", c.Aborted == 1, tt.cause == http.ErrAbortHandler)
			equal(t, "overdue", c.Overdue == 1, tt.ctx == late)
		})
	}
}

// What ends a handler goes on, also where there is no wrapper.
func TestServerPlainPanics(t *testing.T) {
	s := newServer(t, ServerConfig{Bulkhead: &bulkhead.Config{}})
	equal(t, "panic", s.serveSafely(t.Context(), func(http.ResponseWriter, *http.Request) { panic("boom") }), any("boom"))
	equal(t, "abort", s.serveSafely(t.Context(), func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), any(http.ErrAbortHandler))
	equal(t, "Goexit", s.serveSafely(t.Context(), func(http.ResponseWriter, *http.Request) { runtime.Goexit() }), nil)
	equal(t, "counters", s.Counters(), ServerCounters{Requests: 3, Admitted: 3, Panics: 1, Aborted: 1})
	s.atRest(t)
}

// Functions that are given to a server run before anything is held.
func TestServerOptionPanics(t *testing.T) {
	boom := func() { panic("boom") }
	for name, opt := range map[string]ServerOption{
		"exempt":   WithServerExempt(func(*http.Request) bool { boom(); return true }),
		"key":      WithServerKey(func(*http.Request) (string, bool) { boom(); return "", true }),
		"priority": WithServerPriority(func(*http.Request) adaptive.Priority { boom(); return 0 }),
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, ServerConfig{
				KeyedRateLimit: &ratelimit.KeyedConfig{Limit: ratelimit.Config{Rate: 1}},
				Adaptive:       fixed(1), Bulkhead: &bulkhead.Config{MaxConcurrent: 1},
			}, opt)
			equal(t, "cause", s.serveSafely(t.Context(), never(t)), any("boom"))
			equal(t, "adaptive", s.Adaptive().Running(), 0)
			equal(t, "bulkhead", s.Bulkhead().Snapshot().Running, 0)
			equal(t, "counters", s.Counters(), ServerCounters{Requests: 1})
		})
	}
}

func TestServerAnswer(t *testing.T) {
	var seen *ServerRejection
	answer := WithServerAnswer(func(w http.ResponseWriter, r *http.Request, why *ServerRejection) {
		seen = why
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(why.Status)
		json.NewEncoder(w).Encode(map[string]any{"title": why.By, "status": why.Status})
	})
	s, _ := virtualServer(t, ServerConfig{
		RateLimit: &ratelimit.Config{Rate: 1, Burst: 2}, Bulkhead: &bulkhead.Config{MaxConcurrent: 1},
	}, answer)
	end := s.occupied(1)
	refusedWith(t, s.serve(never(t)), 503, "2", `{"status":503,"title":"bulkhead"}`+"\n")
	matches(t, "rejection", seen, ErrServerRejected)
	matches(t, "rejection", seen, switchgear.ErrRejected)
	matches(t, "rejection", seen, bulkhead.ErrRejected)
	equal(t, "text", seen.Error(), `server "api" refused the request: bulkhead "api" is full: 1 of 1 calls running`)
	wait, known := seen.RetryAfter()
	equal(t, "known", known, true)
	equal(t, "wait", wait, 2*time.Second)

	refusedWith(t, s.serve(never(t)), 429, "2", `{"status":429,"title":"rate"}`+"\n")
	matches(t, "rejection", seen, ratelimit.ErrRejected)
	end()
	s.atRest(t)

	t.Run("a panic goes up and leaves nothing behind", func(t *testing.T) {
		s, _ := virtualServer(t, ServerConfig{RateLimit: &ratelimit.Config{Rate: 1}},
			WithServerAnswer(func(http.ResponseWriter, *http.Request, *ServerRejection) { panic("boom") }))
		s.serve(nothing)
		equal(t, "cause", s.serveSafely(t.Context(), never(t)), any("boom"))
		s.atRest(t)
	})
}

func TestServerRetryAfterOfBusy(t *testing.T) {
	for name, tt := range map[string]struct {
		after, spread time.Duration
		chance        float64
		want          string
	}{
		"defaults, the least":     {0, 0, 0, "1"},
		"defaults, in the middle": {0, 0, 0.5, "2"},
		"defaults, the most":      {0, 0, 1, "3"},
		"without spread":          {5 * time.Second, off, 0.9, "5"},
		"rounded up":              {4100 * time.Millisecond, 10 * time.Millisecond, 0.6, "6"},
		"off":                     {off, 0, 0.5, ""},
		"chance out of its mind":  {0, 0, -7, "1"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, ServerConfig{
				Bulkhead: &bulkhead.Config{MaxConcurrent: 1}, RetryAfter: tt.after, RetrySpread: tt.spread,
			}, WithServerRandom(func() float64 { return tt.chance }))
			end := s.occupied(1)
			defer end()
			refusedWith(t, s.serve(never(t)), 503, tt.want, busy)
		})
	}
}

// A refusal tells a stranger nothing, and is not kept by caches or sniffed by browsers.
func TestServerRefusalHeaders(t *testing.T) {
	s := newServer(t, ServerConfig{Bulkhead: &bulkhead.Config{MaxConcurrent: 1}})
	end := s.occupied(1)
	defer end()
	w := s.serve(never(t))
	equal(t, "headers", w.Header(), http.Header{
		"Content-Type": {"text/plain; charset=utf-8"}, "X-Content-Type-Options": {"nosniff"}, "Retry-After": {"2"},
	})
	equal(t, "says who", strings.Contains(w.Body.String(), "api") || strings.Contains(w.Body.String(), "bulkhead"), false)
}

func TestServerListener(t *testing.T) {
	var sources []string
	l := event.Func(func(e event.Event) { sources = append(sources, e.Source+" "+e.Name) })
	newServer(t, ServerConfig{
		KeyedRateLimit: &ratelimit.KeyedConfig{Limit: ratelimit.Config{Rate: off, MaxWait: 1}},
		Adaptive:       fixed(10),
		Bulkhead:       &bulkhead.Config{MaxWaiting: 2_000_000},
	}, WithServerListener(l), nil, WithServerListener(nil))
	equal(t, "warnings", sources, []string{"ratelimit api", "adaptive api", "bulkhead api"})
}

// A listener that ends the goroutine on which it is called does not keep a request from
// giving everything back.
func TestServerListenerGoexit(t *testing.T) {
	called := false
	s := newServer(t, ServerConfig{
		Adaptive: &adaptive.Config{Algorithm: adaptive.ByAIMD, Initial: 100, Min: 90, Window: adaptive.WindowConfig{Time: off}},
		Bulkhead: &bulkhead.Config{},
	}, WithServerListener(event.Func(func(event.Event) {
		called = true
		runtime.Goexit()
	})))
	equal(t, "cause", s.serveSafely(t.Context(), status(500)), nil)
	equal(t, "called", called, true)
	s.atRest(t)
	equal(t, "counters", s.Counters(), ServerCounters{Requests: 1, Admitted: 1, Statuses: ServerStatuses{ServerErrors: 1}})
}

func TestRefusedByText(t *testing.T) {
	for by := range RefusedBy(refusers) {
		text, err := by.MarshalText()
		equal(t, "error", err, nil)
		var back RefusedBy
		equal(t, "error", back.UnmarshalText(text), nil)
		equal(t, "back", back, by)
	}
	unknown := RefusedBy(refusers)
	equal(t, "unknown", unknown.String(), "refuser(5)")
	_, err := unknown.MarshalText()
	equal(t, "an error", err != nil, true)
	equal(t, "an error", unknown.UnmarshalText([]byte("nobody")) != nil, true)
}
