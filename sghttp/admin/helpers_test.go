package admin_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/registry"
	"github.com/switchgear-go/switchgear/sghttp/admin"
)

var start = time.Date(2026, time.March, 1, 3, 12, 44, 0, time.UTC)

var errDown = errors.New("dial tcp: connection refused")

const (
	readToken  = "read-0123456789abcdef"
	writeToken = "write-0123456789abcdef"
)

func plain() breaker.Config {
	return breaker.Config{
		ConsecutiveFailures: 3,
		Open:                breaker.OpenConfig{Wait: 27 * time.Second, Jitter: switchgear.Off},
		HalfOpen:            breaker.HalfOpenConfig{Probes: 1},
	}
}

func writes() admin.Config { return admin.Config{AllowWrites: true} }

// A rig is a handler over a registry in virtual time.
type rig struct {
	*admin.Handler
	t     testing.TB
	clock *clock.Virtual
	reg   *registry.Registry
}

func newRig(t testing.TB, cfg admin.Config, opts ...admin.Option) *rig {
	t.Helper()
	r := &rig{t: t, clock: clock.NewVirtual(start)}
	r.reg = registry.Must(registry.New(registry.Config{Max: 100_000}, registry.WithClock(r.clock)))
	return r.serve(cfg, opts...)
}

// serve makes the handler over what there is.
func (r *rig) serve(cfg admin.Config, opts ...admin.Option) *rig {
	r.t.Helper()
	h, err := admin.New(r.reg, cfg, append([]admin.Option{admin.WithClock(r.clock)}, opts...)...)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(h.Close)
	r.Handler = h
	return r
}

func (r *rig) breaker(name string) *breaker.Breaker {
	r.t.Helper()
	b, err := r.reg.Breaker(name, plain())
	if err != nil {
		r.t.Fatal(err)
	}
	return b
}

// tripped makes an open breaker.
func (r *rig) tripped(name string) *breaker.Breaker {
	b := r.breaker(name)
	for range 3 {
		_ = b.Do(context.Background(), func(context.Context) error { return errDown })
	}
	return b
}

// A change changes a request.
type change func(*http.Request)

func header(name, value string) change {
	return func(r *http.Request) {
		if name == "Host" {
			r.Host = value
		}
		r.Header.Set(name, value)
	}
}

func bearer(token string) change { return header("Authorization", "Bearer "+token) }

func (r *rig) do(method, target, body string, changes ...change) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, target, strings.NewReader(body))
	req.Host = "localhost:9090"
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, c := range changes {
		c(req)
	}
	w := httptest.NewRecorder()
	r.ServeHTTP(w, req)
	return w
}

// get reads a JSON answer with status 200.
func get[T any](r *rig, target string, changes ...change) T {
	r.t.Helper()
	return read[T](r.t, r.do(http.MethodGet, target, "", changes...), http.StatusOK)
}

func read[T any](t testing.TB, w *httptest.ResponseRecorder, status int) T {
	t.Helper()
	var v T
	if w.Code != status {
		t.Fatalf("status %d, want %d: %s", w.Code, status, w.Body)
	}
	equal(t, "type", w.Header().Get("Content-Type"), "application/json")
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	return v
}

// lines reads an answer for people.
func (r *rig) lines(target string, changes ...change) string {
	r.t.Helper()
	w := r.do(http.MethodGet, target, "", append(changes, header("Accept", "text/plain"))...)
	equal(r.t, "type", w.Header().Get("Content-Type"), "text/plain; charset=utf-8")
	text, _ := io.ReadAll(w.Body)
	return string(text)
}

// A problem is the body of an error.
type problem struct{ Error, Field, Bound string }

func equal[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}

// settle waits until the handler has heard all that the registry has. The events go through
// a goroutine of its own.
func (r *rig) settle() {
	r.t.Helper()
	for range 10_000_000 {
		if r.Remembered() >= r.reg.Counters().Events {
			return
		}
		runtime.Gosched()
	}
	r.t.Fatal("events do not arrive")
}
