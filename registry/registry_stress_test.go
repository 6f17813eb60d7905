package registry_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/registry"
)

// Entries come and go while everything that reads is busy. What observers were told adds
// up to what is there, each entry once, and no name is ever listed twice.
func TestStressChurn(t *testing.T) {
	noLeak(t)
	const workers, keys = 8, 24
	var clk ticking
	r := newRegistry(t, registry.Config{Max: 12, IdleAfter: 64}, registry.WithClock(&clk), registry.WithListener(event.Func(func(event.Event) {})))
	var mu sync.Mutex
	told := map[*breaker.Breaker]int{}
	r.Observe(registry.Observer{
		Added:   func(e registry.Entry) { mu.Lock(); told[e.Breaker]++; mu.Unlock() },
		Removed: func(e registry.Entry) { mu.Lock(); told[e.Breaker]--; mu.Unlock() },
	})
	var heard atomic.Uint64
	stop := r.Listen(event.Func(func(event.Event) { heard.Add(1) }))

	steps := rounds(200_000) / workers
	together(workers, func(w int) {
		for i := range steps {
			name := fmt.Sprint((w*7 + i*i) % keys)
			switch (w + i) % 8 {
			case 0:
				r.Remove(name)
			case 1:
				if e, ok := r.Lookup(name); ok {
					fail(e.Breaker, 1)
				}
			case 2:
				last := ""
				n := 0
				for e := range r.Entries() {
					if n++; e.Name <= last {
						t.Errorf("%q after %q", e.Name, last)
					}
					last = e.Name
				}
			case 3:
				r.Observe(registry.Observer{Added: func(registry.Entry) {}})()
				r.Listen(event.Func(func(event.Event) {}))()
				r.Recent(10)
				r.Counters()
			default:
				if b, err := r.Breaker(name, tripping(1)); err == nil {
					succeed(b, 1)
				}
			}
			if n := r.Len(); n > 12 {
				t.Errorf("%d entries", n)
			}
		}
	})
	stop()

	c := r.Counters()
	equal(t, "there are", uint64(r.Len()), c.Added-c.Removed-c.Expired)
	for e := range r.Entries() {
		equal(t, "told of "+e.Name, told[e.Breaker], 1)
		delete(told, e.Breaker)
	}
	for _, n := range told {
		equal(t, "told of what is gone", n, 0)
	}
	if c.Expired == 0 || c.Removed == 0 || c.Events == 0 {
		t.Errorf("the test tests nothing: %+v", c)
	}
}

// What a look-up returned before it was idle is not taken away: two callers who ask for
// a name one after the other, within IdleAfter, get the same breaker.
func TestStressNoTwoInUse(t *testing.T) {
	noLeak(t)
	const workers = 8
	var clk ticking
	r := newRegistry(t, registry.Config{Max: 2, IdleAfter: 1_000_000}, registry.WithClock(&clk))
	var first sync.Map
	together(workers, func(w int) {
		for i := range rounds(100_000) / workers {
			name := fmt.Sprint((w + i) % 4)
			b, err := r.Breaker(name, breaker.Config{})
			if err != nil {
				continue
			}
			if got, _ := first.LoadOrStore(name, b); got != b {
				t.Errorf("%q has two breakers", name)
			}
		}
	})
	if r.Counters().Refused == 0 {
		t.Error("the test tests nothing")
	}
}
