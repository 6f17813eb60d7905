package event

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// A test that was missing: listeners wrapped wrongly on purpose passed all the others.

func TestAsyncCallsOneAtATime(t *testing.T) {
	t.Run("S7: events that come while the listener is at work wait for the same goroutine", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var called atomic.Int64
			release := make(chan struct{})
			a := Async(Func(func(Event) {
				called.Add(1)
				<-release
			}), 4)
			send(a, upTo(1, 3))
			synctest.Wait()
			equal(t, "calls under way", called.Load(), 1)
			close(release)
			synctest.Wait()
			equal(t, "calls in all", called.Load(), 3)
		})
	})
}
