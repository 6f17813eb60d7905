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
//	POST /breakers/move          the same for all names that match: {"name", "after", …, "dry_run"}
//
// A slash in a name is written %2F. Behind a [http.ServeMux], which cleans paths, the names
// "." and ".." are written %2E and %2E%2E. In a pattern * stands for any text and ? for any
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
// one after another, and with "dry_run" none: the answer tells which it would be. If more
// match it moves none, unless "after" is given, a name: then it moves the first of those
// that come after it, and "next" in the answer is what to give for the rest. "after": ""
// begins. A breaker that goes before it is its turn is named in "gone".
//
// The body is one object, in which each key is there at most once, and in small letters.
//
// # Events
//
// The handler remembers the newest events under identifiers of its own. A stream begins
// with what comes next or, given Last-Event-ID or ?since, right after that event; what is
// no longer remembered, or of an earlier process, is announced as an event of type "gap".
// So is what came faster than the handler could take it: it may be behind the registry by
// [event.MaxWaiting] events. A comment line is sent when nothing has happened for a while,
// and after [Config.StreamLife] a stream ends; its reader, as browsers do, comes again with
// Last-Event-ID, for which a stream gives an identifier before its first event.
//
// A reader has its own place in what is remembered, and nothing waits for it: neither a
// call, nor a breaker, nor another reader. One that takes next to nothing for [Config.Stuck]
// is dropped.
//
// # Names
//
// A breaker is listed and moved under the name of its entry. In events, in the ledger and for
// the flap detector it has its own. The two differ for what is attached. Where several
// breakers have one own name, ledger and detector cannot tell them apart, and the handler
// shows neither book nor flag for them. Nor does it show a book that tells what the breaker
// has not been through, since that is of an earlier breaker; flapping, after the first
// transition of a breaker, may still be an earlier one's.
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
//	408  the body does not come
//	413  the body is too large
//	415  the body is not application/json
//	421  the Host is not one of this handler's
//	503  as many streams as may be are open
//
// Reading and writing are separate permissions, and writing is off unless
// [Config.AllowWrites] is set. Tokens are compared in constant time. Everything that is
// answered is bounded or paged, and foreign text in it is escaped. All methods are safe for
// concurrent use.
//
// Web pages of others are kept out in two ways. A request that a browser marks as another
// site's is refused, unless it is a link that somebody follows; a move is refused too if its
// Origin is another one or its body is not declared as JSON. Browsers mark requests to https
// and to localhost; elsewhere a page can have the handler read something, but is not shown
// the answer. And where no token is needed for reading, or on a loopback address, the handler
// must be addressed by localhost, an IP address or one of [Config.Hosts], since a page at
// a name of its owner's that points to the handler is of the same site for the browser.
//
// # What it shows
//
// Texts of errors are shown as they are, shortened. An [url.Error] has the whole URL in it,
// and with it what a query holds, be it a key. Where that may be, wrap such errors, so that
// their text says less, or set [Config.Token].
//
// # The server
//
// The body of a move has to come within 10 seconds. All else that a slow client can hold up
// is the server's: it should have a ReadHeaderTimeout, a WriteTimeout and an IdleTimeout, see
// [http.Server].
//
// # What it does not do
//
// It opens no port, and has no TLS and no page: that is the program's. It does not create,
// remove or reconfigure breakers. Of pipelines it shows the breaker only.
package admin
