package registry_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/registry"
)

func numbered(n int) event.Event { return event.Event{Name: fmt.Sprint(n), Seq: uint64(n)} }

func TestRecent(t *testing.T) {
	for _, c := range []struct{ keep, heard, ask, first, n int }{
		{0, 3, 10, 0, 3},
		{3, 2, 10, 0, 2},
		{3, 3, 10, 0, 3},
		{3, 4, 10, 1, 3},
		{3, 10, 10, 7, 3},
		{3, 10, 2, 8, 2},
		{3, 10, 0, 0, 0},
		{3, 10, -1, 0, 0},
		{off, 10, 10, 0, 0},
		{0, 2_500, 5_000, 1_500, 1_000},
		{1, 5, 5, 4, 1},
	} {
		t.Run(fmt.Sprintf("of %d events with room for %d, %d wanted", c.heard, c.keep, c.ask), func(t *testing.T) {
			r := newRegistry(t, registry.Config{Recent: c.keep})
			for i := range c.heard {
				r.Listener().OnEvent(numbered(i))
			}
			got := r.Recent(c.ask)
			equal(t, "events", len(got), c.n)
			for i, e := range got {
				equal(t, "event", e.Name, fmt.Sprint(c.first+i))
			}
			equal(t, "heard", r.Counters().Events, uint64(c.heard))
		})
	}
}

func TestListen(t *testing.T) {
	inBubble := func(name string, f func(*testing.T)) {
		t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
	}
	inBubble("from now on, until stopped", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		b := r.breaker("a")
		move(t, b, breaker.Disabled)
		var l recorder
		stop := r.Listen(&l)
		move(t, b, breaker.Closed)
		synctest.Wait()
		stop()
		stop()
		move(t, b, breaker.Disabled)
		synctest.Wait()
		equal(t, "heard", l.all(), []string{"a transition CLOSED"})
		equal(t, "dropped", r.Counters().EventsDropped, 0)
	})
	inBubble("nil hears nothing", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		stop := r.Listen(nil)
		r.Listener().OnEvent(numbered(1))
		stop()
	})
	inBubble("it may stop itself, and ask the registry", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		heard := 0
		var stop func()
		stop = r.Listen(event.Func(func(event.Event) {
			heard++
			r.Recent(1)
			r.breaker("b")
			stop()
		}))
		for i := range 3 {
			r.Listener().OnEvent(numbered(i))
		}
		synctest.Wait()
		equal(t, "heard", heard, 1)
	})
	inBubble("one that is stuck slows nobody, and what it loses is counted", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		release := make(chan struct{})
		var seqs []uint64
		stop := r.Listen(event.Func(func(e event.Event) {
			<-release
			seqs = append(seqs, e.Seq)
		}))
		var other recorder
		defer r.Listen(&other)()
		const extra = 10
		for i := range event.MaxWaiting + 1 + extra {
			r.Listener().OnEvent(numbered(i))
			synctest.Wait() // the first is in the listener's hands
		}
		equal(t, "heard by the other one", len(other.all()), event.MaxWaiting+1+extra)
		equal(t, "dropped", r.Counters().EventsDropped, extra)
		close(release)
		synctest.Wait()
		equal(t, "heard", len(seqs), event.MaxWaiting+1)
		equal(t, "the first after what was lost", seqs[1], extra+1)
		stop()
		equal(t, "dropped", r.Counters().EventsDropped, extra)
	})
	inBubble("one that is stopped while stuck hears nothing more", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		release := make(chan struct{})
		heard := 0
		stop := r.Listen(event.Func(func(event.Event) { heard++; <-release }))
		for i := range 5 {
			r.Listener().OnEvent(numbered(i))
		}
		synctest.Wait()
		stop()
		close(release)
		synctest.Wait()
		equal(t, "heard", heard, 1)
	})
	inBubble("one that panics is counted, also when it is gone", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		stop := r.Listen(event.Func(func(event.Event) { panic("boom") }))
		for i := range 3 {
			r.Listener().OnEvent(numbered(i))
		}
		synctest.Wait()
		equal(t, "panics", r.Counters().ListenerPanics, 3)
		stop()
		equal(t, "panics", r.Counters().ListenerPanics, 3)
	})
}
