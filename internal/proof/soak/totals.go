package main

import (
	"sync"

	"github.com/switchgear-go/switchgear/breaker"
)

// totals are what happened in a run so far.
type totals struct {
	mu      sync.Mutex
	rounds  int
	configs int
	virtual int
	bare    int
	foci    map[focus]int
	kinds   [opKinds]uint64
	events  [happenings]uint64
	books   tally
	counter [11]uint64
	sums    sums

	panics, quits, dropped, timers, queued uint64

	maxHeap        uint64 // dead objects included
	firstLive      uint64
	maxLive, lives uint64
}

func newTotals() totals {
	return totals{foci: map[focus]int{}, sums: sums{rules: map[breaker.Rule]uint64{}}}
}

func (t *totals) count(k opKind, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kinds[k] += uint64(n)
}

func (t *totals) addRound(r *round) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rounds++
	t.configs += len(r.pool)
	t.foci[r.sc.focus]++
	if r.sc.virtual {
		t.virtual++
	}
	if r.sc.bare {
		t.bare++
	}
}

func (t *totals) addWorker(w *worker) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for k, n := range w.kinds {
		t.kinds[k] += n
	}
	for h, n := range w.events {
		t.events[h] += n
	}
}

func (t *totals) addSubject(s *subject, books *tally, end *breaker.Snapshot) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.books.add(books)
	for i, n := range counts(end.Counters) {
		t.counter[i] += n
	}
	t.sums.add(&s.history.sum)
	t.panics += s.panics.Load()
	t.quits += s.quits.Load()
	t.dropped += end.EventsDropped
	_, fired := s.clk.counts()
	t.timers += fired
	t.queued += s.queued
}

// operations returns how many there were.
func (t *totals) operations() (n uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, k := range t.kinds {
		n += k
	}
	return n
}

func (t *totals) roundsPlayed() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rounds
}

func (t *totals) heap(bytes uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.maxHeap = max(t.maxHeap, bytes)
}

// liveHeap takes in what is alive after a round, and reports whether that is no more than usual.
func (t *totals) liveHeap(bytes uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lives++
	if t.lives <= settled {
		t.firstLive = max(t.firstLive, bytes)
	}
	t.maxLive = max(t.maxLive, bytes)
	return bytes <= t.firstLive+heapSlack
}
