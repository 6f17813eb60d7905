// Package event carries what a policy has to tell: a breaker that tripped, an
// operator who forced it open, a configuration that deserves a warning.
//
// # Model
//
// A policy owns a [Stream]. It uses it in two steps, because a change has to be
// put in order under the policy's lock while listeners may only run outside it:
//
//	p.mu.Lock()
//	p.state = open
//	p.events.Append(event.Event{…}) // fixes the order, files it in the ring
//	p.mu.Unlock()
//	p.events.Deliver()              // calls the listeners
//
// [Stream.Append] numbers the event and puts it into the ring of recent events
// at once. [Stream.Deliver] hands what is queued to the listeners. At most one
// goroutine delivers at a time; one that finds a delivery under way, on another
// goroutine or further up its own stack, leaves its event to that delivery and
// goes on. So a listener may call the policy, and no caller ever waits for
// another's listener.
//
// An event whose facts take user code to make (the texts of errors, rule T5) is
// appended with [Stream.Hold] and completed by [Stream.Release]. Until then it
// keeps its place: a delivery that reaches it ends there, and the goroutine that
// releases it delivers it and whatever has gathered behind it.
//
// # Contract
//
// This is the part of rule S7 that concerns events.
//
//   - Events of a stream have one order, that of their Seq: 1, 2, 3 and so on.
//   - Every listener gets every event exactly once and in that order, unless the
//     event was dropped. Only a listener that blocks, or a held event that is
//     never released, gets events dropped: the oldest, for all listeners, counted.
//   - When every Append, Hold and Release has been followed by a Deliver, those
//     calls have all returned, and no event is held, nothing is left in the queue.
//   - A panic in a listener is recovered and counted. Neither it nor a
//     runtime.Goexit keeps the event from the other listeners, or later events
//     from anyone.
//   - Nothing is called under the stream's lock, so the lock order is policy,
//     then stream. Deliver must be called without the policy's lock.
//
// # What it does not do
//
// A stream starts no goroutine and no timer (rule K2): listeners run on the
// goroutine that made the change, which is why they must be quick. [Async] makes
// a slow one safe. Listeners are fixed before the first event; there is no
// subscription, filter or topic. Events are kept in memory only.
package event
