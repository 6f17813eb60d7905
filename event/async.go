package event

import (
	"context"
	"sync"
	"sync/atomic"
)

// An AsyncListener makes a slow [Listener] safe: it queues events and hands them
// to the listener, in order and one at a time, on a goroutine of its own. It may
// be given to several streams.
//
// The queue is bounded. When it is full the oldest event in it is dropped, not
// the one that arrives: a listener that mirrors a state then misses part of the
// way, but ends up with the state that is in force.
//
// The goroutine is started when there is an event to hand over and ends when the
// queue is empty. So an AsyncListener at rest costs nothing, and one that is
// forgotten leaks nothing. Close is for those who want to know that the last
// event has been handled.
type AsyncListener struct {
	listener Listener
	panics   atomic.Uint64
	ended    chan struct{} // closed once closed && !running

	mu      sync.Mutex // guards what is below; nothing is called under it
	queue   queue
	running bool // the goroutine has been started and has not found the queue empty
	closed  bool
}

// Async wraps l with a queue for size events. If size is 0 or less, it is
// [MaxWaiting].
func Async(l Listener, size int) *AsyncListener {
	if size <= 0 {
		size = MaxWaiting
	}
	return &AsyncListener{
		listener: l,
		ended:    make(chan struct{}),
		queue:    queue{limit: uint64(size)},
	}
}

// OnEvent queues e. It never blocks. After [AsyncListener.Close], e is dropped.
func (a *AsyncListener) OnEvent(e Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		a.queue.dropped++
		return
	}
	a.queue.push(e, false)
	if !a.running {
		a.running = true
		go a.run()
	}
}

// run hands over queued events until there are none.
func (a *AsyncListener) run() {
	done := false
	defer func() {
		if !done {
			// The listener called runtime.Goexit: the goroutine is lost, the
			// queue is not.
			go a.run()
		}
	}()
	for e, ok := a.next(); ok; e, ok = a.next() {
		call(a.listener, e, &a.panics)
	}
	done = true
}

// next takes the oldest event. If there is none, the goroutine counts as ended:
// decided here, under the lock, so that no event can arrive in between.
func (a *AsyncListener) next() (e Event, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	e, ok = a.queue.pop()
	if !ok {
		a.running = false
		if a.closed {
			close(a.ended)
		}
	}
	return e, ok
}

// Close stops taking events and waits until those in the queue have been
// handled. If ctx ends first, Close drops the rest of the queue and returns
// ctx.Err(); the goroutine then ends as soon as the listener returns from the
// event it is at. Close may be called again, to wait again. The wrapped listener
// must not call it, since it would wait for itself.
func (a *AsyncListener) Close(ctx context.Context) error {
	a.mu.Lock()
	if !a.closed {
		a.closed = true
		if !a.running {
			close(a.ended)
		}
	}
	a.mu.Unlock()

	select {
	case <-a.ended: // also if ctx has ended as well
		return nil
	default:
	}
	select {
	case <-a.ended:
		return nil
	case <-ctx.Done():
		a.mu.Lock()
		a.queue.discard()
		a.mu.Unlock()
		return ctx.Err()
	}
}

// Dropped returns how many events were not handed over: because the queue was
// full, because they came after Close, or because Close gave up. It only grows.
func (a *AsyncListener) Dropped() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.queue.dropped
}

// Panics returns how many calls of the wrapped listener ended in a panic. It
// only grows.
func (a *AsyncListener) Panics() uint64 { return a.panics.Load() }
