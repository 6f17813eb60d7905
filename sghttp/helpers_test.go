package sghttp

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
)

const off = switchgear.Off

// start is the wall time of the virtual clocks in these tests. It lies in the
// past of every real deadline, so that only deadlines given on purpose pass.
var start = time.Date(2020, time.May, 1, 12, 0, 0, 0, time.UTC)

var errDown = errors.New("connection refused")

var neverTrips = breaker.Config{FailureRate: off}

// plain trips when half of at least five calls failed, stays open for ten
// seconds and closes after one good probe. Nothing is left to chance.
func plain() breaker.Config {
	return breaker.Config{
		Window:       breaker.WindowConfig{Calls: 10},
		MinimumCalls: 5,
		Open:         breaker.OpenConfig{Wait: 10 * time.Second, Jitter: off},
		HalfOpen:     breaker.HalfOpenConfig{Probes: 1},
	}
}

func equal[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func matches(t testing.TB, what string, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("%s: got error %v, want one that matches %v", what, err, target)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// noLeak checks at the end of the test that there are no more goroutines than
// now. Those of closed connections may take a moment to be gone, so the check
// yields to them; it fails only if one stays.
func noLeak(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for begun := time.Now(); runtime.NumGoroutine() > before; runtime.Gosched() {
			if time.Since(begun) > 10*time.Second {
				t.Errorf("goroutines: %d before the test, %d after", before, runtime.NumGoroutine())
				return
			}
		}
	})
}

// rounds is shortened by -short.
func rounds(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// together runs f(0) … f(n-1) on n goroutines that start as one, and waits.
func together(n int, f func(worker int)) {
	var all sync.WaitGroup
	begin := make(chan struct{})
	for w := range n {
		all.Go(func() {
			<-begin
			f(w)
		})
	}
	close(begin)
	all.Wait()
}

// A sender is a transport that is a function.
type sender func(*http.Request) (*http.Response, error)

func (f sender) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// answers makes a transport that gives every request a new response without a
// body. Headers are given as "Name: value".
func answers(code int, headers ...string) sender {
	return func(req *http.Request) (*http.Response, error) {
		resp := &http.Response{StatusCode: code, Header: http.Header{}, Body: http.NoBody, Request: req}
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			resp.Header.Add(name, value)
		}
		return resp, nil
	}
}

// fails makes a transport that has no answer.
func fails(err error) sender {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

// A rig is a transport in virtual time together with what it told its listener.
type rig struct {
	*Transport
	t     testing.TB
	clock *clock.Virtual

	mu    sync.Mutex
	heard []event.Event
}

func newRig(t testing.TB, next http.RoundTripper, cfg Config, opts ...Option) *rig {
	t.Helper()
	r := &rig{t: t, clock: clock.NewVirtual(start)}
	r.Transport = newTransport(t, next, cfg, append([]Option{WithClock(r.clock), WithListener(r)}, opts...)...)
	return r
}

func newTransport(t testing.TB, next http.RoundTripper, cfg Config, opts ...Option) *Transport {
	t.Helper()
	transport, err := NewTransport(next, cfg, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return transport
}

func (r *rig) OnEvent(e event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heard = append(r.heard, e)
}

// warnings returns the reasons of the transport's own warnings.
func (r *rig) warnings() (reasons []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.heard {
		if e.Source == source && e.Kind == event.Warning {
			reasons = append(reasons, e.Reason)
		}
	}
	return reasons
}

// get sends a GET and closes the body of the answer. It returns the status, or 0
// with the error.
func (r *rig) get(url string) (int, error) {
	r.t.Helper()
	return r.send(request(context.Background(), url))
}

func (r *rig) send(req *http.Request) (int, error) {
	resp, err := r.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

func request(ctx context.Context, url string) *http.Request {
	return must(http.NewRequestWithContext(ctx, http.MethodGet, url, nil))
}

// of returns the breaker of a host, which must exist.
func (r *rig) of(host string) *breaker.Breaker {
	r.t.Helper()
	b, ok := r.Breaker(Key{Host: host})
	if !ok {
		r.t.Fatalf("no breaker for %q", host)
	}
	return b
}

// only returns the only breaker there is.
func (r *rig) only() *breaker.Breaker {
	r.t.Helper()
	var all []*breaker.Breaker
	for _, b := range r.Breakers() {
		all = append(all, b)
	}
	if len(all) != 1 {
		r.t.Fatalf("got %d breakers, want 1", len(all))
	}
	return all[0]
}

// keys returns the names of all keys, sorted.
func (r *rig) keys() []string {
	names := []string{}
	for key := range r.Breakers() {
		names = append(names, key.String())
	}
	slices.Sort(names)
	return names
}

// counted checks the counters of a breaker that say how calls ended.
func counted(t testing.TB, b *breaker.Breaker, successful, failed, ignored uint64) {
	t.Helper()
	c := b.Counters()
	if c.Successful != successful || c.Failed != failed || c.Ignored != ignored {
		t.Errorf("got %d successful, %d failed, %d ignored, want %d, %d, %d",
			c.Successful, c.Failed, c.Ignored, successful, failed, ignored)
	}
}

// overHTTP runs a test against a real server, over both versions of the protocol.
func overHTTP(t *testing.T, handler http.HandlerFunc, test func(t *testing.T, url string, inner *http.Transport)) {
	for name, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			noLeak(t)
			server := httptest.NewUnstartedServer(handler)
			server.EnableHTTP2 = http2
			server.Config.ErrorLog = log.New(io.Discard, "", 0) // clients that leave are no news here
			if http2 {
				server.StartTLS()
			} else {
				server.Start()
			}
			inner := server.Client().Transport.(*http.Transport)
			t.Cleanup(func() {
				inner.CloseIdleConnections()
				server.Close()
			})
			test(t, server.URL, inner)
		})
	}
}

// A tracked body counts how often it was closed.
type tracked struct {
	strings.Reader
	closed int
}

func trackedBody(text string) *tracked { return &tracked{Reader: *strings.NewReader(text)} }

func (b *tracked) Close() error { b.closed++; return nil }

// An asker is a listener that looks at the transport whenever it hears something.
type asker struct {
	transport atomic.Pointer[Transport]
	asked     atomic.Int64
}

func (a *asker) OnEvent(e event.Event) {
	t := a.transport.Load()
	t.Counters()
	t.Breaker(Key{Host: e.Name})
	for _, b := range t.Breakers() {
		b.Snapshot()
	}
	a.asked.Add(1)
}
