package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// screen is a writer that can be waited for.
type screen struct {
	mu      sync.Mutex
	text    bytes.Buffer
	changed chan struct{} // closed at the next write
}

func newScreen() *screen { return &screen{changed: make(chan struct{})} }

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
	return s.text.Write(p)
}

// await returns the first match of the pattern, as soon as there is one.
func (s *screen) await(t *testing.T, pattern string) []string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	hangs := time.After(30 * time.Second)
	for {
		s.mu.Lock()
		text, changed := s.text.String(), s.changed
		s.mu.Unlock()
		if m := re.FindStringSubmatch(text); m != nil {
			return m
		}
		select {
		case <-changed:
		case <-hangs:
			t.Fatalf("no %q in:\n%s", pattern, text)
		}
	}
}

func TestServe(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, errs := newScreen(), newScreen()
	code := make(chan int, 1)
	go func() { code <- run(ctx, []string{"demo", "serve", "--addr", "127.0.0.1:0"}, streams{out, errs}) }()
	m := out.await(t, `service on (http://(127\.0\.0\.1:\d+)),`)
	url, address := m[1], m[2]

	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := http.Client{Transport: transport}
	ask := func(method, path string) string {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.Status + " " + string(body)
	}
	for _, c := range []struct{ method, path, want, log string }{
		{"GET", "/inventory/WIDGET-7", "200 OK {\"sku\":\"WIDGET-7\",\"quantity\":42}\n", `200 .* GET "/inventory/WIDGET-7"`},
		{"GET", "/inventory/widget-7", "400 Bad Request {\"error\":\"SKU must be upper case\"}\n", `400 .* GET "/inventory/widget-7"`},
		{"GET", "/", "200 OK A flaky inventory service, now healthy.", `200 .* GET "/"`},
		{"POST", "/admin/set-healthy/false", "200 OK {\"healthy\":false}\n", `200 .* POST "/admin/set-healthy/false"`},
		{"GET", "/", "200 OK A flaky inventory service, now not healthy: inventory requests hang for 3s", `GET "/"`},
	} {
		if got := ask(c.method, c.path); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s %s: %q, want %q", c.method, c.path, got, c.want)
		}
		out.await(t, c.log)
	}

	// A request hangs when the program is stopped.
	hanging := make(chan error, 1)
	arrived := make(chan struct{})
	go func() {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			hanging <- err
			close(arrived)
			return
		}
		defer conn.Close()
		_, err = io.WriteString(conn, "GET /inventory/A HTTP/1.1\r\nHost: a\r\n\r\n")
		close(arrived)
		if err == nil {
			_, err = io.ReadAll(conn)
		}
		hanging <- err
	}()
	<-arrived
	cancel()
	if got := <-code; got != exitInterrupted {
		t.Errorf("exit code %d, want %d", got, exitInterrupted)
	}
	<-hanging // cut off, or closed: it ends in any case
	errs.await(t, `^switchgear demo serve: stopped\n$`)
	if conn, err := net.Dial("tcp", address); err == nil {
		conn.Close()
		t.Error("the port is still open")
	}
}

func TestServeOnATakenPort(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	got := invoke(t.Context(), "demo", "serve", "--addr", listener.Addr().String())
	if got.code != exitFailed || !strings.HasPrefix(got.err, "switchgear demo serve: listen tcp ") || got.out != "" {
		t.Errorf("exit code %d, out %q, err %q", got.code, got.out, got.err)
	}
}

func TestServeWarnsOffLoopback(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // it listens, warns and stops
	got := invoke(ctx, "demo", "serve", "--addr", "0.0.0.0:0")
	if got.code != exitInterrupted || !strings.Contains(got.err, "can be reached from other machines") {
		t.Errorf("exit code %d, stderr %q", got.code, got.err)
	}
}
