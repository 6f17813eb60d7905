package clock

import "time"

// gone is the place of a timer that is in no heap.
const gone = -1

// An entry holds a timer's order beside the pointer to it, so that comparing two
// of them touches no other memory.
type entry struct {
	due   time.Duration
	seq   uint64
	timer *virtualTimer
}

func (e entry) before(o entry) bool {
	return e.due < o.due || e.due == o.due && e.seq < o.seq
}

// A timerHeap is a binary heap with the next timer first. Every timer knows its
// place, so that a stopped one is removed in O(log n). It is written out because a
// simulator pushes and pops here once or twice per simulated call: on top of
// container/heap a step takes nearly twice as long and allocates twice.
type timerHeap []entry

func (h *timerHeap) push(e entry) {
	*h = append(*h, e)
	h.up(len(*h)-1, e)
}

// remove takes out and returns the timer at place i.
func (h *timerHeap) remove(i int) *virtualTimer {
	old := *h
	t := old[i].timer
	t.place = gone

	// The last entry fills the hole, and moves from there to where it belongs.
	n := len(old) - 1
	last := old[n]
	old[n] = entry{} // let the timer be collected
	*h = old[:n]
	if i == n {
		return t
	}
	if i > 0 && last.before(old[(i-1)/2]) {
		h.up(i, last)
	} else {
		h.down(i, last)
	}
	return t
}

// up puts e at place i or, moving later entries down, nearer to the root.
func (h timerHeap) up(i int, e entry) {
	for i > 0 {
		parent := (i - 1) / 2
		if !e.before(h[parent]) {
			break
		}
		h.put(i, h[parent])
		i = parent
	}
	h.put(i, e)
}

// down puts e at place i or, moving earlier entries up, further from the root.
func (h timerHeap) down(i int, e entry) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if right := child + 1; right < len(h) && h[right].before(h[child]) {
			child = right
		}
		if !h[child].before(e) {
			break
		}
		h.put(i, h[child])
		i = child
	}
	h.put(i, e)
}

func (h timerHeap) put(i int, e entry) {
	h[i] = e
	e.timer.place = i
}
