package sghttp

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/hedge"
)

// Idempotent marks the requests made with the returned context as ones that have the
// same effect if they are made twice, whatever their method. A pipeline's retry then
// makes them again. A header Idempotency-Key or X-Idempotency-Key has the same effect,
// as with net/http's own transport.
//
// It does not say that they may be made twice at the same time: see [hedge.Safe].
func Idempotent(ctx context.Context) context.Context {
	return context.WithValue(ctx, idempotentKey{}, true)
}

type idempotentKey struct{}

// isIdempotent reports whether req may be made again (RFC 9110, 9.2.2).
func isIdempotent(req *http.Request) bool {
	switch req.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, http.MethodPut, http.MethodDelete:
		return true
	}
	for _, name := range [...]string{"Idempotency-Key", "X-Idempotency-Key"} {
		// Present is enough: a nil value is not sent, and marks the request all the same.
		if _, ok := req.Header[name]; ok {
			return true
		}
	}
	return req.Context().Value(idempotentKey{}) != nil
}

// isSafe reports whether req asks for nothing to be changed (RFC 9110, 9.2.1).
func isSafe(req *http.Request) bool {
	switch req.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	return false
}

// hedging returns ctx with the mark that a pipeline's hedge goes by. What the caller
// has marked stays as it is, unless there is only one body. Without a mark the method
// decides, also where the hedge would take every call: most clients make some that
// must not be made twice.
func (x *roundTrip) hedging(ctx context.Context) context.Context {
	_, marked := hedge.Marked(ctx)
	switch {
	case x.single || !x.reopens:
		return hedge.Unsafe(ctx)
	case marked:
		return ctx
	case isSafe(x.req):
		return hedge.Safe(ctx)
	}
	return hedge.Unsafe(ctx)
}

// worthRepeating reports whether an answer with this status is worth another attempt.
func (cfg *Config) worthRepeating(code int) bool {
	if r, ok := cfg.Repeats[code]; ok {
		return r == switchgear.RepeatYes
	}
	switch code {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// neverSent reports whether err says that there was no connection, so that the request
// cannot have reached the server, nor its body have been read.
func neverSent(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && (op.Op == "dial" || op.Op == "proxyconnect")
}

// incurable reports whether the same request would end in the same way.
func incurable(err error) bool {
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	return certificate || errors.Is(err, http.ErrSchemeMismatch)
}
