package main

import (
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/clock"
)

func TestTimers(t *testing.T) {
	setup := func() (*timers, *clock.Virtual, *error) {
		v, found := clock.NewVirtual(noon), new(error)
		return &timers{Clock: v, fail: func(err error) { *found = err }}, v, found
	}
	nothing := func() {}
	t.Run("K2: one after the other is well", func(t *testing.T) {
		s, v, found := setup()
		for range 3 {
			s.AfterFunc(time.Second, nothing)
			v.Advance(time.Second)
			x := s.AfterFunc(time.Second, nothing)
			equal(t, "stopped", x.Stop(), true)
			equal(t, "stopped again", x.Stop(), false)
		}
		accuses(t, *found, "")
		pending, fired := s.counts()
		equal(t, "pending", pending, 0)
		equal(t, "fired", fired, 3)
		equal(t, "alive", s.alive.Load(), 0)
	})
	t.Run("K2: two at once", func(t *testing.T) {
		s, _, found := setup()
		s.AfterFunc(time.Second, nothing)
		s.AfterFunc(time.Second, nothing)
		accuses(t, *found, "K2")
		equal(t, "alive", s.alive.Load(), 2)
	})
	t.Run("K2: one after Close", func(t *testing.T) {
		s, _, found := setup()
		s.closed.Store(true)
		s.AfterFunc(time.Second, nothing)
		accuses(t, *found, "K2")
	})
	t.Run("a callback that runs is alive and not pending", func(t *testing.T) {
		s, v, _ := setup()
		var x clock.Timer
		x = s.AfterFunc(time.Second, func() {
			pending, _ := s.counts()
			equal(t, "pending", pending, 0)
			equal(t, "alive", s.alive.Load(), 1)
			equal(t, "stopped", x.Stop(), false)
		})
		v.Advance(time.Second)
		equal(t, "alive at the end", s.alive.Load(), 0)
	})
}
