package sghttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/hedge"
)

func TestPipelineMakesOneAttempt(t *testing.T) {
	inBubble(t, "of a POST that got neither a response nor an error", func(t *testing.T) {
		inner := &attemptCounter{next: sender(func(*http.Request) (*http.Response, error) { return nil, nil })}
		rt := newTransport(t, inner, patient())
		req := must(http.NewRequest(http.MethodPost, "http://api.example/", nil))
		_, err := rt.RoundTrip(req)
		equal(t, "error", err, errNoResponse)
		equal(t, "attempts", inner.n.Swap(0), int64(1))
		_, err = rt.RoundTrip(request(t.Context(), "http://api.example/"))
		matches(t, "error of a GET", err, errNoResponse)
		equal(t, "attempts of a GET", inner.n.Load(), int64(3))
	})
	inBubble(t, "of a request with trailers, which are set while the body is read", func(t *testing.T) {
		for _, next := range []http.RoundTripper{answers(503), fails(errDown)} {
			inner := &attemptCounter{next: consumes(next)}
			req, _ := with(t.Context(), http.MethodPut, "hello")
			req.GetBody = func() (io.ReadCloser, error) { return trackedBody("hello"), nil }
			req.Trailer = http.Header{"Digest": nil}
			_, err := newTransport(t, inner, patient()).RoundTrip(req)
			equal(t, "error", err == nil || err == errDown, true)
			equal(t, "attempts", inner.n.Load(), int64(1))
		}
	})
	inBubble(t, "at a time of what is not safe or has one body", func(t *testing.T) {
		always := hedged()
		always.Pipeline.Hedge.Always = true
		for name, cfg := range map[string]Config{"marked": hedged(), "always": always} {
			inner := &attemptCounter{next: sender(func(req *http.Request) (*http.Response, error) {
				time.Sleep(10 * time.Second)
				return answers(200)(req)
			})}
			count := func(what string, req *http.Request, want int64) {
				t.Helper()
				_, err := newTransport(t, inner, cfg).RoundTrip(req)
				equal(t, "error", err, nil)
				equal(t, name+": "+what, inner.n.Swap(0), want)
				time.Sleep(time.Minute)
			}
			post := func(ctx context.Context) *http.Request {
				return must(http.NewRequestWithContext(ctx, http.MethodPost, "http://api.example/", nil))
			}
			get := func(ctx context.Context) *http.Request { return request(ctx, "http://api.example/") }
			ctx := t.Context()
			count("GET", get(ctx), 2)
			count("GET, marked as unsafe", get(hedge.Unsafe(ctx)), 1)
			count("POST", post(ctx), 1)
			count("POST, which may be made again", post(Idempotent(ctx)), 1)
			count("POST, marked as safe", post(hedge.Safe(ctx)), 2)
			one, _ := with(hedge.Safe(ctx), http.MethodGet, "hello")
			count("one body", one, 1)
		}
	})
}

func TestPipelineLosersLeaveTheRequestAlone(t *testing.T) {
	// The race detector sees it if they do not.
	synctest.Test(t, func(t *testing.T) {
		inner := &attemptCounter{}
		inner.next = sender(func(req *http.Request) (*http.Response, error) {
			if inner.n.Load()%2 == 0 {
				return answers(200)(req)
			}
			<-req.Context().Done()
			return nil, req.Context().Err()
		})
		rt := newTransport(t, inner, hedged())
		req := request(t.Context(), "http://api.example/")
		for range 5 {
			must(rt.RoundTrip(req))
			req.Body, req.GetBody, req.Method = http.NoBody, nil, http.MethodHead
			req.Header.Set("Again", "yes")
			synctest.Wait()
		}
	})
}

func TestPipelineK21CallersWhoLeave(t *testing.T) {
	for name, cfg := range map[string]Config{"retried": patient(), "hedged": hedged()} {
		cfg.Pipeline.Breaker = new(plain())
		inBubble(t, name, func(t *testing.T) {
			inner := &attemptCounter{next: sender(func(req *http.Request) (*http.Response, error) {
				<-req.Context().Done()
				return nil, context.Cause(req.Context())
			})}
			rt := newTransport(t, inner, cfg)
			for i := range 20 {
				errGone := errors.New("the user has left")
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Millisecond, func() {
					if i%2 == 0 {
						cancel(nil)
					} else {
						cancel(errGone)
					}
				})
				_, err := rt.RoundTrip(request(ctx, "http://api.example/"))
				if !errors.Is(err, context.Canceled) && !errors.Is(err, errGone) {
					t.Errorf("got %v, want an error that says cancelled, or why", err)
				}
			}
			synctest.Wait()
			equal(t, "attempts", inner.n.Load(), int64(20))
			b, _ := rt.Breaker(Key{Host: "api.example"})
			counted(t, b, 0, 0, 20)
			equal(t, "state", b.State(), breaker.Closed)
		})
	}
}

// A spoiler breaks the rule that a request must not be changed.
type spoiler struct{ next http.RoundTripper }

func (s spoiler) RoundTrip(req *http.Request) (*http.Response, error) {
	if a, ok := req.Context().Value(spoilKey{}).(*atomic.Int64); ok && a.Add(1) > 1 {
		req.Header.Set("Spoilt", "yes")
		req.URL.Path = "/spoilt"
	}
	return s.next.RoundTrip(req)
}

type spoilKey struct{}

func TestPipelineKeepsTheContractOfRoundTrippers(t *testing.T) {
	for name, c := range map[string]struct {
		inner http.RoundTripper
		cfg   Config
	}{
		"answered":              {consumes(answers(200)), patient()},
		"answered, hedged":      {consumes(answers(200)), hedged()},
		"busy":                  {spoiler{consumes(answers(503))}, patient()},
		"failed":                {spoiler{consumes(fails(errDown))}, patient()},
		"not found":             {consumes(answers(404)), patient()},
		"failed, hedged":        {consumes(fails(errDown)), hedged()},
		"a pipeline of nothing": {consumes(answers(503)), Config{Pipeline: hedged().Pipeline}},
	} {
		for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodPost} {
			for _, open := range []bool{false, true} {
				inBubble(t, name+", "+method, func(t *testing.T) {
					ctx := context.WithValue(t.Context(), spoilKey{}, new(atomic.Int64))
					req, body := with(ctx, method, "hello")
					req.Header.Set("Accept", "text/plain")
					var opened []*tracked
					if open {
						req.GetBody = func() (io.ReadCloser, error) {
							opened = append(opened, trackedBody("hello"))
							return opened[len(opened)-1], nil
						}
					}
					before, copied := *req, req.Clone(ctx)
					resp, err := newTransport(t, c.inner, c.cfg).RoundTrip(req)
					if err == nil {
						equal(t, "request of the response", resp.Request, req)
						resp.Body.Close()
					}
					synctest.Wait()
					equal(t, "header", req.Header, copied.Header)
					equal(t, "URL", req.URL, copied.URL)
					equal(t, "the body is the same", req.Body == before.Body, true)
					equal(t, "GetBody is as it was", req.GetBody != nil, open)
					equal(t, "context", req.Context(), ctx)
					equal(t, "closed", body.closed, 1)
					for _, o := range opened {
						equal(t, "closed", o.closed, 1)
					}
				})
			}
		}
	}
	t.Run("a panic goes on and leaves nothing behind", func(t *testing.T) {
		rt := newTransport(t, sender(func(*http.Request) (*http.Response, error) { panic("boom") }), patient())
		func() {
			defer func() { equal(t, "panic", recover(), any("boom")) }()
			rt.RoundTrip(request(t.Context(), "http://api.example/"))
		}()
		e := rt.breakers.table.find(Key{Host: "api.example"})
		equal(t, "in progress", e.use.Load()&runningMask, 0)
	})
}
