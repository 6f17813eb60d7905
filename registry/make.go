package registry

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/switchgear-go/switchgear/event"
)

// A request is what somebody wants to have under a name.
type request interface {
	// make makes it. It runs user code.
	make(r *Registry, name string, gates []*gate) (*entry, error)
	// same returns nil if the entry is what is wanted.
	same(e *entry) error
}

// find returns the registry's own entry of that name, or nil.
func (r *Registry) find(name string) *entry {
	if e := r.entries.find(name); e != nil && r.touch(e) {
		return e
	}
	return nil
}

func (r *Registry) touch(e *entry) bool {
	if r.cfg.IdleAfter < 0 { // nobody will ask when it was used
		return e.used.Load() != gone
	}
	return e.touch(r.clk.Mono(), r.cfg.IdleAfter/64)
}

// obtain returns the entry of that name, after making it if need be. Of many callers
// with the same name one makes it, and the others wait for that.
func (r *Registry) obtain(name string, q request) (*entry, error) {
	e := r.find(name)
	if e == nil {
		if err := checkName(name); err != nil {
			return nil, err
		}
		made, isNew, err := r.obtainNew(name, q)
		if err != nil || isNew {
			return made, err
		}
		e = made
	}
	if err := q.same(e); err != nil {
		return nil, err
	}
	return e, nil
}

// obtainNew is obtain where there is, or was, no entry.
func (r *Registry) obtainNew(name string, q request) (e *entry, isNew bool, err error) {
	for looked := false; ; {
		r.mu.Lock()
		if e := r.entries.find(name); e != nil {
			r.touch(e) // going takes mu, so this one is in service
			r.mu.Unlock()
			return e, false, nil
		}
		if making := r.making[name]; making != nil {
			r.mu.Unlock()
			<-making
			continue
		}
		if r.count < r.cfg.Max {
			break
		}
		if looked {
			r.refuse(name)
			r.mu.Unlock()
			r.events.Deliver()
			return nil, false, fmt.Errorf("%w: no room for %q among %d entries", ErrFull, name, r.cfg.Max)
		}
		looked = true
		r.mu.Unlock()
		r.makeRoom()
	}
	// The caller's string may be a part of something large.
	name = strings.Clone(name)
	r.count++
	done := make(chan struct{})
	r.making[name] = done
	r.mu.Unlock()
	e, err = r.make(name, q, done)
	return e, true, err
}

// make makes an entry and puts it in. If that panics, which the user's code may, there
// is still no entry, and one of those who wait will try again.
func (r *Registry) make(name string, q request, done chan struct{}) (e *entry, err error) {
	gates := make([]*gate, len(r.listeners))
	for i, l := range r.listeners {
		gates[i] = &gate{to: l, hub: &r.hub}
	}
	defer func() {
		var observers []*observer
		r.mu.Lock()
		delete(r.making, name)
		if e == nil {
			r.count--
		} else {
			r.full = false
			r.counters.Added++
			r.entries.insert(e)
			if r.expires(e) {
				r.queue.add(e, time.Duration(e.used.Load())+r.cfg.IdleAfter)
			}
			observers = r.note(notice{e, true})
		}
		closed := r.closed
		r.mu.Unlock()
		close(done)
		if e == nil {
			return
		}
		if closed {
			e.close()
		}
		defer r.tell(observers)
		for _, g := range slices.Backward(gates) {
			defer g.release() // each in any case, the first one first
		}
	}()
	made, err := q.make(r, name, gates)
	if err != nil {
		return nil, err
	}
	made.used.Store(int64(r.clk.Mono()))
	made.settings = settingsOf(made.Entry)
	e = made
	return e, nil
}

// refuse counts a call that finds no room, and reports the first since there was some.
// Called under mu.
func (r *Registry) refuse(name string) {
	r.counters.Refused++
	if r.full {
		return
	}
	r.full = true
	r.events.Append(event.Event{
		Time: r.clk.Now(), Source: source, Name: source, Kind: event.Warning,
		Reason: fmt.Sprintf("all %d places are taken: there is none for further names, first of them %q", r.cfg.Max, name),
	})
}

// remove takes out an entry by name.
func (r *Registry) remove(name string) bool {
	r.mu.Lock()
	e := r.entries.find(name)
	if e == nil {
		r.mu.Unlock()
		return false
	}
	e.used.Store(gone)
	r.counters.Removed++
	observers := r.takeOut(e)
	r.mu.Unlock()
	r.letGo(observers, e)
	return true
}

// expires reports whether e may go by itself one day, and so is in the queue.
func (r *Registry) expires(e *entry) bool { return e.made && r.cfg.IdleAfter > 0 }

// takeOut takes an entry that is out of service out of the table. Called under mu;
// [Registry.letGo] has to follow, without it.
func (r *Registry) takeOut(e *entry) []*observer {
	r.entries.remove(e)
	if r.expires(e) {
		r.queue.remove(e)
	}
	r.count--
	return r.note(notice{e, false})
}

// letGo closes an entry that has been taken out, and tells the observers.
func (r *Registry) letGo(observers []*observer, e *entry) {
	defer r.tell(observers)
	e.close()
}

// close closes all entries, also those that are still to be made.
func (r *Registry) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	for e := range r.entries.all() {
		e.close()
	}
}
