package sghttp

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
)

// A set holds the breakers, at most one a key and at most max in all.
type set struct {
	max       int
	idleAfter time.Duration
	clk       clock.Clock
	events    *event.Stream
	create    func(Key) *entry // runs user code: never under mu

	// table is read without a lock, by every call, and written under mu.
	table table

	// mu guards everything below. Breakers are asked for their state under it,
	// but neither made nor closed: that can run listeners.
	mu     sync.Mutex
	making map[Key]chan struct{} // breakers being made; closed when done
	count  int                   // breakers there are, and being made
	look   time.Duration         // instant before which nothing can be dropped
	full   bool                  // there was no room for the last key that wanted some
	closed bool

	made, dropped, unprotected uint64
}

// begin returns the entry of key, with a call begun, or nil if there is no room
// for its breaker.
func (s *set) begin(key Key) *entry {
	if e := s.table.find(key); e != nil && e.begin() {
		return e
	}
	return s.beginNew(key)
}

// beginNew is begin where the key has, or had, no entry. Of many callers with the
// same key one makes the breaker, and the others wait for it.
func (s *set) beginNew(key Key) *entry {
	s.mu.Lock()
	for {
		if e := s.table.find(key); e != nil {
			e.begin() // dropping needs mu, so this one has not been dropped
			s.mu.Unlock()
			return e
		}
		making := s.making[key]
		if making == nil {
			break
		}
		s.mu.Unlock()
		<-making
		s.mu.Lock()
	}
	dropped := s.makeRoom()
	if s.count >= s.max {
		s.refuseKey(key)
		s.mu.Unlock()
		s.events.Deliver()
		return nil
	}
	s.count++
	s.full = false
	done := make(chan struct{})
	s.making[key] = done
	s.mu.Unlock()

	defer func() { // last, and in any case: this too can run listeners
		for _, e := range dropped {
			e.close()
		}
	}()
	return s.makeEntry(key, done)
}

// makeEntry makes the breaker of a key and its entry, with a call begun. If that
// panics, which the user's code may, there is still no entry, and one of those who
// wait will try again.
func (s *set) makeEntry(key Key, done chan struct{}) (e *entry) {
	// A host is a part of a URL in memory; the entry must not keep all of it.
	key = Key{Host: strings.Clone(key.Host), Route: strings.Clone(key.Route)}
	defer func() {
		s.mu.Lock()
		delete(s.making, key)
		if e == nil {
			s.count--
		} else {
			s.made++
			s.table.insert(e)
		}
		closed := s.closed
		s.mu.Unlock()
		close(done)
		if closed && e != nil {
			e.close()
		}
		s.events.Deliver()
	}()
	made := s.create(key)
	made.begin()
	e = made
	return e
}

// makeRoom drops, if the set is full, every breaker that can be dropped, and
// returns them. They are still to be closed. Called under mu.
func (s *set) makeRoom() (dropped []*entry) {
	now := s.clk.Mono()
	if s.count < s.max || now < s.look {
		return nil
	}
	s.look = now + s.idleAfter
	for e := range s.table.all() {
		ok, again := e.drop(now, s.idleAfter)
		if !ok {
			s.look = min(s.look, again)
			continue
		}
		s.table.remove(e)
		dropped = append(dropped, e)
	}
	s.count -= len(dropped)
	s.dropped += uint64(len(dropped))
	if len(dropped) > 0 {
		s.look = now
	}
	return dropped
}

// refuseKey counts a call that runs unprotected, and reports the first since
// there was room. Called under mu.
func (s *set) refuseKey(key Key) {
	s.unprotected++
	if s.full {
		return
	}
	s.full = true
	s.events.Append(event.Event{
		Time: s.clk.Now(), Source: source, Name: name, Kind: event.Warning,
		Reason: fmt.Sprintf("all %d breakers are in use: calls of further keys run unprotected, first of them %q", s.max, key.String()),
	})
}

// close closes all breakers, also those that are still to be made.
func (s *set) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	for e := range s.table.all() {
		e.close()
	}
}
