package sghttp

import (
	"hash/maphash"
	"iter"
	"sync/atomic"
)

// A table finds entries by key. Reading takes no lock and allocates nothing;
// insert and remove need the lock of whoever owns the table.
//
// It is a hash table of fixed size, since the number of entries is bounded, with
// a chain of entries for each slot. An entry that has been removed goes on
// pointing to its successor, so a reader who stands on it finds his way. He may
// miss an entry that is being inserted, and must then look again under the lock.
type table struct {
	seed  maphash.Seed
	slots []atomic.Pointer[entry] // a power of two
}

// newTable returns a table for up to n entries.
func newTable(n int) table {
	size := 1
	for size < n {
		size *= 2
	}
	return table{maphash.MakeSeed(), make([]atomic.Pointer[entry], size)}
}

func (t *table) slot(key Key) *atomic.Pointer[entry] {
	h := maphash.String(t.seed, key.Host)
	if key.Route != "" {
		h = h*31 + maphash.String(t.seed, key.Route)
	}
	return &t.slots[h&uint64(len(t.slots)-1)]
}

// find returns the entry of key, or nil.
func (t *table) find(key Key) *entry {
	e := t.slot(key).Load()
	for e != nil && e.key != key {
		e = e.next.Load()
	}
	return e
}

// insert adds an entry whose key is not in the table.
func (t *table) insert(e *entry) {
	slot := t.slot(e.key)
	e.next.Store(slot.Load())
	slot.Store(e)
}

// remove takes out an entry that is in the table.
func (t *table) remove(e *entry) {
	link := t.slot(e.key)
	for link.Load() != e {
		link = &link.Load().next
	}
	link.Store(e.next.Load())
}

// all visits every entry, and may be used while entries come and go.
func (t *table) all() iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		for i := range t.slots {
			for e := t.slots[i].Load(); e != nil; e = e.next.Load() {
				if !yield(e) {
					return
				}
			}
		}
	}
}
