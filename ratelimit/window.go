package ratelimit

import (
	"math"
	"sync"
	"time"
)

// unused is the time of a call that there was not.
const unused = time.Duration(math.MinInt64)

// A slidingWindow is a ring of the times at which the last calls began, or will begin.
// A call may begin when the one whose slot it takes has left the window.
type slidingWindow struct {
	length time.Duration // never, if nothing is refilled

	mu    sync.Mutex // guards the fields below; nothing is called under it
	times []time.Duration
	count uint64        // slots ever taken; the next is count mod len(times)
	last  time.Duration // what the newest slot holds
}

func newSlidingWindow(cfg Config) *slidingWindow {
	w := &slidingWindow{length: length(cfg), times: make([]time.Duration, cfg.Burst), last: unused}
	for i := range w.times {
		w.times[i] = unused
	}
	return w
}

// slot returns the slot of the i-th call, counted from 0.
func (w *slidingWindow) slot(i uint64) *time.Duration { return &w.times[i%uint64(len(w.times))] }

// due returns when n more calls may begin together. Called under mu.
func (w *slidingWindow) due(now time.Duration, n int) time.Duration {
	now = max(now, w.last) // one after the other
	t := *w.slot(w.count + uint64(n) - 1)
	switch {
	case t == unused:
		return now
	case w.length > never-t:
		return never
	}
	return max(t+w.length, now)
}

func (w *slidingWindow) reserve(now time.Duration, n int, most time.Duration) (g grant, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	due := w.due(now, n)
	if due == never || due-now > most {
		return grant{due: due}, false
	}
	g = grant{due: due, before: w.last, place: w.count}
	g.first = *w.slot(w.count)
	if n > 1 {
		g.rest = make([]time.Duration, n-1)
	}
	for i := range n {
		if i > 0 {
			g.rest[i-1] = *w.slot(w.count)
		}
		*w.slot(w.count) = due
		w.count++
	}
	w.last = due
	return g, true
}

// cancel undoes a grant, if it is the newest. Otherwise it dates the calls of the grant
// back to the time of the call before them. That frees their slots as early as the ring
// can, and still the window holds no more than it may: who takes such a slot comes a whole
// window after the call before it. A slot that has been taken since is left alone.
func (w *slidingWindow) cancel(g grant, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	end := g.place + uint64(n)
	if w.count == end {
		*w.slot(g.place) = g.first
		for i, t := range g.rest {
			*w.slot(g.place + 1 + uint64(i)) = t
		}
		w.count, w.last = g.place, g.before
		return
	}
	for i := g.place; i < end; i++ {
		if w.count-i <= uint64(len(w.times)) { // nobody has taken the slot since
			*w.slot(i) = g.before
		}
	}
}

func (w *slidingWindow) level(now time.Duration) (available float64, due time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range w.times {
		if t == unused || w.length <= never-max(t, 0) && t+w.length <= now {
			available++
		}
	}
	return available, w.due(now, 1)
}

func (w *slidingWindow) idle(now time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last == unused || w.length != never && w.last+w.length <= now
}
