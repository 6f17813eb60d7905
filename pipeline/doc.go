// Package pipeline composes policies around one call: time limits, limiters, retries,
// hedges, a breaker, a bulkhead, in an order that makes each of them do its work.
//
// # Model
//
// A [Pipeline] is a list of policies, the outermost first. A call goes inward through
// all of them, is made, and its result comes back outward. A policy may refuse the
// call, make it again, or end it early.
//
//	total limit → rate limit → adaptive limit → throttle → retry → hedge
//	            → breaker → bulkhead → attempt limit → injected faults → call
//
// This is the order of a pipeline made from a [Config]. The retry stands outside the
// breaker, so that the breaker sees every attempt, which is what the dependency gets,
// an open breaker ends the loop in the middle, and a probe is one request. The bulkhead
// stands inside the breaker, so that nobody queues in front of a dependency that is
// down; the time spent in its queue is not the dependency's (rule C3). The limit on an
// attempt stands inside the bulkhead, for the same reason. docs/pipeline.md compares
// the orders, with numbers.
//
// [Compose] takes ready policies in any order, for those that several pipelines share,
// and for other orders.
//
// # One judgement
//
// The result of an attempt is judged once, by [switchgear.Judge], and all policies read
// that judgement: its health goes to the breaker, the limits and the budget, and its
// repeat to retries. So they cannot disagree. Only a hedge judges the attempts of its race
// for itself, by the same rules. [WithClassifier] sets the rule for errors that are
// yours, and [Call.Check] finds bad answers that come without an error.
//
// # Contract
//
// A pipeline is safe for concurrent use and never changes. The policies in it can be
// reached, and some of them reconfigured.
//
// New and Compose refuse what defeats its own purpose, such as an attempt limit that is
// not shorter than the total, with an error that says what would happen. Each such
// [Check] can be overruled by name.
//
// Every refusal is an error of the policy that refused, which names it, and matches
// [switchgear.ErrRejected]; it is never held against the dependency. What is acquired is
// released on every way out, panics and runtime.Goexit included. The call runs on the
// caller's goroutine, unless hedging or an abandoning timeout need another one.
//
// The code inside can ask [switchgear.AttemptOf] which attempt it makes, if a retry or
// hedge is in the pipeline, or the attempt is a probe.
//
// # What it does not do
//
// Policies that know the type of the result are not members of a pipeline but functions
// around it: packages fallback, cache and collapse.
package pipeline
