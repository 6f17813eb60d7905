package registry_test

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/evidence"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/registry"
)

// TestFaults replays mistakes that registries of breakers have really made, each under
// its number in the collection of known faults.
func TestFaults(t *testing.T) {
	for _, fault := range []struct {
		name string
		test func(*testing.T)
	}{
		{"K18: a listener runs under a lock", faultListenerUnderLock},
		{"K18: a listener that is stuck or panics slows or loses a call", faultStuckListener},
		{"K19: a race hands out two breakers for one name", faultTwoForOneName},
		{"K60: breakers share one settings object", faultSharedSettings},
		{"K61: every breaker ever made stays referenced", faultStaysReferenced},
		{"K62: a failed duplicate creation leaves leftovers", faultLeftovers},
		{"K64: names without bound blow up memory", faultUnboundedNames},
	} {
		t.Run(fault.name, fault.test)
	}
}

func faultListenerUnderLock(t *testing.T) {
	noLeak(t)
	for range rounds(100) {
		var r *registry.Registry
		var heard atomic.Int64
		var wrong atomic.Pointer[string]
		r = newRegistry(t, registry.Config{Max: 2}, registry.WithListener(event.Func(func(e event.Event) {
			heard.Add(1)
			entry, ok := r.Lookup(e.Name)
			if !ok {
				return // it was removed
			}
			entry.Breaker.Counters()
			if err := entry.Breaker.Do(context.Background(), func(context.Context) error { return nil }); e.To == "OPEN" && entry.Breaker.State() == breaker.Open && err == nil {
				s := "a call ran while the breaker was open"
				wrong.Store(&s)
			}
			for range r.Entries() {
				r.Len()
			}
			r.Recent(10)
			r.Counters()
			_, _ = r.Breaker("other", breaker.Config{})
			r.Remove("other")
		})))
		b := must(r.Breaker("stock", tripping(8)))
		together(8, func(int) { fail(b, 1) })
		equal(t, "state", b.State(), breaker.Open)
		equal(t, "heard", heard.Load(), 1)
		if s := wrong.Load(); s != nil {
			t.Error(*s)
		}
	}
}

func faultStuckListener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegistry(t, registry.Config{Recent: 5})
		release := make(chan struct{})
		defer r.Listen(event.Func(func(event.Event) { <-release }))()
		defer r.Listen(event.Func(func(event.Event) { panic("boom") }))()
		defer r.Listen(event.Func(func(event.Event) { runtime.Goexit() }))()
		b := must(r.Breaker("stock", tripping(1)))
		begun := time.Now()
		const trips = 2_000
		for i := range trips {
			fail(b, 1)
			if err := b.Reset("ana", fmt.Sprint(i)); err != nil {
				t.Fatal(err)
			}
		}
		equal(t, "time that this took", time.Since(begun), 0)
		equal(t, "failed", b.Counters().Failed, trips)
		equal(t, "heard", r.Counters().Events, 2*trips)
		equal(t, "remembered", len(r.Recent(10)), 5)
		close(release)
		synctest.Wait()
	})
}

func faultTwoForOneName(t *testing.T) {
	noLeak(t)
	const callers = 100
	for round := range rounds(1_000) {
		r := newRegistry(t, registry.Config{})
		var got [callers]*breaker.Breaker
		together(callers, func(w int) { got[w] = must(r.Breaker("stock", tripping(callers))) })
		together(callers, func(w int) { fail(got[w], 1) })
		for _, b := range got {
			if b != got[0] {
				t.Fatalf("round %d: two breakers", round)
			}
		}
		equal(t, "counters", r.Counters(), registry.Counters{Added: 1, Events: 1})
		equal(t, "failed", got[0].Counters().Failed, callers)
		equal(t, "state", got[0].State(), breaker.Open)
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
}

func faultSharedSettings(t *testing.T) {
	settings := breaker.Config{MinimumCalls: 7, Evidence: &evidence.Config{Healthy: 0.02}}
	parts := pipeline.Config{Breaker: &settings}
	r := newRegistry(t, registry.Config{})
	b := must(r.Breaker("b", settings))
	p := must(r.Pipeline("p", parts))
	want := b.Config()

	settings.MinimumCalls, settings.Evidence.Healthy = 8, 0.03
	equal(t, "breaker", b.Config(), want)
	equal(t, "the pipeline's", p.Breaker().Config(), want)
	// The registry's idea of what they were made with is its own as well.
	_, err := r.Breaker("b", settings)
	matches(t, "Breaker", err, registry.ErrExists)
	_, err = r.Pipeline("p", parts)
	matches(t, "Pipeline", err, registry.ErrExists)

	if err := b.Reconfigure(breaker.Config{}); err != nil {
		t.Fatal(err)
	}
	equal(t, "the pipeline's", p.Breaker().Config(), want)

	shared := breaker.Config{Evidence: &evidence.Config{}}
	together(100, func(w int) { must(r.Breaker(fmt.Sprint(w), shared)) })
	equal(t, "Len", r.Len(), 102)
}

func faultStaysReferenced(t *testing.T) {
	noLeak(t)
	n := rounds(1_000_000)
	if raceDetector {
		n = rounds(50_000)
	}
	c := clock.NewVirtual(start)
	var heard atomic.Int64
	r := newRegistry(t, registry.Config{Max: 100}, registry.WithClock(c),
		registry.WithListener(event.Func(func(event.Event) { heard.Add(1) })))
	var added, removed int
	r.Observe(registry.Observer{
		Added:   func(registry.Entry) { added++ },
		Removed: func(registry.Entry) { removed++ },
	})
	before := heap()
	for i := range n {
		name := fmt.Sprint("breaker ", i)
		b := must(r.Breaker(name, breaker.Config{MinimumCalls: 1, Open: breaker.OpenConfig{Automatic: true}}))
		if i%16 == 0 {
			fail(b, 1) // which starts a timer and makes an event
		}
		r.Remove(name)
	}
	if grown := int64(heap()) - int64(before); grown > 50<<20 {
		t.Errorf("the heap has grown by %d bytes", grown)
	}
	equal(t, "timers", c.Pending(), 0)
	equal(t, "Len", r.Len(), 0)
	equal(t, "entries", len(names(r)), 0)
	equal(t, "added", added, n)
	equal(t, "removed", removed, n)
	equal(t, "heard", heard.Load(), int64((n+15)/16))
	equal(t, "recent", len(r.Recent(1<<20)) <= 1_000, true)
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func faultLeftovers(t *testing.T) {
	r := newRegistry(t, registry.Config{Max: 3})
	var watched recorder
	r.Observe(watched.observer())
	b := must(r.Breaker("x", breaker.Config{}))
	p := must(r.Pipeline("y", pipeline.Config{}))
	want := b.Config()
	for i := range 1_000 {
		_, err := r.Breaker("x", breaker.Config{MinimumCalls: 21 + i})
		matches(t, "Breaker", err, registry.ErrExists)
		_, err = r.Pipeline("y", pipeline.Config{Breaker: &breaker.Config{MinimumCalls: 21 + i}})
		matches(t, "Pipeline", err, registry.ErrExists)
		matches(t, "AddBreaker", r.AddBreaker(must(breaker.New("x", breaker.Config{}))), registry.ErrExists)
	}
	equal(t, "names", names(r), []string{"x", "y"})
	equal(t, "observed", watched.all(), []string{"+x", "+y"})
	equal(t, "config", b.Config(), want)
	equal(t, "pipeline", p.Order(), []string{})
	equal(t, "events", len(r.Recent(10)), 0)
	equal(t, "counters", r.Counters(), registry.Counters{Added: 2})
	must(r.Breaker("z", breaker.Config{})) // and takes no room
}

func faultUnboundedNames(t *testing.T) {
	n := rounds(100_000)
	c := clock.NewVirtual(start)
	r := newRegistry(t, registry.Config{Max: 100, IdleAfter: time.Second}, registry.WithClock(c))
	before := heap()
	for i := range n {
		b, err := r.Breaker(fmt.Sprint("/users/", i), breaker.Config{})
		if err != nil {
			matches(t, "Breaker", err, registry.ErrFull)
		} else {
			succeed(b, 1)
		}
		c.Advance(time.Millisecond)
		if r.Len() > 100 {
			t.Fatalf("%d entries", r.Len())
		}
	}
	if grown := int64(heap()) - int64(before); grown > 50<<20 {
		t.Errorf("the heap has grown by %d bytes", grown)
	}
	if r.Counters().Expired == 0 || r.Counters().Refused == 0 {
		t.Errorf("the test tests nothing: %+v", r.Counters())
	}
	equal(t, "events", len(r.Recent(2_000)) <= 1_000, true)
}
