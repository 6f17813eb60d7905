package switchgear

import "context"

// Attempt tells the code inside a pipeline which attempt it is making. How much
// time is left is in the context's own deadline.
type Attempt struct {
	// Number counts the attempts of one logical call, from 1: retries and hedges
	// alike.
	Number int
	// Hedge is whether an earlier attempt is still under way.
	Hedge bool
	// Probe is whether a breaker that is HALF_OPEN decides by this attempt.
	Probe bool
}

// AttemptOf returns the attempt that ctx belongs to, and whether it is known to belong
// to one. If it is not, it is a first attempt: most calls make no other, and are spared
// the mark. Of several around each other, the innermost counts.
func AttemptOf(ctx context.Context) (a Attempt, ok bool) {
	known, ok := ctx.Value(attemptKey{}).(*Attempt)
	if !ok {
		return Attempt{Number: 1}, false
	}
	return *known, true
}

// WithAttempt returns a context that belongs to an attempt. Policies use it, and
// tests of code that asks [AttemptOf].
func WithAttempt(ctx context.Context, a Attempt) context.Context {
	return &attemptContext{ctx, a}
}

type attemptKey struct{}

// attemptContext costs one allocation, where context.WithValue would take two.
type attemptContext struct {
	context.Context
	attempt Attempt
}

func (c *attemptContext) Value(key any) any {
	if key == (attemptKey{}) {
		return &c.attempt
	}
	return c.Context.Value(key)
}
