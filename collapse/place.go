package collapse

// A Place is one caller's share in an execution, for code that does not wait: it is
// told of the result by a callback. [Group.Join] hands out places. The first caller
// for a key is the leader; it has to see to it that the work is done and to call
// Finish, whatever happens.
//
//	place, leader := group.Join(key)
//	place.Wait(func(v V, shared bool, err error) { … })
//	if leader {
//		place.OnAbandoned(stop)
//		start(func(v V, err error) { place.Finish(v, err) })
//	}
//
// All methods are safe for concurrent use and call no user code under a lock.
type Place[K comparable, V any] struct {
	group  *Group[K, V]
	flight *flight[K, V]

	// The group's mutex guards these until the flight has ended.
	arrive     func(v V, shared bool, err error)
	left       bool
	hooked     bool
	prev, next *Place[K, V]
}

// Join takes a place in the execution for key that is under way, or begins one, of
// which the caller is then the leader. It never waits. Beyond [Config.MaxKeys] every
// caller is a leader. Executions that [Group.Do] runs can be joined too, and the
// other way round.
func (g *Group[K, V]) Join(key K) (p *Place[K, V], leader bool) {
	f, leader := g.join(key, false)
	return &Place[K, V]{group: g, flight: f}, leader
}

// Wait has arrive called with the result: when the execution ends, by whoever ends
// it, or at once if it has ended. The callbacks of one execution are called one after
// another in the order of Wait. shared is whether more than one caller waited for the
// result. An execution run by [Group.Do] that panicked gives a [*Panic] as the error.
//
// A second Wait replaces the callback of the first. A nil arrive, and a place that was
// left, do nothing.
func (p *Place[K, V]) Wait(arrive func(v V, shared bool, err error)) {
	if arrive == nil {
		return
	}
	p.group.mu.Lock()
	ended := p.flight.ended
	left := p.left
	if !ended && !left {
		p.arrive = arrive
		if !p.hooked {
			p.flight.hook(p)
		}
	}
	p.group.mu.Unlock()
	if ended && !left {
		arrive(p.flight.value, p.flight.shared, p.flight.err)
	}
}

// Leave gives the place up: its callback will not be called. If it was the last one,
// the execution is abandoned. Leave returns false, and does nothing, if the execution
// has ended or the place was left before. A leader that leaves still has to finish.
func (p *Place[K, V]) Leave() bool { return p.group.leave(p.flight, p) }

// Finish ends the execution with v and err, and calls the callbacks of those who wait.
// It is the leader's duty. It returns false, and does nothing, if the execution has
// ended already.
func (p *Place[K, V]) Finish(v V, err error) bool { return p.group.finish(p.flight, v, err, nil) }

// OnAbandoned has stop called once when the last caller has left before the end, so
// that the leader can end the work; at once if that is so already. It replaces what
// was set before, also what [Group.Do] set, so it is for the leader only.
func (p *Place[K, V]) OnAbandoned(stop func()) {
	p.group.mu.Lock()
	f := p.flight
	late := f.abandoned && !f.ended
	f.onAbandoned = stop
	p.group.mu.Unlock()
	if late && stop != nil {
		stop()
	}
}
