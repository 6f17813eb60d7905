package sghttp

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/timeout"
)

// These tests put pipelines in front of transports that are functions, in the time of a
// bubble.

func inBubble(t *testing.T, name string, f func(*testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

// hedged makes a second attempt after a second. It may be changed.
func hedged() Config {
	return Config{Pipeline: &pipeline.Config{
		Hedge: &hedge.Config{Delay: time.Second}, Budget: &budget.Config{}, Breaker: new(plain()),
	}}
}

// An attemptCounter counts what comes to another transport.
type attemptCounter struct {
	n    atomic.Int64
	next http.RoundTripper
}

func (c *attemptCounter) RoundTrip(req *http.Request) (*http.Response, error) {
	c.n.Add(1)
	return c.next.RoundTrip(req)
}

// inTurn makes a transport that answers each request with the next of the statuses, and
// from then on with the last.
func inTurn(codes ...int) *attemptCounter {
	c := &attemptCounter{}
	c.next = sender(func(req *http.Request) (*http.Response, error) {
		return answers(codes[min(int(c.n.Load()), len(codes))-1])(req)
	})
	return c
}

// with makes a request with a body that can be had once, and says how often it is closed.
func with(ctx context.Context, method, text string) (*http.Request, *tracked) {
	body := trackedBody(text)
	req := must(http.NewRequestWithContext(ctx, method, "http://api.example/", body))
	req.ContentLength = int64(len(text))
	return req, body
}

// consumes is a well-behaved transport: it reads and closes the body of the request.
func consumes(next http.RoundTripper) sender {
	return func(req *http.Request) (*http.Response, error) {
		if req.Body != nil {
			io.Copy(io.Discard, req.Body)
			req.Body.Close()
		}
		return next.RoundTrip(req)
	}
}

func TestPipelineJudgesAnswers(t *testing.T) {
	for _, c := range []struct {
		name               string
		code               int
		change             func(*Config)
		attempts           int64
		good, bad, ignored uint64
	}{
		{"200", 200, nil, 1, 1, 0, 0},
		{"404", 404, nil, 1, 1, 0, 0},
		{"408", 408, nil, 3, 0, 3, 0},
		{"425 says nothing against the server", 425, nil, 3, 3, 0, 0},
		{"429", 429, nil, 3, 0, 3, 0},
		{"500 is a failure, and not repeated", 500, nil, 1, 0, 1, 0},
		{"501", 501, nil, 1, 1, 0, 0},
		{"502", 502, nil, 3, 0, 3, 0},
		{"503", 503, nil, 3, 0, 3, 0},
		{"504", 504, nil, 3, 0, 3, 0},
		{"Repeats", 500, func(c *Config) { c.Repeats = map[int]switchgear.Repeat{500: switchgear.RepeatYes} }, 3, 0, 3, 0},
		{"Repeats, never", 503, func(c *Config) { c.Repeats = map[int]switchgear.Repeat{503: switchgear.RepeatNever} }, 1, 0, 1, 0},
		{"Repeats of a success", 202, func(c *Config) { c.Repeats = map[int]switchgear.Repeat{202: switchgear.RepeatYes} }, 3, 3, 0, 0},
		{"Statuses", 404, func(c *Config) { c.Statuses = map[int]switchgear.Outcome{404: switchgear.Failure} }, 1, 0, 1, 0},
		{"Statuses leave the repeat alone", 503, func(c *Config) { c.Statuses = map[int]switchgear.Outcome{503: switchgear.Ignored} }, 3, 0, 0, 3},
		{"both", 409, func(c *Config) {
			c.Statuses = map[int]switchgear.Outcome{409: switchgear.Ignored}
			c.Repeats = map[int]switchgear.Repeat{409: switchgear.RepeatYes}
		}, 3, 0, 0, 3},
	} {
		inBubble(t, c.name, func(t *testing.T) {
			cfg := patient()
			cfg.Pipeline.Breaker = new(plain())
			if c.change != nil {
				c.change(&cfg)
			}
			inner := inTurn(c.code)
			r := newTransport(t, inner, cfg, WithPipeline(pipeline.WithClassifier(func(err error) switchgear.Judgement {
				// A status is no error: this has no say.
				return switchgear.Judgement{Health: switchgear.Success, Repeat: switchgear.RepeatYes}
			})))
			resp, err := r.RoundTrip(request(t.Context(), "http://api.example/"))
			equal(t, "error", err, nil)
			equal(t, "the caller gets the answer", resp.StatusCode, c.code)
			equal(t, "attempts", inner.n.Load(), c.attempts)
			b, _ := r.Breaker(Key{Host: "api.example"})
			counted(t, b, c.good, c.bad, c.ignored)
		})
	}
}

// slowBody sends a little at once and the rest when a second has passed, as long as the
// context of its attempt lives.
type slowBody struct {
	ctx    context.Context
	parts  []string
	closed atomic.Int64
}

func (b *slowBody) Read(p []byte) (int, error) {
	if len(b.parts) == 0 {
		return 0, io.EOF
	}
	select {
	case <-b.ctx.Done():
		return 0, context.Cause(b.ctx)
	case <-time.After(time.Second):
	}
	n := copy(p, b.parts[0])
	b.parts = b.parts[1:]
	return n, nil
}

func (b *slowBody) Close() error { b.closed.Add(1); return nil }

// slowly answers with slow bodies, which it keeps.
func slowly(code int, kept *[]*slowBody) sender {
	return func(req *http.Request) (*http.Response, error) {
		b := &slowBody{ctx: req.Context(), parts: []string{"one ", "two ", "three"}}
		*kept = append(*kept, b)
		return &http.Response{StatusCode: code, Header: http.Header{}, Body: b, Request: req, ContentLength: -1}, nil
	}
}

func TestPipelineContextLivesAsLongAsTheBody(t *testing.T) {
	limits := &pipeline.Config{
		Total: &timeout.Config{Limit: 2500 * time.Millisecond}, Attempt: &timeout.Config{Limit: 1500 * time.Millisecond},
	}
	for name, hedge := range map[string]bool{"plain": false, "hedged": true} {
		cfg := Config{Pipeline: clonePipeline(limits)}
		if hedge {
			cfg.Pipeline.Hedge, cfg.Pipeline.Budget = hedged().Pipeline.Hedge, &budget.Config{}
		}
		inBubble(t, name+": limits end with the headers", func(t *testing.T) {
			var bodies []*slowBody
			rt := newTransport(t, slowly(200, &bodies), cfg)
			resp := must(rt.RoundTrip(request(t.Context(), "http://api.example/")))
			equal(t, "alive", bodies[0].ctx.Err(), nil)
			equal(t, "text", string(must(io.ReadAll(resp.Body))), "one two three")
			synctest.Wait()
			equal(t, "over at the end", bodies[0].ctx.Err() != nil, true)
			equal(t, "Close", resp.Body.Close(), nil)
			equal(t, "closed", bodies[0].closed.Load(), int64(1))
		})
		inBubble(t, name+": closed early", func(t *testing.T) {
			var bodies []*slowBody
			rt := newTransport(t, slowly(200, &bodies), cfg)
			resp := must(rt.RoundTrip(request(t.Context(), "http://api.example/")))
			equal(t, "Close", resp.Body.Close(), nil)
			synctest.Wait()
			equal(t, "over", bodies[0].ctx.Err() != nil, true)
		})
		inBubble(t, name+": the caller's cancellation reaches the body", func(t *testing.T) {
			var bodies []*slowBody
			ctx, cancel := context.WithCancel(t.Context())
			rt := newTransport(t, slowly(200, &bodies), cfg)
			resp := must(rt.RoundTrip(request(ctx, "http://api.example/")))
			cancel()
			_, err := io.ReadAll(resp.Body)
			matches(t, "Read", err, context.Canceled)
			resp.Body.Close()
		})
		inBubble(t, name+": LimitBody", func(t *testing.T) {
			var bodies []*slowBody
			cfg := cfg
			cfg.LimitBody = true
			rt := newTransport(t, slowly(200, &bodies), cfg)
			resp := must(rt.RoundTrip(request(t.Context(), "http://api.example/")))
			text, err := io.ReadAll(resp.Body)
			equal(t, "text", string(text), "one ")
			matches(t, "Read", err, timeout.ErrTimeout)
			resp.Body.Close()
		})
		inBubble(t, name+": a bad answer that is the caller's can be read", func(t *testing.T) {
			var bodies []*slowBody
			rt := newTransport(t, slowly(500, &bodies), cfg)
			resp := must(rt.RoundTrip(request(t.Context(), "http://api.example/")))
			equal(t, "status", resp.StatusCode, 500)
			equal(t, "text", string(must(io.ReadAll(resp.Body))), "one two three")
			resp.Body.Close()
		})
		inBubble(t, name+": no body, nothing to wait for", func(t *testing.T) {
			var ctx context.Context
			rt := newTransport(t, sender(func(req *http.Request) (*http.Response, error) {
				ctx = req.Context()
				return answers(204)(req)
			}), cfg)
			resp := must(rt.RoundTrip(request(t.Context(), "http://api.example/")))
			synctest.Wait()
			equal(t, "over", ctx.Err() != nil, true)
			equal(t, "body", resp.Body, io.ReadCloser(http.NoBody))
		})
	}
}

func TestPipelineDiscards(t *testing.T) {
	inBubble(t, "K49: an answer that comes slowly is waited for 100 ms", func(t *testing.T) {
		var bodies []*slowBody
		inner := &attemptCounter{}
		inner.next = sender(func(req *http.Request) (*http.Response, error) {
			if inner.n.Load() == 2 {
				return answers(200)(req)
			}
			resp, _ := slowly(503, &bodies)(req)
			resp.Body = &closable{slowBody: bodies[0], over: make(chan struct{})}
			return resp, nil
		})
		rt := newTransport(t, inner, patient())
		begun := time.Now()
		resp := must(rt.RoundTrip(request(t.Context(), "http://api.example/")))
		equal(t, "status", resp.StatusCode, 200)
		equal(t, "time", time.Since(begun), drainTime+time.Millisecond)
		equal(t, "closed", bodies[0].closed.Load() > 0, true)
	})
	t.Run("not read", func(t *testing.T) {
		rt := newTransport(t, answers(200), patient())
		for name, change := range map[string]func(*http.Response){
			"too long": func(r *http.Response) { r.ContentLength = drainBytes + 1 },
			"HTTP/2":   func(r *http.Response) { r.ProtoMajor = 2 },
			"upgraded": func(r *http.Response) { r.Body = &conn{tracked: r.Body.(*tracked)} },
		} {
			body := trackedBody("some text")
			resp := &http.Response{StatusCode: 503, ProtoMajor: 1, Body: body}
			change(resp)
			rt.discardAnswer(resp)
			equal(t, name+": left", body.Len(), 9)
			equal(t, name+": closed", body.closed, 1)
		}
		rt.discardAnswer(&http.Response{StatusCode: 503})
	})
}

// A closable body ends its Read when it is closed, as those of connections do.
type closable struct {
	*slowBody
	over chan struct{}
}

func (c *closable) Read(p []byte) (int, error) { <-c.over; return 0, net.ErrClosed }
func (c *closable) Close() error {
	if c.closed.Add(1) == 1 {
		close(c.over)
	}
	return nil
}

// conn is the body of an upgraded connection.
type conn struct {
	*tracked
	wrote strings.Builder
}

func (c *conn) Write(p []byte) (int, error) { return c.wrote.Write(p) }

func TestPipelineUpgrades(t *testing.T) {
	for name, cfg := range map[string]Config{"retried": patient(), "hedged": hedged()} {
		inBubble(t, name, func(t *testing.T) {
			var ctx context.Context
			c := &conn{tracked: trackedBody("hi")}
			rt := newTransport(t, sender(func(req *http.Request) (*http.Response, error) {
				ctx = req.Context()
				return &http.Response{StatusCode: 101, Header: http.Header{}, Body: c, Request: req}, nil
			}), cfg)
			resp := must(rt.RoundTrip(request(t.Context(), "http://api.example/")))
			equal(t, "read", string(must(io.ReadAll(resp.Body))), "hi")
			w, ok := resp.Body.(io.ReadWriteCloser)
			equal(t, "can be written", ok, true)
			must(io.WriteString(w, "and back"))
			equal(t, "alive after the end of what was read", ctx.Err(), nil)
			equal(t, "Close", w.Close(), nil)
			equal(t, "wrote", c.wrote.String(), "and back")
			equal(t, "closed", c.closed, 1)
		})
	}
}

func TestPipelineHints(t *testing.T) {
	for _, c := range []struct {
		name string
		hint func() string
		wait time.Duration
	}{
		{"K28: a date in 30 s", func() string { return time.Now().Add(30 * time.Second).UTC().Format(http.TimeFormat) }, 30 * time.Second},
		{"K28: a date that has passed", func() string { return time.Now().Add(-61 * time.Second).UTC().Format(http.TimeFormat) }, time.Millisecond},
		{"K28: an obsolete format", func() string { return time.Now().Add(30 * time.Second).UTC().Format(time.ANSIC) }, 30 * time.Second},
		{"nonsense", func() string { return "soon" }, time.Millisecond},
		{"seconds", func() string { return "7" }, 7 * time.Second},
	} {
		inBubble(t, c.name, func(t *testing.T) {
			cfg := patient()
			cfg.Pipeline.Retry.MaxHint = time.Minute
			inner := &attemptCounter{}
			inner.next = sender(func(req *http.Request) (*http.Response, error) {
				if inner.n.Load() == 2 {
					return answers(200)(req)
				}
				return answers(503, "Retry-After: "+c.hint())(req)
			})
			rt := newTransport(t, inner, cfg, WithPipeline(pipeline.WithRandom(func() float64 { return 0 })))
			begun := time.Now()
			resp := must(rt.RoundTrip(request(t.Context(), "http://api.example/")))
			equal(t, "status", resp.StatusCode, 200)
			equal(t, "wait", time.Since(begun), c.wait)
		})
	}
	inBubble(t, "K28: less than a second is not rounded to nothing", func(t *testing.T) {
		time.Sleep(700 * time.Millisecond)
		cfg := patient()
		inner := &attemptCounter{}
		inner.next = sender(func(req *http.Request) (*http.Response, error) {
			if inner.n.Load() == 2 {
				return answers(200)(req)
			}
			return answers(429, "Retry-After: "+time.Now().Add(300*time.Millisecond).UTC().Format(http.TimeFormat))(req)
		})
		rt := newTransport(t, inner, cfg, WithPipeline(pipeline.WithRandom(func() float64 { return 0 })))
		begun := time.Now()
		must(rt.RoundTrip(request(t.Context(), "http://api.example/")))
		equal(t, "wait", time.Since(begun), 300*time.Millisecond)
	})
	for _, code := range []int{429, 503} {
		inBubble(t, fmt.Sprintf("K27: %d with a hint of an hour", code), func(t *testing.T) {
			cfg := patient()
			cfg.Pipeline.Retry.Attempts, cfg.Pipeline.Retry.MaxHint = 4, 10*time.Second
			rt := newTransport(t, answers(code, "Retry-After: 3600"), cfg)
			begun := time.Now()
			resp := must(rt.RoundTrip(request(t.Context(), "http://api.example/")))
			equal(t, "status", resp.StatusCode, code)
			equal(t, "hint", resp.Header.Get("Retry-After"), "3600")
			equal(t, "time", time.Since(begun), 0)
		})
	}
}
