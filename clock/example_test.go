package clock_test

import (
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear/clock"
)

// A lease is anything that takes a clock: it cannot tell whether its time is real.
type lease struct {
	clock clock.Clock
	ends  time.Duration
}

func newLease(c clock.Clock, d time.Duration) *lease {
	l := &lease{clock: c, ends: c.Mono() + d}
	c.AfterFunc(d, func() { fmt.Println("lease ended at", c.Now().Format(time.TimeOnly)) })
	return l
}

func (l *lease) left() time.Duration { return max(0, l.ends-l.clock.Mono()) }

func Example() {
	v := clock.NewVirtual(time.Date(2030, time.May, 1, 12, 0, 0, 0, time.UTC))
	l := newLease(v, time.Minute)

	v.Advance(45 * time.Second)
	fmt.Println("left:", l.left())
	v.Advance(45 * time.Second)
	fmt.Println("left:", l.left(), "at", v.Now().Format(time.TimeOnly))
	// Output:
	// left: 15s
	// lease ended at 12:01:00
	// left: 0s at 12:01:30
}

// Stepping from timer to timer is all a discrete-event simulation needs.
func ExampleVirtual_Step() {
	v := clock.NewVirtual(time.Time{})
	var arrive func()
	arrive = func() {
		fmt.Println("arrival at", v.Mono())
		v.AfterFunc(300*time.Millisecond, func() { fmt.Println("answer at", v.Mono()) })
		if v.Mono() < 400*time.Millisecond {
			v.AfterFunc(200*time.Millisecond, arrive)
		}
	}
	v.AfterFunc(0, arrive)
	for v.Step() {
	}
	// Output:
	// arrival at 0s
	// arrival at 200ms
	// answer at 300ms
	// arrival at 400ms
	// answer at 500ms
	// answer at 700ms
}

// A wall clock that is set back by an hour does not stretch a minute.
func ExampleVirtual_JumpWall() {
	v := clock.NewVirtual(time.Date(2030, time.May, 1, 12, 0, 0, 0, time.UTC))
	v.AfterFunc(time.Minute, func() { fmt.Println("a minute later it is", v.Now().Format(time.TimeOnly)) })
	v.JumpWall(-time.Hour)
	v.Advance(time.Minute)
	// Output:
	// a minute later it is 11:01:00
}
