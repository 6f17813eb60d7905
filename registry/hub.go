package registry

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/switchgear-go/switchgear/event"
)

// A hub hears the events of all policies, remembers the newest, and passes them on to
// listeners that come and go.
type hub struct {
	keep int // how many events are remembered

	panics, dropped atomic.Uint64 // what gates and listeners of the past contribute

	// mu guards everything below. Under it events go into the queues of listeners, so
	// that all have the same order; the listeners run elsewhere.
	mu        sync.Mutex
	ring      []event.Event // grows up to keep; the oldest is at heard % keep
	heard     uint64
	listeners []*event.AsyncListener
}

// OnEvent remembers e and queues it for the listeners.
func (h *hub) OnEvent(e event.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case len(h.ring) < h.keep:
		h.ring = append(h.ring, e)
	case h.keep > 0:
		h.ring[h.heard%uint64(h.keep)] = e
	}
	h.heard++
	for _, l := range h.listeners {
		l.OnEvent(e)
	}
}

func (h *hub) recent(most int) []event.Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := min(max(most, 0), len(h.ring))
	events := make([]event.Event, 0, n)
	for i := h.heard - uint64(n); i < h.heard; i++ {
		events = append(events, h.ring[i%uint64(h.keep)])
	}
	return events
}

func (h *hub) listen(l event.Listener) (stop func()) {
	if l == nil {
		return func() {}
	}
	a := event.Async(l, 0)
	h.mu.Lock()
	h.listeners = append(h.listeners, a)
	h.mu.Unlock()
	return sync.OnceFunc(func() {
		h.mu.Lock()
		h.listeners = slices.DeleteFunc(h.listeners, func(other *event.AsyncListener) bool { return other == a })
		h.dropped.Add(a.Dropped())
		h.panics.Add(a.Panics())
		h.mu.Unlock()
		// A context that has ended makes Close drop what is queued, and not wait.
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		_ = a.Close(ended)
	})
}

// count adds what the hub knows to c.
func (h *hub) count(c *Counters) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c.Events = h.heard
	c.EventsDropped, c.ListenerPanics = h.dropped.Load(), h.panics.Load()
	for _, a := range h.listeners {
		c.EventsDropped += a.Dropped()
		c.ListenerPanics += a.Panics()
	}
}
