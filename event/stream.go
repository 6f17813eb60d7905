package event

import (
	"sync"
	"sync/atomic"
)

// MaxWaiting is how many events of a [Stream] may be waiting for delivery. Only
// a listener that blocks, or an event that is held for ever, lets so many gather;
// from there on each new event drops the oldest one waiting.
const MaxWaiting = 1024

// A Stream puts the events of one policy in order, remembers the most recent and
// delivers them to the listeners. The package comment describes how.
//
// The zero Stream numbers events and does nothing else; use Init to give it
// listeners and a memory. It is small, to be embedded in a policy by value, and
// allocates its buffer at the first event. It must not be copied after first use.
// All methods but Init may be called concurrently.
type Stream struct {
	listeners []Listener
	recent    uint64
	panics    atomic.Uint64

	// ready tells Deliver whether there is something for it to do: the event at
	// the head of the queue can be delivered and nobody is delivering. It is
	// written only under mu, together with what it is made of.
	ready atomic.Bool

	// mu guards what is below, for a few instructions at a time. Nothing is
	// called under it. Policies hold their own lock when they append, so it is
	// always the inner one.
	mu         sync.Mutex
	delivering bool
	queue      *queue // nil until the first event
}

// Init sets how many recent events the stream remembers and who listens to it.
// It must be called before any other method, or not at all. If recent is 0 or
// less nothing is remembered. Nil listeners are left out. Listeners get each
// event in the order in which they are given here.
func (s *Stream) Init(recent int, listeners ...Listener) {
	s.recent = uint64(max(recent, 0))
	for _, l := range listeners {
		if l != nil {
			s.listeners = append(s.listeners, l)
		}
	}
}

// Append adds e to the stream: it sets e.Seq, files e among the recent events,
// queues it for the listeners and returns its Seq. A policy calls it under its
// own lock, at the moment of the change, and calls [Stream.Deliver] after
// unlocking.
func (s *Stream) Append(e Event) uint64 { return s.add(e, false) }

// Hold is [Stream.Append] for an event whose Detail is still to be made; what it
// has for one is seen in the meantime. The event has its place and is in
// [Stream.Recent], but it and everything behind it stay undelivered until
// [Stream.Release]. Whoever holds an event must release it, also on a panic.
func (s *Stream) Hold(e Event) uint64 { return s.add(e, true) }

func (s *Stream) add(e Event, held bool) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.queue == nil {
		s.queue = &queue{keep: s.recent, limit: MaxWaiting}
	}
	e.Seq = s.queue.end + 1
	s.queue.push(e, held)
	if len(s.listeners) == 0 {
		s.queue.skip()
	}
	s.updateReady()
	return e.Seq
}

// Release completes the held event seq: it sets its Detail, in the ring and for
// the listeners, and makes it deliverable; [Stream.Deliver] has to follow. For an
// event that is not held, or that the stream no longer has, it does nothing.
func (s *Stream) Release(seq uint64, detail any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.queue == nil {
		return
	}
	if sl := s.queue.find(seq - 1); sl != nil && sl.held {
		sl.event.Detail = detail
		sl.held = false
		s.updateReady()
	}
}

// Deliver hands queued events to the listeners, in order, until the queue is
// empty or an event that is held is at its head. It must not be called under a
// lock that a listener could want. If a delivery is already under way, Deliver
// returns at once and that delivery takes care of the rest. Conversely, as long
// as others go on appending, the Deliver that is at work goes on delivering.
//
// Deliver with nothing to do costs one atomic load.
func (s *Stream) Deliver() {
	// Why no event can fall between two deliveries. The queue, delivering and
	// ready change together, under mu. So after an Append either ready is true,
	// and the Deliver that follows goes on to deliver; or a delivery is under way,
	// and it has to find nothing more to do, under mu, before it may end; or a held
	// event is in front, and after its Release it is again one of these three.
	if s.ready.Load() {
		s.deliver()
	}
}

func (s *Stream) deliver() {
	s.mu.Lock()
	if !s.ready.Load() { // somebody else came first
		s.mu.Unlock()
		return
	}
	e, _ := s.take()
	s.mu.Unlock()
	s.drain(e, s.listeners)
}

// drain hands e to the listeners in todo, then the queued events to all, and
// with that ends the delivery.
func (s *Stream) drain(e Event, todo []Listener) {
	done := false
	defer func() {
		if !done {
			// A listener called runtime.Goexit. This goroutine is on its way
			// out, but the delivery is its to finish.
			s.drain(e, todo)
		}
	}()
	for ok := true; ok; e, ok = s.next() {
		for len(todo) > 0 {
			l := todo[0]
			todo = todo[1:]
			call(l, e, &s.panics)
		}
		todo = s.listeners
	}
	done = true
}

func (s *Stream) next() (e Event, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.take()
}

// take gives the event at the head of the queue to the caller, who is then the
// one who delivers. If there is none the delivery is over: in the same critical
// section, or an event appended in between would be left to nobody. Called under
// mu.
func (s *Stream) take() (e Event, ok bool) {
	e, ok = s.queue.pop()
	s.delivering = ok
	s.updateReady()
	return e, ok
}

// updateReady follows every change to the queue or to delivering. Called under mu.
func (s *Stream) updateReady() {
	s.ready.Store(!s.delivering && s.queue.ready())
}

// Recent returns the most recent events, oldest first, as many as Init allowed;
// delivered or not. Events still held are among them, as they were appended. The
// slice is the caller's.
func (s *Stream) Recent() []Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.queue == nil {
		return nil
	}
	return s.queue.recent()
}

// Last returns the Seq of the newest event, which is also how many there have
// been; 0 before the first.
func (s *Stream) Last() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.queue == nil {
		return 0
	}
	return s.queue.end
}

// Dropped returns how many events were never delivered because more than
// [MaxWaiting] were waiting. It only grows.
func (s *Stream) Dropped() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.queue == nil {
		return 0
	}
	return s.queue.dropped
}

// Panics returns how many calls of listeners ended in a panic. It only grows.
func (s *Stream) Panics() uint64 { return s.panics.Load() }
