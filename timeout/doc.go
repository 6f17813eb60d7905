// Package timeout limits the time of one call. It serves as the limit on one
// attempt and as the limit on a whole call with all its attempts.
//
// # Model
//
// A [Timeout] gives the function it runs a context with a deadline, and judges
// the call by one reading of the clock when the function has returned: a call
// that took less than the limit ended as the function says; one that took the
// limit or longer timed out, whatever the function says. So there is one verdict
// for each call, and the error, the counters and every policy further out see
// the same. An answer that came at the limit or after it is a timeout too, even
// a good one.
//
// A timeout is an [*Error]. It matches [ErrTimeout] and
// [context.DeadlineExceeded], wraps what the function returned, and is the
// context's cause inside the function. It does not match
// [switchgear.ErrRejected]: the call was made, and the dependency did not answer
// in time, which counts as its failure.
//
// The caller's own cancellation, and a deadline of the caller's that comes before
// the limit, are not this policy's timeouts: the limit was not what ended the
// call. What the function returned is then returned as it is. The same holds for
// a shorter limit that the function sets itself.
//
// # Use
//
//	var attempt = timeout.Must(timeout.New("stock", timeout.Config{Limit: time.Second}))
//
//	item, err := timeout.Do(ctx, attempt, func(ctx context.Context) (Item, error) { … })
//
// [Do] is the preferred way. Where the context must live longer than one
// function, as with a response body that is read later, take a [Handle] with
// [Timeout.Context]. Code that does not block, such as a simulator, asks
// [Timeout.Deadline] when the call must end, and [Timeout.Judge] how it ended.
//
// # Functions that ignore their context
//
// By default the function runs in the calling goroutine and has to heed its
// context: a function that does not return makes Do wait. With [Config.Abandon]
// it runs in a goroutine of its own, and Do returns at the limit, or when the
// caller gives up, and leaves the function behind. That costs a goroutine for each
// call, and a function that is left behind goes on using memory, connections and
// the dependency. So it is a last resort, and how many may be left behind is
// bounded: once [Config.MaxAbandoned] of them run, calls are refused with a
// [*Rejection] until some have returned. Their results are dropped. Nothing stays
// of a function once it has returned.
//
// A panic of the function, or a runtime.Goexit, reaches the caller as if the
// function had run there, with the same panic value, as long as Do has not
// returned. A panic after that has no caller to go to. It does not crash the
// process: it is counted and told in an event.
//
// # Contract
//
// All methods of a [Timeout] are safe for concurrent use. User code never runs
// under a lock. Without Abandon nothing is kept of a call beyond its context, and no
// goroutine is started. A call allocates its context, once, and no timer runs, until
// somebody waits for the context or derives another from it; then it gets one from
// package context, where the clock is the machine's, and costs what that costs. Whoever
// only looks at its error is told by the clock.
//
// # What it does not do
//
// It cannot stop a function, only tell it to stop. It does not lengthen a
// caller's deadline. It has no default limit: how long an answer is worth waiting
// for is known only to who waits for it.
package timeout
