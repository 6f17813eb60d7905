package registry

import (
	"container/heap"
	"time"
)

// A queue holds the entries that may go one day, ordered by entry.due. So whoever wants
// room looks at those whose time has come, and at no others.
type queue struct{ heap entryHeap }

// first returns an entry that is due, or nil.
func (q *queue) first(now time.Duration) *entry {
	if len(q.heap) == 0 || q.heap[0].due > now {
		return nil
	}
	return q.heap[0]
}

func (q *queue) add(e *entry, due time.Duration) {
	e.due = due
	heap.Push(&q.heap, e)
}

// move changes the due time of an entry in the queue.
func (q *queue) move(e *entry, due time.Duration) {
	e.due = due
	heap.Fix(&q.heap, e.place)
}

func (q *queue) remove(e *entry) { heap.Remove(&q.heap, e.place) }

// entryHeap is what container/heap wants.
type entryHeap []*entry

func (h entryHeap) Len() int           { return len(h) }
func (h entryHeap) Less(i, j int) bool { return h[i].due < h[j].due }

func (h entryHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

func (h *entryHeap) Push(e any) {
	e.(*entry).place = len(*h)
	*h = append(*h, e.(*entry))
}

func (h *entryHeap) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	(*h)[last] = nil // or the array would keep it
	*h = (*h)[:last]
	return e
}
