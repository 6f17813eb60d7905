package hedge

import "context"

// Safe marks the calls made with the returned context as ones that may be made more
// than once, at the same time, without harm. Where marks are nested the innermost
// counts.
//
// The mark goes down with the context: it also tells a hedge further in. So set it
// where the call is made, not where a request came in.
func Safe(ctx context.Context) context.Context { return &markContext{ctx, true} }

// Unsafe takes the mark of [Safe] away, and excepts calls from [Config.Always].
func Unsafe(ctx context.Context) context.Context { return &markContext{ctx, false} }

// Marked returns whether the calls made with ctx are marked as safe or as unsafe, and
// false for ok if they are not marked at all.
func Marked(ctx context.Context) (safe, ok bool) {
	m, ok := ctx.Value(markKey{}).(*markContext)
	return ok && m.safe, ok
}

type markKey struct{}

// markContext costs one allocation, where context.WithValue would take two.
type markContext struct {
	context.Context
	safe bool
}

func (c *markContext) Value(key any) any {
	if key == (markKey{}) {
		return c
	}
	return c.Context.Value(key)
}
