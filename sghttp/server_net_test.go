package sghttp

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/ratelimit"
)

// These tests put handlers behind a server with every policy, behind another one, into
// net/http's server: what works without us works with us.

// everything is a configuration that admits all of a test's requests.
func everything() ServerConfig {
	return ServerConfig{
		KeyedRateLimit: &ratelimit.KeyedConfig{Limit: ratelimit.Config{Rate: 1_000_000}},
		RateLimit:      &ratelimit.Config{Rate: 1_000_000},
		Adaptive:       &adaptive.Config{},
		Bulkhead:       &bulkhead.Config{MaxWaiting: 10},
		Deadline:       &DeadlineConfig{Limit: time.Hour},
	}
}

// A layered handler is behind two servers, and tells when a request has left both.
type layered struct {
	outer, inner *Server
	handler      http.Handler
	left         chan struct{}
}

func layers(t *testing.T, handler http.HandlerFunc) *layered {
	l := &layered{
		outer: newServer(t, everything()), inner: newServer(t, ServerConfig{CountStatuses: true, ReleaseOnHijack: true}),
		left: make(chan struct{}, 100),
	}
	l.handler = l.outer.Wrap(l.inner.Wrap(handler))
	return l
}

func (l *layered) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() { l.left <- struct{}{} }()
	l.handler.ServeHTTP(w, r)
}

// statuses waits for n requests to leave, and checks what was noted of them and that
// nothing is held.
func (l *layered) statuses(t *testing.T, n int, want ServerStatuses) {
	t.Helper()
	for range n {
		<-l.left
	}
	for _, s := range []*Server{l.outer, l.inner} {
		equal(t, "statuses", s.Counters().Statuses, want)
		s.atRest(t)
	}
}

// K53: each event of a stream reaches the client before the next one is sent.
func TestServerNetK53EventStream(t *testing.T) {
	const events = 5
	arrived := make(chan struct{})
	flushes := map[string]func(w http.ResponseWriter) error{
		"controller": func(w http.ResponseWriter) error { return http.NewResponseController(w).Flush() },
		"flusher": func(w http.ResponseWriter) error {
			w.(http.Flusher).Flush()
			return nil
		},
	}
	for name, flush := range flushes {
		t.Run(name, func(t *testing.T) {
			l := layers(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				for i := range events {
					fmt.Fprintf(w, "data: event no. %02d\n\n", i)
					equal(t, "flush", flush(w), nil)
					select {
					case <-arrived: // or it stays here
					case <-r.Context().Done():
						return
					}
				}
			})
			overHTTP(t, l.ServeHTTP, func(t *testing.T, url string, inner *http.Transport) {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				resp := must(inner.RoundTrip(request(ctx, url)))
				for i := range events {
					event := make([]byte, 20)
					if _, err := io.ReadFull(resp.Body, event); err != nil {
						t.Fatalf("event %d has not arrived: %v", i, err)
					}
					equal(t, "event", string(event), fmt.Sprintf("data: event no. %02d\n\n", i))
					arrived <- struct{}{}
				}
				resp.Body.Close()
				<-l.left
			})
			equal(t, "statuses", l.outer.Counters().Statuses, ServerStatuses{Successful: 2})
			l.outer.atRest(t)
			l.inner.atRest(t)
		})
	}
}

// K53: a WebSocket, with its first frame in the same packet as the handshake.
func TestServerNetK53WebSocket(t *testing.T) {
	noLeak(t)
	const key = "dGhlIHNhbXBsZSBub25jZQ=="
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) // RFC 6455, section 1.3
	accept := base64.StdEncoding.EncodeToString(sum[:])
	hijacks := map[string]func(w http.ResponseWriter) (net.Conn, *bufio.ReadWriter, error){
		"controller": func(w http.ResponseWriter) (net.Conn, *bufio.ReadWriter, error) {
			return http.NewResponseController(w).Hijack()
		},
		"hijacker": func(w http.ResponseWriter) (net.Conn, *bufio.ReadWriter, error) { return w.(http.Hijacker).Hijack() },
	}
	for name, hijack := range hijacks {
		t.Run(name, func(t *testing.T) {
			l := layers(t, func(w http.ResponseWriter, r *http.Request) {
				conn, buffered, err := hijack(w)
				if err != nil {
					t.Errorf("Hijack: %v", err)
					return
				}
				defer conn.Close()
				fmt.Fprintf(buffered, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: %s\r\n\r\n", accept)
				for {
					text, err := readFrame(buffered)
					if err != nil {
						return
					}
					buffered.Write(append([]byte{0x81, byte(len(text))}, text...))
					buffered.Flush()
				}
			})
			server := httptest.NewServer(l)
			defer server.Close()
			conn := must(net.Dial("tcp", server.Listener.Addr().String()))
			conn.SetDeadline(time.Now().Add(20 * time.Second))
			io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "+key+"\r\n\r\n"+frame("first"))
			from := bufio.NewReader(conn)
			resp := must(http.ReadResponse(from, nil))
			equal(t, "status", resp.StatusCode, 101)
			equal(t, "accept", resp.Header.Get("Sec-WebSocket-Accept"), accept)
			for _, word := range []string{"first", "second", "third"} {
				if word != "first" {
					io.WriteString(conn, frame(word))
				}
				equal(t, "echo", string(must(readFrame(from))), word)
			}
			conn.Close()
			l.statuses(t, 1, ServerStatuses{})
			equal(t, "hijacked", l.outer.Counters().Hijacked, 1)
			equal(t, "hijacked", l.inner.Counters().Hijacked, 1)
			equal(t, "ignored", l.outer.Adaptive().Counters().Ignored, 1)
		})
	}
}

// frame makes a masked frame of text, as clients send it.
func frame(text string) string {
	mask := []byte{1, 2, 3, 4}
	b := append([]byte{0x81, 0x80 | byte(len(text))}, mask...)
	for i := range len(text) {
		b = append(b, text[i]^mask[i%4])
	}
	return string(b)
}

// readFrame reads a short frame, masked or not.
func readFrame(from io.Reader) ([]byte, error) {
	head := make([]byte, 2)
	if _, err := io.ReadFull(from, head); err != nil {
		return nil, err
	}
	mask := make([]byte, 4)
	if head[1]&0x80 != 0 {
		if _, err := io.ReadFull(from, mask); err != nil {
			return nil, err
		}
	}
	text := make([]byte, head[1]&0x7f)
	_, err := io.ReadFull(from, text)
	for i := range text {
		text[i] ^= mask[i%4]
	}
	return text, err
}

// K53: a handler that writes without a status, and then fails.
func TestServerNetK53WritesThenFails(t *testing.T) {
	for name, tt := range map[string]struct {
		fail   func(w http.ResponseWriter)
		whole  bool // the client gets the whole body
		panics uint64
	}{
		"with an error": {func(w http.ResponseWriter) { http.Error(w, "failed", 500) }, true, 0},
		"with a panic":  {func(w http.ResponseWriter) { panic("failed") }, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			for _, http2 := range []bool{false, true} {
				noLeak(t)
				l := layers(t, func(w http.ResponseWriter, _ *http.Request) {
					io.WriteString(w, "some of it")
					http.NewResponseController(w).Flush()
					tt.fail(w)
				})
				var complaints lines
				server := httptest.NewUnstartedServer(l)
				server.EnableHTTP2 = http2
				server.Config.ErrorLog = log.New(&complaints, "", 0)
				server.StartTLS()
				resp := must(server.Client().Get(server.URL))
				equal(t, "status", resp.StatusCode, 200)
				_, err := io.ReadAll(resp.Body)
				equal(t, "whole", err == nil, tt.whole)
				resp.Body.Close()
				l.statuses(t, 1, ServerStatuses{Successful: 1})
				server.CloseClientConnections()
				server.Close()
				equal(t, "a second header", strings.Contains(complaints.String(), "superfluous"), false)
				equal(t, "panics", l.outer.Counters().Panics, tt.panics)
				equal(t, "dropped", l.outer.Adaptive().Counters().Dropped, tt.panics)
			}
		})
	}
}

// lines is a log that several goroutines write to.
type lines struct {
	mu  sync.Mutex
	all strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

func TestServerNetController(t *testing.T) {
	l := layers(t, func(w http.ResponseWriter, _ *http.Request) {
		rc := http.NewResponseController(w)
		equal(t, "SetReadDeadline", rc.SetReadDeadline(time.Now().Add(time.Hour)), nil)
		equal(t, "SetWriteDeadline", rc.SetWriteDeadline(time.Now().Add(time.Hour)), nil)
		equal(t, "EnableFullDuplex", rc.EnableFullDuplex(), nil)
		w.WriteHeader(http.StatusAccepted)
	})
	overHTTP(t, l.ServeHTTP, func(t *testing.T, url string, inner *http.Transport) {
		resp := must(inner.RoundTrip(request(t.Context(), url)))
		resp.Body.Close()
		equal(t, "status", resp.StatusCode, http.StatusAccepted)
	})
	l.statuses(t, 2, ServerStatuses{Successful: 2})
}

// A write deadline that has passed ends the writing, through all layers.
func TestServerNetWriteDeadline(t *testing.T) {
	l := layers(t, func(w http.ResponseWriter, _ *http.Request) {
		http.NewResponseController(w).SetWriteDeadline(time.Unix(1, 0))
		w.Write(make([]byte, 1<<20))
	})
	overHTTP(t, l.ServeHTTP, func(t *testing.T, url string, inner *http.Transport) {
		resp, err := inner.RoundTrip(request(t.Context(), url))
		if err == nil {
			_, err = io.ReadAll(resp.Body)
			resp.Body.Close()
		}
		equal(t, "cut off", err != nil, true)
	})
	l.statuses(t, 2, ServerStatuses{Successful: 2})
}

func TestServerNetFullDuplex(t *testing.T) {
	l := layers(t, func(w http.ResponseWriter, req *http.Request) {
		control := http.NewResponseController(w)
		control.EnableFullDuplex()
		control.Flush()
		in := bufio.NewScanner(req.Body)
		for in.Scan() {
			fmt.Fprintln(w, "echo", in.Text())
			control.Flush()
		}
	})
	overHTTP(t, l.ServeHTTP, func(t *testing.T, url string, inner *http.Transport) {
		reader, writer := io.Pipe()
		resp := must(inner.RoundTrip(must(http.NewRequest(http.MethodPost, url, reader))))
		answers := bufio.NewReader(resp.Body)
		for _, word := range []string{"one", "two", "three"} {
			fmt.Fprintln(writer, word)
			equal(t, "answer", must(answers.ReadString('\n')), "echo "+word+"\n")
		}
		writer.Close()
		_, err := answers.ReadByte()
		equal(t, "the end", err, io.EOF)
		resp.Body.Close()
	})
	l.statuses(t, 2, ServerStatuses{Successful: 2})
}

func TestServerNetInformationalAndTrailers(t *testing.T) {
	l := layers(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Set("Trailer", "Sum")
		io.WriteString(w, "hello")
		w.Header().Set("Sum", "5")
	})
	overHTTP(t, l.ServeHTTP, func(t *testing.T, url string, inner *http.Transport) {
		var hints []int
		ctx := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{
			Got1xxResponse: func(code int, _ textproto.MIMEHeader) error {
				hints = append(hints, code)
				return nil
			},
		})
		resp := must(inner.RoundTrip(request(ctx, url)))
		equal(t, "1xx", hints, []int{103})
		equal(t, "body", string(must(io.ReadAll(resp.Body))), "hello")
		equal(t, "trailer", resp.Trailer, http.Header{"Sum": {"5"}})
		resp.Body.Close()
	})
	l.statuses(t, 2, ServerStatuses{Successful: 2})
}

// A file goes to the client whole, in part and not at all; and over HTTP/1 the writer
// can still copy it by itself.
func TestServerNetFile(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789"), 20_000)
	name := filepath.Join(t.TempDir(), "file.txt")
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	l := layers(t, func(w http.ResponseWriter, r *http.Request) {
		_, copies := w.(io.ReaderFrom)
		equal(t, "copies", copies, r.ProtoMajor == 1)
		if r.URL.Path == "/copy" {
			f := must(os.Open(name))
			defer f.Close()
			n, err := io.Copy(w, f)
			equal(t, "copied", int(n), len(content))
			equal(t, "error", err, nil)
			return
		}
		http.ServeFile(w, r, name)
	})
	overHTTP(t, l.ServeHTTP, func(t *testing.T, url string, inner *http.Transport) {
		get := func(path, rang, modified string) (int, []byte) {
			req := request(t.Context(), url+path)
			if rang != "" {
				req.Header.Set("Range", rang)
			}
			if modified != "" {
				req.Header.Set("If-Modified-Since", modified)
			}
			resp := must(inner.RoundTrip(req))
			defer resp.Body.Close()
			return resp.StatusCode, must(io.ReadAll(resp.Body))
		}
		check := func(what string, code int, body []byte) func(int, []byte) {
			return func(gotCode int, got []byte) {
				t.Helper()
				equal(t, what+": status", gotCode, code)
				equal(t, what+": body", bytes.Equal(got, body), true)
			}
		}
		check("whole", 200, content)(get("/", "", ""))
		check("copied", 200, content)(get("/copy", "", ""))
		check("part", 206, content[10:20])(get("/", "bytes=10-19", ""))
		check("not modified", 304, []byte{})(get("/", "", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)))
		check("no such part", 416, []byte("invalid range: failed to overlap\n"))(get("/", "bytes=9999999-", ""))
	})
	l.statuses(t, 10, ServerStatuses{Successful: 6, Redirected: 2, ClientErrors: 2})
}

// K52: clients that leave in the middle are nobody's fault, and nothing is held for
// them.
func TestServerNetK52ClientLeaves(t *testing.T) {
	const downloads = 20
	l := layers(t, func(w http.ResponseWriter, r *http.Request) {
		w.Write(make([]byte, 1<<10))
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	overHTTP(t, l.ServeHTTP, func(t *testing.T, url string, inner *http.Transport) {
		for range downloads {
			ctx, cancel := context.WithCancel(t.Context())
			resp := must(inner.RoundTrip(request(ctx, url)))
			_, err := io.ReadFull(resp.Body, make([]byte, 1<<10))
			equal(t, "the first KiB", err, nil)
			cancel()
			resp.Body.Close()
		}
	})
	l.statuses(t, 2*downloads, ServerStatuses{Successful: 2 * downloads})
	equal(t, "ignored", l.outer.Adaptive().Counters().Ignored, 2*downloads)
	equal(t, "dropped", l.outer.Adaptive().Counters().Dropped, 0)
}

// A deadline that passes cancels the work and, if there is nothing yet, answers.
func TestServerNetDeadline(t *testing.T) {
	s := newServer(t, ServerConfig{Deadline: &DeadlineConfig{Limit: 20 * time.Millisecond}})
	handler := s.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	overHTTP(t, handler.ServeHTTP, func(t *testing.T, url string, inner *http.Transport) {
		resp := must(inner.RoundTrip(request(t.Context(), url)))
		equal(t, "status", resp.StatusCode, 503)
		equal(t, "Retry-After", resp.Header.Get("Retry-After"), "2")
		equal(t, "body", string(must(io.ReadAll(resp.Body))), noTime)
		resp.Body.Close()
	})
	equal(t, "overdue", s.Counters().Overdue, 2)
}

// A refusal does not cost the connection, not even where a body was sent with the
// request.
func TestServerNetRefusalKeepsTheConnection(t *testing.T) {
	s := newServer(t, ServerConfig{KeyedRateLimit: &ratelimit.KeyedConfig{Limit: ratelimit.Config{Rate: off, Burst: 1}}},
		WithServerKey(func(r *http.Request) (string, bool) { return r.Proto, true }))
	handler := s.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) }))
	overHTTP(t, handler.ServeHTTP, func(t *testing.T, url string, inner *http.Transport) {
		for i, want := range []int{200, 429, 429} {
			reused := false
			ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
				GotConn: func(info httptrace.GotConnInfo) { reused = info.Reused },
			})
			req := must(http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(strings.Repeat("x", 10_000))))
			resp := must(inner.RoundTrip(req))
			equal(t, "status", resp.StatusCode, want)
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			equal(t, "reused", reused, i > 0)
		}
	})
	equal(t, "counters", s.Counters(), ServerCounters{Requests: 6, Admitted: 2, Refused: ServerRefused{Key: 4}})
}

// The panic of one handler does not keep the others from their turn.
func TestServerNetPanic(t *testing.T) {
	l := layers(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/panic" {
			panic("boom")
		}
	})
	overHTTP(t, l.ServeHTTP, func(t *testing.T, url string, inner *http.Transport) {
		for range 15 { // more than there are places in the bulkhead
			_, err := inner.RoundTrip(request(t.Context(), url+"/panic"))
			equal(t, "cut off", err != nil, true)
		}
		resp := must(inner.RoundTrip(request(t.Context(), url)))
		equal(t, "status", resp.StatusCode, 200)
		resp.Body.Close()
	})
	l.statuses(t, 32, ServerStatuses{Successful: 2})
	equal(t, "panics", l.outer.Counters().Panics, 30)
}
