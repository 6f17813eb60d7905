// Package clock tells the time to everything in this module that needs it.
//
// A [Clock] answers two different questions, and mixing them up is a classic
// fault. [Clock.Now] is the wall clock: it is for people, goes into events and
// logs, and may jump when somebody sets it. [Clock.Mono] is the monotonic clock:
// every duration, deadline and window is measured on it, so that a jump of the
// wall clock changes nothing (rule C5).
//
// Two clocks are provided. [Real] is the machine's. A [Virtual] clock stands
// still until it is advanced; it is what tests and the simulator run on. Inside
// a testing/synctest bubble the real clock follows the bubble's fake time, so
// tests of blocking code need no virtual clock.
//
// The package deliberately has no Sleep, ticker or context with a deadline.
// Policies decide without blocking, and code that does block uses package time.
package clock
