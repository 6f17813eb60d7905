package event

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
)

// A checker is a listener that checks the order as events arrive. It has no
// lock, for the reason that recorder has none.
type checker struct {
	t     *testing.T
	name  string
	seen  uint64
	check func(Event)
}

func (c *checker) OnEvent(e Event) {
	if c.seen++; e.Seq != c.seen {
		c.t.Errorf("%s: got event %d as number %d", c.name, e.Seq, c.seen)
	}
	if c.check != nil {
		c.check(e)
	}
}

// quiet checks a stream after all calls have returned.
func quiet(t *testing.T, s *Stream, want uint64, checkers ...*checker) {
	t.Helper()
	for _, c := range checkers {
		equal(t, c.name+" has seen", c.seen, want)
	}
	equal(t, "last", s.Last(), want)
	equal(t, "dropped", s.Dropped(), 0)
	equal(t, "ready", s.ready.Load(), false)
	equal(t, "delivering", s.delivering, false)
	if t.Failed() {
		t.FailNow()
	}
}

// together runs f(0) … f(n-1) on n goroutines that start as one, and waits.
func together(n int, f func(worker int)) {
	var all sync.WaitGroup
	start := make(chan struct{})
	for w := range n {
		all.Go(func() {
			<-start
			f(w)
		})
	}
	close(start)
	all.Wait()
}

// rounds is shortened by -short. In no round are there more than MaxWaiting
// events, so that nothing may ever be dropped.
func rounds(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// S7: under any concurrency one order, exactly once, nothing left when the calls
// have returned.
func TestStressOrder(t *testing.T) {
	noLeak(t)
	const workers, each = 8, MaxWaiting / 8
	a, b := &checker{t: t, name: "a"}, &checker{t: t, name: "b"}
	s := newStream(16, a, b)

	var policy sync.Mutex // and what it guards
	var state uint64
	a.check = func(e Event) {
		if e.Period != e.Seq {
			t.Errorf("event %d tells of change %d", e.Seq, e.Period)
		}
	}
	for round := range rounds(30) {
		together(workers, func(int) {
			for range each {
				policy.Lock()
				state++
				if seq := s.Append(Event{Period: state}); seq != state {
					t.Errorf("change %d became event %d", state, seq)
				}
				policy.Unlock()
				s.Deliver()
			}
		})
		quiet(t, s, uint64(round+1)*workers*each, a, b)
	}
}

// The race that a delivery flag invites: the deliverer finds the queue empty,
// another appends and sees the flag still set, the deliverer clears the flag, and
// the event stays behind. A round is one event per goroutine, so that nearly
// every delivery ends while another event arrives.
func TestStressLostWakeup(t *testing.T) {
	noLeak(t)
	for _, workers := range []int{2, 3} {
		c := &checker{t: t, name: "listener"}
		s := newStream(0, c)
		for round := range rounds(10_000) {
			together(workers, func(int) {
				s.Append(Event{})
				s.Deliver()
			})
			quiet(t, s, uint64((round+1)*workers), c)
		}
	}
}

// T5: held events, released by other goroutines than held them and in any order.
func TestStressHold(t *testing.T) {
	noLeak(t)
	const each = MaxWaiting / 4
	c := &checker{t: t, name: "listener"}
	c.check = func(e Event) {
		if e.Detail != any(e.Seq) {
			t.Errorf("event %d has detail %v", e.Seq, e.Detail)
		}
	}
	s := newStream(16, c)
	for round := range rounds(30) {
		held := make(chan uint64, 2*each)
		var holders sync.WaitGroup
		holders.Add(2)
		together(4, func(worker int) {
			if worker < 2 {
				for range each {
					held <- s.Hold(Event{})
					s.Deliver()
				}
				holders.Done()
				return
			}
			if worker == 2 {
				holders.Wait()
				close(held)
			}
			rnd := rand.New(rand.NewPCG(uint64(round), uint64(worker)))
			var some []uint64
			release := func() {
				rnd.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
				for _, seq := range some {
					s.Release(seq, seq)
					s.Deliver()
				}
				some = some[:0]
			}
			for seq := range held {
				if some = append(some, seq); len(some) == 20 {
					release()
				}
			}
			release()
		})
		quiet(t, s, uint64(round+1)*2*each, c)
	}
}

// S7: all at once: listeners that call the policy, panic and end the goroutine;
// readers beside them.
func TestStressMisbehaviour(t *testing.T) {
	noLeak(t)
	const workers, extra = 60, 20
	var s Stream
	before, after := &checker{t: t, name: "before"}, &checker{t: t, name: "after"}
	caller := Func(func(e Event) {
		if e.Author == "worker" && e.Period < extra {
			s.Append(Event{Author: "listener"})
			s.Deliver()
		}
	})
	panicker := Func(func(e Event) {
		if e.Seq%3 == 0 {
			panic("listener")
		}
	})
	leaver := Func(func(e Event) {
		if e.Seq%7 == 0 {
			runtime.Goexit()
		}
	})
	s.Init(16, before, caller, panicker, leaver, after)

	var want uint64
	for range rounds(200) {
		together(workers, func(worker int) {
			s.Append(Event{Author: "worker", Period: uint64(worker)})
			for i, recent := 1, s.Recent(); i < len(recent); i++ {
				if recent[i].Seq != recent[i-1].Seq+1 {
					t.Errorf("recent has event %d after %d", recent[i].Seq, recent[i-1].Seq)
				}
			}
			s.Deliver()
		})
		want += workers + extra
		quiet(t, &s, want, before, after)
	}
	equal(t, "panics", s.Panics(), want/3)
}
