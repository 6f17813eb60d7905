// Package backoff works out how long to wait before trying again.
//
// # Model
//
// The delay after the first attempt is Initial, and each one after that is
// Factor times as long, up to Max. A constant backoff is one that does not grow.
// Then comes jitter, which keeps callers that failed together from coming back
// together. The kinds of jitter are those of Brooker, "Exponential backoff and
// jitter" (AWS Architecture Blog, 2015), with two differences:
//
//   - No delay is ever shorter than Floor. The article draws from 0, and a draw
//     of 0 is an attempt without a wait.
//   - [Decorrelated] is bounded by Max before it draws and not after, so that
//     callers do not pile up on Max.
//
// The bound is applied while the delay is still a floating-point number. So the
// delay after the millionth attempt is Max, and not what is left of a number that
// went over the range of a duration.
//
// A dependency that asks for a wait gets at least that: [Backoff.Hinted] spreads
// hints as well, since one hint is often given to many callers, but only upwards.
//
// # Contract
//
// A [Backoff] is a compiled [Config]: immutable and safe for concurrent use. It
// knows no clock and no calls. Chance is an argument: a function that returns
// numbers from 0 to 1, such as [rand.Float64]. What it returns beyond is taken as
// 0 or 1, so that no source can make a wait too short or too long. Nothing
// allocates.
//
// # What it does not do
//
// It does not wait, and it does not decide whether to try again: it has no value
// that means "stop", which could be taken for a delay. Both are the part of
// package retry.
package backoff
