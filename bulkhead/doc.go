// Package bulkhead bounds how many calls to one dependency are under way at the
// same time, so that a dependency that has become slow cannot take every
// goroutine, connection and byte of the program with it. It is named after the
// walls that keep one leak from sinking the whole ship.
//
// # Model
//
// There are [Config.MaxConcurrent] permits. A call takes one, makes its way, and
// gives it back. Where none is left the call is refused at once or, if
// [Config.MaxWaiting] allows, joins a queue: first come, first served. A caller
// leaves the queue with a permit, after [Config.MaxWait], or when it gives up.
//
// A permit that comes free while somebody waits is handed to the first in the queue
// and is never up for grabs in between, so nobody who comes later overtakes, and a
// steady stream of newcomers starves nobody.
//
// # Use
//
//	var stock = bulkhead.Must(bulkhead.New("stock", bulkhead.Config{MaxConcurrent: 20, MaxWaiting: 40}))
//
//	item, err := bulkhead.Do(ctx, stock, func(ctx context.Context) (Item, error) { … })
//
// [Do] is the preferred way; [Bulkhead.Do] is the same for calls without a result.
// Where a call does not fit in one function, take a [Permit] with
// [Bulkhead.Acquire], which may wait, or [Bulkhead.TryAcquire], which never does.
// [Bulkhead.Enqueue] waits without a goroutine: it calls back.
//
// A refused call returns a [*Rejection]. It matches [ErrRejected] and
// [switchgear.ErrRejected]: a full bulkhead is our own doing, and says nothing about
// the dependency. When a place will be free is not known, so there is no hint of when
// to come back.
//
// # Contract
//
// All methods of a [Bulkhead] are safe for concurrent use.
//
//   - Never more permits are out than the limit allowed when they were given.
//   - No permit is lost: one that comes free together with the end of somebody's wait
//     goes to that caller or to the next one, never to nobody.
//   - No permit is minted: a second Release of a [Permit] does nothing. Its copies are
//     the caller's to look after.
//   - The order is that of arrival, for all ways of asking alike.
//   - Protected calls, callbacks and listeners run outside every lock. A panic or a
//     runtime.Goexit in a protected call gives its permit back and goes on. The clock
//     is wiring: it may be called under the bulkhead's lock and must not call it back.
//
// Where there is room, taking a permit and giving it back are one compare-and-swap
// each, on one word: no lock, no allocation, no clock. A refusal by a bulkhead without
// a queue is one atomic addition. Whoever waits, and whoever gives a permit back while
// somebody waits, takes a lock for a few instructions. Only a caller that waits takes
// memory, and a timer.
//
// # What it does not do
//
// It does not limit how often calls begin, only how many there are at once. It runs
// calls on the caller's goroutine and abandons none: a call that never ends keeps its
// permit for ever, so give calls a deadline. It starts no goroutine.
//
// A queue bridges a burst; it cannot add capacity. Waiting is time that the caller's
// user waits too, so keep the queue about as long as the limit, and MaxWait well below
// the caller's own deadline. The wait is no part of the call: whoever times calls
// behind a bulkhead should start the watch when the permit is there.
package bulkhead
