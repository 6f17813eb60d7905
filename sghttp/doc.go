// Package sghttp puts circuit breakers into HTTP clients, and limits into HTTP servers.
//
// # Model
//
// A [Transport] stands in front of any other [http.RoundTripper] and keeps one
// breaker for each [Key]: the host a request goes to and, if the request's
// context carries one, the label of a route ([WithRoute]). So a host that is
// down does not stop the calls to another one.
//
//	transport, err := sghttp.NewTransport(nil, sghttp.Config{})
//	client := &http.Client{Transport: transport}
//
// A breaker is made at the first call of its key, and there are at most
// [Config.MaxBreakers] of them. When that many exist and a further key comes,
// those that nobody uses and that refuse nothing are dropped. If there are none,
// the call runs unprotected. Such calls are counted ([Counters]), and a warning
// tells the listeners when they begin. So keys from an endless set, such as paths
// with identifiers in them, are useless but not dangerous.
//
// # What counts
//
// An answer is judged by its status (rule C4): 5xx, 408 and 429 are failures;
// 501, 505 and every other answer are successes. [Config.Statuses] changes that
// code by code. The Retry-After header of a failure lengthens the open interval
// that it leads to (rule O3).
//
// An error of the inner transport is judged by rule C1. It is ignored if the
// caller gave up by cancelling the request's context, and a failure if the
// context's deadline has passed, or if it is any other error. A reader that
// provides a request body can wrap its own errors with [switchgear.MarkIgnored],
// so that they are not held against the host.
//
// The outcome is settled when the headers of the response arrive or, with
// [Config.JudgeBody], when its body ends.
//
// A refused call returns a [*breaker.Rejection], which [http.Client] wraps into
// a [*url.Error]; errors.Is and errors.As see through that. With
// [Config.SyntheticResponse] the caller gets a response with the status 503
// instead.
//
// # Pipelines
//
// With [Config.Pipeline] each key has a whole pipeline in the place of a breaker:
// limits on time, retries within a budget, a bulkhead, whatever the configuration names.
//
//	client, err := sghttp.NewClient(sghttp.Config{Pipeline: new(pipeline.Interactive())})
//
// A request is made again only if that is safe: its method is idempotent (RFC 9110,
// 9.2.2), it is marked ([Idempotent], or a header Idempotency-Key), or there was no
// connection. Only safe methods are hedged, and what is marked with [hedge.Safe], also
// if the hedge is to take every call. The answers worth another attempt are 408,
// 425, 429, 502, 503 and 504 ([Config.Repeats]); if none is better, the caller gets the
// last one. A body is sent again if the request has GetBody, and otherwise up to
// [Config.MaxBufferedBody] of it is kept while the first attempt reads it; what is longer
// is sent once. So is a request with trailers.
//
// Limits on time end with the headers, unless [Config.LimitBody] is set; the context of
// the winning attempt lives until its body has been read to the end or closed. The
// answers of other attempts are drained up to 64 KiB, for at most 100 ms, so that their
// connections can be used again, and closed.
//
// # Servers
//
// A [Server] is middleware that protects handlers from more requests than they can
// serve: rate limits for each client and for all, an adaptive limit with priorities, a
// bulkhead, and a deadline, in an order that [Server] explains. Refused requests get 429
// or 503 with Retry-After. Streaming, upgrades and [http.ResponseController] work through
// it. Nothing is buffered, and no goroutine is started for a request.
//
//	server, err := sghttp.NewServer("api", sghttp.ServerConfig{
//		Adaptive: &adaptive.Config{},
//		Deadline: &sghttp.DeadlineConfig{Limit: 5 * time.Second},
//	})
//	http.ListenAndServe(":8080", server.Wrap(mux))
//
// # Contract
//
// A Transport keeps the contract of http.RoundTripper. It does not change
// requests, and closes the body of a request that it refuses. Whatever the inner
// transport can do is there as before: streaming in both directions, trailers,
// informational responses, upgraded connections, cancellation. A panic of the
// inner transport is a failure and goes on.
//
// Without a pipeline a call allocates nothing of its own, except for the error that
// keeps a failing status, the wrapper of a body that is to be judged, and a synthetic
// response. A call takes a lock of the transport's only if its key has no breaker, or
// pipeline, yet.
//
// # What it does not do
//
// Without a pipeline a Transport does not retry. Nor does it limit the time of a call:
// give the request a context with a deadline, or the client a Timeout.
//
// It starts no goroutine, except for the attempts of a hedged call. The deprecated field
// Cancel of [http.Request] works as before, but is not understood: a call that ends by
// it counts as a failure.
package sghttp
