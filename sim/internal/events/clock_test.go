package events

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/clock"
)

var start = time.Date(2020, time.May, 1, 12, 0, 0, 0, time.UTC)

// run moves the clock through its timers, up to an instant.
func run(c *Clock, q *Queue, until time.Duration) {
	for {
		at, ok := q.Next()
		if !ok || at > until {
			break
		}
		e := q.Pop()
		c.Set(e.At)
		c.Fire(e.Slot())
	}
	c.Set(until)
}

func TestClock(t *testing.T) {
	var q Queue
	c := NewClock(start, &q, 3)
	equal(t, "Now", c.Now(), start)
	c.Set(time.Minute)
	equal(t, "Mono", c.Mono(), time.Minute)
	equal(t, "Now", c.Now(), start.Add(time.Minute))
	equal(t, "Since", c.Since(start.Add(time.Hour)), time.Hour)

	t.Run("timers are events of the clock's kind", func(t *testing.T) {
		c.AfterFunc(time.Second, func() {})
		e := q.Pop()
		equal(t, "Kind", e.Kind(), 3)
		equal(t, "At", e.At, time.Minute+time.Second)
		equal(t, "Armed", c.Armed(), 1)
		c.Fire(e.Slot())
		equal(t, "Armed", c.Armed(), 0)
	})
	t.Run("never runs inside AfterFunc, and not before it is due", func(t *testing.T) {
		ran := 0
		c.AfterFunc(-1, func() { ran++ })
		equal(t, "runs", ran, 0)
		run(c, &q, c.Mono())
		equal(t, "runs", ran, 1)
	})
	t.Run("too far away is never, not now", func(t *testing.T) {
		c.AfterFunc(math.MaxInt64, func() { t.Error("it ran") })
		at, _ := q.Next()
		equal(t, "At", at, math.MaxInt64)
	})
	t.Run("timers for which there is no slot are told, and stopping them is no harm", func(t *testing.T) {
		var q Queue
		c := NewClock(start, &q, 3)
		c.Most = 2
		ran := 0
		for range 2 {
			c.AfterFunc(1, func() { ran++ })
		}
		equal(t, "Overflowed", c.Overflowed(), false)
		one := c.AfterFunc(2, func() { t.Error("it ran") })
		equal(t, "Overflowed", c.Overflowed(), true)
		equal(t, "Stop", one.Stop(), true)
		equal(t, "in the queue", q.Len(), 2)
		run(c, &q, 10)
		equal(t, "runs", ran, 2)
		q.Reset()
		c.Reset()
		equal(t, "after Reset", c.Overflowed(), false)
	})
	t.Run("Reset", func(t *testing.T) {
		c.AfterFunc(1, func() { t.Error("it ran") })
		q.Reset()
		c.Reset()
		equal(t, "Mono", c.Mono(), 0)
		equal(t, "Armed", c.Armed(), 0)
		run(c, &q, time.Hour)
	})
}

func TestClockStop(t *testing.T) {
	var q Queue
	c := NewClock(start, &q, 0)
	stopped := c.AfterFunc(time.Second, func() { t.Error("a stopped timer ran") })
	var inside clock.Timer
	inside = c.AfterFunc(2*time.Second, func() { equal(t, "Stop inside", inside.Stop(), false) })
	equal(t, "first Stop", stopped.Stop(), true)
	equal(t, "second Stop", stopped.Stop(), false)
	run(c, &q, time.Minute)
	equal(t, "Stop after it ran", inside.Stop(), false)
	equal(t, "Len", q.Len(), 0)
	equal(t, "slots in use", len(c.free), len(c.timers))
}

// The clock does what the virtual clock for tests does, with any timers.
func TestClockEqualsVirtual(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 0))
		var q Queue
		c, v := NewClock(start, &q, 0), clock.NewVirtual(start)
		type line struct {
			id int
			at time.Duration
		}
		var ofClock, ofVirtual []line
		var timers [][2]clock.Timer
		for step := range 200 {
			switch rng.IntN(4) {
			case 0, 1:
				d := time.Duration(rng.IntN(20) - 2)
				timers = append(timers, [2]clock.Timer{
					c.AfterFunc(d, func() { ofClock = append(ofClock, line{step, c.Mono()}) }),
					v.AfterFunc(d, func() { ofVirtual = append(ofVirtual, line{step, v.Mono()}) }),
				})
			case 2:
				if len(timers) > 0 {
					pair := timers[rng.IntN(len(timers))]
					equal(t, "Stop", pair[0].Stop(), pair[1].Stop())
				}
			case 3:
				to := c.Mono() + time.Duration(rng.IntN(10))
				run(c, &q, to)
				v.AdvanceTo(to)
			}
		}
		equal(t, "timers that ran", len(ofClock), len(ofVirtual))
		for i := range min(len(ofClock), len(ofVirtual)) {
			equal(t, "timer", ofClock[i], ofVirtual[i])
		}
		if t.Failed() {
			t.Fatal("seed ", seed)
		}
	}
}
