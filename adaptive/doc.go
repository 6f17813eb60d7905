// Package adaptive limits how many calls to a dependency run at once, and finds
// the limit by measuring: it raises it while calls stay quick and lowers it when
// they become slow or fail.
//
// # Model
//
// A queue that builds up somewhere behind a call shows in the call's duration. So a
// limit can be steered like the congestion window of TCP. A [Limiter] holds two
// numbers, the limit and how many calls are running. A call is admitted while fewer
// are running than its share of the limit allows; otherwise it is refused at once.
// When it ends, it says one of three things:
//
//   - success: its duration is a sample;
//   - dropped: the dependency failed or did not answer in time, which speaks of
//     overload and lowers the limit;
//   - ignored: it says nothing, and only gives its place back.
//
// Samples are gathered over a window (see [WindowConfig]), and each window is one
// step of an [Algorithm]. All three follow the published code of Netflix's
// concurrency-limits (github.com/Netflix/concurrency-limits, AIMDLimit, VegasLimit,
// Gradient2Limit and WindowedLimit), where the config structs here do not say
// otherwise:
//
//   - [ByGradient] compares the latest duration with a long-term average. It bears
//     durations that scatter widely, and is the default for that: a limiter that
//     nobody has tuned should err on the side of letting calls through.
//   - [ByVegas] compares it with the shortest seen, as TCP Vegas does (Brakmo and
//     Peterson, 1995). It keeps the shortest queue where durations hardly scatter. Where
//     they do, the shortest is a lucky one, everything else looks like a queue, and a
//     good part of the dependency's capacity stays unused.
//   - [ByAIMD] looks at drops alone (Chiu and Jain, 1989). Limiters that share a
//     dependency come to equal shares of it.
//
// All three leave the limit where it is while it is not the limit that holds the
// calls back: while fewer than half of it are in use, nothing is known about more.
//
// Before a server with 40 workers, a queue of 10 and twice the load that it can bear,
// the limit of all three stays between 40 and 52, falls to between 20 and 32 when half of the
// workers are gone, and comes back with them: go test -run TestLoop. With durations that
// scatter exponentially, ByVegas stays between 16 and 52.
//
// # Priorities
//
// Levels of priority share one limit. Level i is admitted while
//
//	running < limit × Shares[i]
//
// so the least important calls are shed first, and what they leave free is there for
// the others. A call that nobody marked is [Critical] and may use all of the limit:
// mark, with [WithPriority], the calls that can be shed.
//
// # Contract
//
// All methods of a [Limiter] are safe for concurrent use. Nothing here ever waits, so
// the decision is the same in production and in a simulator; time comes from the clock
// alone. Admission is one compare-and-swap, on one word with both the limit and the
// number of running calls, so no call is ever admitted above the limit in force at
// that instant. When a limit falls below the number of calls already running, they go
// on, and no others start until enough have ended. Settling takes a lock for a few
// instructions. Neither allocates. The protected call, the classifier and the
// listeners run outside every lock; the clock and the random source may be called
// under the limiter's and must not call it back.
//
// # What it does not do
//
// It has no queue: whoever wants to wait puts a bulkhead around the call. It does not
// learn a limit per caller or per kind of call; calls of very different cost want a
// limiter each. Its numbers live in this process only: to start where another one
// ended, put that one's [Limiter.Limit] into [Config.Initial].
//
// No algorithm can tell a queue that never drains from a dependency that has become
// slower for good. If callers ask for more than the dependency can do without a pause
// and without a single drop, ByGradient's average and ByVegas's base creep up, and the
// limit with them, at most to [Config.Max]. How fast is said at [Gradient2Config] and
// [VegasConfig].
package adaptive
