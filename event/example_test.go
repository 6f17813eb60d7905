package event_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/switchgear-go/switchgear/event"
)

// A Valve is the least policy there is: it is open or shut.
type Valve struct {
	mu     sync.Mutex
	state  string
	events event.Stream
}

// Set changes the state and tells the listeners.
func (v *Valve) Set(state, author string) {
	v.mu.Lock()
	kind := event.Transition
	if state == v.state {
		kind = event.Renewed
	}
	v.events.Append(event.Event{Kind: kind, From: v.state, To: state, Author: author})
	v.state = state
	v.mu.Unlock()

	v.events.Deliver() // outside the lock: a listener may call the valve
}

func ExampleStream() {
	v := &Valve{state: "SHUT"}
	v.events.Init(2, event.Func(func(e event.Event) {
		fmt.Printf("#%d %s %s -> %s by %s\n", e.Seq, e.Kind, e.From, e.To, e.Author)
		if e.Author == "mallory" {
			v.Set("SHUT", "guard") // delivered when this listener has returned
		}
	}))

	v.Set("OPEN", "ana")
	v.Set("OPEN", "mallory")

	fmt.Println("recent:")
	for _, e := range v.events.Recent() {
		fmt.Printf("#%d %s\n", e.Seq, e.Author)
	}
	// Output:
	// #1 transition SHUT -> OPEN by ana
	// #2 renewed OPEN -> OPEN by mallory
	// #3 transition OPEN -> SHUT by guard
	// recent:
	// #2 mallory
	// #3 guard
}

// The detail of an event may need user code, which must not run under the
// policy's lock. The event is held until it is there.
func ExampleStream_Hold() {
	var mu sync.Mutex
	var events event.Stream
	events.Init(8, event.Func(func(e event.Event) {
		fmt.Println(e.Seq, e.Reason, e.Detail)
	}))

	cause := fmt.Errorf("connection refused")

	mu.Lock()
	seq := events.Hold(event.Event{Kind: event.Transition, Reason: "failure rate"})
	mu.Unlock()
	events.Release(seq, cause.Error()) // Error is user code
	events.Deliver()
	// Output: 1 failure rate connection refused
}

func ExampleAsync() {
	audit := event.Async(event.Func(func(e event.Event) {
		fmt.Println("written to the audit log:", e.Kind) // as slow as it likes
	}), 100)

	var events event.Stream
	events.Init(0, audit)
	events.Append(event.Event{Kind: event.Warning})
	events.Deliver()

	if err := audit.Close(context.Background()); err != nil {
		fmt.Println("some events were not written:", err)
	}
	// Output: written to the audit log: warning
}
