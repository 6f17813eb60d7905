// Package ratelimit bounds how many calls begin in a time, for a dependency that
// allows so many a second, or for a caller that may ask for so many.
//
// # Model
//
// A [Limiter] is one of two kinds.
//
// [TokenBucket] is a bucket that holds Burst tokens, is full at first and gets Rate
// tokens a second while it is not full. A call takes one. In any time t at most
// Burst + Rate·t calls begin. The bucket is kept as the generic cell rate algorithm
// (GCRA, ITU-T I.371) has it: one number, the place on the axis of time up to which
// all tokens are used. A decision is one compare-and-swap on it.
//
// [SlidingWindow] remembers when each of the last Burst calls began: in any time of
// length Burst/Rate, wherever it starts, at most Burst calls begin. The bucket lets
// nearly twice as many through in such a time, if it was full; this kind is for limits
// that are counted that strictly. It costs a lock and eight bytes for each call of a
// burst.
//
// A decision that is not "now" may be "later": a reservation takes tokens that are
// still to come and says when. So calls that wait keep the order in which they asked.
//
// # Use
//
//	var stock = ratelimit.Must(ratelimit.New("stock", ratelimit.Config{Rate: 100}))
//
//	if err := stock.Allow(); err != nil { … }        // now or not
//	err := stock.Wait(ctx)                           // now, or within MaxWait
//	item, err := ratelimit.Do(ctx, stock, fetch)     // the same, around a call
//
// [Limiter.Reserve] decides without blocking and leaves the waiting to the caller.
// [Keyed] has a limiter for each key, such as a customer, and a bound on their number.
//
// # Contract
//
// All methods are safe for concurrent use. A call that is refused changes nothing: not
// the tokens, not the times. A call for more than Burst is refused always. Every refusal
// is a [*Rejection], which matches [ErrRejected] and [switchgear.ErrRejected] and knows
// when to come back.
//
// Arithmetic is in whole numbers. Rate is kept in billionths of a call a second.
// Instants are exact to a nanosecond, however long a limiter lives: what is cut off in
// one decision is not added up in the next.
//
// Time is read from a monotonic clock, once per decision.
//
// # What it does not do
//
// A limiter does not count calls in progress (that is a bulkhead), does not know how
// calls end and does not adapt. It starts no goroutine, and a timer only for a call that
// waits. It limits one process; a fleet of n needs limits of a share each.
package ratelimit
