package collapse

import "fmt"

// A flight is one execution and those who wait for it. The group's mutex guards it
// until it has ended; from then on it does not change.
type flight[K comparable, V any] struct {
	key         K
	listed      bool // it can be joined: the group's map has it
	waiting     int  // callers that have not left
	abandoned   bool // all have
	ended       bool
	done        chan struct{} // closed at the end; nil as long as nobody blocks
	onAbandoned func()

	// first and last are the ends of the list of places with a callback, in the
	// order in which they asked for one.
	first, last *Place[K, V]

	value    V
	err      error
	shared   bool
	panicked *Panic
}

// join takes a place in the flight for key, or begins one. blocking makes sure that
// it has a channel to wait on.
func (g *Group[K, V]) join(key K, blocking bool) (f *flight[K, V], leader bool) {
	f, leader, full := g.take(key, blocking)
	if full {
		warned := false
		defer func() {
			if !warned { // a listener ended the goroutine: nobody will lead
				var none V
				g.finish(f, none, ErrExited, nil)
			}
		}()
		g.warn(&g.full, func() string {
			return fmt.Sprintf("%d keys are in flight, as many as MaxKeys allows: calls for others are not collapsed", g.cfg.MaxKeys)
		}, nil)
		warned = true
	}
	return f, leader
}

func (g *Group[K, V]) take(key K, blocking bool) (f *flight[K, V], leader, full bool) {
	g.mu.Lock()
	defer g.mu.Unlock() // deferred: a key that cannot be hashed panics
	f = g.flights[key]
	if f == nil {
		leader = true
		f = &flight[K, V]{key: key}
		full = len(g.flights) >= g.cfg.MaxKeys
		if full || !same(key, key) {
			// Nobody will join it. A key that holds a NaN could never be deleted
			// from the map either.
			g.total.Uncollapsed++
		} else {
			f.listed = true
			g.flights[key] = f
		}
		g.now.Running++
		g.total.Started++
	} else {
		g.total.Joined++
	}
	if blocking && f.done == nil {
		f.done = make(chan struct{})
	}
	f.waiting++
	g.now.Waiting++
	return f, leader, full
}

// same is false for keys that hold a NaN.
func same[K comparable](a, b K) bool { return a == b }

// unlist makes the flight impossible to join. Called under mu.
func (g *Group[K, V]) unlist(f *flight[K, V]) {
	if f.listed {
		f.listed = false
		delete(g.flights, f.key)
	}
}

// leave gives up one place. It returns false if the flight has ended, in which case
// there is a result to take. p is the place, if it is one with a callback.
func (g *Group[K, V]) leave(f *flight[K, V], p *Place[K, V]) bool {
	g.mu.Lock()
	if f.ended || p != nil && p.left {
		g.mu.Unlock()
		return false
	}
	if p != nil {
		p.left = true
		f.unhook(p)
	}
	f.waiting--
	g.now.Waiting--
	g.total.Left++
	var abandon func()
	if f.waiting == 0 {
		f.abandoned = true
		abandon = f.onAbandoned
		g.unlist(f)
		g.now.Abandoned++
		g.total.Abandoned++
	}
	g.mu.Unlock()
	if abandon != nil {
		abandon()
	}
	return true
}

// finish ends the flight, once, and tells everybody.
func (g *Group[K, V]) finish(f *flight[K, V], v V, err error, panicked *Panic) bool {
	g.mu.Lock()
	if f.ended {
		g.mu.Unlock()
		return false
	}
	f.ended = true
	f.value, f.err, f.panicked = v, err, panicked
	f.shared = f.waiting > 1
	g.unlist(f)
	g.now.Running--
	g.now.Waiting -= f.waiting
	if f.abandoned {
		g.now.Abandoned--
	}
	if panicked != nil {
		g.total.Panics++
	}
	if f.done != nil {
		close(f.done)
	}
	g.mu.Unlock()
	f.tell(f.first)
	return true
}

// tell calls the callbacks from p on. One that panics, or ends the goroutine, does
// not keep the others from being called.
func (f *flight[K, V]) tell(p *Place[K, V]) {
	defer func() {
		if p != nil {
			f.tell(p)
		}
	}()
	for p != nil {
		now := p
		p = p.next
		now.arrive(f.value, f.shared, f.err)
	}
}

// hook appends a place to the list of those with a callback, and unhook takes it out
// again if it is there. Called under mu.

func (f *flight[K, V]) hook(p *Place[K, V]) {
	p.hooked = true
	if p.prev = f.last; p.prev != nil {
		p.prev.next = p
	} else {
		f.first = p
	}
	f.last = p
}

func (f *flight[K, V]) unhook(p *Place[K, V]) {
	if !p.hooked {
		return
	}
	p.hooked = false
	if p.prev != nil {
		p.prev.next = p.next
	} else {
		f.first = p.next
	}
	if p.next != nil {
		p.next.prev = p.prev
	} else {
		f.last = p.prev
	}
	p.prev, p.next = nil, nil
}

// Forget makes the execution for key, if there is one, impossible to join: the next
// caller starts another. Those who wait already go on waiting for its result. It
// reports whether there was one.
func (g *Group[K, V]) Forget(key K) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	f := g.flights[key]
	if f == nil {
		return false
	}
	g.unlist(f)
	return true
}
