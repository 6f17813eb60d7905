// Package fallback answers calls in another way when they fail: with a fixed
// value, with a function, or by asking other providers one after another.
//
// # Model
//
// A call and a list of handlers. The call runs first. If it fails, the handlers
// are asked in order, each at most once: the first whose [Cause] matches the error
// runs. If it fails too, its own error is what the rest of the list is asked about.
// So a list reads from the best substitute to the last resort:
//
//	price, err := fallback.Do(ctx, current,
//		fallback.Chain(mirror, archive),             // whatever went wrong
//		fallback.Value(listPrice, fallback.Rejected)) // only if archive's breaker is open
//
// Each provider of a chain brings its own protection: its function contains the
// breaker or the pipeline that belongs to it.
//
// [Do] is for the occasional use. A [Fallback] is the same list with a name and
// counters; make it once and share it.
//
// # Contract
//
//   - Nothing is done for a caller that is gone. If the context has been cancelled
//     when an error comes, that error is returned. If the context's deadline has
//     passed, no function is started, since it could not finish and its failure
//     would count against a provider that did nothing wrong; a value is still
//     given, because whoever set the deadline may be waiting for the answer.
//   - An error marked with [switchgear.MarkSuccess], such as "not found", is an
//     answer. By default it is returned and not replaced.
//   - If no handler matches, the error of the call is returned as it is. If
//     handlers have failed as well, the error is an [*Error] that matches, with
//     errors.Is and errors.As, what the call returned and what each of them did.
//   - A panic or a runtime.Goexit, in the call or a handler, is no cause: it goes
//     on to the caller and no further handler runs.
//   - Everything runs in the caller's goroutine. There are no locks, and all is
//     safe for concurrent use if the functions given to it are.
//   - A call through a [Fallback] that succeeds, or that a value answers, does not
//     allocate.
//
// # What it does not do
//
// It limits no time: give the call a deadline shorter than the caller's, or
// nothing is left for the fallback. It does not repeat anything, does not race the
// call against a substitute, and remembers no answers; that is for the retry, hedge
// and cache packages.
//
// A fallback should stand outermost. The [*Error] of a failed fallback matches
// the reasons of all that was tried, [switchgear.ErrRejected] among them, and
// tells a breaker around it little about any one of them.
package fallback
