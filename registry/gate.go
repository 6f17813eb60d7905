package registry

import (
	"sync"
	"sync/atomic"

	"github.com/switchgear-go/switchgear/event"
)

// A gate stands between the policies of one entry and a listener of the registry's; one
// that the user gave to the policies themselves cannot be seen, and has none. It is shut while they
// are being made: a policy reports its warnings from inside New, and a listener that
// asked the registry for the name would then wait for itself. If the making fails the
// gate stays shut, and nobody hears of what never was.
type gate struct {
	to  event.Listener
	hub *hub // counts what goes wrong

	open atomic.Bool // written under mu
	mu   sync.Mutex
	held []event.Event
}

// OnEvent passes e on, or keeps it until the gate is open.
func (g *gate) OnEvent(e event.Event) {
	if g.open.Load() || !g.hold(e) {
		g.to.OnEvent(e)
	}
}

func (g *gate) hold(e event.Event) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open.Load() {
		return false
	}
	if len(g.held) == event.MaxWaiting {
		g.held = g.held[1:]
		g.hub.dropped.Add(1)
	}
	g.held = append(g.held, e)
	return true
}

// release passes on what was kept, and opens the gate when there is nothing more. So
// the order of events stays as it was, and each listener has one at a time.
func (g *gate) release() {
	done := false
	defer func() {
		if !done { // the listener ended the goroutine, but not the others' events
			g.release()
		}
	}()
	for e, ok := g.next(); ok; e, ok = g.next() {
		g.pass(e)
	}
	done = true
}

func (g *gate) next() (e event.Event, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.held) == 0 {
		g.held = nil
		g.open.Store(true)
		return event.Event{}, false
	}
	e = g.held[0]
	g.held = g.held[1:]
	return e, true
}

func (g *gate) pass(e event.Event) {
	defer func() {
		if recover() != nil {
			g.hub.panics.Add(1)
		}
	}()
	g.to.OnEvent(e)
}
