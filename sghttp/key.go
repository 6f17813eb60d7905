package sghttp

import (
	"context"
	"net/http"
	"net/url"
	"strings"
)

// A Key names what one breaker stands for. It is comparable, and two requests
// with equal keys share a breaker.
type Key struct {
	// Host is the host, as [DefaultKey] writes it, or whatever the function
	// given to [WithKey] puts there.
	Host string
	// Route is the label of a route, or empty.
	Route string
}

// String returns "host" or "host route". It is the breaker's name.
func (k Key) String() string {
	if k.Route == "" {
		return k.Host
	}
	return k.Host + " " + k.Route
}

// DefaultKey is the key of a request unless [WithKey] says otherwise: the host and
// port in the request's URL, which is where it is sent, and the label of its
// context. [http.Request.Host], which may name a virtual host there, plays no
// part, and neither does the scheme.
//
// The host is in lower case, and without the port if that is the scheme's own:
// "http://API.example:80/" and "https://api.example/" have the key
// "api.example". It is not changed in any other way.
//
// DefaultKey returns false for a URL without a host, which names nothing that
// could be healthy or sick.
func DefaultKey(req *http.Request) (Key, bool) {
	if req.URL == nil || req.URL.Host == "" {
		return Key{}, false
	}
	return Key{Host: normalHost(req.URL), Route: Route(req.Context())}, true
}

// normalHost allocates only if there are upper-case letters. Where a port is all
// there is, which means this machine, it stays.
func normalHost(u *url.URL) string {
	port := ":"
	switch u.Scheme {
	case "http":
		port = ":80"
	case "https":
		port = ":443"
	}
	host := strings.TrimSuffix(strings.TrimSuffix(u.Host, port), ":")
	if host == "" {
		return u.Host
	}
	return strings.ToLower(host)
}

type routeKey struct{}

// WithRoute returns a context that carries the label of a route, such as "GET
// /users/{id}". Requests with that context get a breaker for their host and this
// label. Labels should come from a small set: each takes the place of a breaker. The
// empty label is none.
func WithRoute(ctx context.Context, label string) context.Context {
	return context.WithValue(ctx, routeKey{}, label)
}

// Route returns the label that ctx carries, or "".
func Route(ctx context.Context) string {
	label, _ := ctx.Value(routeKey{}).(string)
	return label
}
