package events_test

import (
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear/sim/internal/events"
)

// The main loop of a simulation: take out what happens next, move the clock there,
// and let it happen.
func Example() {
	const (
		timer = iota
		arrival
	)
	var queue events.Queue
	clock := events.NewClock(time.Time{}, &queue, timer)
	queue.Push(2*time.Second, arrival, 7)
	clock.AfterFunc(time.Second, func() { fmt.Println(clock.Mono(), "a timer") })

	for queue.Len() > 0 {
		e := queue.Pop()
		clock.Set(e.At)
		switch e.Kind() {
		case timer:
			clock.Fire(e.Slot())
		case arrival:
			fmt.Println(clock.Mono(), "arrival of", e.Slot())
		}
	}
	// Output:
	// 1s a timer
	// 2s arrival of 7
}
