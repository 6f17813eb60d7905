package sghttp

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/ratelimit"
)

// discard is a response writer that does nothing, with the abilities of net/http's: what
// is measured with it is ours.
type discard struct {
	canFlush
	canHijack
	canRead
	header http.Header
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(int)             {}

var serverBenchmarks = []struct {
	name string
	cfg  ServerConfig
}{
	{"nothing", ServerConfig{}},
	{"rate limit", ServerConfig{RateLimit: &ratelimit.Config{Rate: 1e8, Burst: 1e9}}},
	{"rate limit by client", ServerConfig{KeyedRateLimit: &ratelimit.KeyedConfig{Limit: ratelimit.Config{Rate: 1e8, Burst: 1e9}}}},
	{"bulkhead", ServerConfig{Bulkhead: &bulkhead.Config{MaxConcurrent: 1000}}},
	{"statuses", ServerConfig{CountStatuses: true}},
	{"adaptive", ServerConfig{Adaptive: &adaptive.Config{}}},
	{"deadline", ServerConfig{Deadline: &DeadlineConfig{Limit: time.Hour}}},
	{"everything", ServerConfig{
		KeyedRateLimit: &ratelimit.KeyedConfig{Limit: ratelimit.Config{Rate: 1e8, Burst: 1e9}},
		RateLimit:      &ratelimit.Config{Rate: 1e8, Burst: 1e9},
		Adaptive:       &adaptive.Config{},
		Bulkhead:       &bulkhead.Config{MaxConcurrent: 1000},
		Deadline:       &DeadlineConfig{Limit: time.Hour},
	}},
}

// BenchmarkServer compares with the bare handler, and with what a deadline costs in any
// case: a context and a copy of the request.
func BenchmarkServer(b *testing.B) {
	hello := []byte("hello")
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(hello) })
	bench := func(name string, h http.Handler) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			req := httptest.NewRequest("GET", "/", nil)
			w := &discard{header: http.Header{}}
			for b.Loop() {
				h.ServeHTTP(w, req)
			}
		})
	}
	bench("bare", handler)
	bench("bare with deadline", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), time.Hour)
		defer cancel()
		handler.ServeHTTP(w, r.WithContext(ctx))
	}))
	for _, bb := range serverBenchmarks {
		bench(bb.name, newServer(b, bb.cfg).Wrap(handler))
	}

	full := newServer(b, ServerConfig{Bulkhead: &bulkhead.Config{MaxConcurrent: 1}})
	end := full.occupied(1)
	bench("refused", full.Wrap(handler))
	end()
}

// BenchmarkServerLoopback puts the figures of BenchmarkServer into proportion.
func BenchmarkServerLoopback(b *testing.B) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") })
	bench := func(name string, h http.Handler) {
		b.Run(name, func(b *testing.B) {
			server := httptest.NewServer(h)
			defer server.Close()
			b.ReportAllocs()
			for b.Loop() {
				resp, err := server.Client().Get(server.URL)
				if err != nil {
					b.Fatal(err)
				}
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		})
	}
	bench("bare", handler)
	bench("everything", newServer(b, serverBenchmarks[len(serverBenchmarks)-1].cfg).Wrap(handler))
}
