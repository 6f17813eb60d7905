// Package admin is an HTTP handler that shows the breakers of a registry and lets
// operators move them.
//
// # Model
//
// A [Handler] stands on a [registry.Registry]. It serves these paths, and can be mounted
// below a prefix with [http.StripPrefix]:
//
//	GET  /breakers               which there are; ?state=OPEN,HALF_OPEN ?name=pattern ?after=name ?limit=n
//	GET  /breakers/{name}        one: why it is as it is, numbers, last trip, configuration, ledger
//	GET  /events                 what happened; ?since=id ?limit=n
//	GET  /events/stream          the same as it happens, as server-sent events
//	GET  /health                 UP or DEGRADED; ?strict=true
//	POST /breakers/{name}/move   an operator's order: {"to", "for", "reason", "author"}
//	POST /breakers/move          the same for all names that match: {"name", …, "dry_run"}
//
// A slash in a name is written %2F. In a pattern * stands for any text and ? for any
// character.
//
// Answers are JSON, or with ?format=text (or Accept: text/plain) lines for people:
//
//	$ curl 'localhost:9090/breakers?state=OPEN&format=text'
//	payments: OPEN since 03:12:44 (2 min), because 12 of 20 calls failed (60 % ≥ 50 %), mostly dial tcp: connection refused; next probe in 12 s
//	1 of 12 breakers
//
// # Moves
//
// "to" is one of
//
//	hold-open     FORCED_OPEN: refuse every call
//	hold-closed   METRICS_ONLY: admit every call, go on measuring
//	disable       DISABLED: admit every call, judge nothing
//	reset         CLOSED, with the growth of the open interval forgotten
//
// "for" is how long, such as "30m", or "forever"; required but for reset, which has none
// (rule S4). "reason" is required, and "author" should be given. A name that is not there
// is answered with 404; nothing is ever made. A pattern moves at most [MaxMoves] breakers,
// one after another, and with "dry_run" none: the answer tells which it would be.
//
// # Events
//
// The handler remembers the newest events under identifiers of its own. A stream begins
// with what comes next or, given Last-Event-ID or ?since, right after that event; what is
// no longer remembered, or of an earlier process, is announced as an event of type "gap".
// A comment line is sent when nothing has happened for a while.
//
// A reader has its own place in what is remembered, and nothing waits for it: neither a
// call, nor a breaker, nor another reader. One that takes nothing for [Config.Stuck] is
// dropped.
//
// # Health
//
// DEGRADED means that at least one breaker is OPEN, HALF_OPEN or FORCED_OPEN. Both have
// the status 200: a breaker that is open does its duty, and to restart the program or take
// it out of service heals nothing. With ?strict=true DEGRADED has 503.
//
// # Contract
//
// Errors are {"error", "field", "bound"}, the last two where there are some, with the
// status
//
//	400  the request is not understood or breaks a bound
//	401  the token is missing or wrong
//	403  the token may not write, writing is off, or the request comes from another site
//	404  no such path or breaker
//	405  no such method here
//	413  the body is too large
//	415  the body is not application/json
//	421  the Host is not one of this handler's
//	503  as many streams as may be are open
//
// Reading and writing are separate permissions, and writing is off unless
// [Config.AllowWrites] is set. Tokens are compared in constant time. Requests of other
// sites' pages are refused, and no answer is shared with them; [Config.Hosts] says what
// keeps them from using a name of their own for this handler. Everything that is answered
// is bounded or paged, and foreign text in it is escaped.
//
// All methods are safe for concurrent use.
//
// # What it does not do
//
// It opens no port, and has no TLS and no page: that is the program's. It does not create,
// remove or reconfigure breakers. Of pipelines it shows the breaker only.
package admin
