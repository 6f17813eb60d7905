package collapse_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear/collapse"
)

// A log notes the results that callbacks get, in order.
type log struct{ lines []string }

func (l *log) note(name string) func(int, bool, error) {
	return func(v int, shared bool, err error) {
		l.lines = append(l.lines, fmt.Sprint(name, " ", v, " ", shared, " ", err))
	}
}

func (l *log) expect(t testing.TB, want ...string) {
	t.Helper()
	equal(t, "callbacks", strings.Join(l.lines, "; "), strings.Join(want, "; "))
}

func TestPlace(t *testing.T) {
	type place = *collapse.Place[string, int]
	join := func(r *rig, key string, leads bool) place {
		r.t.Helper()
		p, leader := r.Join(key)
		equal(r.t, "leader", leader, leads)
		return p
	}
	t.Run("all who wait are told, in the order in which they asked to be", func(t *testing.T) {
		r, l := newRig(t, collapse.Config{}), &log{}
		a, b, c := join(r, "x", true), join(r, "x", false), join(r, "x", false)
		c.Wait(l.note("c"))
		a.Wait(l.note("a"))
		b.Wait(l.note("b"))
		equal(t, "finish", a.Finish(1, errDown), true)
		l.expect(t, "c 1 true connection refused", "a 1 true connection refused", "b 1 true connection refused")
		equal(t, "finish again", b.Finish(2, nil), false)
		equal(t, "leave after the end", b.Leave(), false)
		l.lines = nil
		b.Wait(l.note("late"))
		l.expect(t, "late 1 true connection refused")
		r.idle()
	})
	t.Run("one who left is not told, wherever it stands in the list", func(t *testing.T) {
		for gone := range 3 {
			r, l := newRig(t, collapse.Config{}), &log{}
			places := []place{join(r, "x", true), join(r, "x", false), join(r, "x", false)}
			for i, p := range places {
				p.Wait(l.note(fmt.Sprint(i)))
			}
			equal(t, "leave", places[gone].Leave(), true)
			equal(t, "leave again", places[gone].Leave(), false)
			places[gone].Wait(l.note("gone"))
			places[0].Finish(1, nil) // the leader's duty, also after leaving
			places[gone].Wait(l.note("gone"))
			var want []string
			for i := range 3 {
				if i != gone {
					want = append(want, fmt.Sprint(i, " 1 true <nil>"))
				}
			}
			l.expect(t, want...)
			equal(t, "counters", r.Counters(), collapse.Counters{Started: 1, Joined: 2, Left: 1})
		}
	})
	t.Run("a place without a callback counts as waiting, and may leave", func(t *testing.T) {
		r, l := newRig(t, collapse.Config{}), &log{}
		a, b := join(r, "x", true), join(r, "x", false)
		a.Wait(nil)
		a.Wait(l.note("first"))
		a.Wait(l.note("second"))
		b.Leave()
		a.Finish(1, nil)
		l.expect(t, "second 1 false <nil>")
	})
	t.Run("abandoned: the leader is told once, and the key is free", func(t *testing.T) {
		r, l := newRig(t, collapse.Config{}), &log{}
		a, b := join(r, "x", true), join(r, "x", false)
		stopped := 0
		a.OnAbandoned(func() { stopped++ })
		a.Wait(l.note("a"))
		a.Leave()
		equal(t, "stopped", stopped, 0)
		b.Leave()
		equal(t, "stopped", stopped, 1)
		c := join(r, "x", true)
		c.Wait(l.note("c"))
		equal(t, "snapshot", r.Snapshot(), collapse.Snapshot{Keys: 1, Waiting: 1, Running: 2, Abandoned: 1})
		a.Finish(1, nil)
		d := join(r, "x", false) // the end of the old one has not taken the new one away
		d.Wait(l.note("d"))
		c.Finish(2, nil)
		l.expect(t, "c 2 true <nil>", "d 2 true <nil>")
		equal(t, "stopped", stopped, 1)
		r.idle()
	})
	t.Run("abandoned before the leader could say what to stop", func(t *testing.T) {
		r := newRig(t, collapse.Config{})
		a := join(r, "x", true)
		a.Leave()
		stopped := false
		a.OnAbandoned(func() { stopped = true })
		equal(t, "stopped", stopped, true)
		a.OnAbandoned(nil)
		a.Finish(0, nil)
		stopped = false
		a.OnAbandoned(func() { stopped = true })
		equal(t, "stopped after the end", stopped, false)
	})
	t.Run("a callback may use the group, also for the same key", func(t *testing.T) {
		r, l := newRig(t, collapse.Config{}), &log{}
		a := join(r, "x", true)
		a.Wait(func(int, bool, error) {
			equal(t, "snapshot", r.Snapshot(), collapse.Snapshot{})
			b := join(r, "x", true)
			b.Wait(l.note("b"))
			b.Finish(2, nil)
		})
		a.Finish(1, nil)
		l.expect(t, "b 2 false <nil>")
	})
	t.Run("callbacks that panic or end the goroutine do not keep the others from being told", func(t *testing.T) {
		r, l := newRig(t, collapse.Config{}), &log{}
		a, b, c, d := join(r, "x", true), join(r, "x", false), join(r, "x", false), join(r, "x", false)
		a.Wait(func(int, bool, error) { runtime.Goexit() })
		b.Wait(l.note("b"))
		c.Wait(func(int, bool, error) { panic("boom") })
		d.Wait(l.note("d"))
		done := make(chan any)
		go func() {
			defer func() { done <- recover() }()
			a.Finish(1, nil)
		}()
		<-done
		l.expect(t, "b 1 true <nil>", "d 1 true <nil>")
		r.idle()
	})
	t.Run("places and Do share executions", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r, l := newRig(t, collapse.Config{}), &log{}
			bg := context.Background()
			lead := r.call(bg, "x", after(time.Second, 1, nil))
			synctest.Wait()
			join(r, "x", false).Wait(l.note("p"))
			time.Sleep(time.Second)
			synctest.Wait()
			equal(t, "Do", *lead, result{v: 1, shared: true, back: true})

			p := join(r, "x", true)
			p.Wait(l.note("q"))
			follow := r.call(bg, "x", unused(t))
			synctest.Wait()
			p.Finish(2, nil)
			synctest.Wait()
			equal(t, "Do", *follow, result{v: 2, shared: true, back: true})

			r.call(bg, "x", func(context.Context) (int, error) { time.Sleep(time.Second); panic("boom") })
			synctest.Wait()
			join(r, "x", false).Wait(l.note("r"))
			time.Sleep(time.Second)
			synctest.Wait()
			l.expect(t, "p 1 true <nil>", "q 2 true <nil>", "r 0 true the call panicked: boom")
			r.idle()
		})
	})
}
