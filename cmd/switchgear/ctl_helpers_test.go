package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/registry"
	"github.com/switchgear-go/switchgear/sghttp/admin"
)

var ctlStart = time.Date(2026, time.March, 1, 3, 12, 44, 0, time.UTC)

const (
	ctlReadToken  = "read-0123456789abcdef"
	ctlWriteToken = "write-0123456789abcdef"
)

// A station is a program with breakers in virtual time, and its admin handler on a real
// connection.
type station struct {
	t      *testing.T
	clock  *clock.Virtual
	reg    *registry.Registry
	admin  atomic.Pointer[admin.Handler]
	server *httptest.Server
	// streams is how many requests for a stream have come.
	streams atomic.Int64

	// instead answers in place of the admin handler, unless it is nil.
	instead atomic.Pointer[http.HandlerFunc]
}

func newStation(t *testing.T, cfg admin.Config) *station {
	t.Helper()
	t.Setenv(tokenVariable, "")
	s := &station{t: t, clock: clock.NewVirtual(ctlStart)}
	s.reg = registry.Must(registry.New(registry.Config{Max: 10_000}, registry.WithClock(s.clock)))
	s.restart(cfg)
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", s.clock.Now().UTC().Format(http.TimeFormat))
		if f := s.instead.Load(); f != nil {
			(*f)(w, r)
			return
		}
		if strings.HasSuffix(r.URL.Path, "/stream") {
			s.streams.Add(1)
		}
		s.admin.Load().ServeHTTP(quick{w}, r)
	}))
	t.Cleanup(func() {
		s.admin.Load().Close() // or the server waits for streams
		s.server.Close()
	})
	return s
}

// restart puts a new handler in place of the one there is.
func (s *station) restart(cfg admin.Config) {
	s.t.Helper()
	h, err := admin.New(s.reg, cfg, admin.WithClock(s.clock))
	if err != nil {
		s.t.Fatal(err)
	}
	if old := s.admin.Swap(h); old != nil {
		old.Close()
	}
}

// answers puts something else in place of the admin handler; nil takes it away.
func (s *station) answers(f http.HandlerFunc) {
	if f == nil {
		s.instead.Store(nil)
		return
	}
	s.instead.Store(&f)
}

// answersStatus is a handler that knows nothing but a status.
func answersStatus(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// quick makes a stream ask for new connections after a short time, for tests.
type quick struct{ http.ResponseWriter }

func (q quick) Unwrap() http.ResponseWriter { return q.ResponseWriter }

func (q quick) Write(p []byte) (int, error) {
	_, err := q.ResponseWriter.Write([]byte(strings.Replace(string(p), "retry: 3000\n", "retry: 100\n", 1)))
	return len(p), err
}

var errCtlDown = errors.New("dial tcp: connection refused")

func (s *station) breaker(name string) *breaker.Breaker {
	s.t.Helper()
	b, err := s.reg.Breaker(name, breaker.Config{
		ConsecutiveFailures: 3,
		Open:                breaker.OpenConfig{Wait: 30 * time.Second, Jitter: switchgear.Off},
		HalfOpen:            breaker.HalfOpenConfig{Probes: 1},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

func (s *station) trip(name string) *breaker.Breaker {
	s.t.Helper()
	b := s.breaker(name)
	for range 3 {
		_ = b.Do(context.Background(), func(context.Context) error { return errCtlDown })
	}
	return b
}

// ctl runs a verb against the station.
func (s *station) ctl(args ...string) outcome {
	s.t.Helper()
	return invoke(s.t.Context(), append([]string{"ctl", args[0], "--addr", s.server.URL}, args[1:]...)...)
}

// watched is a verb that goes on until it is stopped.
type watched struct {
	t         *testing.T
	out, errs *screen
	cancel    context.CancelFunc
	code      chan int
}

func (s *station) watch(args ...string) *watched {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	s.t.Cleanup(cancel)
	w := &watched{s.t, newScreen(), newScreen(), cancel, make(chan int, 1)}
	args = append([]string{"ctl", args[0], "--addr", s.server.URL}, args[1:]...)
	go func() { w.code <- run(ctx, args, streams{w.out, w.errs}) }()
	return w
}

// stop stops it as Ctrl-C does.
func (w *watched) stop(name string) {
	w.t.Helper()
	w.cancel()
	if got := <-w.code; got != exitInterrupted {
		w.t.Errorf("exit code %d, want %d", got, exitInterrupted)
	}
	w.errs.await(w.t, `(^|\n)switchgear `+name+`: stopped\n$`)
}

// heard waits until the handler has so many events.
func (s *station) heard(n int) {
	s.t.Helper()
	for range 10_000_000 {
		r := httptest.NewRequest(http.MethodGet, "http://localhost/events?limit=1000&format=text", nil)
		w := httptest.NewRecorder()
		s.admin.Load().ServeHTTP(w, r)
		if strings.Count(w.Body.String(), "\n") >= n {
			return
		}
		runtime.Gosched()
	}
	s.t.Fatal("events do not arrive")
}

// streaming waits until somebody has asked for a stream: what happens from then on
// comes by that.
func (s *station) streaming() {
	for s.streams.Load() == 0 {
		runtime.Gosched()
	}
}

// wants checks an outcome: the exit code, and parts of what was printed.
func (o outcome) wants(t *testing.T, code int, out, err string) {
	t.Helper()
	if o.code != code {
		t.Errorf("exit code %d, want %d", o.code, code)
	}
	for _, s := range []struct{ name, got, want string }{{"out", o.out, out}, {"err", o.err, err}} {
		if !strings.Contains(s.got, s.want) || s.want == "" && s.got != "" {
			t.Errorf("std%s is\n%swant\n%s", s.name, s.got, s.want)
		}
	}
}
