// Package throttle lets a client hold back by itself when a dependency refuses more
// than it accepts, so that an overloaded dependency does not spend what capacity it has
// on saying no.
//
// It is the adaptive throttling of chapter 21, "Handling Overload", of Site Reliability
// Engineering (Beyer, Jones, Petoff and Murphy, 2016).
//
// # Model
//
// A throttle counts, over a sliding window, the requests that its users wanted to make
// and the accepts, those of them that the dependency accepted. A call is refused with
// the probability
//
//	max(0, (requests - K * accepts) / (requests + 1))
//
// A refused call is a request that was not accepted. So with K = 2, and a dependency
// that can do C calls a second, about 2 C are sent however many more are wanted: enough
// to notice at once when it can do more, and few enough to be refused cheaply.
//
// Three things differ from the book. A call counts when it has ended, not when it
// begins: calls under way have said nothing yet, and a burst of them is not a sign of
// overload. Below [Config.MinimumRequests] nothing is refused. And no more than
// [Config.MaxRefusal] of the calls are refused, so that some always go out to find that
// the dependency is well again.
//
// # What counts as accepted
//
// A permit is settled with an outcome. A success was accepted. A failure was not. An
// ignored outcome says nothing about the dependency: it counts neither as a request nor
// as an accept, as in every rate of this project (rule C2).
//
// Where failures other than overload are frequent, settle them as successes, by a mark
// or a classifier: an error that the dependency took the time to produce is an answer,
// and holding back does not make it rarer. With a dependency that fails a fixed share
// of its calls, however few they are, nothing is refused while at least 1 in K succeeds;
// below that, refusals make the ratio worse and go up to MaxRefusal.
//
// # Use
//
//	var stock = throttle.Must(throttle.New("stock", throttle.Config{}))
//
//	item, err := throttle.Do(ctx, stock, func(ctx context.Context) (Item, error) { … })
//
// [Do] is the preferred way; [Throttle.Do] is the same for calls without a result. Where
// a call does not fit in one function, take a [Permit] with [Throttle.Acquire] and settle
// it with [Permit.Done].
//
// A refused call returns a [*Rejection]. It matches [ErrRejected] and
// [switchgear.ErrRejected]. There is no hint of when to come back: the next call may
// pass.
//
// # Contract
//
// All methods of a [Throttle] are safe for concurrent use. Protected calls, classifiers,
// listeners and the random source run outside every lock. The clock is wiring: it may be
// called under the throttle's lock and must not call it back.
//
// Nothing waits. To admit a call takes one reading of the clock and a few loads, to
// settle it one reading and two atomic additions; neither allocates. A refusal allocates
// its error. The lock is taken once per bucket of the window, to begin the next. There is
// no goroutine and no timer.
//
// # What it does not do
//
// It knows only what its own program sees: a dependency with many small clients, each of
// which makes a call now and then, is not protected by it. It does not limit concurrency
// or rate as such, and has no priorities: give calls that may be shed first a throttle of
// their own, with a smaller K.
package throttle
