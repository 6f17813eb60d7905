package sghttp

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/ratelimit"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/timeout"
)

func TestPipelineRefusals(t *testing.T) {
	cfg := patient()
	cfg.Pipeline.Breaker = new(plain())
	inner := &attemptCounter{next: fails(errDown)}
	rt := newTransport(t, inner, cfg)
	for range 4 {
		resp, err := rt.RoundTrip(request(context.Background(), "http://api.example/"))
		equal(t, "no answer", resp == nil, true)
		equal(t, "error", err != nil, true)
	}
	equal(t, "attempts, until the breaker opened", inner.n.Load(), int64(5))
	_, err := rt.RoundTrip(request(context.Background(), "http://api.example/"))
	matches(t, "refused", err, breaker.ErrRejected)

	cfg.SyntheticResponse = true
	rt = newTransport(t, fails(errDown), cfg)
	for range 4 {
		_, _ = rt.RoundTrip(request(context.Background(), "http://api.example/"))
	}
	resp, err := rt.RoundTrip(request(context.Background(), "http://api.example/"))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "status", resp.StatusCode, http.StatusServiceUnavailable)
	equal(t, "hint", resp.Header.Get("Retry-After") != "", true)
}

func TestPipelineRefusalsOfOtherPolicies(t *testing.T) {
	inBubble(t, "a bulkhead", func(t *testing.T) {
		cfg := Config{Pipeline: &pipeline.Config{Bulkhead: &bulkhead.Config{MaxConcurrent: 1}}}
		refused(t, cfg, bulkhead.ErrRejected, "A limit of this side is reached: the request was not sent.\n", false)
	})
	inBubble(t, "a rate limit, which knows when there is room", func(t *testing.T) {
		cfg := Config{Pipeline: &pipeline.Config{RateLimit: &ratelimit.Config{Rate: 0.1, Burst: 1}}}
		refused(t, cfg, ratelimit.ErrRejected, "A limit of this side is reached: the request was not sent.\n", true)
	})
}

// refused makes a call while another one is under way, which is one too many.
func refused(t *testing.T, cfg Config, want error, text string, hint bool) {
	t.Helper()
	for _, cfg.SyntheticResponse = range []bool{false, true} {
		hold, held := make(chan struct{}), make(chan struct{})
		rt := newTransport(t, sender(func(req *http.Request) (*http.Response, error) {
			close(held)
			<-hold
			return answers(200)(req)
		}), cfg)
		done := make(chan struct{})
		go func() {
			defer close(done)
			rt.RoundTrip(request(t.Context(), "http://api.example/"))
		}()
		<-held
		req, body := with(t.Context(), http.MethodPut, "hello")
		resp, err := rt.RoundTrip(req)
		equal(t, "the request's body is closed", body.closed, 1)
		if !cfg.SyntheticResponse {
			matches(t, "refused", err, want)
			matches(t, "refused", err, switchgear.ErrRejected)
		} else {
			equal(t, "error", err, nil)
			equal(t, "status", resp.StatusCode, http.StatusServiceUnavailable)
			equal(t, "text", string(must(io.ReadAll(resp.Body))), text)
			equal(t, "hint", resp.Header.Get("Retry-After") != "", hint)
			equal(t, "request", resp.Request, req)
			equal(t, "ours", isSynthetic(resp), true)
		}
		close(hold)
		<-done
	}
}

func TestPipelineCallerLeavesAQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := Config{SyntheticResponse: true, Pipeline: &pipeline.Config{
			Bulkhead: &bulkhead.Config{MaxConcurrent: 1, MaxWaiting: 1, MaxWait: time.Hour},
		}}
		hold := make(chan struct{})
		rt := newTransport(t, sender(func(req *http.Request) (*http.Response, error) {
			<-hold
			return answers(200)(req)
		}), cfg)
		go rt.RoundTrip(request(t.Context(), "http://api.example/"))
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err := rt.RoundTrip(request(ctx, "http://api.example/"))
		matches(t, "an error, as without us", err, context.Canceled)
		close(hold)
	})
}

func TestPipelineRefusalAfterAnAttempt(t *testing.T) {
	cfg := patient()
	cfg.SyntheticResponse = true
	cfg.Pipeline.Breaker = new(plain())
	cfg.Pipeline.Breaker.MinimumCalls, cfg.Pipeline.Breaker.Window.Calls = 2, 2
	inner := &attemptCounter{next: fails(errDown)}
	rt := newTransport(t, inner, cfg)
	resp := must(rt.RoundTrip(request(t.Context(), "http://api.example/")))
	equal(t, "attempts", inner.n.Load(), int64(2))
	equal(t, "text", string(must(io.ReadAll(resp.Body))), "The circuit breaker is OPEN: the request was not sent again.\n")
	resp = must(rt.RoundTrip(request(t.Context(), "http://api.example/")))
	equal(t, "text", string(must(io.ReadAll(resp.Body))), "The circuit breaker is OPEN: the request was not sent.\n")

	t.Run("an outer transport ignores it, and hands it on", func(t *testing.T) {
		cfg := patient()
		cfg.Pipeline.Breaker = new(plain())
		outer := newTransport(t, rt, cfg)
		for range 6 {
			resp := must(outer.RoundTrip(request(t.Context(), "http://api.example/")))
			equal(t, "ours", isSynthetic(resp), true)
		}
		b, _ := outer.Breaker(Key{Host: "api.example"})
		counted(t, b, 0, 0, 6)
		equal(t, "attempts", inner.n.Load(), int64(2))
	})
}

// late is an error with a Timeout method, as those of package net have.
type late struct{ error }

func (late) Timeout() bool { return true }

func TestPipelineErrors(t *testing.T) {
	for name, cfg := range map[string]Config{"nothing": {Pipeline: &pipeline.Config{}}, "retried": patient(), "hedged": hedged()} {
		t.Run(name, func(t *testing.T) {
			for _, want := range []error{errDown, io.ErrUnexpectedEOF, late{errDown}, &net.OpError{Op: "read", Err: errDown}} {
				rt := newTransport(t, consumes(fails(want)), cfg)
				req, _ := with(t.Context(), http.MethodPost, "an order")
				_, err := rt.RoundTrip(req)
				equal(t, "a request that is made once has the very error", err, want)
				_, err = (&http.Client{Transport: rt}).Get("http://api.example/")
				matches(t, "error of a GET", err, want)
				e, _ := errors.AsType[*url.Error](err)
				_, timely := want.(late)
				equal(t, "Timeout", e != nil && e.Timeout(), timely)
			}
		})
	}
	inBubble(t, "limits are timeouts, also of calls that were repeated", func(t *testing.T) {
		hangs := sender(func(req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, req.Context().Err()
		})
		cfg := patient()
		cfg.Pipeline.Total, cfg.Pipeline.Attempt = &timeout.Config{Limit: time.Minute}, &timeout.Config{Limit: time.Second}
		for _, target := range []error{timeout.ErrTimeout, context.DeadlineExceeded, retry.ErrExhausted} {
			_, err := (&http.Client{Transport: newTransport(t, hangs, cfg)}).Get("http://api.example/")
			matches(t, "error", err, target)
			e, _ := errors.AsType[*url.Error](err)
			equal(t, "Timeout", e.Timeout(), true)
			equal(t, "Temporary", e.Temporary(), true)
		}
	})
	t.Run("a certificate is not tried again", func(t *testing.T) {
		inner := &attemptCounter{next: fails(&tls.CertificateVerificationError{Err: errDown})}
		_, err := newTransport(t, inner, patient()).RoundTrip(request(t.Context(), "https://api.example/"))
		_, ok := err.(*tls.CertificateVerificationError)
		equal(t, "as it was", ok, true)
		equal(t, "attempts", inner.n.Load(), int64(1))
	})
	t.Run("a body that cannot be opened again is no fault of the server", func(t *testing.T) {
		errGone := errors.New("the file has gone")
		inner := &attemptCounter{next: consumes(answers(503))}
		cfg := patient()
		cfg.Pipeline.Breaker = new(plain())
		rt := newTransport(t, inner, cfg)
		req, body := with(t.Context(), http.MethodPut, "hello")
		req.GetBody = func() (io.ReadCloser, error) { return nil, errGone }
		_, err := rt.RoundTrip(req)
		matches(t, "error", err, errGone)
		equal(t, "attempts", inner.n.Load(), int64(1))
		equal(t, "closed", body.closed, 1)
		b, _ := rt.Breaker(Key{Host: "api.example"})
		counted(t, b, 0, 1, 1)
	})
}

func TestPipelineConfig(t *testing.T) {
	abandon := pipeline.Config{Attempt: &timeout.Config{Limit: time.Second, Abandon: true}}
	for name, c := range map[string]struct {
		cfg  Config
		path string
	}{
		"a breaker twice":           {Config{Breaker: plain(), Pipeline: &pipeline.Config{}}, "Breaker"},
		"a body cannot be judged":   {Config{JudgeBody: true, Pipeline: &pipeline.Config{}}, "JudgeBody"},
		"abandoning":                {Config{Pipeline: &abandon}, "Pipeline.Attempt.Abandon"},
		"a part that is wrong":      {Config{Pipeline: &pipeline.Config{Retry: &retry.Config{Attempts: -1}}}, "Pipeline.Retry.Attempts"},
		"repeats without pipeline":  {Config{Repeats: map[int]switchgear.Repeat{500: switchgear.RepeatYes}}, "Repeats"},
		"a buffer that is too long": {Config{MaxBufferedBody: 1 << 30, Pipeline: &pipeline.Config{}}, "MaxBufferedBody"},
	} {
		_, err := NewTransport(nil, c.cfg)
		invalid, ok := errors.AsType[*switchgear.ConfigError](err)
		if !ok || !strings.HasPrefix(invalid.Problems[0].Path, c.path) {
			t.Errorf("%s: got %v, want a problem with %s", name, err, c.path)
		}
	}
}

func TestPipelineWiring(t *testing.T) {
	bothWays := func(t *testing.T, cfg Config, path string, opts ...Option) {
		t.Helper()
		_, err := NewTransport(nil, cfg, opts...)
		invalid, ok := errors.AsType[*switchgear.ConfigError](err)
		if !ok || len(invalid.Problems) != 1 || invalid.Problems[0].Path != path {
			t.Errorf("got %v, want a problem with %s", err, path)
		}
	}
	bothWays(t, Config{}, "WithPipeline", WithPipeline(pipeline.WithRandom(func() float64 { return 0 })))
	bothWays(t, Config{}, "WithPipelineConfig", WithPipelineConfig(func(Key) pipeline.Config { return pipeline.Config{} }))
	bothWays(t, Config{LimitBody: true}, "LimitBody")
	bothWays(t, Config{MaxBufferedBody: 1}, "MaxBufferedBody")
	bothWays(t, patient(), "WithBreaker", WithBreaker(breaker.WithRandom(func() float64 { return 0 })))
	bothWays(t, patient(), "WithBreakerConfig", WithBreakerConfig(func(Key) breaker.Config { return plain() }))

	cfg := patient()
	rt := newTransport(t, answers(200), cfg)
	cfg.Pipeline.Retry.Attempts = 7 // the transport has its own copy
	_, err := rt.RoundTrip(request(t.Context(), "http://api.example/"))
	equal(t, "error", err, nil)
	p, _ := rt.Pipeline(Key{Host: "api.example"})
	equal(t, "attempts", p.Retry().Config().Attempts, 3)
}

func TestPipelineOfAKey(t *testing.T) {
	inner := &attemptCounter{next: answers(503)}
	r := newRig(t, inner, Config{Pipeline: &pipeline.Config{Breaker: new(plain())}}, WithPipelineConfig(func(key Key) pipeline.Config {
		switch key.Host {
		case "eager.example":
			return *patient().Pipeline
		case "wrong.example":
			return pipeline.Config{Total: &timeout.Config{Limit: time.Second, Abandon: true}}
		}
		return pipeline.Config{Breaker: new(plain())}
	}))
	r.get("http://other.example/")
	equal(t, "attempts", inner.n.Swap(0), int64(1))
	equal(t, "warnings", len(r.warnings()), 0)
	r.get("http://wrong.example/")
	equal(t, "attempts", inner.n.Swap(0), int64(1))
	warnings := r.warnings()
	if len(warnings) != 1 || !strings.Contains(warnings[0], "Abandon") || !strings.Contains(warnings[0], "wrong.example") {
		t.Errorf("got warnings %q, want one about Abandon", warnings)
	}

	// The retry waits: that takes a real clock.
	rt := newTransport(t, inner, r.cfg, WithPipelineConfig(r.configurePipeline))
	rt.RoundTrip(request(t.Context(), "http://eager.example/"))
	equal(t, "attempts", inner.n.Swap(0), int64(3))
	_, has := rt.Breaker(Key{Host: "eager.example"})
	equal(t, "a breaker", has, false)
	for range rt.Breakers() {
		t.Error("got a breaker, want none")
	}

	equal(t, "breakers", r.keys(), []string{"other.example", "wrong.example"})
	n := 0
	for key, p := range r.Pipelines() {
		found, ok := r.Pipeline(key)
		equal(t, "the same", ok && found == p, true)
		equal(t, "name", p.Name(), key.String())
		n++
	}
	equal(t, "pipelines", n, 2)
	for range r.Pipelines() {
		break
	}
	_, has = r.Pipeline(Key{Host: "unknown.example"})
	equal(t, "one that is not there", has, false)
	equal(t, "made", r.Counters().Made, uint64(2))
	r.Close()
	_, has = newTransport(t, inner, Config{}).Pipeline(Key{Host: "api.example"})
	equal(t, "without Pipeline", has, false)
}

func TestPipelinesAreDropped(t *testing.T) {
	for name, cfg := range map[string]pipeline.Config{
		"without a breaker": {Attempt: &timeout.Config{Limit: time.Second}},
		"with a breaker":    {Breaker: new(plain())},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, answers(200), Config{Pipeline: &cfg, MaxBreakers: 2, IdleAfter: time.Minute})
			r.get("http://a.example/")
			r.clock.Advance(30 * time.Second)
			r.get("http://b.example/")
			r.get("http://c.example/") // nobody is idle yet
			equal(t, "unprotected", r.Counters().Unprotected, uint64(1))
			r.clock.Advance(30 * time.Second)
			r.get("http://c.example/")
			c := r.Counters()
			equal(t, "counters", c, Counters{Unprotected: 1, Made: 3, Dropped: 1})
			_, there := r.Pipeline(Key{Host: "a.example"})
			equal(t, "the idle one", there, false)
			_, there = r.Pipeline(Key{Host: "c.example"})
			equal(t, "the new one", there, true)
		})
	}
}
