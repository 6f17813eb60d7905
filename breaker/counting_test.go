package breaker_test

import (
	"context"
	"encoding/json"
	"runtime"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/evidence"
)

func TestCounters(t *testing.T) {
	t.Run("N1: each counter counts its own", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) {
			c.SlowCall = breaker.SlowCallConfig{Duration: time.Second, Rate: off}
			c.HalfOpen.ProbeLimit = time.Minute
		}))
		stale := r.admitted()
		r.succeed(5)
		r.take(2 * time.Second)
		r.ignore(3)
		p := r.admitted()
		p.Release()
		r.fail(5)
		r.refused()
		r.refused()
		stale.Success()
		r.clock.Advance(10 * time.Second)
		p = r.admitted()
		p.Ignore()
		r.succeed(1)
		r.admitted() // never settled
		r.clock.Advance(time.Minute)
		r.refused()
		equal(t, "counters", r.Counters(), breaker.Counters{
			Successful: 7, Failed: 5, Slow: 1, Ignored: 4, Released: 1, Rejected: 3, Late: 1,
			Trips: 2, Probes: 3, GivenBack: 1, Overdue: 1, ProbesGood: 1, ProbesFailed: 1,
		})
		equal(t, "in the snapshot", r.Snapshot().Counters, r.Counters())
	})
	t.Run("N1: they count in every state", func(t *testing.T) {
		for _, to := range everyState {
			if to == breaker.Open || to == breaker.ForcedOpen {
				continue // nothing is admitted there
			}
			r := newRig(t, with(func(c *breaker.Config) { c.HalfOpen.Probes, c.MinimumCalls = 10, 10 }))
			r.move(to)
			r.succeed(3)
			r.fail(2)
			r.ignore(1)
			p := r.admitted()
			p.Release()
			r.in(to)
			c := r.Counters()
			equal(t, "in "+to.String(), [4]uint64{c.Successful, c.Failed, c.Ignored, c.Released}, [4]uint64{3, 2, 1, 1})
		}
	})
	t.Run("N1: none is lost over transitions, and admitted is the sum", func(t *testing.T) {
		r := newRig(t, plain())
		admitted := uint64(0)
		for i := range 200 {
			for range 7 {
				if p, err := r.Acquire(context.Background()); err == nil {
					admitted++
					switch i % 5 {
					case 0, 1:
						p.Success()
					case 2:
						p.Failure(errDown)
					case 3:
						p.Ignore()
					default:
						p.Release()
					}
				}
			}
			r.clock.Advance(time.Duration(i) * time.Second)
			if i%20 == 19 {
				r.move(everyState[i/20%len(everyState)])
			}
		}
		c := r.Counters()
		equal(t, "sum", c.Successful+c.Failed+c.Ignored+c.Released+c.Late, admitted)
		equal(t, "rejected", c.Rejected, 200*7-admitted)
	})
	t.Run("N1: their names in documents", func(t *testing.T) {
		text, err := json.Marshal(breaker.Counters{Successful: 1, GivenBack: 2})
		equal(t, "error", err, nil)
		equal(t, "text", string(text), `{"successful":1,"failed":0,"slow":0,"ignored":0,"released":0,"rejected":0,`+
			`"late":0,"trips":0,"probes":0,"given_back":2,"overdue":0,"probes_good":0,"probes_failed":0}`)
	})
}

// kinds are the configurations between which the hot path differs.
func kinds() map[string]breaker.Config {
	timed := breaker.WindowConfig{Length: time.Minute}
	return map[string]breaker.Config{
		"count window":     plain(),
		"time window":      {Window: timed},
		"slow calls":       {SlowCall: breaker.SlowCallConfig{Duration: time.Second}},
		"evidence":         with(func(c *breaker.Config) { c.FailureRate, c.Evidence = off, &evidence.Config{} }),
		"rise limit":       with(func(c *breaker.Config) { c.Evidence = &evidence.Config{MaxRise: 3} }),
		"several rules":    {Window: timed, ConsecutiveFailures: 1000, FailureCount: 1000, EnoughTime: time.Second},
		"during the grace": with(func(c *breaker.Config) { c.Grace = time.Hour }),
	}
}

func TestAllocations(t *testing.T) {
	ctx := context.Background()
	zero := func(t *testing.T, what string, f func()) {
		t.Helper()
		if n := testing.AllocsPerRun(1000, f); n != 0 {
			t.Errorf("%s: %v allocations", what, n)
		}
	}
	for name, cfg := range kinds() {
		t.Run("K2: a success does not allocate, "+name, func(t *testing.T) {
			b := breaker.Must(breaker.New("stock", cfg))
			zero(t, "Acquire and Success", func() {
				p, err := b.Acquire(ctx)
				if err != nil {
					t.Fatal(err)
				}
				p.Success()
			})
			zero(t, "Acquire and Done", func() {
				p, _ := b.Acquire(ctx)
				p.Start()
				p.Done(nil)
			})
			sum := 0
			zero(t, "Do with a capturing closure", func() {
				n, err := breaker.Do(ctx, b, func(context.Context) (int, error) { sum++; return sum, nil })
				if n == 0 || err != nil {
					t.Fatal(n, err)
				}
			})
			zero(t, "Breaker.Do with a capturing closure", func() {
				if err := b.Do(ctx, func(context.Context) error { sum++; return nil }); err != nil {
					t.Fatal(err)
				}
			})
			zero(t, "DoJudged", func() {
				_, _ = breaker.DoJudged(ctx, b,
					func(n int, err error) switchgear.Outcome { sum += n; return switchgear.Undecided },
					func(context.Context) (int, error) { return 1, nil })
			})
		})
		t.Run("K2: a refusal does not allocate, "+name, func(t *testing.T) {
			b := breaker.Must(breaker.New("stock", cfg, breaker.WithClock(clock.NewVirtual(start))))
			for _, to := range []breaker.State{breaker.Open, breaker.ForcedOpen, breaker.HalfOpen} {
				if err := b.Move(breaker.Move{To: to, Reason: "test"}); err != nil {
					t.Fatal(err)
				}
				for b.Ready() { // take all slots
					if _, err := b.Acquire(ctx); err != nil {
						t.Fatal(err)
					}
				}
				zero(t, "Acquire in "+to.String(), func() {
					if _, err := b.Acquire(ctx); err == nil {
						t.Fatal("admitted")
					}
				})
				captured := 0
				zero(t, "Do in "+to.String(), func() {
					if err := b.Do(ctx, func(context.Context) error { captured++; return nil }); err == nil {
						t.Fatal("admitted")
					}
				})
			}
		})
	}
	t.Run("K2: nor does a failure that trips nothing, nor reading", func(t *testing.T) {
		b := breaker.Must(breaker.New("stock", breaker.Config{FailureRate: off, FailureCount: 1_000_000_000}))
		zero(t, "failure", func() {
			p, _ := b.Acquire(ctx)
			p.Failure(errDown)
		})
		zero(t, "State, Ready, Counters and Snapshot", func() {
			b.State()
			b.Ready()
			b.Counters()
			b.Snapshot()
		})
	})
}

// measure returns the heap bytes that one of n things made by f takes.
func measure(n int, f func() any) int64 {
	kept := make([]any, n)
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	for i := range kept {
		kept[i] = f()
	}
	size := (heap() - before) / int64(n)
	runtime.KeepAlive(kept)
	return size
}

func TestMemory(t *testing.T) {
	// The counter cells are two a processor; these are the numbers for two.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	for _, c := range []struct {
		calls int
		most  int64
	}{{100, 1 << 10}, {10_000, 5 << 10}} {
		cfg := breaker.Config{Window: breaker.WindowConfig{Calls: c.calls}}
		// So many that the few kilobytes which the runtime takes meanwhile, divided
		// among them, are less than a byte.
		size := measure(20_000, func() any { return breaker.Must(breaker.New("stock", cfg)) })
		if size > c.most {
			t.Errorf("an idle breaker with a window of %d calls takes %d bytes, want at most %d", c.calls, size, c.most)
		}
		t.Logf("an idle breaker with a window of %d calls takes %d bytes", c.calls, size)
	}
}

func TestQuiet(t *testing.T) {
	t.Run("K2: no goroutine and no timer unless asked for", func(t *testing.T) {
		noLeak(t)
		before := runtime.NumGoroutine()
		r := newRig(t, plain())
		for range 3 {
			r.trip()
			equal(t, "timers", r.clock.Pending(), 0)
			r.clock.Advance(10 * time.Second)
			r.succeed(2)
			r.in(breaker.Closed)
			for _, to := range everyState {
				r.move(to)
				equal(t, "timers", r.clock.Pending(), 0)
			}
			r.move(breaker.Closed)
		}
		equal(t, "goroutines", runtime.NumGoroutine(), before)
		r.moveFor(breaker.ForcedOpen, time.Hour)
		equal(t, "timers with an expiry", r.clock.Pending(), 1)
		r.Close()
		equal(t, "timers after Close", r.clock.Pending(), 0)
	})
	t.Run("K2: an asynchronous listener has a goroutine only while it works", func(t *testing.T) {
		noLeak(t)
		done := make(chan event.Event, 10)
		async := event.Async(event.Func(func(e event.Event) { done <- e }), 10)
		r := newRig(t, plain(), breaker.WithListener(async))
		r.trip()
		equal(t, "to", (<-done).To, "OPEN")
		if err := async.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	t.Run("K1: in steady state another success changes nothing but counters", func(t *testing.T) {
		r := newRig(t, plain())
		r.succeed(10)
		before := r.Snapshot()
		r.succeed(1_000)
		before.Counters.Successful += 1_000
		equal(t, "snapshot", r.Snapshot(), before)
	})
}
