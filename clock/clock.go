package clock

import "time"

// A Clock tells the time and calls back later. Implementations must be safe for
// concurrent use.
type Clock interface {
	// Now returns the wall-clock time, for people to read. It may jump either way,
	// so nothing may be computed from the difference of two of its results.
	Now() time.Time

	// Mono returns the time that has passed since an origin which the clock
	// chooses once and keeps. It is never negative, never runs backwards, and does
	// not jump when the wall clock does. A reading can be compared with others of the same clock only:
	// another clock, and another process, has another origin. It must be cheap and
	// must not allocate, because it is read once or twice per protected call.
	Mono() time.Duration

	// AfterFunc calls f once, when Mono has grown by at least d, and returns a
	// timer that can call it off. It never calls f before it returns, not even when
	// d is zero or negative: f is then due at once. The clock holds no lock while f
	// runs, so f may use the clock. f must not be nil.
	AfterFunc(d time.Duration, f func()) Timer
}

// A Timer is one call that [Clock.AfterFunc] has promised. [time.Timer] is one.
// Its method is safe for concurrent use.
type Timer interface {
	// Stop calls the promised call off. It returns true if it did so, and false if
	// the call has started already or was called off before. It does not wait for
	// a call that has started.
	Stop() bool
}
