// Package window remembers recent outcomes and counts them.
//
// A [Count] window holds the last N outcomes (rule W1), a [Time] window the
// outcomes of the last while, in buckets of equal length (rule W2). Each answers
// exactly as if it kept a list of all outcomes and recounted it (rule W6), at a
// cost per outcome that does not depend on how many it holds.
//
// The windows are pure data structures. Time is an argument, a reading of a
// monotonic clock such as [github.com/switchgear-go/switchgear/clock.Clock]'s
// Mono; a Count window ignores it and takes it only so that the two kinds can stand
// in for each other. They start no goroutine and take no lock: a window is not safe
// for concurrent use, and its owner, who must decide on the numbers in one go with
// recording them anyway, guards it. The methods that only read (Counts, End, Runs,
// Buckets, Resize) change nothing, so readers may share a read lock.
//
// The package deliberately knows no rates and no thresholds: what the numbers mean,
// and how many are enough (rule W3), is the breaker's business.
package window
