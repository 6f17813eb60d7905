package hedge

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
)

// A caller's deadline passed while both attempts of a race were out. The caller's
// goroutine, woken by it, cancelled them at once, and sometimes came before the deadline
// had spread to their contexts: so the same outage was told to a breaker inside now as a
// failure, now as a caller who had lost interest.
//
// Package context spreads the end of a context of its own without a pause. It takes one of
// another kind, as here, for the order to show.
func TestAttemptsSeeTheCallersDeadline(t *testing.T) {
	for range 300 {
		synctest.Test(t, func(t *testing.T) {
			h := Must(New("stock", Config{Delay: ms, Always: true}))
			inner, cancel := context.WithTimeout(context.Background(), 10*ms)
			defer cancel()
			ctx := &foreign{inner, make(chan struct{})}
			context.AfterFunc(inner, func() { close(ctx.done) })
			var attempts sync.WaitGroup
			attempts.Add(2)
			_ = h.Do(ctx, func(ctx context.Context) error {
				defer attempts.Done()
				<-ctx.Done()
				equal(t, "what an attempt is told", ctx.Err(), context.DeadlineExceeded)
				return ctx.Err()
			})
			attempts.Wait()
		})
		if t.Failed() {
			return
		}
	}
}

// foreign is a context that package context does not see through.
type foreign struct {
	context.Context
	done chan struct{}
}

func (f *foreign) Done() <-chan struct{} { return f.done }
func (f *foreign) Value(any) any         { return nil }
