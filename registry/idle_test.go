package registry_test

import (
	"context"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/inject"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/ratelimit"
	"github.com/switchgear-go/switchgear/registry"
)

// full is a registry with room for two entries, which are a and b.
func full(t *testing.T, cfg breaker.Config) (r *rig, a *breaker.Breaker) {
	t.Helper()
	r = newRig(t, registry.Config{Max: 2, IdleAfter: time.Minute})
	a = must(r.Breaker("a", cfg))
	must(r.Breaker("b", cfg))
	return r, a
}

// wants checks whether there is room for another entry.
func (r *rig) wants(name string, room bool) {
	r.t.Helper()
	_, err := r.Breaker(name, breaker.Config{})
	if room && err != nil {
		r.t.Errorf("Breaker(%q): %v", name, err)
	} else if !room {
		matches(r.t, "Breaker", err, registry.ErrFull)
	}
}

func TestIdleEntriesMakeRoom(t *testing.T) {
	t.Run("only when room is wanted, and all of them", func(t *testing.T) {
		r, _ := full(t, breaker.Config{})
		r.clock.Advance(time.Hour)
		r.has("a", "b")
		r.wants("c", true)
		r.has("c")
		equal(t, "expired", r.Counters().Expired, 2)
	})
	t.Run("after the time, and not before", func(t *testing.T) {
		r, _ := full(t, breaker.Config{})
		r.clock.Advance(time.Minute - 1)
		r.wants("c", false)
		r.clock.Advance(1)
		r.wants("c", true)
	})
	t.Run("looking up is use", func(t *testing.T) {
		for name, look := range map[string]func(*rig){
			"Lookup":  func(r *rig) { r.Lookup("a") },
			"Breaker": func(r *rig) { r.breaker("a") },
		} {
			r, _ := full(t, breaker.Config{})
			r.clock.Advance(30 * time.Second)
			look(r)
			r.clock.Advance(30 * time.Second)
			r.wants("c", true)
			r.has("a", "c")
			r.clock.Advance(30 * time.Second)
			r.wants("d", true)
			r.has("c", "d")
			if t.Failed() {
				t.Fatal(name)
			}
		}
	})
	t.Run("listing is not", func(t *testing.T) {
		r, _ := full(t, breaker.Config{})
		r.clock.Advance(time.Minute)
		r.has("a", "b")
		r.wants("c", true)
		r.has("c")
	})
	t.Run("calls are use, which is noticed when room is wanted", func(t *testing.T) {
		r, a := full(t, breaker.Config{})
		r.clock.Advance(time.Minute)
		succeed(a, 1)
		r.wants("c", true) // b goes
		r.clock.Advance(time.Minute - 1)
		r.Lookup("c")
		r.wants("d", false)
		succeed(a, 1)
		r.clock.Advance(1)
		r.wants("d", false)
		r.clock.Advance(time.Minute)
		r.wants("d", true)
		r.has("d")
	})
	t.Run("calls through a pipeline without a breaker as well", func(t *testing.T) {
		r := newRig(t, registry.Config{Max: 1, IdleAfter: time.Minute})
		p := must(r.Pipeline("p", pipeline.Config{Bulkhead: &bulkhead.Config{MaxConcurrent: 3}}))
		r.clock.Advance(time.Minute)
		_ = p.Do(context.Background(), func(context.Context) error { return nil })
		r.wants("c", false)
		r.clock.Advance(time.Minute)
		r.wants("c", true)
	})
	t.Run("Off keeps everything", func(t *testing.T) {
		r := newRig(t, registry.Config{Max: 1, IdleAfter: off})
		r.breaker("a")
		for range 3 {
			r.clock.Advance(1000 * time.Hour)
			r.wants("b", false)
		}
		_, found := r.Lookup("a")
		equal(t, "found", found, true)
	})
	t.Run("what was added stays", func(t *testing.T) {
		r := newRig(t, registry.Config{Max: 1, IdleAfter: time.Minute})
		equal(t, "AddBreaker", r.AddBreaker(must(breaker.New("a", breaker.Config{}))), nil)
		r.clock.Advance(time.Hour)
		r.wants("b", false)
	})
	// A new breaker in the place of one that is OPEN past its interval, or HALF_OPEN, once
	// stood in its registry CLOSED: it admitted everything where the old one would have
	// admitted a few probes, and had forgotten how far the interval had grown.
	t.Run("only a CLOSED breaker goes", func(t *testing.T) {
		r, a := full(t, breaker.Config{MinimumCalls: 1, Open: breaker.OpenConfig{Wait: 2 * time.Minute, Jitter: off}, HalfOpen: breaker.HalfOpenConfig{Probes: 2, Verdict: breaker.ByStreak}})
		fail(a, 1)
		r.Lookup("b")
		r.wants("c", false) // which notices the use
		r.clock.Advance(time.Minute)
		r.wants("c", true)
		r.has("a", "c")
		r.clock.Advance(time.Hour) // and the interval is over
		r.wants("d", true)
		r.has("a", "d")
		succeed(a, 1)
		equal(t, "state", a.State(), breaker.HalfOpen)
		r.clock.Advance(time.Second)
		r.wants("e", false) // which notices the use
		r.clock.Advance(time.Hour)
		r.wants("e", true)
		r.has("a", "e")
		succeed(a, 1)
		equal(t, "state", a.State(), breaker.Closed)
		r.clock.Advance(time.Second)
		r.wants("f", false)
		r.clock.Advance(time.Minute)
		r.wants("f", true)
		r.has("f")
	})
	t.Run("what stays though it is idle is looked at again soon", func(t *testing.T) {
		r, a := full(t, breaker.Config{})
		move(t, a, breaker.ForcedOpen)
		r.clock.Advance(time.Hour)
		r.wants("c", true) // in place of b
		move(t, a, breaker.Closed)
		r.clock.Advance(time.Minute / 64)
		r.wants("d", true) // in place of a
		r.has("c", "d")
	})
	t.Run("what an operator has decided stays", func(t *testing.T) {
		for _, s := range []breaker.State{breaker.Disabled, breaker.MetricsOnly, breaker.ForcedOpen} {
			r, a := full(t, breaker.Config{})
			move(t, a, s)
			r.clock.Advance(time.Hour)
			r.wants("c", true)
			r.has("a", "c")
			move(t, a, breaker.Closed)
			r.clock.Advance(time.Hour)
			r.wants("d", true)
			r.has("d")
		}
		r, a := full(t, breaker.Config{})
		if err := a.Reconfigure(breaker.Config{MinimumCalls: 3}); err != nil {
			t.Fatal(err)
		}
		r.clock.Advance(time.Hour)
		r.wants("c", true)
		r.has("a", "c")
	})
	t.Run("an injector that is on stays", func(t *testing.T) {
		r := newRig(t, registry.Config{Max: 1, IdleAfter: time.Minute})
		p := must(r.Pipeline("p", pipeline.Config{Inject: &inject.Config{Faults: []inject.Fault{{Kind: inject.Failure, Probability: 50}}}}))
		if err := p.Injector().Enable("ana", "game day", 2*time.Hour); err != nil {
			t.Fatal(err)
		}
		r.clock.Advance(time.Hour)
		r.wants("c", false)
		p.Injector().Disable("ana", "over")
		r.clock.Advance(time.Minute)
		r.wants("c", true)
	})
	t.Run("what has expired is closed and its observers are told", func(t *testing.T) {
		r := newRig(t, registry.Config{Max: 1, IdleAfter: time.Minute})
		a := must(r.Breaker("a", breaker.Config{MinimumCalls: 1, Open: breaker.OpenConfig{Automatic: true}}))
		var watched recorder
		r.Observe(watched.observer())
		r.clock.Advance(time.Minute)
		r.wants("b", true)
		fail(a, 1)
		equal(t, "state", a.State(), breaker.Open)
		equal(t, "timers", r.clock.Pending(), 0)
		equal(t, "observed", watched.all(), []string{"+a", "-a", "+b"})
	})
}

// Policies are read outside the lock. What is removed meanwhile is not removed again.
func TestRemovedWhileRoomIsLookedFor(t *testing.T) {
	for _, name := range []string{"a", "b"} { // the one that is looked at, and the next one
		c := &hooked{Virtual: clock.NewVirtual(start)}
		r := newRegistry(t, registry.Config{Max: 2, IdleAfter: time.Minute}, registry.WithClock(c))
		limited := pipeline.Config{RateLimit: &ratelimit.Config{Rate: 100}}
		must(r.Pipeline("a", limited))
		must(r.Pipeline("b", limited))
		c.Advance(time.Minute)
		c.whenReading(func() {
			r.Remove(name)
			must(r.Pipeline(name, limited))
		})
		must(r.Breaker("c", breaker.Config{}))
		equal(t, "names", names(r), []string{name, "c"})
		equal(t, "Len", r.Len(), 2)
		equal(t, "counters", r.Counters(), registry.Counters{Added: 4, Removed: 1, Expired: 1})
	}
}

// Reading policies can run listeners, which may want room as well. They do not wait for
// who looks already, and find what that one does not look at.
func TestRoomIsWantedWhileRoomIsLookedFor(t *testing.T) {
	c := &hooked{Virtual: clock.NewVirtual(start)}
	r := newRegistry(t, registry.Config{Max: 2, IdleAfter: time.Minute}, registry.WithClock(c))
	limited := pipeline.Config{RateLimit: &ratelimit.Config{Rate: 100}}
	must(r.Pipeline("a", limited))
	must(r.Pipeline("b", limited))
	c.Advance(time.Minute)
	c.whenReading(func() { // a
		must(r.Breaker("c", breaker.Config{})) // in place of b
		_, err := r.Breaker("d", breaker.Config{})
		matches(t, "Breaker", err, registry.ErrFull)
	})
	must(r.Breaker("e", breaker.Config{}))
	equal(t, "names", names(r), []string{"c", "e"})
}

// A hooked clock does something at the next look at it, and counts the looks.
type hooked struct {
	*clock.Virtual
	look  func()
	looks int
}

// whenReading has f run when a rate limiter is read for somebody who wants room. Before
// that the registry reads the clock once.
func (c *hooked) whenReading(f func()) { c.look = func() { c.look = f } }

func (c *hooked) Mono() time.Duration {
	c.looks++
	if c.look != nil {
		look := c.look
		c.look = nil
		look()
	}
	return c.Virtual.Mono()
}

// Between finding an entry and noting the use of it the clock is read. An entry that goes
// in that moment is not handed out.
func TestRemovedWhileLookedUp(t *testing.T) {
	c := &hooked{Virtual: clock.NewVirtual(start)}
	r := newRegistry(t, registry.Config{}, registry.WithClock(c))
	must(r.Breaker("a", breaker.Config{}))
	c.look = func() { r.Remove("a") }
	_, found := r.Lookup("a")
	equal(t, "found", found, false)

	first := must(r.Breaker("a", breaker.Config{}))
	c.look = func() { r.Remove("a") }
	equal(t, "another one", must(r.Breaker("a", breaker.Config{})) != first, true)
	equal(t, "Len", r.Len(), 1)
}
