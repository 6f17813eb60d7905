package registry_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/registry"
)

func TestObserve(t *testing.T) {
	t.Run("what is there comes first, then what comes and goes", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		r.breaker("b")
		r.breaker("a")
		var o recorder
		stop := r.Observe(o.observer())
		r.breaker("c")
		r.breaker("c")
		equal(t, "AddBreaker", r.AddBreaker(must(breaker.New("d", breaker.Config{}))), nil)
		r.Remove("a")
		r.Remove("a")
		r.breaker("a")
		equal(t, "told", o.all(), []string{"+a", "+b", "+c", "+d", "-a", "+a"})
		stop()
		stop()
		r.breaker("e")
		equal(t, "told", len(o.all()), 6)
	})
	t.Run("it gets the entry itself", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		var added, removed registry.Entry
		r.Observe(registry.Observer{
			Added:   func(e registry.Entry) { added = e },
			Removed: func(e registry.Entry) { removed = e },
		})
		b := r.breaker("a")
		r.Remove("a")
		equal(t, "added", added, registry.Entry{Name: "a", Breaker: b})
		equal(t, "removed", removed, added)
	})
	t.Run("functions may be missing", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		r.Observe(registry.Observer{})
		r.breaker("a")
		r.Remove("a")
	})
	t.Run("it may use the registry, and what that causes comes later", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		var o recorder
		watch := o.observer()
		r.Observe(registry.Observer{
			Added: func(e registry.Entry) {
				watch.Added(e)
				if e.Name != "x" {
					r.Remove(e.Name)
					r.breaker("x")
				}
			},
			Removed: watch.Removed,
		})
		r.breaker("a")
		equal(t, "told", o.all(), []string{"+a", "-a", "+x"})
	})
	t.Run("it may stop itself", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		for _, name := range []string{"a", "b", "c"} {
			r.breaker(name)
		}
		var stop func()
		told := 0
		stop = r.Observe(registry.Observer{Added: func(registry.Entry) {
			if told++; stop != nil {
				stop()
			}
		}})
		equal(t, "told", told, 3)
		r.breaker("d")
		r.breaker("e")
		equal(t, "told", told, 4)
	})
	t.Run("one that ends the goroutine is told the rest all the same", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		r.breaker("a")
		r.breaker("b")
		r.breaker("c")
		var o recorder
		apart(func() {
			r.Observe(registry.Observer{Added: func(e registry.Entry) { o.add(e.Name); runtime.Goexit() }})
		})
		equal(t, "told", o.all(), []string{"a", "b", "c"})
	})
	t.Run("one that panics or ends the goroutine keeps nothing from the others", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		var first, o recorder
		r.Observe(first.observer())
		r.Observe(registry.Observer{Added: func(registry.Entry) { panic("boom") }})
		r.Observe(registry.Observer{Added: func(registry.Entry) { runtime.Goexit() }})
		r.Observe(o.observer())
		apart(func() { r.breaker("a") })
		apart(func() { r.Remove("a") })
		equal(t, "first told", first.all(), []string{"+a", "-a"})
		equal(t, "last told", o.all(), []string{"+a", "-a"})
		equal(t, "panics", r.Counters().ObserverPanics, 1)
	})
}

// One that is stuck keeps nobody, and hears in the end what matters: not of entries that
// have come and gone.
func TestStuckObserver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, registry.Config{})
		var stuck, other recorder
		release := make(chan struct{})
		watch := stuck.observer()
		r.Observe(registry.Observer{
			Added:   func(e registry.Entry) { watch.Added(e); <-release },
			Removed: watch.Removed,
		})
		r.Observe(other.observer())
		r.breakerApart("a")
		for i := range 1_000 {
			r.breaker(fmt.Sprint(i))
			r.Remove(fmt.Sprint(i))
		}
		r.breaker("b")
		r.Remove("a")
		equal(t, "the other one was told", len(other.all()), 2_003)
		close(release)
		synctest.Wait()
		equal(t, "told", stuck.all(), []string{"+a", "+b", "-a"})
		r.Remove("b")
		equal(t, "told", slices.Contains(stuck.all(), "-b"), true)
	})
}

// breakerApart makes a breaker on a goroutine that an observer may hold, and returns
// when it is made or held. Only in a bubble.
func (r *rig) breakerApart(name string) {
	go r.breaker(name)
	synctest.Wait()
}
