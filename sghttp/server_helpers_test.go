package sghttp

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/switchgear-go/switchgear/clock"
)

// middle is the random number that a Retry-After gets in these tests: with a spread of
// two seconds, one second more.
const middle = 0.5

func newServer(t testing.TB, cfg ServerConfig, opts ...ServerOption) *Server {
	t.Helper()
	s, err := NewServer("api", cfg, append([]ServerOption{WithServerRandom(func() float64 { return middle })}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// virtualServer stands still in time.
func virtualServer(t testing.TB, cfg ServerConfig, opts ...ServerOption) (*Server, *clock.Virtual) {
	t.Helper()
	clk := clock.NewVirtual(start)
	return newServer(t, cfg, append([]ServerOption{WithServerClock(clk)}, opts...)...), clk
}

// serve sends a GET through the server to a handler.
func (s *Server) serve(handler http.HandlerFunc, change ...func(*http.Request)) *httptest.ResponseRecorder {
	return s.serveContext(context.Background(), handler, change...)
}

func (s *Server) serveContext(ctx context.Context, handler http.HandlerFunc, change ...func(*http.Request)) *httptest.ResponseRecorder {
	req := httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil)
	for _, f := range change {
		f(req)
	}
	w := httptest.NewRecorder()
	s.Wrap(handler).ServeHTTP(w, req)
	return w
}

// serveSafely is serve for handlers that do not return: what they panicked with, nil
// after runtime.Goexit.
func (s *Server) serveSafely(ctx context.Context, handler http.HandlerFunc) (cause any) {
	done := make(chan any)
	go func() {
		defer func() { done <- recover() }()
		s.serveContext(ctx, handler)
	}()
	return <-done
}

// occupied serves requests that last until the function that is returned is called.
func (s *Server) occupied(n int) (end func()) {
	begun, proceed, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	for range n {
		go func() {
			s.serve(func(http.ResponseWriter, *http.Request) {
				begun <- struct{}{}
				<-proceed
			})
			ended <- struct{}{}
		}()
		<-begun
	}
	return func() {
		close(proceed)
		for range n {
			<-ended
		}
	}
}

func nothing(http.ResponseWriter, *http.Request) {}

// status makes a handler that answers with nothing but a status.
func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// never makes a handler that must not be called.
func never(t testing.TB) http.HandlerFunc {
	return func(http.ResponseWriter, *http.Request) { t.Error("the handler was called") }
}

// from sets the address that a request comes from.
func from(address string) func(*http.Request) {
	return func(r *http.Request) { r.RemoteAddr = address }
}

// header sets a header.
func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// refusedWith checks the answer to a refused request.
func refusedWith(t testing.TB, w *httptest.ResponseRecorder, code int, retryAfter, text string) {
	t.Helper()
	equal(t, "status", w.Code, code)
	equal(t, "Retry-After", w.Header().Get("Retry-After"), retryAfter)
	equal(t, "body", w.Body.String(), text)
}

// atRest checks that a server holds nothing, and that every request is accounted for.
func (s *Server) atRest(t testing.TB) {
	t.Helper()
	snap := s.Snapshot()
	equal(t, "running", snap.Running, 0)
	if snap.Adaptive != nil {
		equal(t, "running in the adaptive limit", snap.Adaptive.Running, 0)
	}
	if snap.Bulkhead != nil {
		equal(t, "running in the bulkhead", snap.Bulkhead.Running, 0)
		equal(t, "waiting in the bulkhead", snap.Bulkhead.Waiting, 0)
	}
	c := snap.Counters
	equal(t, "requests decided on", c.Exempt+c.Admitted+c.Refused.Total()+c.Gone, c.Requests)
}

const (
	tooMany = "Too many requests.\n"
	busy    = "The server is busy.\n"
	noTime  = "There was not enough time to answer the request.\n"
)
