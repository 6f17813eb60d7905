// Package budget bounds the extra attempts that a program makes: the retries and
// the hedges that all its calls to one dependency share.
//
// A limit on the attempts of one call does not protect a dependency that is down:
// three attempts a call are three times the load, just when it can bear the least. A
// budget looks at all calls together. While few fail, each may be retried; once
// many fail, the extra load stays within a bound.
//
// # Model
//
// The user of a budget tells it when a logical call begins ([Budget.Begin]) and how
// its first attempt ended ([Budget.End]), and asks before every further attempt
// ([Budget.Withdraw]). The [Withdrawal] it is granted is settled with the outcome of
// that attempt, or cancelled if the attempt was never made. There are three kinds:
//
//   - [Ratio]: in the last seconds, at most a share of the calls, plus a floor that
//     lets rare calls be retried. This is the retry budget of Finagle and Linkerd.
//   - [Quota]: a pool of tokens. A retry takes some; one that succeeds gives them
//     back, and so does, slowly, every call that needs no retry. This is the retry
//     quota of the AWS SDKs' standard mode.
//   - [Throttling]: retries are made only while successes outweigh failures. This is
//     the retry throttling of gRPC (gRFC A6).
//
// An extra attempt counts from the moment it is asked for. One that waits for its
// backoff is as good as made: if ten calls fail together and two retries are
// allowed, the other eight are refused now, not when the backoff is over.
//
// # Contract
//
// All methods are safe for concurrent use, and none blocks. Begin and End do not lock
// or allocate, and neither does a refused Withdraw. Under any concurrency the sum of
// what is granted stays within the rule, and nothing that is given back makes a
// budget larger than it was.
//
// The order of one call is Begin, End, Withdraw: the failure that asks for a retry
// counts before the question is answered. A hedge asks before the first attempt has
// ended; then End comes when it does.
//
// A budget that refuses becomes "exhausted", and "available" again once half of what
// it can hold is free. Only these two changes are events ([event.Transition]).
// Listeners run on the goroutine that caused the change, outside every lock.
//
// # What it does not do
//
// It refuses no first attempt, decides nothing about how often or how fast one call
// is retried, and keeps nobody waiting. It starts no goroutine and no timer, so the
// event of its recovery comes with the first use that finds it recovered.
package budget
