package collapse

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
)

// ErrAbandoned is the cause, as [context.Cause] tells it, for which the context of an
// execution is cancelled whose callers have all left.
var ErrAbandoned = errors.New("collapse: all callers have left")

// ErrExited is what the callers get if the function ended its goroutine with
// runtime.Goexit instead of returning.
var ErrExited = errors.New("collapse: the call ended its goroutine")

// Panic is a panic of a function that [Group.Do] ran. Callers of Do see Value only,
// as the panic that it is. It is the Detail of the Warning event, and the error that
// callbacks get (see [Place.Wait]).
type Panic struct {
	// Value is what the function panicked with.
	Value any `json:"-"`
	// Stack is the stack of the goroutine in which it did.
	Stack string `json:"stack"`
}

// Error returns "the call panicked: …".
func (p *Panic) Error() string { return fmt.Sprintf("the call panicked: %v", p.Value) }

// Unwrap returns Value if it is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// Do returns the result of the execution for key that is under way, or starts one
// with fn and returns its result. shared is whether more than one caller waited for
// that result.
//
// When ctx is done first, Do returns ctx.Err() and a zero value at once; if it was done
// before, fn is not started. fn runs in a goroutine of its own, with a context that
// the package comment describes. The fn of a caller that joins is not used.
func (g *Group[K, V]) Do(ctx context.Context, key K, fn func(context.Context) (V, error)) (v V, shared bool, err error) {
	if err := ctx.Err(); err != nil {
		return v, false, err
	}
	f, leader := g.join(key, true)
	if leader {
		g.start(ctx, f, fn)
	}
	select {
	case <-f.done:
	case <-ctx.Done():
		if g.leave(f, nil) {
			return v, false, ctx.Err()
		}
	}
	if f.panicked != nil {
		panic(f.panicked.Value)
	}
	return f.value, f.shared, f.err
}

// start runs fn for the flight, whose leader holds a place until start has returned.
func (g *Group[K, V]) start(ctx context.Context, f *flight[K, V], fn func(context.Context) (V, error)) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	end := func() { cancel(nil) }
	if g.cfg.Limit > 0 {
		ctx, end = context.WithTimeout(ctx, g.cfg.Limit)
	}
	g.mu.Lock()
	f.onAbandoned = func() { cancel(ErrAbandoned) }
	g.mu.Unlock()
	go g.run(ctx, end, f, fn)
}

// run is the execution. It ends the flight in every case: return, panic, Goexit.
func (g *Group[K, V]) run(ctx context.Context, end func(), f *flight[K, V], fn func(context.Context) (V, error)) {
	var v V
	var err error
	returned := false
	defer end()
	defer func() {
		if returned {
			g.finish(f, v, err, nil)
			return
		}
		var zero V
		r := recover()
		if r == nil {
			g.finish(f, zero, ErrExited, nil)
			return
		}
		// The callers panic on stacks of their own, and there may be none left: the
		// place where it happened would be lost.
		p := &Panic{Value: r, Stack: string(debug.Stack())}
		g.finish(f, zero, p, p) // first, since a listener may end the goroutine
		g.warn(&g.panics, p.Error, p)
	}()
	v, err = fn(ctx)
	returned = true
}
