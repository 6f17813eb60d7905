package registry_test

import (
	"iter"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/registry"
)

// A list is a source.
type list []registry.Entry

func (l list) Entries() iter.Seq[registry.Entry] { return slices.Values(l) }

func entries(names ...string) (l list) {
	for _, n := range names {
		l = append(l, registry.Entry{Name: n, Breaker: must(breaker.New(n, breaker.Config{}))})
	}
	return l
}

func TestAttach(t *testing.T) {
	t.Run("entries appear among the others, in order, and can be found", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		b := r.breaker("b")
		out := entries("z", "a")
		equal(t, "Attach", r.Attach("out", out), nil)
		equal(t, "Attach", r.Attach("", entries("c")), nil)
		r.has("b", "c", "out/a", "out/z")
		equal(t, "Len", r.Len(), 1)
		e, ok := r.Lookup("out/z")
		equal(t, "found", ok, true)
		equal(t, "entry", e, registry.Entry{Name: "out/z", Breaker: out[0].Breaker})
		for _, name := range []string{"out", "out/", "z", "out/b", "outz"} {
			_, ok := r.Lookup(name)
			equal(t, name+" found", ok, false)
		}
		e, _ = r.Lookup("b")
		equal(t, "own", e.Breaker, b)
		equal(t, "Detach", r.Detach("out"), true)
		equal(t, "Detach again", r.Detach("out"), false)
		r.has("b", "c")
		equal(t, "Detach", r.Detach(""), true)
		r.has("b")
	})
	t.Run("another registry will do", func(t *testing.T) {
		r, other := newRig(t, registry.Config{}), newRig(t, registry.Config{})
		other.breaker("a")
		equal(t, "Attach", r.Attach("other", other.Registry), nil)
		r.has("other/a")
		other.Remove("a")
		r.has()
	})
	t.Run("of one name the registry's own comes first, then the first source", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		first, second := entries("y/b"), entries("b", "b")
		equal(t, "Attach", r.Attach("x/y", second), nil)
		equal(t, "Attach", r.Attach("x", first), nil)
		r.has("x/y/b")
		e, _ := r.Lookup("x/y/b")
		equal(t, "first", e.Breaker, first[0].Breaker)
		equal(t, "first", slices.Collect(r.Entries())[0], e)
		own := r.breaker("x/y/b")
		r.has("x/y/b")
		e, _ = r.Lookup("x/y/b")
		equal(t, "own", e.Breaker, own)
		equal(t, "own", slices.Collect(r.Entries())[0], e)
	})
	t.Run("names are made fit, and what is nothing is left out", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		long := strings.Repeat("x", registry.MaxName-1)
		l := entries("bad\xff", long+"é", long+"\xff", "")
		l = append(l, registry.Entry{Name: "nothing"})
		equal(t, "Attach", r.Attach("", l), nil)
		r.has("bad\uFFFD", long)
		for _, n := range names(r) {
			equal(t, "fits", len(n) <= registry.MaxName && utf8.ValidString(n), true)
			_, ok := r.Lookup(n)
			equal(t, "found", ok, true)
		}
		equal(t, "Attach", r.Attach("p", entries("")), nil)
		equal(t, "an empty name is left out", len(names(r)), 2)
	})
	t.Run("what cannot be attached is refused", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		equal(t, "Attach", r.Attach("x", entries("a")), nil)
		matches(t, "again", r.Attach("x", entries("b")), registry.ErrExists)
		matches(t, "nil", r.Attach("y", nil), switchgear.ErrConfig)
		matches(t, "itself", r.Attach("y", r.Registry), switchgear.ErrConfig)
		matches(t, "long", r.Attach(strings.Repeat("x", 257), entries()), switchgear.ErrConfig)
		matches(t, "invalid", r.Attach("\xff", entries()), switchgear.ErrConfig)
		r.has("x/a")
	})
	t.Run("a source without an end is cut off", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		endless := sourceFunc(func(yield func(registry.Entry) bool) {
			for e := entries("a")[0]; yield(e); {
			}
		})
		equal(t, "Attach", r.Attach("", endless), nil)
		r.has("a")
		_, ok := r.Lookup("b")
		equal(t, "found", ok, false)
	})
}

// Two registries that were attached to each other once listed each other's entries until
// the stack was full, which ends the program: nothing recovers from that.
func TestAttachInACircle(t *testing.T) {
	t.Run("is refused, however wide the circle is", func(t *testing.T) {
		a, b, c := newRig(t, registry.Config{}), newRig(t, registry.Config{}), newRig(t, registry.Config{})
		b.breaker("x")
		equal(t, "Attach", a.Attach("b", b.Registry), nil)
		equal(t, "Attach", a.Attach("b2", b.Registry), nil)
		equal(t, "Attach", b.Attach("c", c.Registry), nil)
		matches(t, "two", b.Attach("a", a.Registry), switchgear.ErrConfig)
		matches(t, "three", c.Attach("a", a.Registry), switchgear.ErrConfig)
		equal(t, "no circle", a.Attach("c", c.Registry), nil)
		a.has("b/x", "b2/x")
		a.Detach("b")
		matches(t, "still by another name", c.Attach("a", a.Registry), switchgear.ErrConfig)
		a.Detach("b2")
		a.Detach("c")
		equal(t, "Attach", c.Attach("a", a.Registry), nil)
	})
	t.Run("no registry at all", func(t *testing.T) {
		matches(t, "nil", newRig(t, registry.Config{}).Attach("", (*registry.Registry)(nil)), switchgear.ErrConfig)
	})
	t.Run("at the same instant", func(t *testing.T) {
		circles := 0
		for range rounds(20_000) {
			two := []*registry.Registry{newRegistry(t, registry.Config{}), newRegistry(t, registry.Config{})}
			must(two[0].Breaker("x", breaker.Config{}))
			must(two[1].Breaker("x", breaker.Config{}))
			var errs [2]error
			together(2, func(w int) { errs[w] = two[w].Attach("other", two[1-w]) })
			if errs[0] == nil && errs[1] == nil {
				circles++
			}
			for w, r := range two {
				if errs[w] == nil {
					equal(t, "names", names(r), []string{"other/x", "x"})
					_, ok := r.Lookup("other/x")
					equal(t, "found", ok, true)
					_, ok = r.Lookup("other/other/x")
					equal(t, "found", ok, false)
				}
			}
		}
		t.Logf("%d circles were made", circles)
	})
}

type sourceFunc iter.Seq[registry.Entry]

func (f sourceFunc) Entries() iter.Seq[registry.Entry] { return iter.Seq[registry.Entry](f) }

func TestEntries(t *testing.T) {
	t.Run("the loop may change the registry, and end early", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		for _, n := range []string{"c", "a", "b"} {
			r.breaker(n)
		}
		var seen []string
		for e := range r.Entries() {
			seen = append(seen, e.Name)
			r.Remove(e.Name)
			r.breaker(e.Name + "2")
			if e.Name == "b" {
				break
			}
		}
		equal(t, "seen", seen, []string{"a", "b"})
		r.has("a2", "b2", "c")
	})
}
