package clock

import (
	"math"
	"runtime"
	"testing"
	"time"
)

const never = time.Duration(math.MaxInt64)

func TestVirtualTime(t *testing.T) {
	t.Run("starts where it is told, with Mono at zero", func(t *testing.T) {
		v := NewVirtual(start)
		equal(t, "Now", v.Now(), start)
		equal(t, "Mono", v.Mono(), 0)
	})
	t.Run("stands still until it is moved", func(t *testing.T) {
		v := NewVirtual(start)
		v.Advance(90 * time.Second)
		equal(t, "Now", v.Now(), start.Add(90*time.Second))
		equal(t, "Mono", v.Mono(), 90*time.Second)
		v.AdvanceTo(100 * time.Second)
		equal(t, "Mono", v.Mono(), 100*time.Second)
	})
	t.Run("never runs backwards", func(t *testing.T) {
		v := NewVirtual(start)
		v.Advance(time.Minute)
		v.Advance(-time.Second)
		v.AdvanceTo(time.Second)
		equal(t, "Mono", v.Mono(), time.Minute)
	})
	t.Run("does not overflow", func(t *testing.T) {
		v := NewVirtual(start)
		v.Advance(time.Second)
		v.Advance(never)
		equal(t, "Mono", v.Mono(), never)
		v.Advance(never)
		equal(t, "Mono", v.Mono(), never)
	})
	t.Run("the zero value works", func(t *testing.T) {
		var v Virtual
		v.Advance(time.Second)
		equal(t, "Now", v.Now(), time.Time{}.Add(time.Second))
	})
	t.Run("Now has no monotonic reading to hide a jump", func(t *testing.T) {
		v := NewVirtual(time.Now())
		before := v.Now()
		v.JumpWall(time.Hour)
		equal(t, "difference", v.Now().Sub(before), time.Hour)
		equal(t, "reading", v.Now(), v.Now().Round(0))
	})
}

func TestVirtualJumpWall(t *testing.T) {
	t.Run("C5: a jump of the wall clock changes no duration and no timer", func(t *testing.T) {
		v := NewVirtual(start)
		j := journal{clock: v}
		v.AfterFunc(10*time.Second, j.note("a"))
		v.Advance(4 * time.Second)
		v.JumpWall(-24 * time.Hour)
		v.JumpWall(time.Second)
		equal(t, "Mono", v.Mono(), 4*time.Second)
		equal(t, "Now", v.Now(), start.Add(5*time.Second-24*time.Hour))
		v.Advance(5 * time.Second)
		j.expect(t)
		v.Advance(time.Second)
		j.expect(t, line{"a", 10 * time.Second})
		equal(t, "Now", v.Now(), start.Add(11*time.Second-24*time.Hour))
	})
}

func TestVirtualAfterFunc(t *testing.T) {
	t.Run("in order of due time, each at its own instant", func(t *testing.T) {
		v := NewVirtual(start)
		j := journal{clock: v}
		v.AfterFunc(3*time.Second, j.note("c"))
		v.AfterFunc(1*time.Second, j.note("a"))
		v.AfterFunc(2*time.Second, j.note("b"))
		v.AfterFunc(5*time.Second+1, j.note("not yet"))
		v.Advance(5 * time.Second)
		j.expect(t, line{"a", time.Second}, line{"b", 2 * time.Second}, line{"c", 3 * time.Second})
		equal(t, "Mono", v.Mono(), 5*time.Second)
		equal(t, "Pending", v.Pending(), 1)
	})
	t.Run("ties in order of creation", func(t *testing.T) {
		v := NewVirtual(start)
		j := journal{clock: v}
		v.AfterFunc(2*time.Second, j.note("a"))
		v.Advance(time.Second)
		v.AfterFunc(time.Second, j.note("b"))
		v.AfterFunc(time.Second, j.note("c"))
		v.AfterFunc(time.Second, j.note("d"))
		v.Advance(time.Second)
		at := 2 * time.Second
		j.expect(t, line{"a", at}, line{"b", at}, line{"c", at}, line{"d", at})
	})
	for _, d := range []time.Duration{0, -1, math.MinInt64} {
		t.Run("due at once, but never inside AfterFunc: "+d.String(), func(t *testing.T) {
			v := NewVirtual(start)
			v.Advance(time.Second)
			j := journal{clock: v}
			v.AfterFunc(d, j.note("a"))
			j.expect(t)
			equal(t, "Pending", v.Pending(), 1)
			v.Advance(0)
			j.expect(t, line{"a", time.Second})
		})
	}
	t.Run("a move that goes nowhere runs what is due", func(t *testing.T) {
		v := NewVirtual(start)
		v.Advance(time.Minute)
		j := journal{clock: v}
		v.AfterFunc(0, j.note("a"))
		v.Advance(-time.Second)
		v.AfterFunc(0, j.note("b"))
		v.AdvanceTo(0)
		j.expect(t, line{"a", time.Minute}, line{"b", time.Minute})
	})
	t.Run("too far away is never, not now", func(t *testing.T) {
		v := NewVirtual(start)
		v.Advance(time.Second)
		j := journal{clock: v}
		v.AfterFunc(never, j.note("a"))
		v.Advance(200 * 365 * 24 * time.Hour)
		j.expect(t)
		next, ok := v.Next()
		equal(t, "Next", next, never)
		equal(t, "Next", ok, true)
	})
}

func TestVirtualStop(t *testing.T) {
	t.Run("a stopped timer leaves at once and never runs", func(t *testing.T) {
		v := NewVirtual(start)
		j := journal{clock: v}
		a := v.AfterFunc(time.Second, j.note("a"))
		v.AfterFunc(2*time.Second, j.note("b"))
		equal(t, "first Stop", a.Stop(), true)
		equal(t, "Pending", v.Pending(), 1)
		equal(t, "second Stop", a.Stop(), false)
		v.Advance(time.Minute)
		j.expect(t, line{"b", 2 * time.Second})
		equal(t, "Stop after the end", a.Stop(), false)
	})
	t.Run("false once the callback has started", func(t *testing.T) {
		v := NewVirtual(start)
		var a Timer
		stopped := true
		a = v.AfterFunc(time.Second, func() { stopped = a.Stop() })
		v.Advance(time.Second)
		equal(t, "Stop inside the callback", stopped, false)
		equal(t, "Stop after it", a.Stop(), false)
	})
	t.Run("a callback can stop a timer due at the same instant", func(t *testing.T) {
		v := NewVirtual(start)
		j := journal{clock: v}
		var b Timer
		stopped := false
		v.AfterFunc(time.Second, func() { stopped = b.Stop() })
		b = v.AfterFunc(time.Second, j.note("b"))
		v.Advance(time.Second)
		equal(t, "Stop", stopped, true)
		j.expect(t)
	})
	t.Run("a timer that is over holds on to nothing", func(t *testing.T) {
		v := NewVirtual(start)
		stopped := v.AfterFunc(time.Second, func() {}).(*virtualTimer)
		ran := v.AfterFunc(time.Second, func() {}).(*virtualTimer)
		stopped.Stop()
		v.Advance(time.Second)
		equal(t, "callback of the stopped timer is gone", stopped.f == nil, true)
		equal(t, "callback of the timer that ran is gone", ran.f == nil, true)
		room := v.timers[:cap(v.timers)]
		for i := range room {
			equal(t, "entry left behind", room[i], entry{})
		}
	})
}

func TestVirtualStep(t *testing.T) {
	v := NewVirtual(start)
	equal(t, "Step with no timer", v.Step(), false)
	_, ok := v.Next()
	equal(t, "Next with no timer", ok, false)

	j := journal{clock: v}
	v.AfterFunc(time.Second, j.note("a"))
	v.AfterFunc(time.Second, j.note("b"))
	v.AfterFunc(time.Hour, j.note("c"))
	next, ok := v.Next()
	equal(t, "Next", next, time.Second)
	equal(t, "Next", ok, true)
	equal(t, "Step", v.Step(), true)
	j.expect(t, line{"a", time.Second})
	equal(t, "Step", v.Step(), true)
	equal(t, "Step", v.Step(), true)
	j.expect(t, line{"a", time.Second}, line{"b", time.Second}, line{"c", time.Hour})
	equal(t, "Step at the end", v.Step(), false)
	equal(t, "Mono", v.Mono(), time.Hour)
}

func TestVirtualCallbacks(t *testing.T) {
	t.Run("a timer made by a callback runs in the same move if it is due", func(t *testing.T) {
		v := NewVirtual(start)
		j := journal{clock: v}
		v.AfterFunc(time.Second, func() {
			j.note("a")()
			v.AfterFunc(0, j.note("b"))
			v.AfterFunc(time.Second, j.note("c"))
			v.AfterFunc(time.Minute, j.note("later"))
		})
		v.Advance(2 * time.Second)
		j.expect(t, line{"a", time.Second}, line{"b", time.Second}, line{"c", 2 * time.Second})
		equal(t, "Pending", v.Pending(), 1)
	})
	t.Run("a periodic callback", func(t *testing.T) {
		v := NewVirtual(start)
		ticks := 0
		var tick func()
		tick = func() { ticks++; v.AfterFunc(time.Second, tick) }
		v.AfterFunc(time.Second, tick)
		v.Advance(time.Hour)
		equal(t, "ticks", ticks, 3600)
	})
	t.Run("a move inside a callback runs to its end first", func(t *testing.T) {
		v := NewVirtual(start)
		j := journal{clock: v}
		v.AfterFunc(1*time.Second, func() {
			j.note("in")()
			v.Advance(3 * time.Second)
			j.note("out")()
		})
		v.AfterFunc(1*time.Second, j.note("tie"))
		v.AfterFunc(2*time.Second, j.note("within"))
		v.AfterFunc(5*time.Second, j.note("after"))
		v.Advance(10 * time.Second)
		j.expect(t, line{"in", time.Second}, line{"tie", time.Second}, line{"within", 2 * time.Second},
			line{"out", 4 * time.Second}, line{"after", 5 * time.Second})
		equal(t, "Mono", v.Mono(), 10*time.Second)
	})
	t.Run("a move inside a callback may go beyond the outer one", func(t *testing.T) {
		v := NewVirtual(start)
		j := journal{clock: v}
		v.AfterFunc(time.Second, func() { v.AdvanceTo(time.Minute) })
		v.AfterFunc(30*time.Second, j.note("a"))
		v.AfterFunc(2*time.Minute, j.note("later"))
		v.Advance(2 * time.Second)
		j.expect(t, line{"a", 30 * time.Second})
		equal(t, "Mono", v.Mono(), time.Minute)
	})
	t.Run("a step inside a callback", func(t *testing.T) {
		v := NewVirtual(start)
		j := journal{clock: v}
		v.AfterFunc(time.Second, func() { v.Step() })
		v.AfterFunc(time.Minute, j.note("a"))
		equal(t, "Step", v.Step(), true)
		j.expect(t, line{"a", time.Minute})
		equal(t, "Step", v.Step(), false)
	})
	t.Run("no lock is held, so another goroutine can use the clock meanwhile", func(t *testing.T) {
		v := NewVirtual(start)
		pending := 0
		v.AfterFunc(time.Second, func() {
			done := make(chan int)
			go func() {
				v.AfterFunc(time.Second, func() {})
				done <- v.Pending()
			}()
			pending = <-done
		})
		v.Advance(time.Second)
		equal(t, "Pending", pending, 1)
	})
	t.Run("a panic goes up to the mover and leaves the clock usable", func(t *testing.T) {
		v := NewVirtual(start)
		j := journal{clock: v}
		v.AfterFunc(time.Second, func() { panic("boom") })
		v.AfterFunc(2*time.Second, j.note("b"))
		func() {
			defer func() { equal(t, "recovered", recover(), any("boom")) }()
			v.Advance(time.Minute)
		}()
		equal(t, "Mono", v.Mono(), time.Second)
		v.Advance(time.Minute)
		j.expect(t, line{"b", 2 * time.Second})
	})
	t.Run("so does a Goexit", func(t *testing.T) {
		v := NewVirtual(start)
		v.AfterFunc(time.Second, runtime.Goexit)
		done := make(chan struct{})
		go func() {
			defer close(done)
			v.Step()
		}()
		<-done
		equal(t, "Pending", v.Pending(), 0)
		equal(t, "Step", v.Step(), false)
	})
}

func TestVirtualReadsDoNotAllocate(t *testing.T) {
	v := NewVirtual(start)
	equal(t, "allocations", testing.AllocsPerRun(100, func() {
		v.Mono()
		v.Now()
		v.Advance(1)
		v.Next()
	}), 0)
}
