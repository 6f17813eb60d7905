package explain

import "container/list"

// A table is a bounded map by name. When it is full, the least recently touched
// entry that is not kept has to go.
type table[T any] struct {
	most    int
	entries map[string]*entry[T]
	order   list.List // of *entry[T] that may go, the least recently touched in front
}

type entry[T any] struct {
	name  string
	value T
	place *list.Element // nil while kept
}

func newTable[T any](most int) table[T] {
	return table[T]{most: most, entries: map[string]*entry[T]{}}
}

// touch returns the entry of that name, a new one if need be. It returns nil if
// there is no room because all are kept; dropped tells that another had to go.
func (t *table[T]) touch(name string) (e *entry[T], dropped bool) {
	if e = t.entries[name]; e != nil {
		if e.place != nil {
			t.order.MoveToBack(e.place)
		}
		return e, false
	}
	if len(t.entries) >= t.most {
		front := t.order.Front()
		if front == nil {
			return nil, false
		}
		delete(t.entries, t.order.Remove(front).(*entry[T]).name)
		dropped = true
	}
	e = &entry[T]{name: name}
	e.place = t.order.PushBack(e)
	t.entries[name] = e
	return e, dropped
}

// keep makes the entry stay, or lets it go again.
func (t *table[T]) keep(e *entry[T], stay bool) {
	switch {
	case stay && e.place != nil:
		t.order.Remove(e.place)
		e.place = nil
	case !stay && e.place == nil:
		e.place = t.order.PushBack(e)
	}
}
