package event

import "math/bits"

// minSlots is the least size of a queue's buffer, so that one which mostly holds
// an event or none does not allocate for each.
const minSlots = 4

// A queue is a bounded first-in first-out queue with a memory: the newest keep
// events stay readable after they have been taken. The events still to be taken
// and the events remembered overlap, so they share one buffer; and since events
// are numbered without gaps, finding one by number is an index, not a search.
//
// A queue knows nothing of locks. Only keep and limit have to be set.
type queue struct {
	keep    uint64 // how many of the newest events stay, taken or not
	limit   uint64 // how many may be waiting, at least 1; one more drops the oldest
	dropped uint64

	// Event i (from 0) is in slots[i mod len(slots)] for i in [first, end), and
	// waiting for i in [next, end). The length of slots is a power of two.
	slots            []slot
	first, next, end uint64
}

type slot struct {
	event Event
	held  bool // at the head of the queue, it stops it
}

func (q *queue) at(i uint64) *slot { return &q.slots[i&uint64(len(q.slots)-1)] }

// push appends an event. If that is one too many, the oldest waiting is dropped.
func (q *queue) push(e Event, held bool) {
	q.end++ // first, so that what follows makes room for it
	if q.end-q.next > q.limit {
		q.next++
		q.dropped++
	}
	q.trim()
	if n := q.end - q.first; n > uint64(len(q.slots)) {
		q.resize(n)
	}
	*q.at(q.end - 1) = slot{e, held}
}

// ready reports whether pop would return an event.
func (q *queue) ready() bool { return q.next < q.end && !q.at(q.next).held }

// pop takes the event at the head, if there is one and it is not held.
func (q *queue) pop() (e Event, ok bool) {
	if !q.ready() {
		return Event{}, false
	}
	e = q.at(q.next).event
	q.next++
	q.trim()
	return e, true
}

// skip takes all waiting events without delivering them.
func (q *queue) skip() {
	q.next = q.end
	q.trim()
}

// discard drops all waiting events.
func (q *queue) discard() {
	q.dropped += q.end - q.next
	q.skip()
}

// find returns the slot of event i, or nil if it is no longer (or not yet) there.
func (q *queue) find(i uint64) *slot {
	if i < q.first || i >= q.end {
		return nil
	}
	return q.at(i)
}

// recent returns a copy of the newest keep events, oldest first.
func (q *queue) recent() []Event {
	n := min(q.keep, q.end-q.first)
	events := make([]Event, 0, n)
	for i := q.end - n; i < q.end; i++ {
		events = append(events, q.at(i).event)
	}
	return events
}

// trim forgets what is neither waiting nor among the newest keep. It clears the
// slots, because a Detail can hold on to a lot, and once nothing is waiting it
// gives back the memory that a burst took.
func (q *queue) trim() {
	for q.first < q.next && q.end-q.first > q.keep {
		*q.at(q.first) = slot{}
		q.first++
	}
	if q.next == q.end && uint64(len(q.slots)) > slotsFor(q.keep) {
		q.resize(q.keep)
	}
}

// resize moves the events to a buffer with room for n.
func (q *queue) resize(n uint64) {
	old := *q
	q.slots = make([]slot, slotsFor(n))
	for i := q.first; i < q.end && len(old.slots) > 0; i++ {
		*q.at(i) = *old.at(i)
	}
}

// slotsFor returns the length of a buffer for n events.
func slotsFor(n uint64) uint64 {
	return max(minSlots, uint64(1)<<bits.Len64(max(n, 1)-1))
}
