package registry

import (
	"cmp"
	"container/list"
	"slices"
)

// An Observer is told which entries there are. Either function may be nil. They run
// outside all locks, one at a time, usually on the goroutine that added or removed the
// entry, and may call the registry; they must be quick. A panic is recovered and
// counted.
type Observer struct {
	// Added is called for each entry made here or added.
	Added func(Entry)
	// Removed is called for each entry that Added was called for, when it is gone. By
	// then the name may be in use again.
	Removed func(Entry)
}

// Observe tells o of all entries that are there, ordered by name, and then of each that
// comes and goes, in that order, until stop is called. Attached entries, which their
// sources make and drop as they like, are not among them.
//
// While one call of o is under way the news for it queue up, so that nobody else waits
// for it. An entry that has come and gone in the meantime is not mentioned; so what
// waits is never more than twice the entries that there may be.
//
// The number of observers is not bounded. Stop may be called by o itself, and again.
// After it no call of o begins; one may still be under way.
func (r *Registry) Observe(o Observer) (stop func()) {
	w := &observer{Observer: o, delivering: true, adds: make(map[*entry]*list.Element)}
	r.mu.Lock()
	for _, e := range slices.SortedFunc(r.entries.all(), func(a, b *entry) int { return cmp.Compare(a.Name, b.Name) }) {
		w.push(notice{e, true})
	}
	r.observers = append(slices.Clip(r.observers), w) // a copy: others may be going through it
	r.mu.Unlock()
	r.deliver(w)

	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		w.stopped = true
		w.waiting.Init()
		clear(w.adds)
		if i := slices.Index(r.observers, w); i >= 0 {
			r.observers = slices.Concat(r.observers[:i], r.observers[i+1:])
		}
	}
}

// An observer is an [Observer] and what it has still to be told. Everything but the
// Observer itself is guarded by Registry.mu.
type observer struct {
	Observer
	delivering, stopped bool
	waiting             list.List // of notice
	adds                map[*entry]*list.Element
}

type notice struct {
	entry *entry
	added bool
}

func (o *observer) push(n notice) {
	if add := o.adds[n.entry]; add != nil { // and so n is its removal
		o.waiting.Remove(add)
		delete(o.adds, n.entry)
		return
	}
	element := o.waiting.PushBack(n)
	if n.added {
		o.adds[n.entry] = element
	}
}

func (o *observer) pop() (n notice, ok bool) {
	front := o.waiting.Front()
	if front == nil {
		return notice{}, false
	}
	n = o.waiting.Remove(front).(notice)
	delete(o.adds, n.entry)
	return n, true
}

// note queues a notice for all observers and returns those who are to be told. Called
// under mu; [Registry.tell] has to follow, without it.
func (r *Registry) note(n notice) []*observer {
	for _, o := range r.observers {
		o.push(n)
	}
	return r.observers
}

// tell delivers what waits for the observers, except to those for whom somebody is at it.
func (r *Registry) tell(observers []*observer) {
	if len(observers) == 0 {
		return
	}
	// Deferred, and so also done if an observer ends the goroutine.
	defer r.tell(observers[1:])
	o := observers[0]
	r.mu.Lock()
	idle := !o.delivering && o.waiting.Len() > 0
	o.delivering = o.delivering || idle
	r.mu.Unlock()
	if idle {
		r.deliver(o)
	}
}

// deliver tells o all that waits. The caller has set o.delivering.
func (r *Registry) deliver(o *observer) {
	done := false
	defer func() {
		if !done { // the observer ended the goroutine: the rest is still to be told
			r.deliver(o)
		}
	}()
	for {
		r.mu.Lock()
		n, ok := o.pop()
		o.delivering = ok
		r.mu.Unlock()
		if !ok {
			break
		}
		r.call(o, n)
	}
	done = true
}

func (r *Registry) call(o *observer, n notice) {
	f := o.Removed
	if n.added {
		f = o.Added
	}
	if f == nil {
		return
	}
	defer func() {
		if recover() != nil {
			r.mu.Lock()
			r.counters.ObserverPanics++
			r.mu.Unlock()
		}
	}()
	f(n.entry.Entry)
}
