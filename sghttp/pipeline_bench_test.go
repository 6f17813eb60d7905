package sghttp

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/pipeline"
)

// nullBody is a transport that does nothing and answers with a body, so that there is
// something to keep a context for.
type nullBody struct{}

func (nullBody) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

// BenchmarkPipeline puts the cost of a preset beside that of the two limits on time which
// a careful client would have anyway.
func BenchmarkPipeline(b *testing.B) {
	req, err := http.NewRequest(http.MethodGet, "https://api.example/items", nil)
	if err != nil {
		b.Fatal(err)
	}
	post, err := http.NewRequest(http.MethodPost, "https://api.example/items", nil)
	if err != nil {
		b.Fatal(err)
	}
	bench := func(name string, rt http.RoundTripper, req *http.Request) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if resp, err := rt.RoundTrip(req); err == nil {
					resp.Body.Close()
				}
			}
		})
	}
	bench("two bare limits", sender(func(req *http.Request) (*http.Response, error) {
		total, end := context.WithTimeout(req.Context(), 3*time.Second)
		defer end()
		attempt, end := context.WithTimeout(total, time.Second)
		defer end()
		return nullBody{}.RoundTrip(req.WithContext(attempt))
	}), req)
	bench("interactive", newTransport(b, nullBody{}, Config{Pipeline: new(pipeline.Interactive())}), req)
	bench("interactive, limited body", newTransport(b, nullBody{}, Config{Pipeline: new(pipeline.Interactive()), LimitBody: true}), req)
	bench("write", newTransport(b, nullBody{}, Config{Pipeline: new(pipeline.Write())}), post)
	bench("low latency, hedged", newTransport(b, nullBody{}, Config{Pipeline: new(pipeline.LowLatency())}), req)
}

// BenchmarkPipelineLoopback puts the figures of BenchmarkPipeline into proportion.
func BenchmarkPipelineLoopback(b *testing.B) {
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
	bench("interactive", newTransport(b, server.Client().Transport, Config{Pipeline: new(pipeline.Interactive())}))
	bench("low latency, hedged", newTransport(b, server.Client().Transport, Config{Pipeline: new(pipeline.LowLatency())}))
}
