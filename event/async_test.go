package event

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
)

// The tests run in a bubble of testing/synctest, which fails if a goroutine is
// left behind and whose Wait tells for sure that nothing goes on any more.

// A gated listener records an event, then waits for a token to be done with it.
type gated struct {
	recorder
	gate chan struct{}
}

func newGated() *gated { return &gated{gate: make(chan struct{})} }

func (g *gated) OnEvent(e Event) {
	g.recorder.OnEvent(e)
	<-g.gate
}

func send(l Listener, seqs []uint64) {
	for _, seq := range seqs {
		l.OnEvent(Event{Seq: seq})
	}
}

func TestAsync(t *testing.T) {
	t.Run("S7: a slow listener holds nobody up and misses nothing that fits", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			slow := newGated()
			a := Async(slow, 10)
			s := newStream(0, a)
			for range 11 { // one with the listener, ten in the queue
				s.Append(Event{})
				s.Deliver()
				synctest.Wait()
			}
			equal(t, "started", slow.seqs(), upTo(1, 1))
			close(slow.gate)
			synctest.Wait()
			equal(t, "handled", slow.seqs(), upTo(1, 11))
			equal(t, "dropped", a.Dropped(), 0)
			equal(t, "dropped by the stream", s.Dropped(), 0)
		})
	})
	t.Run("S7: the queue is bounded; the oldest are dropped and counted", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			slow := newGated()
			a := Async(slow, 3)
			send(a, upTo(1, 1))
			synctest.Wait()
			send(a, upTo(2, 9))
			equal(t, "dropped", a.Dropped(), 5)
			close(slow.gate)
			synctest.Wait()
			equal(t, "handled", slow.seqs(), append(upTo(1, 1), upTo(7, 9)...))
		})
	})
	t.Run("a size of 0 or less is MaxWaiting", func(t *testing.T) {
		for _, size := range []int{0, -1} {
			synctest.Test(t, func(t *testing.T) {
				slow := newGated()
				a := Async(slow, size)
				send(a, upTo(1, 1))
				synctest.Wait()
				send(a, upTo(2, MaxWaiting+1))
				equal(t, "dropped", a.Dropped(), 0)
				send(a, upTo(MaxWaiting+2, MaxWaiting+2))
				equal(t, "dropped", a.Dropped(), 1)
				close(slow.gate)
			})
		}
	})
	t.Run("K2: no goroutine before the first event, and none at rest", func(t *testing.T) {
		noLeak(t)
		before := runtime.NumGoroutine()
		var r recorder
		a := Async(&r, 4)
		equal(t, "goroutines", runtime.NumGoroutine(), before)
		send(a, upTo(1, 4)) // noLeak sees that it ends, without Close
	})
	t.Run("S7: one goroutine, started again when it is needed again", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var r recorder
			a := Async(&r, 4)
			for i := range uint64(5) {
				send(a, upTo(i+1, i+1))
				synctest.Wait()
				equal(t, "running", a.running, false)
			}
			equal(t, "handled", r.seqs(), upTo(1, 5))
		})
	})
	t.Run("S7: a panic is recovered and counted", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var r recorder
			a := Async(Func(func(e Event) {
				r.OnEvent(e)
				panic("listener")
			}), 4)
			send(a, upTo(1, 3))
			synctest.Wait()
			equal(t, "handled", r.seqs(), upTo(1, 3))
			equal(t, "panics", a.Panics(), 3)
			equal(t, "dropped", a.Dropped(), 0)
		})
	})
	t.Run("a Goexit does not end the delivery", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var r recorder
			a := Async(Func(func(e Event) {
				r.OnEvent(e)
				runtime.Goexit()
			}), 4)
			send(a, upTo(1, 3))
			equal(t, "Close", a.Close(t.Context()), nil)
			equal(t, "handled", r.seqs(), upTo(1, 3))
			equal(t, "panics", a.Panics(), 0)
		})
	})
}

func TestAsyncClose(t *testing.T) {
	t.Run("handles what is in the queue", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var r recorder
			a := Async(&r, 10)
			send(a, upTo(1, 10))
			equal(t, "Close", a.Close(t.Context()), nil)
			equal(t, "handled", r.seqs(), upTo(1, 10))
		})
	})
	t.Run("waits for the event the listener is at", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			slow := newGated()
			a := Async(slow, 10)
			send(a, upTo(1, 1))
			closed := false
			go func() {
				equal(t, "Close", a.Close(t.Context()), nil)
				closed = true
			}()
			synctest.Wait()
			equal(t, "closed before", closed, false)
			close(slow.gate)
			synctest.Wait()
			equal(t, "closed after", closed, true)
		})
	})
	t.Run("gives up when its context ends, and drops the rest", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			slow := newGated()
			a := Async(slow, 10)
			send(a, upTo(1, 1))
			synctest.Wait()
			send(a, upTo(2, 5))
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := a.Close(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("Close: %v", err)
			}
			equal(t, "dropped", a.Dropped(), 4)

			// It can be called again, to wait for the listener after all.
			close(slow.gate)
			equal(t, "second Close", a.Close(t.Context()), nil)
			equal(t, "handled", slow.seqs(), upTo(1, 1))
		})
	})
	t.Run("with nothing to wait for succeeds, whatever the context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		synctest.Test(t, func(t *testing.T) {
			unused := Async(&recorder{}, 1)
			equal(t, "never used", unused.Close(ctx), nil)
			equal(t, "again", unused.Close(ctx), nil)

			used := Async(&recorder{}, 1)
			send(used, upTo(1, 1))
			synctest.Wait()
			equal(t, "at rest", used.Close(ctx), nil)
		})
	})
	t.Run("events that come later are dropped and counted", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var r recorder
			a := Async(&r, 4)
			equal(t, "Close", a.Close(t.Context()), nil)
			send(a, upTo(1, 3))
			synctest.Wait()
			equal(t, "handled", len(r.events), 0)
			equal(t, "dropped", a.Dropped(), 3)
		})
	})
}
