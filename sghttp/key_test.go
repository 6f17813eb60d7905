package sghttp

import (
	"context"
	"net/http"
	"net/url"
	"testing"
)

func TestDefaultKey(t *testing.T) {
	for _, c := range []struct{ url, host string }{
		{"http://api.example/items", "api.example"},
		{"http://API.Example/", "api.example"},
		{"http://api.example:80/", "api.example"},
		{"https://api.example:443/", "api.example"},
		{"https://api.example:80/", "api.example:80"},
		{"http://api.example:443/", "api.example:443"},
		{"http://api.example:8080/", "api.example:8080"},
		{"http://api.example:/", "api.example"},
		{"http://api.example:180/", "api.example:180"},
		{"http://192.0.2.7:80/", "192.0.2.7"},
		{"http://[2001:DB8::80]:80/", "[2001:db8::80]"},
		{"http://[2001:db8::80]/", "[2001:db8::80]"},
		{"http://:80/", ":80"},
		{"ftp://api.example:80/", "api.example:80"},
		{"http://user:password@api.example/", "api.example"},
	} {
		key, ok := DefaultKey(request(context.Background(), c.url))
		equal(t, c.url+" has a key", ok, true)
		equal(t, c.url, key, Key{Host: c.host})
	}
	t.Run("the Host header plays no part", func(t *testing.T) {
		req := request(context.Background(), "http://192.0.2.7/")
		req.Host = "virtual.example"
		key, _ := DefaultKey(req)
		equal(t, "key", key, Key{Host: "192.0.2.7"})
	})
	t.Run("no host, no key", func(t *testing.T) {
		for name, u := range map[string]*url.URL{"no URL": nil, "no host": {Scheme: "file", Path: "/etc/hosts"}} {
			_, ok := DefaultKey(&http.Request{URL: u})
			equal(t, name, ok, false)
		}
	})
	t.Run("the route is that of the context", func(t *testing.T) {
		ctx := WithRoute(context.Background(), "GET /items/{id}")
		key, _ := DefaultKey(request(ctx, "http://api.example/items/7"))
		equal(t, "key", key, Key{Host: "api.example", Route: "GET /items/{id}"})
		equal(t, "name", key.String(), "api.example GET /items/{id}")
	})
}

func TestRoute(t *testing.T) {
	ctx := context.Background()
	equal(t, "no label", Route(ctx), "")
	inner := WithRoute(ctx, "a")
	equal(t, "a label", Route(inner), "a")
	equal(t, "the newest label", Route(WithRoute(inner, "b")), "b")
	equal(t, "the empty label is none", Route(WithRoute(inner, "")), "")
}

func TestKeysAreIsolated(t *testing.T) {
	const down = "http://down.example/"
	next := sender(func(req *http.Request) (*http.Response, error) {
		if req.URL.Host == "down.example" && Route(req.Context()) == "" {
			return nil, errDown
		}
		return answers(200)(req)
	})
	r := newRig(t, next, Config{Breaker: plain()})
	for range 5 {
		r.get(down)
	}
	t.Run("a host that is down is refused", func(t *testing.T) {
		_, err := r.get(down)
		equal(t, "state", r.of("down.example").State().String(), "OPEN")
		equal(t, "error", err.Error(), `breaker "down.example" is OPEN: 5 of 5 calls failed (100 % ≥ 50 %), mostly error: connection refused; next probe in 10s`)
	})
	t.Run("another host is not", func(t *testing.T) {
		code, err := r.get("http://up.example/")
		equal(t, "status", code, 200)
		equal(t, "error", err, nil)
	})
	t.Run("nor is a route of the same host", func(t *testing.T) {
		code, _ := r.send(request(WithRoute(context.Background(), "status"), down))
		equal(t, "status", code, 200)
		equal(t, "keys", r.keys(), []string{"down.example", "down.example status", "up.example"})
	})
}

func TestWithKey(t *testing.T) {
	r := newRig(t, answers(503), Config{}, WithKey(func(req *http.Request) (Key, bool) {
		key, ok := DefaultKey(req)
		key.Route = req.Method
		return key, ok && req.URL.Path != "/health"
	}))
	t.Run("the function decides", func(t *testing.T) {
		r.get("http://api.example/a")
		r.get("http://API.example/b")
		equal(t, "keys", r.keys(), []string{"api.example GET"})
		equal(t, "failed", r.only().Counters().Failed, 2)
	})
	t.Run("a request without a key is left alone, and counted", func(t *testing.T) {
		code, err := r.get("http://api.example/health")
		equal(t, "status", code, 503)
		equal(t, "error", err, nil)
		equal(t, "failed", r.only().Counters().Failed, 2)
		equal(t, "exempt", r.Counters().Exempt, 1)
	})
	t.Run("the default leaves requests without a host to the inner transport", func(t *testing.T) {
		r := newRig(t, nil, Config{})
		_, err := r.send(&http.Request{Header: http.Header{}})
		equal(t, "error", err.Error(), "http: nil Request.URL")
		equal(t, "keys", r.keys(), []string{})
		equal(t, "exempt", r.Counters().Exempt, 1)
	})
}
