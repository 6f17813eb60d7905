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
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/backoff"
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

func TestNetK45LosersAreCutOff(t *testing.T) {
	noLeak(t)
	const size = 512 << 10
	var begun atomic.Int64
	race := make(chan struct{})
	overHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		if begun.Add(1) == 3 { // all answer at once
			close(race)
		}
		<-race
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		for range size / 4096 {
			if _, err := w.Write(make([]byte, 4096)); err != nil {
				return
			}
		}
	}, func(t *testing.T, url string, inner *http.Transport) {
		begun.Store(0)
		race = make(chan struct{})
		var mu sync.Mutex
		var attempts []context.Context
		watched := sender(func(req *http.Request) (*http.Response, error) {
			mu.Lock()
			attempts = append(attempts, req.Context())
			mu.Unlock()
			return inner.RoundTrip(req)
		})
		cfg := Config{Pipeline: &pipeline.Config{
			Hedge:  &hedge.Config{Delay: time.Millisecond, MaxExtra: 2},
			Budget: &budget.Config{}, Attempt: &timeout.Config{Limit: 30 * time.Second},
		}}
		resp, err := client(t, watched, cfg).Get(url)
		if err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		equal(t, "attempts", len(attempts), 3)
		for range len(attempts) - 1 { // the losers, whichever they are
			for i := 0; ; i = (i + 1) % len(attempts) {
				if attempts[i].Err() != nil {
					attempts = append(attempts[:i], attempts[i+1:]...)
					break
				}
				runtime.Gosched()
			}
		}
		equal(t, "the winner lives", attempts[0].Err(), nil)
		mu.Unlock()
		equal(t, "bytes", len(must(io.ReadAll(resp.Body))), size)
		equal(t, "Close", resp.Body.Close(), nil)
	})
}

func TestNetK49HangingAnswerIsCutOff(t *testing.T) {
	var requests atomic.Int64
	overHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1)%2 == 0 {
			io.WriteString(w, "done")
			return
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
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

// K52, on the side of the client: who stops reading is no failure of the server.
func TestNetK52BodiesThatAreClosedEarly(t *testing.T) {
	gone := make(chan struct{}, 20)
	overHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		for range 1 << 8 { // 1 MiB
			if _, err := w.Write(make([]byte, 4096)); err != nil {
				break
			}
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
		gone <- struct{}{}
	}, func(t *testing.T, target string, inner *http.Transport) {
		cfg := patient()
		cfg.Pipeline.Breaker = new(plain())
		cfg.Pipeline.Attempt = &timeout.Config{Limit: 30 * time.Second}
		rt := newTransport(t, inner, cfg)
		for range 20 {
			resp, err := (&http.Client{Transport: rt}).Get(target)
			if err != nil {
				t.Fatal(err)
			}
			must(io.ReadFull(resp.Body, make([]byte, 1024)))
			resp.Body.Close()
			<-gone // the request has been cancelled
		}
		for _, p := range rt.Pipelines() {
			counted(t, p.Breaker(), 20, 0, 0)
			equal(t, "attempts", p.Retry().Counters().Attempts, uint64(20))
		}
	})
}

// K21, over a network: a caller who leaves is no failure, and is not waited for.
func TestNetK21CallersLeavePipelines(t *testing.T) {
	begun := make(chan struct{})
	overHTTP(t, hangs(begun), func(t *testing.T, target string, inner *http.Transport) {
		cfg := patient()
		cfg.Pipeline.Breaker = new(plain())
		rt := newTransport(t, inner, cfg)
		for range 20 {
			ctx, cancel := context.WithCancel(context.Background())
			go func() { <-begun; cancel() }()
			_, err := (&http.Client{Transport: rt}).Do(request(ctx, target))
			matches(t, "Do", err, context.Canceled)
		}
		for _, p := range rt.Pipelines() {
			counted(t, p.Breaker(), 0, 0, 20)
		}
	})
}

func TestNetPipelineRedirects(t *testing.T) {
	handler := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/there", http.StatusTemporaryRedirect) // with its body
			return
		}
		body, _ := io.ReadAll(r.Body)
		io.WriteString(w, r.Method+" "+string(body))
	}
	for name, cfg := range map[string]Config{"retried": patient(), "hedged": hedged()} {
		t.Run(name, func(t *testing.T) {
			overHTTP(t, handler, func(t *testing.T, url string, inner *http.Transport) {
				resp, err := client(t, inner, cfg).Post(url, "text/plain", strings.NewReader("an order"))
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				equal(t, "answer", string(must(io.ReadAll(resp.Body))), "POST an order")
				equal(t, "path", resp.Request.URL.Path, "/there")
			})
		})
	}
}

func TestNetPipelineUpgrades(t *testing.T) {
	for name, cfg := range map[string]Config{"retried": patient(), "hedged": hedged()} {
		t.Run(name, func(t *testing.T) {
			noLeak(t)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				conn, buf, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				defer conn.Close()
				io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
				io.Copy(conn, buf)
			}))
			defer server.Close()
			inner := server.Client().Transport.(*http.Transport)
			defer inner.CloseIdleConnections()
			req := request(context.Background(), server.URL)
			req.Header.Set("Connection", "Upgrade")
			req.Header.Set("Upgrade", "echo")
			resp, err := client(t, inner, cfg).Do(req)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "status", resp.StatusCode, http.StatusSwitchingProtocols)
			conn, ok := resp.Body.(io.ReadWriteCloser)
			if !ok {
				t.Fatalf("got a body of type %T, which cannot be written", resp.Body)
			}
			for _, text := range []string{"hello", "again"} {
				must(io.WriteString(conn, text))
				got := make([]byte, len(text))
				must(io.ReadFull(conn, got))
				equal(t, "echo", string(got), text)
			}
			equal(t, "Close", conn.Close(), nil)
		})
	}
}
