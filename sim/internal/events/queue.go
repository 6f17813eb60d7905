// Package events is the heart of a discrete-event simulation: a queue of what
// happens next, and a clock that shows the instant of what happens now.
//
// # Model
//
// An [Event] is a number of sixteen bytes, not a closure: an instant, a kind and
// a slot. What kinds there are and what a slot refers to is the business of the
// model that is simulated. Events come out in order of time, and in the order in
// which they were put in where times are equal, so that a run is the same every
// time.
//
// # Contract
//
// Nothing here is safe for concurrent use: one run is one goroutine. Nothing
// allocates once the queue has grown to the largest number of events that wait
// at the same time, save a timer of [Clock.AfterFunc].
package events

import "time"

const (
	slotBits = 24
	kindBits = 4
	seqShift = slotBits + kindBits

	// MaxSlot is the largest slot of an event.
	MaxSlot = 1<<slotBits - 1
	// MaxKind is the largest kind of an event.
	MaxKind = 1<<kindBits - 1
	// MaxEvents is how many events one queue can order. It lasts for hours.
	MaxEvents = 1<<(64-seqShift) - 1
)

// An Event is something that happens at an instant. Kind and slot share a word
// with the place in the order of insertion, which has the upper bits: so one
// comparison of words tells which of two events of the same instant is first.
type Event struct {
	At   time.Duration
	word uint64
}

// Kind returns what sort of event it is.
func (e Event) Kind() uint8 { return uint8(e.word>>slotBits) & MaxKind }

// Slot returns what the event is about.
func (e Event) Slot() uint32 { return uint32(e.word) & MaxSlot }

// Seq returns the event's place in the order of insertion, from 1. No two events
// of a queue share it.
func (e Event) Seq() uint64 { return e.word >> seqShift }

func (e Event) before(f Event) bool {
	return e.At < f.At || e.At == f.At && e.word < f.word
}

// Queue holds the events that are to come. The zero value is an empty queue.
//
// It is a heap with four children a node: half as deep as the common one, and the
// four are side by side in 64 bytes.
type Queue struct {
	heap []Event
	seq  uint64
}

const arity = 4

// Len returns the number of events that wait.
func (q *Queue) Len() int { return len(q.heap) }

// Pushed returns the number of events ever put in.
func (q *Queue) Pushed() uint64 { return q.seq }

// Reset makes the queue as new, and keeps its memory.
func (q *Queue) Reset() { q.heap, q.seq = q.heap[:0], 0 }

// Push puts an event in and returns its Seq. Kind and slot beyond their bounds
// would be cut off.
func (q *Queue) Push(at time.Duration, kind uint8, slot uint32) (seq uint64) {
	q.seq++
	e := Event{At: at, word: q.seq<<seqShift | uint64(kind&MaxKind)<<slotBits | uint64(slot&MaxSlot)}
	q.heap = append(q.heap, e)
	h := q.heap
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / arity
		if !e.before(h[up]) {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = e
	return q.seq
}

// Next returns the instant of the next event, and false if there is none.
func (q *Queue) Next() (at time.Duration, ok bool) {
	if len(q.heap) == 0 {
		return 0, false
	}
	return q.heap[0].At, true
}

// Pop takes the next event out. There must be one.
func (q *Queue) Pop() Event {
	h := q.heap
	first := h[0]
	n := len(h) - 1
	last := h[n]
	h = h[:n]
	q.heap = h
	if n == 0 {
		return first
	}
	i := 0
	for {
		child := i*arity + 1
		if child >= n {
			break
		}
		least, e := child, h[child]
		for c := child + 1; c < min(child+arity, n); c++ {
			if h[c].before(e) {
				least, e = c, h[c]
			}
		}
		if !e.before(last) {
			break
		}
		h[i] = e
		i = least
	}
	h[i] = last
	return first
}
