package sghttp

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/switchgear-go/switchgear/breaker"
)

// null is a transport that does nothing: what is measured with it is ours.
type null struct{ resp *http.Response }

func (n null) RoundTrip(*http.Request) (*http.Response, error) { return n.resp, nil }

var okay = null{&http.Response{StatusCode: http.StatusOK, Body: http.NoBody}}

func BenchmarkNull(b *testing.B) {
	request := func(ctx context.Context) *http.Request {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://api.example/items", nil)
		if err != nil {
			b.Fatal(err)
		}
		return req
	}
	plain := request(context.Background())
	routed := request(WithRoute(context.Background(), "GET /items"))

	bench := func(name string, rt http.RoundTripper, req *http.Request) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if resp, err := rt.RoundTrip(req); err == nil {
					resp.Body.Close()
				}
			}
		})
		b.Run(name+"/parallel", func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if resp, err := rt.RoundTrip(req); err == nil {
						resp.Body.Close()
					}
				}
			})
		})
	}
	opened := func(cfg Config) *Transport {
		t := newTransport(b, okay, cfg)
		if resp, err := t.RoundTrip(plain); err == nil {
			resp.Body.Close()
		}
		stuck, _ := t.Breaker(Key{Host: "api.example"})
		if err := stuck.Move(breaker.Move{To: breaker.ForcedOpen, Reason: "benchmark"}); err != nil {
			b.Fatal(err)
		}
		return t
	}

	bench("bare", okay, plain)
	bench("host", newTransport(b, okay, Config{}), plain)
	bench("route", newTransport(b, okay, Config{}), routed)
	bench("bare body", withBody{}, plain)
	bench("judge body", newTransport(b, withBody{}, Config{JudgeBody: true}), plain)
	bench("failing status", newTransport(b, null{&http.Response{StatusCode: http.StatusBadGateway, Body: http.NoBody}},
		Config{Breaker: neverTrips}), plain)
	bench("refused", opened(Config{}), plain)
	bench("refused with a response", opened(Config{SyntheticResponse: true}), plain)
}

// BenchmarkLoopback puts the figures of BenchmarkNull into proportion.
func BenchmarkLoopback(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "hello")
	}))
	defer server.Close()
	bench := func(name string, rt http.RoundTripper) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			client := &http.Client{Transport: rt}
			for b.Loop() {
				resp, err := client.Get(server.URL)
				if err != nil {
					b.Fatal(err)
				}
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		})
	}
	bench("bare", server.Client().Transport)
	bench("host", newTransport(b, server.Client().Transport, Config{}))
	bench("judge body", newTransport(b, server.Client().Transport, Config{JudgeBody: true}))
}
