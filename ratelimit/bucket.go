package ratelimit

import (
	"sync/atomic"
	"time"
)

// A bucket is a token bucket as the generic cell rate algorithm keeps it. Tokens lie on
// the axis of time, one behind the other, and next is the place up to which they are
// used: the theoretical arrival time of the next. A place in the past means a full
// bucket; Burst tokens beyond the present mean an empty one; and beyond that are the
// tokens that waiting calls have reserved.
type bucket struct {
	scale
	burst uint64 // units
	next  atomic.Uint64
}

func newBucket(rate uint64, burst int) *bucket {
	s := newScale(rate, burst)
	return &bucket{scale: s, burst: uint64(burst) * s.token}
}

func (b *bucket) reserve(now time.Duration, n int, most time.Duration) (g grant, ok bool) {
	present, need := b.units(now), uint64(n)*b.token
	for {
		old := b.next.Load()
		next := max(old, present) + need
		due := now
		if next-present > b.burst {
			due = max(b.time(next-b.burst), now)
		}
		// Refused before anything is written: who is refused must not push back
		// those who come after.
		if due == never || due-now > most {
			return grant{due: due}, false
		}
		if b.next.CompareAndSwap(old, next) {
			return grant{due: due, place: next}, true
		}
	}
}

// cancel gives the tokens of a grant back, if no later grant builds upon them. The later
// ones keep their times, and to give away again a part of what lies before them could put
// more than a burst at one time.
func (b *bucket) cancel(g grant, n int) {
	b.next.CompareAndSwap(g.place, g.place-uint64(n)*b.token)
}

func (b *bucket) level(now time.Duration) (available float64, due time.Duration) {
	present := b.units(now)
	used := max(b.next.Load(), present) - present
	available = float64(b.burst-min(used, b.burst)) / float64(b.token)
	due = now
	if used+b.token > b.burst {
		due = max(b.time(present+used+b.token-b.burst), now)
	}
	return available, due
}

func (b *bucket) idle(now time.Duration) bool { return b.next.Load() <= b.units(now) }
