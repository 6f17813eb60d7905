package event

import "sync/atomic"

// A Listener receives the events of one or more streams.
//
// OnEvent runs on the goroutine that changed the policy, which is usually
// somebody's request. So it must be quick and must not block: meanwhile that
// request waits, and the events of the stream queue up. A listener that writes
// to a network or a disk, or takes a contended lock, belongs into [Async].
//
// A stream calls OnEvent from one goroutine at a time, each call happening
// before the next one, and never while an earlier call is still on the stack. A
// listener that is given to several streams is called by all of them at once and
// must be safe for that.
//
// OnEvent runs outside all locks and may call the policy, even change it: the
// events this causes are delivered when it has returned. It must not wait for
// them. By the time it runs, the policy may already have moved on; the event is
// what happened, the policy is what is.
//
// A panic in OnEvent is recovered and counted, see [Stream.Panics]. A
// runtime.Goexit (such as t.FailNow in a test) ends the goroutine, as it should,
// but not before everything that is queued has been delivered.
type Listener interface {
	OnEvent(Event)
}

// Func makes a function a [Listener].
type Func func(Event)

// OnEvent calls f(e).
func (f Func) OnEvent(e Event) { f(e) }

// call hands e to l and counts a panic. It does not return if l calls
// runtime.Goexit: the caller needs a deferred function to go on from there.
func call(l Listener, e Event, panics *atomic.Uint64) {
	defer func() {
		if recover() != nil {
			panics.Add(1)
		}
	}()
	l.OnEvent(e)
}
