package event

import (
	"runtime"
	"sync"
	"testing"
)

// Several streams, a slow listener, a Close in the middle: every event is either
// handled or counted as dropped, once, and those of one stream arrive in order.
func TestAsyncStress(t *testing.T) {
	noLeak(t)
	const streams, each = 4, 500
	for range rounds(20) {
		var handled uint64
		var last [streams]uint64
		a := Async(Func(func(e Event) {
			handled++
			if e.Seq <= last[e.Period] {
				t.Errorf("stream %d: event %d after %d", e.Period, e.Seq, last[e.Period])
			}
			last[e.Period] = e.Seq
			switch e.Seq % 10 {
			case 1:
				runtime.Gosched()
			case 2:
				panic("listener")
			case 3:
				runtime.Goexit()
			}
		}), 16)
		var closing sync.WaitGroup
		together(streams, func(i int) {
			s := newStream(0, a)
			for n := range each {
				s.Append(Event{Period: uint64(i)})
				s.Deliver()
				if i == 0 && n == each/2 {
					closing.Go(func() { equal(t, "Close", a.Close(t.Context()), nil) })
				}
			}
		})
		closing.Wait()
		equal(t, "handled and dropped", handled+a.Dropped(), streams*each)
	}
}

// The goroutine finds the queue empty and ends while another event arrives, which
// must not take it for still running.
func TestAsyncStressLostWakeup(t *testing.T) {
	noLeak(t)
	for range rounds(10_000) {
		var handled int
		a := Async(Func(func(Event) { handled++ }), 4)
		together(3, func(int) { a.OnEvent(Event{}) })
		equal(t, "Close", a.Close(t.Context()), nil)
		equal(t, "handled", handled, 3)
		if t.Failed() {
			return
		}
	}
}
