package sghttp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/backoff"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/timeout"
)

// patient makes up to three attempts at once, and nothing else.
func patient() Config {
	return Config{Pipeline: &pipeline.Config{Retry: &retry.Config{
		Attempts: 3, Backoff: backoff.Config{Kind: backoff.Constant, Initial: time.Millisecond, Jitter: backoff.None},
	}}}
}

// client is one in front of inner.
func client(t *testing.T, inner http.RoundTripper, cfg Config, opts ...Option) *http.Client {
	t.Helper()
	rt, err := NewTransport(inner, cfg, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Transport: rt}
}

// busyServer answers 503 twice, then 200, and keeps the bodies of requests.
type busyServer struct {
	mu     sync.Mutex
	bodies [][]byte
	length []int64
}

func (b *busyServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bodies, b.length = append(b.bodies, body), append(b.length, r.ContentLength)
	if len(b.bodies)%3 != 0 {
		w.WriteHeader(http.StatusServiceUnavailable)
		io.WriteString(w, strings.Repeat("busy", 512))
		return
	}
	io.WriteString(w, "done")
}

func TestNetK48BodiesAreSentAgain(t *testing.T) {
	text := bytes.Repeat([]byte("0123456"), 591) // 4137 bytes
	big := bytes.Repeat([]byte("0123456789abcdef"), 10<<16)
	opaque := func(b []byte) io.Reader { return struct{ io.Reader }{bytes.NewReader(b)} }
	for _, c := range []struct {
		name     string
		body     io.Reader
		length   int64 // announced, if the body does not tell
		want     []byte
		attempts int
	}{
		{"with GetBody", bytes.NewReader(text), 0, text, 3},
		{"10 MiB with GetBody", bytes.NewReader(big), 0, big, 3},
		{"a plain reader of known length", opaque(text), int64(len(text)), text, 3},
		{"chunked, of unknown length", opaque(text), -1, text, 3},
		{"empty", nil, 0, nil, 3},
		{"10 MiB that cannot be had again", opaque(big), int64(len(big)), big, 1},
		{"10 MiB of unknown length", opaque(big), -1, big, 1},
	} {
		t.Run("K48: "+c.name, func(t *testing.T) {
			server := &busyServer{}
			overHTTP(t, server.ServeHTTP, func(t *testing.T, url string, inner *http.Transport) {
				req := must(http.NewRequestWithContext(Idempotent(context.Background()), http.MethodPost, url, c.body))
				if c.length != 0 {
					req.ContentLength = c.length
				}
				resp, err := client(t, inner, patient()).Do(req)
				if err != nil {
					t.Fatal(err)
				}
				answer := string(must(io.ReadAll(resp.Body)))
				resp.Body.Close()
				want := "done"
				if c.attempts == 1 {
					want = strings.Repeat("busy", 512)
					equal(t, "status", resp.StatusCode, http.StatusServiceUnavailable)
				}
				equal(t, "answer", answer == want, true)
				equal(t, "requests", len(server.bodies), c.attempts)
				for i, body := range server.bodies {
					equal(t, "the whole body", bytes.Equal(body, c.want), true)
					equal(t, "length", server.length[i], server.length[0])
				}
				server.bodies, server.length = nil, nil
				if seeker, ok := c.body.(io.Seeker); ok { // for the next protocol
					seeker.Seek(0, io.SeekStart)
				} else if c.body != nil {
					c.body = opaque(c.want)
				}
			})
		})
	}
}

func TestNetWhatIsNotRepeated(t *testing.T) {
	server := &busyServer{}
	overHTTP(t, server.ServeHTTP, func(t *testing.T, url string, inner *http.Transport) {
		server.bodies = nil
		resp, err := client(t, inner, patient()).Post(url, "text/plain", strings.NewReader("an order"))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		equal(t, "status", resp.StatusCode, http.StatusServiceUnavailable)
		equal(t, "the answer is whole", len(must(io.ReadAll(resp.Body))), 2048)
		equal(t, "requests", len(server.bodies), 1)
	})
	t.Run("a connection that was refused is tried again, whatever the method", func(t *testing.T) {
		dead := httptest.NewServer(nil)
		dead.Close()
		rt := must(NewTransport(http.DefaultTransport, patient()))
		_, err := (&http.Client{Transport: rt}).Post(dead.URL, "text/plain", strings.NewReader("an order"))
		matches(t, "error", err, retry.ErrExhausted)
		for _, p := range rt.Pipelines() {
			equal(t, "attempts", p.Retry().Counters().Attempts, uint64(3))
		}
	})
}

func TestNetK49DiscardedAnswersKeepTheConnection(t *testing.T) {
	var requests, connections atomic.Int64
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			io.WriteString(w, strings.Repeat("x", 2048))
			return
		}
		io.WriteString(w, "done")
	})
	server := httptest.NewUnstartedServer(handler)
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	inner := &http.Transport{MaxConnsPerHost: 1}
	defer inner.CloseIdleConnections()
	resp, err := client(t, inner, patient()).Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "status", resp.StatusCode, http.StatusOK)
	resp.Body.Close()
	equal(t, "requests", requests.Load(), int64(3))
	equal(t, "connections", connections.Load(), int64(1))
}

func TestNetK49EndlessAnswerIsCutOff(t *testing.T) {
	var requests atomic.Int64
	overHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1)%2 == 0 {
			io.WriteString(w, "done")
			return
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, strings.Repeat("x", 4096)); err != nil {
				return
			}
			w.(http.Flusher).Flush()
		}
	}, func(t *testing.T, url string, inner *http.Transport) {
		requests.Store(0)
		resp, err := client(t, inner, patient()).Get(url)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "answer", string(must(io.ReadAll(resp.Body))), "done")
		resp.Body.Close()
	})
}

func TestNetK45TheWinnersBodyIsWhole(t *testing.T) {
	noLeak(t)
	const size = 512 << 10
	var requests atomic.Int64
	gone := make(chan struct{}, 8)
	overHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) == 1 { // the first hangs until it is cancelled
			<-r.Context().Done()
			gone <- struct{}{}
			return
		}
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		w.Write(make([]byte, size))
	}, func(t *testing.T, url string, inner *http.Transport) {
		requests.Store(0)
		cfg := Config{Pipeline: &pipeline.Config{
			Total: &timeout.Config{Limit: time.Minute}, Hedge: &hedge.Config{Delay: time.Millisecond},
			Budget: &budget.Config{}, Attempt: &timeout.Config{Limit: 30 * time.Second},
		}}
		resp, err := client(t, inner, cfg).Get(url)
		if err != nil {
			t.Fatal(err)
		}
		<-gone // the loser has been cancelled, while the winner's body is still to be read
		equal(t, "bytes", len(must(io.ReadAll(resp.Body))), size)
		equal(t, "Close", resp.Body.Close(), nil)
	})
}

func TestNetLimits(t *testing.T) {
	overHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
	}, func(t *testing.T, target string, inner *http.Transport) {
		cfg := Config{Pipeline: &pipeline.Config{Breaker: new(plain()), Attempt: &timeout.Config{Limit: 20 * time.Millisecond}}}
		_, err := client(t, inner, cfg).Get(target)
		matches(t, "error", err, timeout.ErrTimeout)
		if e, ok := errors.AsType[*url.Error](err); !ok || !e.Timeout() {
			t.Errorf("got %v, which does not say that it is a timeout", err)
		}
	})
	t.Run("K27: a hint that is too long ends the call, and the answer is the caller's", func(t *testing.T) {
		var requests atomic.Int64
		overHTTP(t, func(w http.ResponseWriter, r *http.Request) {
			requests.Add(1)
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusTooManyRequests)
		}, func(t *testing.T, url string, inner *http.Transport) {
			requests.Store(0)
			cfg := patient()
			cfg.Pipeline.Retry.MaxHint = 10 * time.Second
			resp, err := client(t, inner, cfg).Get(url)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			equal(t, "status", resp.StatusCode, http.StatusTooManyRequests)
			equal(t, "hint", resp.Header.Get("Retry-After"), "3600")
			equal(t, "requests", requests.Load(), int64(1))
		})
	})
}

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

type attemptCounter struct {
	n    atomic.Int64
	next http.RoundTripper
}

func (c *attemptCounter) RoundTrip(req *http.Request) (*http.Response, error) {
	c.n.Add(1)
	return c.next.RoundTrip(req)
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

func TestRequestsStayAsTheyAre(t *testing.T) {
	cfg := patient()
	for _, status := range []int{200, 503} {
		rt := newTransport(t, answers(status), cfg)
		body := trackedBody("hello")
		req := must(http.NewRequest(http.MethodPut, "http://api.example/", body))
		req.ContentLength = 5
		before := req.Header.Clone()
		resp, err := rt.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		if resp.Body != nil {
			resp.Body.Close()
		}
		equal(t, "header", req.Header, before)
		equal(t, "body", req.Body == io.ReadCloser(body), true)
	}
}
