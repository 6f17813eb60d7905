package ratelimit

import (
	"sync/atomic"
	"time"
)

// Counters count over the whole life of a limiter. Each only grows.
type Counters struct {
	// Admitted are calls that were allowed, now or later, Delayed those among them
	// that had to wait. A call that counts as n is one call.
	Admitted uint64 `json:"admitted"`
	Delayed  uint64 `json:"delayed"`
	// Cancelled are reservations that were cancelled. They are among the Admitted.
	Cancelled uint64 `json:"cancelled"`
	// Refused are calls that were not allowed.
	Refused uint64 `json:"refused"`
}

// tally is the counters while they count. All limiters of a Keyed share one.
type tally struct {
	admitted, delayed, cancelled, refused atomic.Uint64
}

func (t *tally) counters() Counters {
	// Admitted is read last, so that it is never less than what is part of it.
	c := Counters{Delayed: t.delayed.Load(), Cancelled: t.cancelled.Load(), Refused: t.refused.Load()}
	c.Admitted = t.admitted.Load()
	return c
}

// Counters returns the counts. They are read one after the other while calls go on.
func (l *Limiter) Counters() Counters { return l.tally.counters() }

// Snapshot is how a limiter stands at one moment.
type Snapshot struct {
	// Available is how many tokens there are now, from 0 to Burst. A bucket may hold
	// a part of one. Both are 0 where Rate is infinite.
	Available float64 `json:"available"`
	Burst     int     `json:"burst"`

	// Next is how long one more call would have to wait; -1 if for ever.
	Next time.Duration `json:"next"`

	Counters
}

// Snapshot returns how the limiter stands. Reading changes nothing. Of a
// [SlidingWindow] it takes time in proportion to Burst.
func (l *Limiter) Snapshot() Snapshot {
	s := Snapshot{Burst: l.cfg.Burst, Counters: l.Counters()}
	if l.store == nil {
		s.Burst = 0
		return s
	}
	now := l.now()
	available, due := l.store.level(now)
	s.Available, s.Next = available, due-now
	if due == never {
		s.Next = -1
	}
	return s
}

// idle reports whether the limiter could be replaced by a new one.
func (l *Limiter) idle() bool { return l.store == nil || l.store.idle(l.now()) }
