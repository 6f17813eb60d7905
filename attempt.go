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

// AttemptOf returns the attempt that ctx belongs to, and whether there is one.
// Of several around each other, the innermost counts.
func AttemptOf(ctx context.Context) (Attempt, bool) {
	a, ok := ctx.Value(attemptKey{}).(*Attempt)
	if !ok {
		return Attempt{}, false
	}
	return *a, true
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
