package sghttp

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/retry"
)

func TestNewClient(t *testing.T) {
	before := http.DefaultTransport.(*http.Transport)
	idle := before.MaxIdleConns
	c := must(NewClient(Config{Pipeline: new(pipeline.Interactive())}))
	rt, ok := c.Transport.(*Transport)
	if !ok {
		t.Fatalf("got a client with a %T", c.Transport)
	}
	inner := rt.next.(*http.Transport)
	equal(t, "a copy", inner != before && before.MaxIdleConns == idle, true)
	equal(t, "idle connections", inner.MaxIdleConns, 256)
	equal(t, "for a host", inner.MaxIdleConnsPerHost, 64)
	equal(t, "connections for a host", inner.MaxConnsPerHost, 512)
	equal(t, "headers", inner.MaxResponseHeaderBytes, int64(1<<20))
	equal(t, "handshake", inner.TLSHandshakeTimeout, before.TLSHandshakeTimeout)
	equal(t, "HTTP/2", inner.ForceAttemptHTTP2, true)
	equal(t, "timeout", c.Timeout, 0)
	equal(t, "cookies", c.Jar, nil)
}

func TestNewClientConfig(t *testing.T) {
	c, err := NewClient(Config{Pipeline: &pipeline.Config{Retry: &retry.Config{Attempts: -7}}, MaxBreakers: -1})
	equal(t, "no client", c == nil, true)
	invalid, ok := errors.AsType[*switchgear.ConfigError](err)
	equal(t, "all problems", ok && len(invalid.Problems) == 2, true)
}

func TestNewClientWithoutTheDefaultTransport(t *testing.T) {
	before := http.DefaultTransport
	defer func() { http.DefaultTransport = before }()
	http.DefaultTransport = answers(204)
	c := must(NewClient(Config{}))
	inner := c.Transport.(*Transport).next.(*http.Transport)
	equal(t, "connections for a host", inner.MaxConnsPerHost, 512)
	equal(t, "proxies", inner.Proxy != nil, true)
	equal(t, "handshakes end", inner.TLSHandshakeTimeout > 0, true)
}

func TestNetNewClient(t *testing.T) {
	noLeak(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/there", http.StatusFound)
		}
	}))
	defer server.Close()
	c := must(NewClient(Config{Breaker: plain()}))
	defer c.CloseIdleConnections()
	resp := must(c.Get(server.URL))
	equal(t, "status", resp.StatusCode, http.StatusOK)
	equal(t, "path", resp.Request.URL.Path, "/there")
	resp.Body.Close()
	for _, b := range c.Transport.(*Transport).Breakers() {
		counted(t, b, 2, 0, 0)
		equal(t, "state", b.State(), breaker.Closed)
	}
}
