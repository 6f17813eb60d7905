package admin

import (
	"time"

	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/registry"
)

var Match = match

// SetStuck lets a test with real sockets be impatient.
func (h *Handler) SetStuck(d time.Duration) { h.cfg.Stuck = d }

// Streaming returns how many streams are open.
func (h *Handler) Streaming() int { return len(h.streams) }

// Remembered returns how many events the ring has taken.
func (h *Handler) Remembered() uint64 { return h.ring.newest() }

// HearAfterLoss has the ring take an event before which it has lost some.
func (h *Handler) HearAfterLoss(e event.Event, lost uint64) {
	h.ring.mu.Lock()
	defer h.ring.mu.Unlock()
	h.ring.add(slot{e, lost})
}

// Follow returns what a ring has after it began to follow a hub and then(), oldest first, and
// how many it lost before each.
func Follow(from interface {
	Listen(event.Listener) (stop func())
	Recent(most int) []event.Event
	Counters() registry.Counters
}, then func(),
) (events []event.Event, lost []uint64) {
	g := newRing(10_000, time.Time{})
	defer g.follow(from)()
	then()
	for _, e := range g.after(0, 10_000).events {
		events, lost = append(events, e.Event), append(lost, e.lost)
	}
	return events, lost
}
