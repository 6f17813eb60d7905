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
	t.Run("an open breaker stays until it would admit a probe", func(t *testing.T) {
		r, a := full(t, breaker.Config{MinimumCalls: 1, Open: breaker.OpenConfig{Wait: time.Hour, Jitter: off}})
		r.Lookup("b")
		fail(a, 1)
		r.wants("c", false) // which notices the use
		r.clock.Advance(time.Minute)
		r.wants("c", true)
		r.has("a", "c")
		r.clock.Advance(58 * time.Minute)
		r.wants("d", true)
		r.has("a", "d")
		r.clock.Advance(time.Minute)
		r.wants("e", true)
		r.has("e")
	})
	t.Run("which is looked at again soon", func(t *testing.T) {
		r := newRig(t, registry.Config{Max: 1, IdleAfter: time.Minute})
		a := must(r.Breaker("a", breaker.Config{MinimumCalls: 1, Open: breaker.OpenConfig{Wait: 90 * time.Second, Jitter: off}}))
		fail(a, 1)
		r.wants("b", false) // which notices the use
		r.clock.Advance(time.Minute)
		r.wants("b", false) // which finds it OPEN
		r.clock.Advance(30 * time.Second)
		r.wants("b", true)
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
		a := must(r.Breaker("a", breaker.Config{MinimumCalls: 1, Open: breaker.OpenConfig{Wait: time.Second, Automatic: true}, HalfOpen: breaker.HalfOpenConfig{MaxWait: 720 * time.Hour}}))
		var watched recorder
		r.Observe(watched.observer())
		fail(a, 1)
		r.wants("b", false)
		r.clock.Advance(time.Minute)
		equal(t, "state", a.State(), breaker.HalfOpen)
		equal(t, "timers", r.clock.Pending(), 1)
		r.wants("b", true)
		equal(t, "timers", r.clock.Pending(), 0)
		equal(t, "observed", watched.all(), []string{"+a", "-a", "+b"})
	})
}

// Counters are read outside the lock. What is removed meanwhile is not removed again.
func TestRemovedWhileRoomIsLookedFor(t *testing.T) {
	for range 20 { // which of the two is looked at first is up to chance
		c := &hooked{Virtual: clock.NewVirtual(start)}
		r := newRegistry(t, registry.Config{Max: 2, IdleAfter: time.Minute}, registry.WithClock(c))
		must(r.Breaker("a", breaker.Config{}))
		must(r.Breaker("b", breaker.Config{}))
		c.Advance(time.Minute)
		c.hook = func() {
			c.hook = nil
			r.Remove("a")
			must(r.Breaker("a", breaker.Config{}))
		}
		must(r.Breaker("c", breaker.Config{}))
		equal(t, "names", names(r), []string{"a", "c"})
		equal(t, "Len", r.Len(), 2)
		equal(t, "counters", r.Counters(), registry.Counters{Added: 4, Removed: 1, Expired: 1})
	}
}

// A hooked clock is asked for the time by whoever takes a snapshot, and does something.
type hooked struct {
	*clock.Virtual
	hook, look func()
}

func (c *hooked) Now() time.Time {
	if c.hook != nil {
		c.hook()
	}
	return c.Virtual.Now()
}

func (c *hooked) Mono() time.Duration {
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
