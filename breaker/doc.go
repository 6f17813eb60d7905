// Package breaker is a circuit breaker: it watches the calls a program makes
// to one dependency, and refuses them for a while once too many fail.
//
// # Model
//
// A breaker is a state machine. CLOSED lets every call through and records its
// outcome in a window. When a trip rule is met the breaker becomes OPEN and
// refuses every call, without running it, until an interval has passed. The
// first call after that makes it HALF_OPEN: a few calls, the probes, are let
// through, and their outcomes decide between CLOSED and another interval. Three
// more states belong to the operator: DISABLED, METRICS_ONLY and FORCED_OPEN.
// The rules are numbered; docs/spec/state-machine.md in the repository states
// them, and comments here name them (S5, T1, …).
//
// Every transition starts a new period. A call belongs to the period that
// admitted it, and an outcome that comes in after that period has ended changes
// nothing but a counter (S5). So a slow answer from before an outage can
// neither close nor open anything.
//
// # Use
//
//	var stock = breaker.Must(breaker.New("stock", breaker.Config{}))
//
//	item, err := breaker.Do(ctx, stock, func(ctx context.Context) (Item, error) { … })
//
// [Do] is the preferred way, for calls with a result; [Breaker.Do] is the same
// for calls without. Where a call does not fit in one function, as with a
// response body that is read later, take a [Permit] with [Breaker.Acquire] and
// settle it with [Permit.Done]. One breaker serves calls of any result type.
//
// A refused call returns a [*Rejection]. It matches [ErrRejected] and
// [switchgear.ErrRejected] and knows how long to stay away.
//
// # Contract
//
// All methods of a [Breaker] are safe for concurrent use. The protected call,
// classifiers, listeners and the Error methods of errors run outside every
// lock, and may use the breaker. The clock and the random source are wiring:
// they may be called under the breaker's lock and must not call it back.
//
// A breaker never abandons the function it runs and never runs it in another
// goroutine: it measures and refuses, and leaves limits on time to contexts.
//
// A successful call neither locks nor allocates: it adds one to a counter cell
// that names its own period, and those counts are booked into the window only
// when somebody asks: at the next failure, the next bucket, or a snapshot. A
// refusal does not lock or allocate either. There is no goroutine, and no timer
// unless an option or an operator asked for one.
package breaker
