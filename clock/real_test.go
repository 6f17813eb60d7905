package clock

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestReal(t *testing.T) {
	c := Real()
	t.Run("C5: Mono comes from the machine's monotonic clock", func(t *testing.T) {
		// Only a time with a monotonic reading, printed as m=±seconds, makes
		// time.Since blind to the wall clock.
		equal(t, "origin has a monotonic reading", strings.Contains(origin.String(), " m="), true)
	})
	t.Run("Mono counts from the year 2000 and never runs backwards", func(t *testing.T) {
		equal(t, "origin", origin.UTC().Round(0), time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC))
		last := c.Mono()
		equal(t, "positive", last > 0, true)
		for range 10_000 {
			now := c.Mono()
			if now < last {
				t.Fatalf("Mono ran backwards from %d to %d", last, now)
			}
			last = now
		}
	})
	t.Run("AfterFunc calls back", func(t *testing.T) {
		before := c.Mono()
		called := make(chan time.Duration)
		c.AfterFunc(time.Millisecond, func() { called <- c.Mono() })
		equal(t, "no earlier than asked for", <-called >= before+time.Millisecond, true)
	})
	t.Run("reading allocates nothing", func(t *testing.T) {
		equal(t, "allocations", testing.AllocsPerRun(100, func() { Real().Mono(); Real().Now() }), 0)
	})
}

func TestRealInABubble(t *testing.T) {
	t.Run("Mono starts at zero and follows the fake time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := Real()
			equal(t, "Mono", c.Mono(), 0)
			equal(t, "Now", c.Now(), time.Now())
			<-time.After(90 * time.Second)
			equal(t, "Mono", c.Mono(), 90*time.Second)
			equal(t, "Now", c.Now(), time.Now())
		})
	})
	t.Run("a clock from outside the bubble does the same", func(t *testing.T) {
		c := Real()
		synctest.Test(t, func(t *testing.T) {
			<-time.After(time.Hour)
			equal(t, "Mono", c.Mono(), time.Hour)
		})
	})
	t.Run("a timer fires at its instant", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := Real()
			var at time.Duration
			c.AfterFunc(30*time.Second, func() { at = c.Mono() })
			<-time.After(time.Minute)
			synctest.Wait()
			equal(t, "fired at", at, 30*time.Second)
		})
	})
	t.Run("a stopped timer does not", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := Real()
			fired := false
			timer := c.AfterFunc(30*time.Second, func() { fired = true })
			equal(t, "Stop", timer.Stop(), true)
			equal(t, "second Stop", timer.Stop(), false)
			<-time.After(time.Minute)
			synctest.Wait()
			equal(t, "fired", fired, false)
		})
	})
	t.Run("no delay is due at once, in a goroutine of its own", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := Real()
			fired := false
			c.AfterFunc(-time.Second, func() { fired = true })
			synctest.Wait()
			equal(t, "fired", fired, true)
			equal(t, "Mono", c.Mono(), 0)
		})
	})
}
