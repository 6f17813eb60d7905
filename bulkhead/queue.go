package bulkhead

import (
	"time"

	"github.com/switchgear-go/switchgear/clock"
)

// A waiter is one caller in the queue. All fields but ready are guarded by the lock
// until the waiter has left the queue; then they are those of whoever took it out.
type waiter struct {
	next, prev *waiter
	waiting    bool
	maxWait    time.Duration
	timer      clock.Timer // nil without a bound on the wait

	// Exactly one of the two is there. ready has room for the one answer it gets, so
	// that sending never blocks and may happen under the lock.
	ready chan error
	f     func(Permit, error)

	err error // the answer for f; nil is a permit
}

// A queue is a list of waiters, first come first. The zero value is empty.
type queue struct {
	first, last *waiter
	n           int
}

func (q *queue) push(w *waiter) {
	if w.prev = q.last; w.prev != nil {
		w.prev.next = w
	} else {
		q.first = w
	}
	q.last = w
	q.n++
}

func (q *queue) remove(w *waiter) {
	if w.prev != nil {
		w.prev.next = w.next
	} else {
		q.first = w.next
	}
	if w.next != nil {
		w.next.prev = w.prev
	} else {
		q.last = w.prev
	}
	w.prev, w.next = nil, nil
	q.n--
}

// call tells each waiter in q its answer. A callback that panics, or ends its
// goroutine, does not keep the others from theirs.
func (q *queue) call(b *Bulkhead) {
	if q.first == nil {
		return
	}
	defer q.call(b) // what is left, if a callback does not return
	for w := q.first; w != nil; w = q.first {
		q.remove(w)
		w.answer(b)
	}
}

func (w *waiter) answer(b *Bulkhead) {
	if w.err != nil {
		w.f(Permit{}, w.err)
		return
	}
	w.f(Permit{b}, nil)
}

// dismiss takes w out of the queue with its answer. Nobody else can do that any more:
// its timer and its context come too late. Called under the lock.
func (b *Bulkhead) dismiss(w *waiter, answer error) {
	b.leave(w)
	if w.ready != nil {
		w.ready <- answer
		return
	}
	w.err = answer
	b.due.push(w)
}

// leave takes w out of the queue without an answer. Called under the lock.
func (b *Bulkhead) leave(w *waiter) {
	b.queue.remove(w)
	w.waiting = false
	if w.timer != nil {
		w.timer.Stop()
	}
}

// admitWaiters hands what room there is to the first in the queue. Called under the
// lock.
func (b *Bulkhead) admitWaiters() {
	for b.queue.first != nil && b.admitOne() {
		b.dismiss(b.queue.first, nil)
	}
}

// wait puts a new waiter at the end of the queue. Called under the lock.
func (b *Bulkhead) wait(r *rules, f func(Permit, error)) *waiter {
	w := &waiter{waiting: true, f: f, maxWait: r.maxWait}
	if f == nil {
		w.ready = make(chan error, 1)
	}
	b.queue.push(w)
	b.queued++
	if w.maxWait > 0 {
		w.timer = b.clk.AfterFunc(w.maxWait, func() { b.expire(w) })
	}
	return w
}

// expire ends a wait that has lasted for MaxWait.
func (b *Bulkhead) expire(w *waiter) {
	b.lock()
	defer b.unlock()
	if !w.waiting {
		return
	}
	b.timedOut++
	r := b.rules.Load().reject(b.name, TimedOut, b.running(), b.queue.n-1)
	r.Waited = w.maxWait
	b.dismiss(w, r)
}

// cancel takes w out of the queue because its caller gave up. It returns false if w
// has its answer already.
func (b *Bulkhead) cancel(w *waiter) (cancelled bool) {
	b.lock()
	defer b.unlock()
	if !w.waiting {
		return false
	}
	b.gaveUp++
	b.leave(w)
	return true
}
