package sghttp

import (
	"net/http"
	"time"
)

// NewClient returns a client that makes its calls through a [Transport] of its own,
// which its field Transport holds, in front of a new [http.Transport]:
//
//	client, err := sghttp.NewClient(sghttp.Config{Pipeline: new(pipeline.Interactive())})
//
// That is a copy of [http.DefaultTransport] with the proxies, timeouts of dialing and of
// TLS handshakes that are set there, and these bounds, which all are fields of it that
// can be set if a Transport is made by hand, with [NewTransport]:
//
//   - 256 idle connections in all and 64 for each host, where net/http keeps 2: with
//     those, 64 calls at a time make most of their connections anew.
//   - 512 connections for each host. It is what stops a leak, and no limit on load:
//     a call that waits for a connection looks like a slow server. For that there is a
//     bulkhead.
//   - 1 MiB of headers in an answer.
//
// If http.DefaultTransport has been replaced by something that is not an
// *http.Transport, a plain one takes the place of the copy.
//
// The client follows redirects, each of which is a call of its own, and keeps no
// cookies, as [http.DefaultClient] does; its fields may be set. It has no Timeout:
// [pipeline.Config].Total takes its place for each call. CloseIdleConnections of the
// client closes connections; to stop timers of breakers, Close the Transport.
func NewClient(cfg Config, opts ...Option) (*http.Client, error) {
	t, err := NewTransport(boundedTransport(), cfg, opts...)
	if err != nil {
		return nil, err
	}
	return &http.Client{Transport: t}, nil
}

// boundedTransport returns the inner transport of a client.
func boundedTransport() *http.Transport {
	var t *http.Transport
	if d, ok := http.DefaultTransport.(*http.Transport); ok {
		t = d.Clone()
	} else {
		t = &http.Transport{
			Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true,
			IdleConnTimeout: 90 * time.Second, TLSHandshakeTimeout: 10 * time.Second, ExpectContinueTimeout: time.Second,
		}
	}
	t.MaxIdleConns = 256
	t.MaxIdleConnsPerHost = 64
	t.MaxConnsPerHost = 512
	t.MaxResponseHeaderBytes = 1 << 20
	return t
}
