// Package evidence decides from a stream of good and bad outcomes, as early as
// the data allow, that a dependency has turned from healthy to sick. It is the
// trip rule for people who can say what healthy and sick mean but do not want
// to guess the length of a window.
//
// # Model
//
// The rule is the Bernoulli cumulative-sum test (Page 1954). A bad outcome
// adds m points to a score, a good one takes one point away, never below zero,
// and at H points the rule trips. Points also fade with time, so that three
// failures in three days do not add up. Among all rules with the same mean
// time between false trips this one has the smallest worst-case delay (Lorden
// 1971, Moustakides 1986).
//
// Nobody chooses m and H. They follow from a [Config]: the rates of bad
// outcomes of a healthy and of a sick dependency, and how many healthy calls
// there may be to one false trip. [NewTest] works them out; since scores are
// whole numbers, it does so exactly (see [RunLength]). With the defaults
// (healthy 1 %, sick 30 %, one false trip in 100 million calls) a failure
// brings 10 points and the rule trips at 75: after 8 calls if all fail, after
// 33 on average if 30 % do.
//
// # Contract
//
// A [Test] is a compiled Config: immutable, safe for concurrent use, shared by
// any number of scores. A [Score] is the running state for one stream of
// outcomes: a small value whose zero value is ready, and not safe for
// concurrent use. Time is an argument, a reading of some monotonic clock; the
// package never looks at one. An update takes constant time, allocates nothing
// and uses whole numbers only.
//
// What a bad outcome is, the caller decides. A breaker runs one score over "did
// the call fail" and another over "was it slow", which share one budget of
// false trips.
//
// # Not here
//
// The package knows no states, no calls in flight and no minimum number of
// calls, and it does not act on a trip: that is the breaker's part (rule T6).
// It does not learn what healthy means, because a rule that adapts to a slow
// decline never reports it; [Test.Drift] tells when reality has left the
// configuration instead.
//
// The full specification, with the tables of what to expect, is
// docs/spec/evidence-rule.md.
package evidence
