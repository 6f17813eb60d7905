// Package sim shows what a configuration does in an outage, in virtual time.
//
// How long until the breaker trips, how much still reaches the sick dependency, how
// long recovery takes, what it costs when nothing is wrong: a [Config] describes
// such a situation, a [Simulator] runs it, millions of calls a second, and a
// [Result] has the answers. The policies in it are the real ones, those of packages
// breaker, retry, budget, hedge and so on, driven by their own decisions, with the
// simulation's clock and random numbers. There is no second model of them that could
// be wrong.
//
// # Model
//
// Calls arrive at a client, which calls a service, which may call another, and so
// on in a chain. The client and every service are places. A place has instances;
// an instance has workers, or no bound on them, and places to wait for one. A
// worker of a service is busy for the service's own time and for as long as the
// call takes that it makes to the next place. Each caller may have a timeout, a
// breaker and all the other policies ([Call]). Faults come and go with services by a
// schedule; what a fault does to a call is decided when the call arrives at the
// service, before it waits for a worker. A refusal by a [Throttle] comes at once; all
// other calls take a worker, also for an outage.
//
// The simulation is one of discrete events: time stands still while something
// happens and jumps to the next thing that does. Instants are whole nanoseconds.
// What happens at the same instant happens in the order in which it was decided,
// arrivals of an open load first. A call that has begun is seen to its end, also
// after the last arrival; a service whose caller has given up works on, and its
// worker stays busy.
//
// Chance has a stream of its own for each purpose: arrivals, each service's latency,
// errors, keys, choice of instance, thinking, and each policy of each instance. So
// twice the errors meet the same arrivals, and two configurations can be compared.
// A service draws for every attempt that reaches it: with more of them, later calls
// meet other latencies.
//
// # Policies
//
// They stand in the order of package pipeline, the outermost first:
//
//	total limit → rate limit → adaptive limit → throttle → retry → hedge
//	            → breaker → bulkhead → attempt limit → next place
//
// or, with [Call].RetryInsideBreaker, with the breaker outside the retry. Each instance
// of a place has its own. What one tells the other is as in a pipeline as well: one
// judgement of each result for all; a refusal by a policy of one's own is never held
// against the dependency, and ends the loop of attempts; a wait that the service asks
// for reaches the retry; losers of a race are ignored, or slow. A test runs the same
// scenarios through a pipeline with goroutines, and compares every counter.
//
// Four things are peculiar to the simulation:
//
//   - All calls may be made twice, so that hedges need no mark.
//   - The attempts of a call have its key, and go to the same instance.
//   - Nobody is told that a caller has given up: a service works on for losers and
//     for calls whose time is over, and its worker stays busy. The caller itself is
//     free at once.
//   - A hedge that waits for its place in a bulkhead when the race is decided leaves
//     the queue first, and so is not sent.
//
// Combinations that a pipeline refuses as self-defeating are allowed here: to see them
// fail is what a simulation is for. Only a loop of attempts must have an end.
//
// # The reference
//
// [Reference] repeats a published experiment and compares all of its results, to
// the last published digit. Where its description leaves a choice, these readings
// reproduce the numbers:
//
//   - Instants are rounded to nanoseconds once, from sums kept in seconds.
//   - A call belongs to the row and window in which it arrived, whenever it ended.
//   - Calls in flight are those that the breaker admitted, and not refused ones. With
//     retries and hedges each attempt counts.
//   - The peak of calls in flight within a window is the largest number that a
//     change within the window has brought about. The number that there was when
//     the window began counts only if no change reaches it again. (From second 17
//     on that makes the peak 88, at 17.032 s.)
//   - A result counts as stale if the period in which its call was admitted is
//     over. The original compares states; here no two differ in that.
//   - An outage fails a call after the timeout, counted from its arrival, even if
//     the outage ends before that; and nothing is drawn for it.
//
// # Contract
//
// A run depends on its configuration and its seed alone: not on the runs before it,
// the number of processors or the company it runs in. [Many] makes use of all
// processors and delivers in order. A [Simulator] is not safe for concurrent use.
//
// Memory is bounded by the number of calls in progress at the same time and by what
// the policies remember, never by the total of calls alone. But a timeout or a policy's
// timer that is not needed any more stays in the queue until it would have been due: so
// there are as many of them as calls begin in the time of the longest, at 16 bytes each,
// and 40 or more for a timer. The quantiles of up to 100,000
// calls are exact, and of more within the 0.4 % that [Summary.QuantileError] states.
// Lists in a result have bounds, which their comments name. A run with more than
// [MaxInFlight] calls in progress ends with an error, and so does one with more than
// 16,777,216 timers.
//
// Nothing here waits, starts a timer, or reads the machine's clock.
//
// # What it does not do
//
// There is no network: a call takes the time that the service's distribution says,
// plus the wait for workers. Deadlines do not travel with calls. Instances are never
// added or taken away, and policies not reconfigured.
package sim
