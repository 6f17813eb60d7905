package registry

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/switchgear-go/switchgear"
)

// maxAttached bounds how many entries of one source are shown.
const maxAttached = 100_000

// attached is a source and the name under which it is shown.
type attached struct {
	name   string
	source Source
}

// entries returns the entries of the source with the names that they have here. The
// registries in whose list they are to appear are left out.
func (a attached) entries(within ...*Registry) iter.Seq[Entry] {
	prefix := ""
	if a.name != "" {
		prefix = a.name + "/"
	}
	all := a.source.Entries
	if r, ok := a.source.(*Registry); ok {
		all = func() iter.Seq[Entry] { return slices.Values(r.list(within...)) }
	}
	return func(yield func(Entry) bool) {
		n := 0
		for e := range all() {
			if n++; n > maxAttached {
				return
			}
			e.Name = clip(prefix + e.Name)
			if e.Name != prefix && (e.Breaker != nil || e.Pipeline != nil) && !yield(e) {
				return
			}
		}
	}
}

// Attach shows the entries of s among those of the registry, as long as they are there:
// in [Registry.Entries] and [Registry.Lookup]. If name is not empty they are called
// "name/entry". Names that are too long are cut, and what is not UTF-8 in them is
// replaced. Of several entries of one name the registry's own is shown, or else that of
// the source whose name comes first. At most 100,000 entries of a source are shown.
//
// If there is a source of that name already, the error matches [ErrExists]. If name
// is too long or not valid UTF-8, or s is nil, the registry itself, or a registry that
// shows this one among its entries, the error is a [*switchgear.ConfigError]. A source of
// another kind must not lead back to the registry.
func (r *Registry) Attach(name string, s Source) error {
	if name != "" {
		if err := checkName(name); err != nil {
			return err
		}
	}
	wrong := func(value, bound string) error {
		return &switchgear.ConfigError{Policy: source, Name: name, Problems: []switchgear.Problem{{Path: "Source", Value: value, Bound: bound}}}
	}
	if s == nil {
		return wrong("nil", "must be given")
	}
	if other, ok := s.(*Registry); ok {
		if other == nil {
			return wrong("nil", "must be given")
		}
		if other == r {
			return wrong("the registry itself", "must be another one")
		}
		if other.shows(r, nil) {
			return wrong("a registry to which this one is attached", "must not lead back to it")
		}
	}
	name = strings.Clone(name)
	r.mu.Lock()
	defer r.mu.Unlock()
	i, found := r.source(name)
	if found {
		return fmt.Errorf("%w: there is a source %q", ErrExists, name)
	}
	// A copy: others may be going through the old one.
	r.sources = slices.Insert(slices.Clip(r.sources), i, attached{name, s})
	return nil
}

// shows reports whether other is attached to r, or to a registry that is, and so on. What
// has been looked at is in seen.
func (r *Registry) shows(other *Registry, seen map[*Registry]bool) bool {
	if seen == nil {
		seen = map[*Registry]bool{}
	}
	seen[r] = true
	for _, a := range r.attached() {
		next, ok := a.source.(*Registry)
		if ok && (next == other || !seen[next] && next.shows(other, seen)) {
			return true
		}
	}
	return false
}

// Detach ends what [Registry.Attach] began, and reports whether there was such a source.
func (r *Registry) Detach(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	i, found := r.source(name)
	if found {
		r.sources = slices.Concat(r.sources[:i], r.sources[i+1:])
	}
	return found
}

// source returns where a source of that name is, or would be. Called under mu.
func (r *Registry) source(name string) (i int, found bool) {
	return slices.BinarySearchFunc(r.sources, name, func(a attached, name string) int { return cmp.Compare(a.name, name) })
}

func (r *Registry) attached() []attached {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sources
}

// Entries returns all entries, also the attached ones, ordered by name; each name
// appears once. They are those that were there when the iteration began: entries that
// come and go meanwhile may or may not appear. No lock is held during the iteration,
// and it does not count as use of the entries.
func (r *Registry) Entries() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for _, e := range r.list() {
			if !yield(e) {
				return
			}
		}
	}
}

// list returns all entries, ordered by name. It is to be a part of the lists of the
// registries within, which do not appear in it again: two may have been attached to each
// other at the same instant, so that neither noticed.
func (r *Registry) list(within ...*Registry) []Entry {
	if slices.Contains(within, r) {
		return nil
	}
	within = append(slices.Clip(within), r)
	byName := func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) }
	var list []Entry
	for e := range r.entries.all() {
		list = append(list, e.Entry)
	}
	slices.SortFunc(list, byName)
	sources := r.attached()
	if len(sources) == 0 {
		return list
	}
	for _, a := range sources {
		list = slices.AppendSeq(list, a.entries(within...))
	}
	// Stable: of entries with one name the first is the one to show.
	slices.SortStableFunc(list, byName)
	return slices.CompactFunc(list, func(a, b Entry) bool { return a.Name == b.Name })
}

func (r *Registry) lookupAttached(name string) (Entry, bool) {
	for _, a := range r.attached() {
		if a.name != "" && !strings.HasPrefix(name, a.name) {
			continue
		}
		for e := range a.entries(r) {
			if e.Name == name {
				return e, true
			}
		}
	}
	return Entry{}, false
}
