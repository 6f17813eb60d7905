package admin

import (
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/registry"
)

// A ring remembers the newest events of a registry under numbers of its own, 1, 2, 3 and
// so on. Readers take from it at their own pace; nothing waits for them.
//
// It hears them on a goroutine that the registry has for it, which may fall behind by
// [event.MaxWaiting] events. What is lost beyond that it cannot tell, but it tells that it
// is.
type ring struct {
	epoch string // tells the numbers of this process from those of another

	mu      sync.Mutex
	slots   []slot        // grows to its capacity; event number n is at (n-1) % cap
	last    uint64        // the newest number
	changed chan struct{} // closed, and made anew, with each event
	closed  bool
	count   count
}

// A slot is a remembered event.
type slot struct {
	event.Event
	lost uint64 // how many the ring has not heard between the one before and this
}

// A count notices what the registry's queue for the ring has dropped because it was full.
// The registry counts what it has heard and what all its queues have dropped; what it has
// heard and the ring has not is waiting in the queue, or lost.
type count struct {
	apart   int64  // how far the registry's count is ahead if nothing waits
	heard   int64  // the ring's
	dropped uint64 // by all queues, at the last look
}

// next counts an event of the ring's, and returns how many were lost since the one before.
func (n *count) next(c registry.Counters) uint64 {
	n.heard++
	dropped := int64(c.EventsDropped - n.dropped)
	n.dropped = c.EventsDropped
	waiting := int64(c.Events) - n.heard - n.apart
	if waiting < 0 {
		n.apart += waiting // the counts were not begun at the same event
	}
	// Other queues drop too. But this one does so only when it is full, and since then the
	// ring has taken one event out of it.
	lost := min(dropped, max(waiting-(event.MaxWaiting-1), 0))
	n.apart += lost
	return uint64(lost)
}

func newRing(size int, now time.Time) *ring {
	return &ring{
		epoch:   strconv.FormatInt(now.UnixNano(), 36),
		slots:   make([]slot, 0, size),
		changed: make(chan struct{}),
	}
}

// A hub is where events come from: a registry.
type hub interface {
	Listen(event.Listener) (stop func())
	Recent(most int) []event.Event
	Counters() registry.Counters
}

var _ hub = (*registry.Registry)(nil)

// follow begins with what the registry remembers and goes on with what it hears. The
// listener runs on a goroutine of its own, so it holds up nobody's call.
func (g *ring) follow(reg hub) (stop func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var known []event.Event // remembered, and perhaps heard once more
	stop = reg.Listen(event.Func(func(e event.Event) {
		g.mu.Lock()
		defer g.mu.Unlock()
		lost := g.count.next(reg.Counters())
		for i, k := range known {
			if k.Source == e.Source && k.Name == e.Name && k.Seq == e.Seq && k.Time.Equal(e.Time) {
				known = known[i+1:]
				return
			}
		}
		known = nil // the order is the same: what comes now is new
		g.add(slot{e, lost})
	}))
	counters := reg.Counters()
	g.count = count{apart: int64(counters.Events), dropped: counters.EventsDropped}
	known = reg.Recent(cap(g.slots))
	for _, e := range known {
		g.add(slot{Event: e})
	}
	return stop
}

// add is called under mu.
func (g *ring) add(e slot) {
	if g.closed {
		return
	}
	if len(g.slots) < cap(g.slots) {
		g.slots = append(g.slots, e)
	} else {
		g.slots[g.last%uint64(cap(g.slots))] = e
	}
	g.last++
	close(g.changed)
	g.changed = make(chan struct{})
}

func (g *ring) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.closed = true
		close(g.changed)
	}
}

// A batch is what a reader finds.
type batch struct {
	events []slot
	first  uint64 // the number of the first of them
	// missed is how many came between where the reader was and the first.
	missed uint64
	more   bool            // there are further ones
	wait   <-chan struct{} // closed when there may be something new
	closed bool
}

// after returns at most so many events that come after the number.
func (g *ring) after(number uint64, most int) batch {
	g.mu.Lock()
	defer g.mu.Unlock()
	b := batch{wait: g.changed, closed: g.closed, first: number + 1}
	if oldest := g.last - uint64(len(g.slots)) + 1; b.first < oldest {
		b.missed = oldest - b.first
		b.first = oldest
	}
	for n := b.first; n <= g.last; n++ {
		if len(b.events) == most {
			b.more = true
			break
		}
		b.events = append(b.events, g.slots[(n-1)%uint64(cap(g.slots))])
	}
	return b
}

// newest returns the newest number.
func (g *ring) newest() uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.last
}

// id returns the identifier of an event.
func (g *ring) id(number uint64) string { return g.epoch + "-" + strconv.FormatUint(number, 10) }

// parse returns the number in an identifier. One of another process is gone, and the number
// is the one before all that are remembered.
func (g *ring) parse(id string) (number uint64, gone, ok bool) {
	epoch, digits, found := strings.Cut(id, "-")
	number, err := strconv.ParseUint(digits, 10, 64)
	if !found || err != nil || epoch == "" {
		return 0, false, false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if epoch != g.epoch {
		return g.last - uint64(len(g.slots)), true, true
	}
	return min(number, g.last), false, true
}
