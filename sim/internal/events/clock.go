package events

import (
	"math"
	"time"

	"github.com/switchgear-go/switchgear/clock"
)

// A Clock shows the time of a simulation to the policies in it, and keeps their
// timers in the simulation's own queue. It is a [clock.Clock] in all but one
// point: it is not safe for concurrent use, since a run is one goroutine. That
// makes it a plain field to read, where [clock.Virtual] has to be careful.
//
// Use [NewClock].
type Clock struct {
	now    time.Duration
	start  time.Time
	queue  *Queue
	kind   uint8
	timers []*timer // by slot; nil where the slot is free
	free   []uint32
	armed  int
	full   bool // there would have been more timers than Most

	// Most is how many timers there may be, stopped ones that are not due among them:
	// as many as an event has slots for. Tests make do with less.
	Most int
}

var _ clock.Clock = (*Clock)(nil)

// NewClock returns a clock that shows the wall time start at Mono zero and puts
// its timers into queue as events of the given kind. When such an event is taken
// out, its slot must be given to [Clock.Fire].
func NewClock(start time.Time, queue *Queue, kind uint8) *Clock {
	return &Clock{start: start.Round(0), queue: queue, kind: kind, Most: MaxSlot + 1}
}

// Set moves the clock. It must not be moved back.
func (c *Clock) Set(now time.Duration) { c.now = now }

// Mono returns how far the clock has been moved.
func (c *Clock) Mono() time.Duration { return c.now }

// Now returns the start plus Mono.
func (c *Clock) Now() time.Time { return c.start.Add(c.now) }

// Since returns the Mono at which Now was t.
func (c *Clock) Since(t time.Time) time.Duration { return t.Sub(c.start) }

// Armed returns the number of timer events in the queue, those of stopped timers
// among them.
func (c *Clock) Armed() int { return c.armed }

// Overflowed reports whether there were, since the last Reset, more timers than
// Most. Those beyond never run, so a run in which it is true is worth nothing.
func (c *Clock) Overflowed() bool { return c.full }

// AfterFunc implements [clock.Clock].
func (c *Clock) AfterFunc(d time.Duration, f func()) clock.Timer {
	at := time.Duration(math.MaxInt64)
	if d = max(d, 0); d < at-c.now {
		at = c.now + d
	}
	t := &timer{f: f}
	var slot uint32
	if n := len(c.free); n > 0 {
		slot, c.free = c.free[n-1], c.free[:n-1]
		c.timers[slot] = t
	} else if len(c.timers) >= c.Most {
		c.full = true
		return t
	} else {
		slot = uint32(len(c.timers))
		c.timers = append(c.timers, t)
	}
	c.armed++
	c.queue.Push(at, c.kind, slot)
	return t
}

// Fire runs the timer whose event has come, unless it was stopped.
func (c *Clock) Fire(slot uint32) {
	t := c.timers[slot]
	c.timers[slot] = nil
	c.free = append(c.free, slot)
	c.armed--
	if f := t.f; f != nil {
		t.f = nil
		f()
	}
}

// Reset takes the clock back to zero and forgets all timers. The queue must be
// reset with it.
func (c *Clock) Reset() {
	clear(c.timers)
	c.now, c.timers, c.free, c.armed, c.full = 0, c.timers[:0], c.free[:0], 0, false
}

// A timer is one promised call. Its event stays in the queue when it is stopped:
// to find it there would cost more than to let it pass.
type timer struct{ f func() }

// Stop implements [clock.Timer].
func (t *timer) Stop() bool {
	stopped := t.f != nil
	t.f = nil
	return stopped
}
