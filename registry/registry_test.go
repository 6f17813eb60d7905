package registry_test

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/evidence"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/registry"
	"github.com/switchgear-go/switchgear/retry"
)

func TestNew(t *testing.T) {
	t.Run("defaults", func(t *testing.T) {
		r := newRegistry(t, registry.Config{}, nil, registry.WithClock(nil), registry.WithListener(nil))
		equal(t, "config", r.Config(), registry.Config{Max: 1_000, IdleAfter: 5 * time.Minute, Recent: 1_000})
	})
	t.Run("every problem is reported at once", func(t *testing.T) {
		_, err := registry.New(registry.Config{Max: 100_001, IdleAfter: -1, Recent: -1})
		invalid, _ := errors.AsType[*switchgear.ConfigError](err)
		if invalid == nil {
			t.Fatalf("got %v", err)
		}
		var paths []string
		for _, p := range invalid.Problems {
			paths = append(paths, p.Path)
		}
		equal(t, "paths", paths, []string{"Max", "IdleAfter", "Recent"})
		matches(t, "New", err, switchgear.ErrConfig)
	})
	t.Run("Must panics", func(t *testing.T) {
		defer func() { equal(t, "panicked", recover() != nil, true) }()
		registry.Must(registry.New(registry.Config{Max: -1}))
	})
}

func TestBreaker(t *testing.T) {
	t.Run("is made once and then found", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		b := r.breaker("stock")
		equal(t, "name", b.Name(), "stock")
		equal(t, "the same", r.breaker("stock"), b)
		e, ok := r.Lookup("stock")
		equal(t, "entry", e, registry.Entry{Name: "stock", Breaker: b})
		equal(t, "found", ok, true)
		equal(t, "Len", r.Len(), 1)
		equal(t, "added", r.Counters().Added, 1)
	})
	t.Run("has the registry's clock, listeners and options", func(t *testing.T) {
		var heard recorder
		r := newRig(t, registry.Config{}, registry.WithListener(&heard),
			registry.WithBreaker(breaker.WithErrorKind(func(error) string { return "mine" })))
		b := must(r.Breaker("stock", tripping(3)))
		fail(b, 3)
		equal(t, "since", b.Snapshot().Since, start)
		equal(t, "kind", b.Snapshot().LastTrip.Errors[0].Kind, "mine")
		equal(t, "heard", heard.all(), []string{"stock transition OPEN"})
	})
	t.Run("what is not valid is refused and leaves nothing", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		_, err := r.Breaker("stock", breaker.Config{MinimumCalls: -1})
		matches(t, "Breaker", err, switchgear.ErrConfig)
		_, err = r.Pipeline("stock", pipeline.Config{RetryInsideBreaker: true, Breaker: &doubtful})
		matches(t, "Pipeline", err, switchgear.ErrConfig)
		r.has()
		equal(t, "counters", r.Counters(), registry.Counters{})
		equal(t, "events", len(r.Recent(10)), 0)
		r.breaker("stock")
		r.has("stock")
	})
	t.Run("no entry", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		e, ok := r.Lookup("stock")
		equal(t, "entry", e, registry.Entry{})
		equal(t, "found", ok, false)
	})
}

func TestPipeline(t *testing.T) {
	t.Run("shows its breaker", func(t *testing.T) {
		r := newRig(t, registry.Config{}, registry.WithPipeline(pipeline.Accept(pipeline.UnboundedRetry)))
		p := must(r.Pipeline("stock", pipeline.Config{Breaker: &breaker.Config{}, Retry: &retry.Config{}}))
		e, _ := r.Lookup("stock")
		equal(t, "entry", e, registry.Entry{Name: "stock", Breaker: p.Breaker(), Pipeline: p})
	})
	t.Run("may have none", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		p := must(r.Pipeline("stock", pipeline.Config{Bulkhead: &bulkhead.Config{MaxConcurrent: 3}}))
		e, _ := r.Lookup("stock")
		equal(t, "entry", e, registry.Entry{Name: "stock", Pipeline: p})
		equal(t, "removed", r.Remove("stock"), true)
	})
	t.Run("its policies report to the hub", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		p := must(r.Pipeline("stock", pipeline.Config{Breaker: &breaker.Config{}}))
		move(t, p.Breaker(), breaker.ForcedOpen)
		equal(t, "to", r.Recent(1)[0].To, "FORCED_OPEN")
	})
}

func TestSameName(t *testing.T) {
	base := breaker.Config{MinimumCalls: 7, Evidence: &evidence.Config{}}
	with := func(change func(*breaker.Config)) breaker.Config {
		cfg := base
		cfg.Evidence = &evidence.Config{}
		change(&cfg)
		return cfg
	}
	for _, c := range []struct {
		name string
		cfg  breaker.Config
		same bool
	}{
		{"the same", base, true},
		{"the same, with a pointer of its own", with(func(*breaker.Config) {}), true},
		{"a default written out", with(func(c *breaker.Config) { c.FailureRate = 50 }), true},
		{"another number", with(func(c *breaker.Config) { c.MinimumCalls = 8 }), false},
		{"another number behind a pointer", with(func(c *breaker.Config) { c.Evidence.Healthy = 0.02 }), false},
		{"a rule less", with(func(c *breaker.Config) { c.Evidence = nil }), false},
	} {
		t.Run("breaker: "+c.name, func(t *testing.T) {
			r := newRig(t, registry.Config{})
			first := must(r.Breaker("stock", base))
			before := first.Config()
			second, err := r.Breaker("stock", c.cfg)
			if c.same {
				equal(t, "error", err, nil)
				equal(t, "the same", second, first)
			} else {
				matches(t, "Breaker", err, registry.ErrExists)
				equal(t, "nothing else", second, nil)
			}
			equal(t, "config", first.Config(), before)
			r.has("stock")
		})
	}
	t.Run("an invalid configuration is called that", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		r.breaker("stock")
		_, err := r.Breaker("stock", breaker.Config{MinimumCalls: -1})
		matches(t, "Breaker", err, switchgear.ErrConfig)
	})
	t.Run("after a reconfiguration both the first and the one in effect will do", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		b := r.breaker("stock")
		if err := b.Reconfigure(breaker.Config{MinimumCalls: 5}); err != nil {
			t.Fatal(err)
		}
		for _, cfg := range []breaker.Config{{}, {FailureRate: 50}, {MinimumCalls: 5}} {
			same, err := r.Breaker("stock", cfg)
			equal(t, "error", err, nil)
			equal(t, "the same", same, b)
		}
		_, err := r.Breaker("stock", breaker.Config{MinimumCalls: 6})
		matches(t, "Breaker", err, registry.ErrExists)
	})
	t.Run("pipelines are compared field by field, through pointers and lists", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		cfg := func(n int, accept ...pipeline.Check) pipeline.Config {
			return pipeline.Config{Bulkhead: &bulkhead.Config{MaxConcurrent: n}, Accept: accept}
		}
		p := must(r.Pipeline("stock", cfg(3)))
		for _, same := range []pipeline.Config{cfg(3), cfg(3, []pipeline.Check{}...)} {
			q, err := r.Pipeline("stock", same)
			equal(t, "error", err, nil)
			equal(t, "the same", q, p)
		}
		for _, other := range []pipeline.Config{{}, cfg(4), cfg(3, pipeline.UnboundedRetry)} {
			_, err := r.Pipeline("stock", other)
			matches(t, "Pipeline", err, registry.ErrExists)
		}
	})
	t.Run("a breaker is no pipeline and the other way round", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		r.breaker("b")
		must(r.Pipeline("p", pipeline.Config{}))
		_, err := r.Pipeline("b", pipeline.Config{})
		matches(t, "Pipeline", err, registry.ErrExists)
		_, err = r.Breaker("p", breaker.Config{})
		matches(t, "Breaker", err, registry.ErrExists)
	})
}

func TestAdd(t *testing.T) {
	t.Run("a breaker and a pipeline stand under their own names", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		b := must(breaker.New("b", breaker.Config{}, breaker.WithListener(r.Listener())))
		p := must(pipeline.New("p", pipeline.Config{Breaker: &breaker.Config{}}))
		for range 2 { // again changes nothing
			equal(t, "AddBreaker", r.AddBreaker(b), nil)
			equal(t, "AddPipeline", r.AddPipeline(p), nil)
		}
		equal(t, "entries", slices.Collect(r.Entries()), []registry.Entry{{"b", b, nil}, {"p", p.Breaker(), p}})
		move(t, b, breaker.Disabled)
		equal(t, "events", len(r.Recent(10)), 1)
	})
	t.Run("a name that is taken is refused", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		made := r.breaker("b")
		other := must(breaker.New("b", breaker.Config{}))
		matches(t, "AddBreaker", r.AddBreaker(other), registry.ErrExists)
		matches(t, "AddPipeline", r.AddPipeline(must(pipeline.New("b", pipeline.Config{}))), registry.ErrExists)
		equal(t, "still", r.breaker("b"), made)
	})
	t.Run("what was added is found by its configuration in effect", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		b := must(breaker.New("b", breaker.Config{MinimumCalls: 3}))
		equal(t, "AddBreaker", r.AddBreaker(b), nil)
		equal(t, "the same", must(r.Breaker("b", breaker.Config{MinimumCalls: 3})), b)
		_, err := r.Breaker("b", breaker.Config{})
		matches(t, "Breaker", err, registry.ErrExists)
		p := must(pipeline.New("p", pipeline.Config{}))
		equal(t, "AddPipeline", r.AddPipeline(p), nil)
		_, err = r.Pipeline("p", pipeline.Config{})
		matches(t, "Pipeline", err, registry.ErrExists)
	})
	t.Run("nil is refused", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		matches(t, "AddBreaker", r.AddBreaker(nil), switchgear.ErrConfig)
		matches(t, "AddPipeline", r.AddPipeline(nil), switchgear.ErrConfig)
	})
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		name, give string
		ok         bool
	}{
		{"the shortest", "x", true},
		{"the longest", strings.Repeat("x", registry.MaxName), true},
		{"letters of any script, spaces and control characters", "ßтест 名前\n\x00<script>\u202e", true},
		{"empty", "", false},
		{"too long", strings.Repeat("x", registry.MaxName+1), false},
		{"not UTF-8", "x\xff", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, registry.Config{})
			_, err := r.Breaker(c.give, breaker.Config{})
			_, err2 := r.Pipeline(c.give+c.give[:0], pipeline.Config{})
			err3 := r.AddBreaker(must(breaker.New(c.give, breaker.Config{})))
			if c.ok {
				equal(t, "error", err, nil)
				r.has(c.give)
				return
			}
			for _, err := range []error{err, err2, err3} {
				matches(t, "name", err, switchgear.ErrConfig)
				if len(err.Error()) > 2*registry.MaxName {
					t.Errorf("the error has %d bytes", len(err.Error()))
				}
			}
			r.has()
		})
	}
}

// A name may be cut out of something large, such as a request, which must not be kept.
func TestNamesAreCopied(t *testing.T) {
	r := newRig(t, registry.Config{})
	name := strings.Clone("stock")
	b := r.breaker(name)
	e, _ := r.Lookup(name)
	for _, kept := range []string{e.Name, b.Name()} {
		equal(t, "a copy", unsafe.StringData(kept) != unsafe.StringData(name), true)
	}
}

func TestRemove(t *testing.T) {
	t.Run("the name is free for another one", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		first := r.breaker("stock")
		equal(t, "removed", r.Remove("stock"), true)
		equal(t, "again", r.Remove("stock"), false)
		r.has()
		equal(t, "Len", r.Len(), 0)
		second := must(r.Breaker("stock", breaker.Config{MinimumCalls: 3}))
		equal(t, "another one", first != second, true)
		equal(t, "counters", r.Counters(), registry.Counters{Added: 2, Removed: 1})
	})
	t.Run("what is removed is closed, and goes on working", func(t *testing.T) {
		r := newRig(t, registry.Config{})
		b := r.breaker("b")
		p := must(r.Pipeline("p", pipeline.Config{Breaker: &breaker.Config{}}))
		added := must(breaker.New("added", breaker.Config{}, breaker.WithClock(r.clock)))
		equal(t, "AddBreaker", r.AddBreaker(added), nil)
		for _, b := range []*breaker.Breaker{b, p.Breaker(), added} {
			if err := b.Move(breaker.Move{To: breaker.ForcedOpen, Reason: "test", For: time.Minute}); err != nil {
				t.Fatal(err)
			}
		}
		equal(t, "timers", r.clock.Pending(), 3)
		for _, name := range []string{"b", "p", "added"} {
			r.Remove(name)
		}
		equal(t, "timers", r.clock.Pending(), 0)
		equal(t, "state", b.State(), breaker.ForcedOpen)
		r.clock.Advance(time.Minute)
		equal(t, "ready", b.Ready(), true)
	})
}

func TestClose(t *testing.T) {
	r := newRig(t, registry.Config{})
	expiring := breaker.Move{To: breaker.ForcedOpen, Reason: "test", For: time.Minute}
	b := r.breaker("b")
	if err := b.Move(expiring); err != nil {
		t.Fatal(err)
	}
	equal(t, "timers", r.clock.Pending(), 1)
	r.Close()
	equal(t, "timers", r.clock.Pending(), 0)
	r.has("b")
	later := r.breaker("later")
	if err := later.Move(expiring); err != nil {
		t.Fatal(err)
	}
	equal(t, "timers", r.clock.Pending(), 0)
}

func TestFull(t *testing.T) {
	r := newRig(t, registry.Config{Max: 2, IdleAfter: off})
	r.breaker("a")
	r.breaker("b")
	for _, name := range []string{"c", "c", "d"} {
		_, err := r.Breaker(name, breaker.Config{})
		matches(t, "Breaker", err, registry.ErrFull)
	}
	matches(t, "AddBreaker", r.AddBreaker(must(breaker.New("e", breaker.Config{}))), registry.ErrFull)
	r.breaker("a") // those that are there are not concerned
	r.has("a", "b")
	equal(t, "refused", r.Counters().Refused, 4)

	const first = `all 2 places are taken: there is none for further names, first of them "c"`
	warnings := func() (texts []string) {
		for _, e := range r.Recent(100) {
			equal(t, "source", e.Source, "registry")
			equal(t, "kind", e.Kind, event.Warning)
			texts = append(texts, e.Reason)
		}
		return texts
	}
	equal(t, "warnings", warnings(), []string{first})
	r.Remove("a")
	r.breaker("d")
	_, err := r.Breaker("e", breaker.Config{})
	matches(t, "Breaker", err, registry.ErrFull)
	equal(t, "warned again after there was room", len(warnings()), 2)
}

// A policy reports its warnings from inside New. The registry passes them on when the
// policy can be found, since a listener may ask for it.
func TestListenersHearOfWhatCanBeFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // where a deadlock is an error
		var r *registry.Registry
		var kinds []event.Kind
		r = newRegistry(t, registry.Config{}, registry.WithListener(event.Func(func(e event.Event) {
			kinds = append(kinds, e.Kind)
			b, err := r.Breaker(e.Name, doubtful)
			if err != nil {
				t.Errorf("Breaker: %v", err)
				return
			}
			if e.Kind == event.Warning { // and what this causes comes after it
				move(t, b, breaker.Disabled)
			}
		})))
		must(r.Breaker("stock", doubtful))
		equal(t, "kinds", kinds, []event.Kind{event.Warning, event.Transition})
		equal(t, "hub", len(r.Recent(10)), 2)
	})
}

func TestListenersThatFailHarmNoOther(t *testing.T) {
	var heard recorder
	r := newRig(t, registry.Config{},
		registry.WithListener(event.Func(func(event.Event) { panic("boom") })), registry.WithListener(&heard))
	b := must(r.Breaker("stock", doubtful))
	move(t, b, breaker.Disabled)
	equal(t, "heard", heard.all(), []string{"stock warning ", "stock transition DISABLED"})
	equal(t, "panics while it was made", r.Counters().ListenerPanics, 1)
	equal(t, "panics later", b.Snapshot().ListenerPanics, 1)
}

// A listener that ends its goroutine, as t.FailNow does, keeps nothing from the others.
func TestListenerEndsTheGoroutine(t *testing.T) {
	var heard recorder
	ended := 0
	r := newRig(t, registry.Config{},
		registry.WithListener(event.Func(func(event.Event) { ended++; runtime.Goexit() })), registry.WithListener(&heard))
	var watched recorder
	r.Observe(watched.observer())
	apart(func() { must(r.Breaker("stock", doubtful)) })
	equal(t, "heard", heard.all(), []string{"stock warning "})
	equal(t, "observed", watched.all(), []string{"+stock"})
	equal(t, "remembered", len(r.Recent(10)), 1)
	apart(func() { move(t, must(r.Breaker("stock", doubtful)), breaker.Disabled) })
	equal(t, "goroutines ended", ended, 2)
	r.has("stock")
}

// Whoever makes an entry and panics leaves nothing behind, and the next one makes it.
func TestMakerPanics(t *testing.T) {
	c := &brokenClock{Virtual: clock.NewVirtual(start)}
	r := newRegistry(t, registry.Config{Max: 1}, registry.WithClock(c))
	c.broken = true
	func() {
		defer func() { equal(t, "panic", recover(), any("boom")) }()
		_, _ = r.Breaker("stock", breaker.Config{})
	}()
	c.broken = false
	equal(t, "Len", r.Len(), 0)
	must(r.Breaker("stock", breaker.Config{}))
	equal(t, "Len", r.Len(), 1)
}

type brokenClock struct {
	*clock.Virtual
	broken bool
}

func (c *brokenClock) Mono() time.Duration {
	if c.broken {
		panic("boom")
	}
	return c.Virtual.Mono()
}

// A listener among the options of a breaker hears of warnings before the breaker is
// there. It must not ask for that breaker, which is being made and would be waited for;
// everything else it may.
func TestListenerAmongTheOptions(t *testing.T) {
	var r *registry.Registry
	heard := 0
	r = newRegistry(t, registry.Config{}, registry.WithBreaker(breaker.WithListener(event.Func(func(e event.Event) {
		heard++
		_, found := r.Lookup(e.Name)
		equal(t, "found", found, false)
		equal(t, "names", len(names(r)), 0)
		must(r.Pipeline("other", pipeline.Config{}))
		equal(t, "removed", r.Remove("other"), true)
	}))))
	must(r.Breaker("stock", doubtful))
	equal(t, "heard", heard > 0, true)
}
