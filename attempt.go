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
	return &AttemptContext{ctx, a}
}

// AttemptContext is what [WithAttempt] returns. It is exported for those who make
// attempts, so that they can embed one in what they allocate anyway. It must not be
// changed once somebody has it.
type AttemptContext struct {
	context.Context
	// Attempt is what AttemptOf returns.
	Attempt Attempt
}

// Value returns the value of the context around it, except that it knows the attempt.
func (c *AttemptContext) Value(key any) any {
	if key == (attemptKey{}) {
		return &c.Attempt
	}
	return c.Context.Value(key)
}

type attemptKey struct{}
