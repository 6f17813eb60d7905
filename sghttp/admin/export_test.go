package admin

import (
	"time"

	"github.com/switchgear-go/switchgear/event"
)

var Match = match

// SetStuck lets a test with real sockets be impatient.
func (h *Handler) SetStuck(d time.Duration) { h.cfg.Stuck = d }

// Streaming returns how many streams are open.
func (h *Handler) Streaming() int { return len(h.streams) }

// Remembered returns how many events the ring has taken.
func (h *Handler) Remembered() uint64 { return h.ring.newest() }

// Follow returns what a ring has after it began to follow a hub and then(), oldest first.
func Follow(from interface {
	Listen(event.Listener) (stop func())
	Recent(most int) []event.Event
}, then func(),
) []event.Event {
	g := newRing(100, time.Time{})
	defer g.follow(from)()
	then()
	return g.after(0, 100).events
}
