package inject_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/inject"
)

func TestProbability(t *testing.T) {
	const calls = 100_000
	count := func(calls int, p switchgear.Percent, opts ...inject.Option) *rig {
		r := rigWith(t, inject.Config{Seed: 7, Faults: []inject.Fault{{Kind: inject.Failure, Probability: p}}}, opts...).on()
		r.struck(calls)
		return r
	}
	t.Run("K72: probability 0 strikes no call", func(t *testing.T) {
		for _, opt := range []inject.Option{nil, inject.WithRandom(func() float64 { return 0 })} {
			equal(t, "counters", count(calls, 0, opt).Counters(), inject.Counters{Calls: calls})
		}
	})
	t.Run("K72: probability 100 strikes all", func(t *testing.T) {
		for _, opt := range []inject.Option{nil, inject.WithRandom(func() float64 { return 1 })} {
			equal(t, "counters", count(calls, 100, opt).Counters(), inject.Counters{Calls: calls, Disturbed: calls, Failed: calls})
		}
	})
	t.Run("K72: probability 50 strikes half, the same on every run", func(t *testing.T) {
		r := newRig(t, inject.Fault{Kind: inject.Failure, Probability: 50})
		first := r.on().struck(calls)
		if n := len(first); n < 49_000 || n > 51_000 {
			t.Errorf("%d of %d struck", n, calls)
		}
		equal(t, "the same calls, switched on again", slices.Equal(r.on().struck(calls), first), true)
		again := newRig(t, inject.Fault{Kind: inject.Failure, Probability: 50}).on()
		equal(t, "the same calls, made again", slices.Equal(again.struck(calls), first), true)
		other := rigWith(t, inject.Config{Seed: 2, Faults: []inject.Fault{{Kind: inject.Failure, Probability: 50}}}).on()
		equal(t, "the same calls with another seed", slices.Equal(other.struck(calls), first), false)
	})
	t.Run("K72: a random source of one's own", func(t *testing.T) {
		run := func() []int {
			random := rand.New(rand.NewPCG(1, 2)).Float64
			return rigWith(t, inject.Config{Faults: []inject.Fault{{Kind: inject.Failure, Probability: 50}}}, inject.WithRandom(random)).on().struck(1000)
		}
		equal(t, "the same calls", run(), run())
	})
	t.Run("other shares are met", func(t *testing.T) {
		for _, p := range []switchgear.Percent{1, 1.5, 33.33, 99.99} {
			const calls = 20_000
			n, share := float64(count(calls, p).Counters().Disturbed), float64(p)/100
			if spread := 4 * math.Sqrt(calls*share*(1-share)); math.Abs(n-calls*share) > spread {
				t.Errorf("%v: %v of %d struck, more than %v off", p, n, calls, spread)
			}
		}
	})
	t.Run("faults strike independently", func(t *testing.T) {
		r := newRig(t,
			inject.Fault{Kind: inject.Latency, Probability: 50, Delay: ms},
			inject.Fault{Kind: inject.Failure, Probability: 50}).on()
		both := 0
		for range 20_000 {
			if e, _ := r.Draw(context.Background()); e.Delay > 0 && e.Err != nil {
				both++
			}
		}
		if both < 4_700 || both > 5_300 {
			t.Errorf("both strike %d of 20,000 calls, want about a quarter", both)
		}
	})
}

func TestDraw(t *testing.T) {
	t.Run("waits add up, and the first that ends the call ends it", func(t *testing.T) {
		r := rigWith(t, inject.Config{MaxHang: 7 * ms, Faults: []inject.Fault{
			{Kind: inject.Latency, Probability: 100, Delay: ms},
			{Kind: inject.Latency, Probability: 100, Delay: 2 * ms},
			{Kind: inject.Hang, Probability: 100, Message: "frozen"},
			{Kind: inject.Latency, Probability: 100, Delay: 4 * ms},
			{Kind: inject.Failure, Probability: 100},
		}}).on()
		e, struck := r.Draw(context.Background())
		equal(t, "struck", struck, true)
		equal(t, "effect", e, inject.Effect{Delay: 3 * ms, Hang: 7 * ms, Err: &inject.Error{Name: "stock", Kind: inject.Hang, Message: "frozen"}})
		equal(t, "counters", r.Counters(), inject.Counters{Calls: 1, Disturbed: 1, Delayed: 1, Hung: 1})
		equal(t, "struck by fault", r.Snapshot().Struck, []uint64{1, 1, 1, 0, 0})
	})
	t.Run("kinds", func(t *testing.T) {
		for kind, want := range map[inject.Kind]inject.Effect{
			inject.Failure: {Err: &inject.Error{Name: "stock", Kind: inject.Failure}},
			inject.Panic:   {Err: &inject.Error{Name: "stock", Kind: inject.Panic}, Panic: true},
			inject.Hang:    {Err: &inject.Error{Name: "stock", Kind: inject.Hang}, Hang: time.Minute},
		} {
			r := newRig(t, inject.Fault{Kind: kind, Probability: 100}).on()
			e, struck := r.Draw(context.Background())
			equal(t, "struck", struck, true)
			equal(t, "effect", e, want)
		}
	})
	t.Run("keys", func(t *testing.T) {
		r := newRig(t,
			inject.Fault{Kind: inject.Failure, Probability: 100, Keys: []string{"berlin", "rome"}},
			inject.Fault{Kind: inject.Panic, Probability: 100, Keys: []string{"oslo"}}).on()
		for key, want := range map[string]inject.Kind{"berlin": inject.Failure, "rome": inject.Failure, "oslo": inject.Panic, "paris": 0, "": 0} {
			e, struck := r.Draw(inject.WithKey(context.Background(), key))
			equal(t, key+" struck", struck, want != 0)
			if want != 0 {
				equal(t, key, e.Err.(*inject.Error).Kind, want)
			}
		}
		_, struck := r.Draw(context.Background())
		equal(t, "without a key", struck, false)
		inner := inject.WithKey(inject.WithKey(context.Background(), "berlin"), "paris")
		equal(t, "the innermost counts", inject.KeyOf(inner), "paris")
	})
	t.Run("a function finds the key, and is asked no more than it must", func(t *testing.T) {
		asked := 0
		find := inject.WithKeyFunc(func(context.Context) string { asked++; return "rome" })
		keyed := inject.Fault{Kind: inject.Latency, Delay: ms, Probability: 100, Keys: []string{"rome"}}
		r := rigWith(t, inject.Config{Faults: []inject.Fault{keyed, keyed}}, find)
		r.Draw(context.Background())
		equal(t, "asked while off", asked, 0)
		e, _ := r.on().Draw(context.Background())
		equal(t, "delay", e.Delay, 2*ms)
		equal(t, "asked", asked, 1)
		keyed.Keys = nil
		rigWith(t, inject.Config{Faults: []inject.Fault{keyed}}, find).on().Draw(context.Background())
		equal(t, "asked without faults that have keys", asked, 1)
	})
}

func TestSwitch(t *testing.T) {
	failure := inject.Fault{Kind: inject.Failure, Probability: 100}
	t.Run("off by default, on by order, off again by itself", func(t *testing.T) {
		r := newRig(t, failure)
		equal(t, "struck while off", len(r.struck(10)), 0)
		equal(t, "snapshot", r.Snapshot(), inject.Snapshot{Name: "stock", Struck: []uint64{0}})
		equal(t, "error", r.Enable("ana", "game day", 10*time.Minute), nil)
		equal(t, "struck while on", len(r.struck(10)), 10)
		r.clock.Advance(10*time.Minute - 1)
		equal(t, "snapshot", r.Snapshot(), inject.Snapshot{
			Name: "stock", On: true, Author: "ana", Reason: "game day", Since: r.clock.Now().Add(1 - 10*time.Minute), Left: 1,
			Counters: inject.Counters{Calls: 10, Disturbed: 10, Failed: 10}, Struck: []uint64{10},
		})
		equal(t, "struck just before the end", len(r.struck(1)), 1)
		r.clock.Advance(1)
		equal(t, "struck after it", len(r.struck(10)), 0)
		equal(t, "timers left", r.clock.Pending(), 0)

		equal(t, "events", len(r.heard), 2)
		equal(t, "switched on", r.heard[0].String(),
			`2026-03-01T03:00:00.000Z inject "stock" #1 transition OFF -> ON by "ana": "game day" ("1 fault for 10m0s")`)
		equal(t, "switched off", r.heard[1].String(),
			`2026-03-01T03:10:00.000Z inject "stock" #2 transition ON -> OFF: "expired after 10m0s" ("11 of 11 calls disturbed in 10m0s")`)
		equal(t, "what may happen", *r.heard[0].Detail.(*inject.Change), inject.Change{For: 10 * time.Minute, Faults: []inject.Fault{failure}, Seed: 1})
		equal(t, "K63: what was done", *r.heard[1].Detail.(*inject.Change), inject.Change{
			Lasted: 10 * time.Minute, Counters: inject.Counters{Calls: 11, Disturbed: 11, Failed: 11}, Struck: []uint64{11}})
	})
	t.Run("off by order", func(t *testing.T) {
		r := newRig(t, failure).on()
		r.struck(3)
		r.clock.Advance(time.Minute)
		r.Disable("bo", "seen enough")
		r.Disable("bo", "again")
		equal(t, "struck", len(r.struck(10)), 0)
		equal(t, "timers left", r.clock.Pending(), 0)
		equal(t, "events", len(r.heard), 2)
		e := r.heard[1]
		equal(t, "who and why", e.Author+": "+e.Reason, "bo: seen enough")
		equal(t, "lasted", e.Detail.(*inject.Change).Lasted, time.Minute)
	})
	t.Run("a new order takes the place of the old one", func(t *testing.T) {
		r := newRig(t, failure).on()
		r.struck(3)
		r.clock.Advance(59 * time.Minute)
		r.on()
		r.struck(4)
		r.clock.Advance(59 * time.Minute)
		equal(t, "struck when the old order would have ended", len(r.struck(1)), 1)
		equal(t, "timers", r.clock.Pending(), 1)
		r.clock.Advance(time.Minute)
		equal(t, "struck", len(r.struck(1)), 0)
		equal(t, "events", len(r.heard), 3)
		equal(t, "renewed", r.heard[1].Kind, event.Renewed)
		equal(t, "text", r.heard[1].Detail.(*inject.Change).String(), "3 of 3 calls disturbed in 59m0s; 1 fault for 1h0m0s")
		equal(t, "K63: of the second period", r.heard[2].Detail.(*inject.Change).Counters, inject.Counters{Calls: 5, Disturbed: 5, Failed: 5})
		equal(t, "of both", r.Counters(), inject.Counters{Calls: 8, Disturbed: 8, Failed: 8})
	})
	t.Run("a timer that is late changes nothing", func(t *testing.T) {
		for _, next := range []func(r *rig){func(r *rig) { r.on() }, func(r *rig) { r.Disable("ana", "") }} {
			r := newRig(t, failure)
			r.Injector = inject.Must(inject.New("stock", inject.Config{Faults: []inject.Fault{failure}},
				inject.WithClock(lateClock{r.clock}), inject.WithListener(r)))
			r.on()
			r.clock.Advance(time.Hour)
			equal(t, "struck", len(r.struck(1)), 0)
			equal(t, "on", r.Snapshot().On, false)
			next(r)
			equal(t, "expired first", r.heard[1].Reason, "expired after 1h0m0s")
			for _, e := range r.heard {
				equal(t, "kind", e.Kind, event.Transition)
			}
		}
	})
	t.Run("several faults", func(t *testing.T) {
		r := newRig(t, failure, failure).on()
		equal(t, "text", r.heard[0].Detail.(*inject.Change).String(), "2 faults for 1h0m0s")
	})
	t.Run("orders are checked", func(t *testing.T) {
		r := newRig(t, failure)
		err := r.Enable("ana", "", -1)
		equal(t, "error", err.Error(), `inject order "stock": invalid configuration: Reason = "": must not be empty: whoever meets the faults will want to know; For = -1ns: must be from 1ns to 720h0m0s`)
		equal(t, "K59: faults for ever", errors.Is(r.Enable("ana", "test", off), switchgear.ErrConfig), true)
		equal(t, "on", r.Snapshot().On, false)
		equal(t, "events", len(r.heard), 0)
		equal(t, "error", r.Enable("", "test", 0), nil)
		equal(t, "Z1: default", r.Snapshot().Left, time.Hour)
	})
	t.Run("a listener may use the injector", func(t *testing.T) {
		var i *inject.Injector
		i = inject.Must(inject.New("stock", inject.Config{Faults: []inject.Fault{failure}}, inject.WithListener(event.Func(func(e event.Event) {
			if e.To == "ON" {
				i.Disable("guard", "not here")
			}
		}))))
		equal(t, "error", i.Enable("ana", "test", time.Hour), nil)
		equal(t, "on", i.Snapshot().On, false)
		equal(t, "events", len(i.Events()), 2)
	})
	t.Run("what an event tells can be written", func(t *testing.T) {
		r := newRig(t, failure).on()
		text, err := json.Marshal(r.heard[0].Detail)
		equal(t, "error", err, nil)
		equal(t, "text", string(text), `{"counters":{"calls":0,"disturbed":0,"failed":0,"delayed":0,"hung":0,"panicked":0},"for":3600000000000,`+
			`"faults":[{"Kind":"error","Probability":"100%","Keys":null,"Delay":0,"Message":""}],"seed":1}`)
	})
}

// A lateClock never calls back.
type lateClock struct{ clock.Clock }

func (lateClock) AfterFunc(time.Duration, func()) clock.Timer { return never{} }

type never struct{}

func (never) Stop() bool { return true }

func TestDo(t *testing.T) {
	// Each test is in a bubble, on the machine's clock.
	test := func(name string, cfg inject.Config, f func(t *testing.T, i *inject.Injector)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				i := inject.Must(inject.New("stock", cfg))
				equal(t, "error", i.Enable("ana", "test", time.Hour), nil)
				defer i.Disable("ana", "done")
				f(t, i)
			})
		})
	}
	always := func(k inject.Kind) inject.Config {
		f := inject.Fault{Kind: k, Probability: 100, Message: "on purpose"}
		if k == inject.Latency {
			f.Delay, f.Message = 10*ms, ""
		}
		return inject.Config{Faults: []inject.Fault{f}}
	}
	test("error", always(inject.Failure), func(t *testing.T, i *inject.Injector) {
		made, err := call(context.Background(), i)
		equal(t, "made", made, false)
		equal(t, "error", *err.(*inject.Error), inject.Error{Name: "stock", Kind: inject.Failure, Message: "on purpose"})
		equal(t, "text", err.Error(), `inject "stock": injected error: on purpose`)
		equal(t, "injected", errors.Is(err, inject.ErrInjected), true)
		equal(t, "rejected", errors.Is(err, switchgear.ErrRejected), false)
		j := switchgear.Judge(context.Background(), err, time.Now, nil)
		equal(t, "judgement", j, switchgear.Judgement{Health: switchgear.Failure, Repeat: switchgear.RepeatYes})
		equal(t, "without a result", i.Do(context.Background(), func(context.Context) error { return nil }), err)
	})
	test("latency", always(inject.Latency), func(t *testing.T, i *inject.Injector) {
		begin := time.Now()
		made, err := call(context.Background(), i)
		equal(t, "made", made, true)
		equal(t, "error", err, nil)
		equal(t, "took", time.Since(begin), 10*ms)
		equal(t, "error of the function", i.Do(context.Background(), func(context.Context) error { return errDown }), errDown)

		ctx, cancel := context.WithTimeout(context.Background(), 4*ms)
		defer cancel()
		begin = time.Now()
		made, err = call(ctx, i)
		equal(t, "made", made, false)
		equal(t, "took", time.Since(begin), 4*ms)
		equal(t, "text", err.Error(), `inject "stock": injected latency: context deadline exceeded`)
		equal(t, "injected", errors.Is(err, inject.ErrInjected), true)
		equal(t, "deadline", errors.Is(err, context.DeadlineExceeded), true)
		equal(t, "delayed", i.Counters().Delayed, 3)
	})
	test("hang", inject.Config{MaxHang: 10 * ms, Faults: always(inject.Hang).Faults}, func(t *testing.T, i *inject.Injector) {
		begin := time.Now()
		made, err := call(context.Background(), i)
		equal(t, "made", made, false)
		equal(t, "took", time.Since(begin), 10*ms)
		equal(t, "text", err.Error(), `inject "stock": injected hang: on purpose`)

		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(4*ms, cancel)
		begin = time.Now()
		_, err = call(ctx, i)
		equal(t, "took", time.Since(begin), 4*ms)
		equal(t, "text", err.Error(), `inject "stock": injected hang: on purpose: context canceled`)
		equal(t, "K21: health", switchgear.Judge(ctx, err, time.Now, nil).Health, switchgear.Ignored)
	})
	test("a hang is a minute by default", always(inject.Hang), func(t *testing.T, i *inject.Injector) {
		begin := time.Now()
		_, err := call(context.Background(), i)
		equal(t, "took", time.Since(begin), time.Minute)
		equal(t, "injected", errors.Is(err, inject.ErrInjected), true)
	})
	test("panic", always(inject.Panic), func(t *testing.T, i *inject.Injector) {
		defer func() {
			err, ok := recover().(*inject.Error)
			equal(t, "panicked with an error", ok, true)
			equal(t, "text", err.Error(), `inject "stock": injected panic: on purpose`)
			equal(t, "panicked", i.Counters().Panicked, 1)
		}()
		_, _ = call(context.Background(), i)
		t.Error("no panic")
	})
	test("a breaker counts them as failures of the dependency", always(inject.Failure), func(t *testing.T, i *inject.Injector) {
		b := breaker.Must(breaker.New("stock", breaker.Config{ConsecutiveFailures: 5}))
		for range 5 {
			_ = b.Do(context.Background(), func(ctx context.Context) error {
				return i.Do(ctx, func(context.Context) error { return nil })
			})
		}
		equal(t, "state", b.State(), breaker.Open)
	})
	test("nothing", inject.Config{}, func(t *testing.T, i *inject.Injector) {
		made, err := call(context.Background(), i)
		equal(t, "made", made, true)
		equal(t, "error", err, nil)
		equal(t, "counters", i.Counters(), inject.Counters{Calls: 1})
	})
}

func TestAllocations(t *testing.T) {
	ctx := inject.WithKey(context.Background(), "rome")
	r := newRig(t, inject.Fault{Kind: inject.Failure, Probability: 50, Keys: []string{"rome"}})
	one := func() { _, _ = inject.Do(ctx, r.Injector, func(context.Context) (int, error) { return 1, nil }) }
	equal(t, "allocations while off", testing.AllocsPerRun(100, one), 0)
	r.on()
	equal(t, "allocations while on", testing.AllocsPerRun(100, one), 0)
}
