package event

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"unsafe"
)

func TestZeroStream(t *testing.T) {
	var s Stream
	s.Deliver()
	s.Release(1, nil)
	s.Release(0, nil)
	equal(t, "recent", len(s.Recent()), 0)
	equal(t, "last", s.Last(), 0)
	equal(t, "dropped", s.Dropped(), 0)
	equal(t, "panics", s.Panics(), 0)

	equal(t, "first Seq", s.Append(Event{}), 1)
	equal(t, "second Seq", s.Hold(Event{}), 2)
	s.Release(2, nil)
	s.Deliver()
	equal(t, "last", s.Last(), 2)
	equal(t, "recent", len(s.Recent()), 0)
	equal(t, "dropped", s.Dropped(), 0)
}

func TestIdleStreamIsSmall(t *testing.T) {
	if n := unsafe.Sizeof(Stream{}); n > 64 {
		t.Errorf("a Stream has %d bytes, want at most 64", n)
	}
	var r recorder
	s := newStream(32, &r)
	if s.queue != nil {
		t.Error("a buffer before the first event")
	}
}

func TestOrder(t *testing.T) {
	t.Run("S7: every listener gets every event once, in the order of Seq", func(t *testing.T) {
		var a, b recorder
		s := newStream(0, &a, &b)
		for i := range uint64(5) {
			equal(t, "Seq", s.Append(Event{Seq: 99, Period: i}), i+1) // the stream sets Seq
		}
		equal(t, "before Deliver", len(a.events), 0)
		s.Deliver()
		s.Deliver()
		equal(t, "first listener", a.seqs(), upTo(1, 5))
		equal(t, "second listener", b.seqs(), upTo(1, 5))
		equal(t, "period of the last", a.events[4].Period, 4)
	})
	t.Run("listeners get an event in the order in which they were given", func(t *testing.T) {
		var got []string
		named := func(name string) Listener {
			return Func(func(e Event) { got = append(got, fmt.Sprint(name, e.Seq)) })
		}
		s := newStream(0, named("a"), nil, named("b"))
		s.Append(Event{})
		s.Append(Event{})
		s.Deliver()
		equal(t, "calls", got, []string{"a1", "b1", "a2", "b2"})
		equal(t, "panics", s.Panics(), 0) // the nil one was left out
	})
	t.Run("Init does not keep the caller's slice", func(t *testing.T) {
		var a, b recorder
		list := []Listener{&a}
		s := newStream(0, list...)
		list[0] = &b
		s.Append(Event{})
		s.Deliver()
		equal(t, "the listener given", len(a.events), 1)
		equal(t, "the one written later", len(b.events), 0)
	})
}

func TestReentrancy(t *testing.T) {
	t.Run("S7: a listener may call the policy; what that causes comes after", func(t *testing.T) {
		var s Stream
		var got []string
		first := Func(func(e Event) {
			got = append(got, fmt.Sprint("first ", e.Seq))
			if e.Seq <= 2 {
				s.Append(Event{})
				s.Deliver() // leaves it to the delivery up the stack
				equal(t, "recent, inside", s.Recent()[0].Seq, 1)
				equal(t, "last, inside", s.Last(), e.Seq+1)
			}
			got = append(got, fmt.Sprint("end ", e.Seq))
		})
		second := Func(func(e Event) { got = append(got, fmt.Sprint("second ", e.Seq)) })
		s.Init(8, first, second)
		s.Append(Event{})
		s.Deliver()
		equal(t, "calls", got, []string{
			"first 1", "end 1", "second 1",
			"first 2", "end 2", "second 2",
			"first 3", "end 3", "second 3",
		})
	})
	t.Run("S7: no lock is held while a listener runs", func(t *testing.T) {
		noLeak(t)
		var s Stream
		s.Init(8, Func(func(Event) {
			done := make(chan struct{})
			go func() { // another goroutine would hang on any lock of ours
				defer close(done)
				s.Last()
				s.Recent()
				s.Dropped()
				s.Deliver()
			}()
			<-done
		}))
		s.Append(Event{})
		s.Deliver()
	})
}

func TestDeliveryUnderWay(t *testing.T) {
	t.Run("S7: who finds a delivery under way leaves his event to it and goes on", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var r recorder
			gate := make(chan struct{})
			s := newStream(0, Func(func(e Event) {
				if e.Seq == 1 {
					<-gate
				}
			}), &r)
			s.Append(Event{})
			go s.Deliver()
			synctest.Wait() // the listener blocks

			s.Append(Event{})
			s.Deliver()
			equal(t, "while the other is at it", len(r.events), 0)

			close(gate)
			synctest.Wait()
			equal(t, "delivered by the other", r.seqs(), upTo(1, 2))
		})
	})
	t.Run("S7: an event that arrives while the last listener runs is not lost", func(t *testing.T) {
		noLeak(t)
		var s Stream
		var r recorder
		s.Init(0, &r, Func(func(e Event) {
			if e.Seq < 100 {
				var other sync.WaitGroup
				other.Go(func() { // returns at once: we are delivering
					s.Append(Event{})
					s.Deliver()
				})
				other.Wait()
			}
		}))
		s.Append(Event{})
		s.Deliver()
		equal(t, "delivered", r.seqs(), upTo(1, 100))
	})
}

func TestPanic(t *testing.T) {
	t.Run("S7: a panic is recovered and counted; the others get the event", func(t *testing.T) {
		var before, after recorder
		s := newStream(0, &before, Func(func(Event) { panic("listener") }), Func(nil), &after)
		s.Append(Event{})
		s.Append(Event{})
		s.Deliver()
		equal(t, "panics", s.Panics(), 4) // a nil Func panics too
		equal(t, "the listener before", before.seqs(), upTo(1, 2))
		equal(t, "the listener after", after.seqs(), upTo(1, 2))

		s.Append(Event{})
		s.Deliver()
		equal(t, "later", after.seqs(), upTo(1, 3))
	})
	t.Run("P4: a panic of the protected call passes a delivery untouched", func(t *testing.T) {
		var r recorder
		s := newStream(0, &r)
		var got any
		func() {
			defer func() { got = recover() }()
			defer func() { // as a policy does that settles on the way out
				s.Append(Event{})
				s.Deliver()
			}()
			panic("call")
		}()
		equal(t, "recovered", got, any("call"))
		equal(t, "delivered", r.seqs(), upTo(1, 1))
		equal(t, "panics", s.Panics(), 0)
	})
}

func TestGoexit(t *testing.T) {
	// deliver runs s.Deliver on a goroutine of its own and reports whether it
	// came back from it.
	deliver := func(s *Stream) (returned bool) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.Deliver()
			returned = true
		}()
		<-done
		return returned
	}

	for _, test := range []struct {
		name   string
		exit   func()
		panics uint64
	}{
		{"Goexit", runtime.Goexit, 0},
		{"a panic overtaken by Goexit", func() { defer runtime.Goexit(); panic("first") }, 0},
		{"a panic during Goexit", func() { defer func() { panic("second") }(); runtime.Goexit() }, 1},
	} {
		t.Run("S7: "+test.name+" ends the goroutine, not the delivery", func(t *testing.T) {
			noLeak(t)
			var before, after recorder
			s := newStream(0, &before, Func(func(e Event) {
				if e.Seq == 2 {
					test.exit()
				}
			}), &after)
			for range 3 {
				s.Append(Event{})
			}
			equal(t, "Deliver returned", deliver(s), false)
			equal(t, "the listener before", before.seqs(), upTo(1, 3))
			equal(t, "the listener after", after.seqs(), upTo(1, 3))
			equal(t, "panics", s.Panics(), test.panics)

			s.Append(Event{})
			equal(t, "Deliver returned, later", deliver(s), true)
			equal(t, "later", after.seqs(), upTo(1, 4))
		})
	}
	t.Run("S7: Goexit from every listener at every event", func(t *testing.T) {
		noLeak(t)
		var a, b, c recorder
		exit := func(r *recorder) Listener {
			return Func(func(e Event) { r.OnEvent(e); runtime.Goexit() })
		}
		s := newStream(0, exit(&a), exit(&b), &c)
		for range MaxWaiting {
			s.Append(Event{})
		}
		equal(t, "Deliver returned", deliver(s), false)
		for _, r := range []*recorder{&a, &b, &c} {
			equal(t, "delivered", r.seqs(), upTo(1, MaxWaiting))
		}
	})
}

func TestHold(t *testing.T) {
	t.Run("T5: a held event stops delivery, the one who releases it goes on", func(t *testing.T) {
		var r recorder
		s := newStream(8, &r)
		s.Append(Event{})
		held := s.Hold(Event{Reason: "failure rate"})
		s.Append(Event{})
		equal(t, "Seq", held, 2)

		s.Deliver()
		s.Deliver()
		equal(t, "before the release", r.seqs(), upTo(1, 1))

		s.Release(held, "texts")
		equal(t, "Release alone delivers nothing", r.seqs(), upTo(1, 1))
		s.Deliver()
		equal(t, "after it", r.seqs(), upTo(1, 3))
		equal(t, "detail", r.events[1].Detail, any("texts"))
		equal(t, "the rest of it", r.events[1].Reason, "failure rate")
	})
	t.Run("H7: the ring has a held event at once, and its detail once released", func(t *testing.T) {
		var r recorder
		s := newStream(8, &r)
		held := s.Hold(Event{Reason: "failure rate", Detail: "numbers"})
		equal(t, "held", s.Recent(), []Event{{Seq: 1, Reason: "failure rate", Detail: "numbers"}})
		old := s.Recent()
		s.Release(held, "numbers and texts")
		equal(t, "released", s.Recent(), []Event{{Seq: 1, Reason: "failure rate", Detail: "numbers and texts"}})
		equal(t, "an earlier copy", old[0].Detail, any("numbers"))
	})
	t.Run("T5: held events released in any order are delivered in theirs", func(t *testing.T) {
		var r recorder
		s := newStream(8, &r)
		for range 4 {
			s.Hold(Event{})
		}
		for _, step := range []struct {
			release   uint64
			delivered []uint64
		}{{3, nil}, {2, nil}, {1, upTo(1, 3)}, {4, upTo(1, 4)}} {
			s.Release(step.release, step.release*10)
			s.Deliver()
			equal(t, fmt.Sprint("after the release of ", step.release), r.seqs(), step.delivered)
		}
		for _, e := range r.events {
			equal(t, "detail", e.Detail, any(e.Seq*10))
		}
	})
	t.Run("S7: released while a delivery is under way, it is left to that", func(t *testing.T) {
		var s Stream
		var r recorder
		s.Init(8, &r, Func(func(e Event) {
			if e.Seq == 1 {
				s.Release(2, "texts")
				s.Deliver()
				equal(t, "inside", len(r.events), 1)
			}
		}))
		s.Append(Event{})
		s.Hold(Event{})
		s.Deliver()
		equal(t, "delivered", r.seqs(), upTo(1, 2))
	})
	t.Run("a listener may hold and release", func(t *testing.T) {
		var s Stream
		var r recorder
		s.Init(8, &r, Func(func(e Event) {
			if e.Seq == 1 {
				s.Release(s.Hold(Event{}), "texts")
				s.Deliver()
			}
		}))
		s.Append(Event{})
		s.Deliver()
		equal(t, "delivered", r.seqs(), upTo(1, 2))
	})
	t.Run("without listeners the detail still gets into the ring", func(t *testing.T) {
		s := newStream(8)
		s.Release(s.Hold(Event{}), "texts")
		s.Deliver()
		equal(t, "recent", s.Recent(), []Event{{Seq: 1, Detail: "texts"}})
	})
	t.Run("Release of an event not held, released before, gone or to come does nothing", func(t *testing.T) {
		var r recorder
		s := newStream(2, &r)
		s.Append(Event{Detail: "own"})
		held := s.Hold(Event{})
		s.Release(held, "first")
		for seq := range uint64(5) {
			s.Release(seq, "second")
		}
		equal(t, "recent", s.Recent(), []Event{{Seq: 1, Detail: "own"}, {Seq: 2, Detail: "first"}})
		s.Hold(Event{}) // 3 was released above, but before it existed
		s.Deliver()
		equal(t, "delivered", r.seqs(), upTo(1, 2))

		s.Release(3, nil)
		s.Append(Event{})
		s.Append(Event{})
		s.Deliver()
		s.Release(3, "too late") // gone from the ring
		equal(t, "recent", seqs(s.Recent()), upTo(4, 5))
		equal(t, "detail 4", s.Recent()[0].Detail, nil)
	})
}

func TestBound(t *testing.T) {
	t.Run("S7: a listener that blocks gets the oldest dropped and counted", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var r recorder
			gate := make(chan struct{})
			s := newStream(3, Func(func(e Event) {
				if e.Seq == 1 {
					<-gate
				}
			}), &r)
			s.Append(Event{})
			go s.Deliver()
			synctest.Wait()

			for range MaxWaiting {
				s.Append(Event{})
				s.Deliver()
			}
			equal(t, "dropped at the bound", s.Dropped(), 0)
			for range 5 {
				s.Append(Event{})
				s.Deliver()
			}
			equal(t, "dropped", s.Dropped(), 5)

			close(gate)
			synctest.Wait()
			// 1 was with the listener, so 2 to 6 were the oldest waiting.
			equal(t, "delivered", r.seqs(), append(upTo(1, 1), upTo(7, MaxWaiting+6)...))
			equal(t, "recent", seqs(s.Recent()), upTo(MaxWaiting+4, MaxWaiting+6))
		})
	})
	t.Run("an event held for ever does not wedge the stream for ever", func(t *testing.T) {
		var r recorder
		s := newStream(1, &r)
		held := s.Hold(Event{})
		for range MaxWaiting - 1 {
			s.Append(Event{})
			s.Deliver()
		}
		equal(t, "delivered at the bound", len(r.events), 0)
		s.Append(Event{})
		s.Deliver()
		equal(t, "delivered", r.seqs(), upTo(2, MaxWaiting+1))
		equal(t, "dropped", s.Dropped(), 1)

		s.Release(held, "too late")
		s.Deliver()
		equal(t, "delivered, later", len(r.events), MaxWaiting)
	})
	t.Run("a dropped held event still gets its detail while the ring has it", func(t *testing.T) {
		var r recorder
		s := newStream(2*MaxWaiting, &r)
		held := s.Hold(Event{})
		for range MaxWaiting {
			s.Append(Event{})
		}
		equal(t, "dropped", s.Dropped(), 1)
		s.Release(held, "texts")
		equal(t, "recent", s.Recent()[0], Event{Seq: 1, Detail: "texts"})
		s.Deliver()
		equal(t, "delivered", r.seqs(), upTo(2, MaxWaiting+1))
	})
	t.Run("without listeners nothing is queued", func(t *testing.T) {
		s := newStream(4)
		for range 2 * MaxWaiting {
			s.Append(Event{})
		}
		equal(t, "dropped", s.Dropped(), 0)
		equal(t, "slots", len(s.queue.slots), 4)
	})
}

func TestRecent(t *testing.T) {
	t.Run("a copy of the newest, oldest first", func(t *testing.T) {
		s := newStream(3)
		for i := range uint64(10) {
			s.Append(Event{})
			equal(t, "recent", seqs(s.Recent()), upTo(max(i+1, 3)-2, i+1))
		}
		s.Recent()[0].Reason = "changed by the caller"
		equal(t, "reason", s.Recent()[0].Reason, "")
	})
	t.Run("H7: it has an event from the moment it was appended", func(t *testing.T) {
		var r recorder
		s := newStream(3, &r)
		s.Append(Event{})
		equal(t, "recent", seqs(s.Recent()), upTo(1, 1))
		equal(t, "delivered", len(r.events), 0)
	})
	t.Run("a backlog longer than the ring does not show", func(t *testing.T) {
		var r recorder
		s := newStream(3, &r)
		for range 10 {
			s.Append(Event{})
		}
		equal(t, "recent", seqs(s.Recent()), upTo(8, 10))
	})
	t.Run("less than 1 is none", func(t *testing.T) {
		for _, n := range []int{0, -1} {
			s := newStream(n)
			s.Append(Event{})
			equal(t, "recent", len(s.Recent()), 0)
		}
	})
}

func TestAllocations(t *testing.T) {
	var n int
	s := newStream(8, Func(func(Event) { n++ }), Func(func(Event) { panic("listener") }))
	for range 8 { // fill the ring
		s.Append(Event{})
	}
	s.Deliver()
	for _, test := range []struct {
		name string
		run  func()
	}{
		{"K2: Deliver with nothing to do", s.Deliver},
		{"K2: append and deliver", func() { s.Append(Event{}); s.Deliver() }},
		{"K2: hold, release and deliver", func() { s.Release(s.Hold(Event{}), nil); s.Deliver() }},
	} {
		t.Run(test.name+" allocates nothing", func(t *testing.T) {
			equal(t, "allocations", testing.AllocsPerRun(100, test.run), 0)
		})
	}
}
