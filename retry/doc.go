// Package retry makes a call again when it failed and another attempt may
// succeed, a bounded number of times and never without a wait.
//
// # Model
//
// A call is a loop of attempts. When one ends in an error that is worth repeating,
// as [switchgear.Judge] finds, the loop waits for as long as package backoff says
// and makes the next. It goes on until an attempt ends well, or with an error that
// is final, or until it runs into one of its limits:
//
//   - the number of attempts, the first one included;
//   - the time since the call began;
//   - a budget that all calls to one dependency share (package budget), without
//     which retries double the load on a dependency that is in trouble;
//   - the caller's deadline;
//   - a wait that the dependency asks for and that is longer than MaxHint;
//   - a refusal by another policy, such as an open breaker. It ends the loop at
//     once, since nothing can have changed a moment later;
//   - the caller giving up.
//
// A limit is looked at before the wait, not after it: a wait whose end lies behind
// the caller's deadline, or behind MaxElapsed, is not begun.
//
// # Hints
//
// The dependency may ask for a wait (Retry-After in HTTP, push-back in gRPC). The
// next attempt comes no earlier than that, and later by up to 20 %, so that those
// who got the same hint spread out. A hint longer than MaxHint ends the loop at
// once: to wait less than asked would be a lie, and to wait that long is for the
// caller to decide, who finds the hint in [Error]. The status that came with the
// hint makes no difference.
//
// # Errors
//
// A final error is returned as the function returned it, and so is a refusal of
// the first attempt. A loop that ends at a limit returns an [*Error]. It matches
// [ErrExhausted], the error of the last attempt and what stood behind the limit.
//
// # Use
//
//	var again = retry.Must(retry.New("stock", retry.Config{}, retry.WithBudget(b)))
//
//	item, err := retry.Do(ctx, again, func(ctx context.Context) (Item, error) { … })
//
// [Do] blocks. Underneath is [Loop], which decides and never blocks: [Retry.Begin]
// starts one, [Loop.Next] says whether there is another attempt and how long to
// wait for it. Whoever has another way to wait, such as a simulator, uses that.
//
// # Contract
//
// All methods of a [Retry] are safe for concurrent use; a [Loop] belongs to one
// call. The function, the classifier and listeners run outside every lock, in the
// calling goroutine, and may use the Retry. There is no goroutine; while it waits,
// a call holds one timer of its clock. A call whose first attempt succeeds does
// not allocate or lock, and does not read the clock unless MaxElapsed is set. What
// its budget does comes on top.
//
// # What it does not do
//
// It sets no limit on the time of one attempt; package timeout does. It starts no
// second attempt beside the first; package hedge does. It does not know whether a
// call may be made twice: mark the errors of one that may not with
// [switchgear.MarkFinal], or do not retry it.
package retry
