// Package flaky is a small inventory service that can be made to fail, over
// real HTTP: the dependency of the demo, also to be tried by hand.
//
//	GET  /inventory/{sku}            how many there are
//	POST /admin/set-healthy/{bool}   true or false
//
// It starts healthy, and then answers every well-formed request at once. While
// it is not healthy it does what hurts callers most: it lets each request hang,
// and fails in the end. A SKU that is not in upper case is the caller's mistake
// and is answered with 400 at once, healthy or not.
//
// [Service] is the handler, [Serve] runs one on a listener. A request ends early
// when its client goes away or the server is closed; nothing is left behind.
//
// Anybody who reaches the service can switch it, so it belongs on loopback.
package flaky
