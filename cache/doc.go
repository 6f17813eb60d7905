// Package cache remembers the last good answer for each key, and gives it again
// when the dependency cannot: stale-if-error, as RFC 5861 has it for HTTP.
//
// # Model
//
// An answer is fresh until it is TTL old, and stale for StaleFor after that.
//
//	age     0 ────────── TTL ───────────────── TTL + StaleFor ──────
//	        fresh         stale                 gone
//	Do      no call       call; if it fails,    call
//	                      the old answer
//
// By default TTL is off: every call is made, and the cache speaks only for those
// that fail. Set it, and calls are saved as well.
//
// An answer that comes in place of an error says so: [Meta] has its age and the
// error it hides. Errors are never cached. An error that is an answer (one whose
// health is a success, such as "not found" under [switchgear.MarkSuccess]) is
// returned, and the old answer for that key is dropped, since it has been overtaken
// and is not what the dependency would say if it could. RFC 5861, section 4, draws
// the same line: 404 is not an error, 503 is.
//
// Refusals are errors like others here: that a breaker is open is the best of
// reasons to answer from memory. So the cache stands outside the breaker:
//
//	item, meta, err := cache.Do(ctx, items, id, func(ctx context.Context) (Item, error) {
//		return breaker.Do(ctx, stock, fetch(id))
//	})
//
// Answers are kept in a [Store]; [Memory] is one, and the default.
//
// # Contract
//
//   - A caller that has cancelled gets the error of its call. One whose deadline has
//     passed still gets a stale answer, which takes no time.
//   - No failure of a store is a failure of the call: an error or a panic in it is
//     counted, told once by a Warning event, and otherwise taken for a miss.
//   - A panic in the call goes on to the caller, and nothing is stored or served.
//   - All callers of a key share the value that is stored. If it holds a pointer, a
//     map or a slice, nobody may change what that refers to.
//   - Everything is safe for concurrent use. The call, the store, causes and
//     classifiers run outside every lock, in the caller's goroutine.
//   - A fresh answer from a Memory takes one short lock and allocates nothing.
//
// # What it does not do
//
// It does not keep many callers from asking for the same key at once: put package
// collapse around the call. Of two calls that overlap, the one that ends last is
// remembered, even if it began first. It does not refresh in the background
// (stale-while-revalidate): nothing here starts a goroutine. An answer's age counts
// from when it came, not from when the dependency made it.
package cache
