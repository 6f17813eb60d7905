package hedge

import (
	"context"
	"errors"
	"sync/atomic"
)

// ErrLost is the cause (see [context.Cause]) with which the context of a loser is
// cancelled: another attempt of the same call had won. It is never the error of a
// call.
var ErrLost = errors.New("hedge: another attempt of the call has won")

// Lost reports whether ctx has ended because the attempt it belongs to lost a race.
// It is false while the attempt runs undisturbed, for the winner, and where the
// context ended for another reason first: the caller gave up, or a deadline inside
// the attempt passed.
//
// It is for the code in an attempt that judges it. A loser was cut off by us, so its
// error says nothing about the dependency, but the time it had taken by then does:
//
//	v, err := call(ctx)
//	switch {
//	case err == nil || !hedge.Lost(ctx):
//		permit.Done(err)
//	case took > slow: // cut off after the slow-call duration
//		permit.Success() // a breaker that times its calls finds this one slow
//	default: // cut off before it
//		permit.Ignore()
//	}
//
// Without it a dependency that hangs on some requests would never be seen to: the
// hedges win, and every loser is ignored.
func Lost(ctx context.Context) bool {
	return ctx.Err() != nil && errors.Is(context.Cause(ctx), ErrLost)
}

// NoMore says, from inside an attempt, that its call must not be hedged any further.
// Whoever learns only inside the attempt that it must be the only one calls it: a
// breaker that has admitted it as a probe, or code that is past the point up to
// which the call could be made twice. Extra attempts that run already run on. With a
// context that belongs to no race it does nothing.
//
// If hedges are nested the innermost race is meant.
func NoMore(ctx context.Context) {
	if r, ok := ctx.Value(raceKey{}).(*raceContext); ok {
		r.noMore.Store(true)
	}
}

type raceKey struct{}

// raceContext is the common parent of the contexts of a race.
type raceContext struct {
	context.Context
	noMore atomic.Bool
}

func (c *raceContext) Value(key any) any {
	if key == (raceKey{}) {
		return c
	}
	return c.Context.Value(key)
}
