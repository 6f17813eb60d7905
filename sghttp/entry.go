package sghttp

import (
	"sync/atomic"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/pipeline"
)

// An entry is the breaker of one key, or its pipeline, and the use that is made of it.
type entry struct {
	key      Key
	breaker  *breaker.Breaker      // nil if the pipeline has none
	pipeline *pipeline.Pipeline    // nil if there is only a breaker
	next     atomic.Pointer[entry] // in its chain of the table

	retries, hedges bool // what the pipeline can do with a call

	// use holds three things, so that one compare-and-swap can say "nobody is
	// using it, nobody has been since I looked, and nobody will":
	// the number of calls begun, wrapping; the number in progress; and whether
	// the entry has been dropped. Calls never touch that last bit.
	use atomic.Uint64

	// ended is the instant at which the newest call ended, or the entry was made.
	ended atomic.Int64
}

const (
	useDropped  = 1
	useRunning  = 1 << 1
	useBegun    = 1 << 24
	runningMask = useBegun - useRunning
)

func newEntry(key Key, b *breaker.Breaker, now time.Duration) *entry {
	e := &entry{key: key, breaker: b}
	e.ended.Store(int64(now))
	return e
}

// begin counts a call in. It returns false if the entry has been dropped; then
// there is nothing to end.
func (e *entry) begin() bool { return e.use.Add(useBegun+useRunning)&useDropped == 0 }

// end counts a call out again.
func (e *entry) end(now time.Duration) {
	e.ended.Store(int64(now))
	e.use.Add(^uint64(useRunning - 1))
}

// drop takes the entry out of service, if it is idle and its breaker is expendable.
// Otherwise it returns the earliest instant at which asking again makes sense.
func (e *entry) drop(now, idleAfter time.Duration) (dropped bool, again time.Duration) {
	use := e.use.Load()
	if use&runningMask != 0 {
		return false, now + idleAfter
	}
	if idle := time.Duration(e.ended.Load()) + idleAfter; idle > now {
		return false, idle
	}
	if e.breaker != nil && !expendable(e.breaker) {
		// Its interval may end, or an operator move it, at any time.
		return false, now + idleAfter/64
	}
	return e.use.CompareAndSwap(use, use|useDropped), now + idleAfter
}

// close stops the timers of what was made for the key.
func (e *entry) close() {
	if e.pipeline != nil {
		e.pipeline.Close()
	} else {
		e.breaker.Close()
	}
}

// expendable reports whether b may go: it admits calls or probes now, and overrules no
// operator. One that is OPEN past its interval, or HALF_OPEN, admits a few probes where a
// new one admits everything, and how far its interval has grown is forgotten. It may go
// all the same: only calls could close it, and hosts that nobody calls any more would
// fill the set for good.
func expendable(b *breaker.Breaker) bool {
	switch b.State() {
	case breaker.Closed:
		return true
	case breaker.Open, breaker.HalfOpen:
		return b.Ready()
	}
	return false
}
