package breaker_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/evidence"
)

// TestReconfigureUnderLoad changes the configuration as fast as it can while many
// goroutines make calls, and somebody looks on.
func TestReconfigureUnderLoad(t *testing.T) {
	t.Run("R2, N1: no call is lost, and none becomes late", func(t *testing.T) {
		c := newCrowd(t, calmConfigs[0])
		sum := c.run(calmConfigs)
		equal(t, "period", c.b.Snapshot().Period, 1)
		equal(t, "counters", c.b.Counters(), breaker.Counters{
			Successful: sum.successful, Failed: sum.failed, Ignored: sum.ignored, Released: sum.released,
		})
	})
	t.Run("R3: no outcome is lost from a window that is long enough", func(t *testing.T) {
		configs := make([]breaker.Config, 5)
		for i, w := range []breaker.WindowConfig{
			{Length: time.Hour}, {Length: 2 * time.Hour, Buckets: 120}, {Length: time.Hour, Buckets: 6},
			{Length: time.Hour, Buckets: 3600}, {Length: 2 * time.Hour, Buckets: 12},
		} {
			configs[i] = breaker.Config{Window: w, FailureRate: off}
		}
		c := newCrowd(t, configs[0])
		sum := c.run(configs)
		n := c.b.Snapshot().Numbers
		equal(t, "calls and failures in the window", [2]uint64{uint64(n.Calls), uint64(n.Failed)},
			[2]uint64{sum.successful + sum.failed, sum.failed})
	})
	t.Run("R2, R7, S5, S7, H1, N1: also while it trips and probes all the time", func(t *testing.T) {
		noLeak(t)
		c := newCrowd(t, nervousConfigs[0])
		sum := c.run(nervousConfigs)
		n := c.b.Counters()
		equal(t, "rejected", n.Rejected, sum.refused)
		equal(t, "ended", n.Successful+n.Failed+n.Ignored+n.Released+n.Late, sum.admitted)
		if n.Trips == 0 || n.Probes == 0 {
			t.Errorf("%d trips and %d probes: there was nothing to see", n.Trips, n.Probes)
		}

		// Whatever state the last change left it in, it finds its way back.
		cfg := nervousConfigs[0]
		cfg.Open = breaker.OpenConfig{Wait: ns, Jitter: off}
		if err := c.b.Reconfigure(cfg); err != nil {
			t.Fatal(err)
		}
		for range 1_000_000 {
			if c.b.State() == breaker.Closed {
				break
			}
			_ = c.b.Do(context.Background(), func(context.Context) error { return nil })
		}
		equal(t, "state", c.b.State(), breaker.Closed)
		c.checkEvents()
	})
}

// calmConfigs change everything and never trip.
var calmConfigs = []breaker.Config{
	{FailureRate: off},
	{FailureRate: off, Window: breaker.WindowConfig{Calls: 100}},
	{FailureRate: off, Window: breaker.WindowConfig{Length: time.Millisecond}},
	{FailureRate: off, EnoughTime: time.Second},
	{FailureRate: off, Window: breaker.WindowConfig{Calls: 10}, SlowCall: breaker.SlowCallConfig{Duration: time.Hour}},
	{MinimumCalls: 1_000_000_000, SlowCall: breaker.SlowCallConfig{Duration: time.Hour, Rate: off}},
	{FailureRate: off, Evidence: &evidence.Config{Healthy: 0.4, Sick: 0.99, CallsPerFalseTrip: 1e15}},
	{FailureRate: off, FailureCount: 1_000_000_000, ConsecutiveFailures: 1_000_000},
}

// nervousConfigs trip at once, and come back at once. A permit is never out for
// long, so there is no need for a probe limit.
var nervousConfigs = func() (configs []breaker.Config) {
	for i, h := range []breaker.HalfOpenConfig{
		{Probes: 8}, {Probes: 1}, {Probes: 8, Verdict: breaker.ByStreak, Successes: 20}, {Probes: 3},
		{Probes: 2, Verdict: breaker.ByStreak}, {Probes: 6, MaxWait: 20 * time.Microsecond},
	} {
		h.ProbeLimit = off
		cfg := breaker.Config{Window: breaker.WindowConfig{Calls: 5 + i}, MinimumCalls: 5, HalfOpen: h}
		cfg.Open = breaker.OpenConfig{Wait: time.Duration(1+20*i) * time.Microsecond, Factor: float64(1 + i%2), Automatic: i%3 == 2}
		if i%2 == 1 {
			cfg.Window = breaker.WindowConfig{Length: 5 * time.Millisecond}
			cfg.SlowCall.Duration = time.Hour
		}
		configs = append(configs, cfg)
	}
	return configs
}()

const mostProbes = 8 // of nervousConfigs

// A crowd is many goroutines on one breaker.
type crowd struct {
	t      *testing.T
	b      *breaker.Breaker
	heard  []event.Event // one after the other (S7): the race detector checks it
	done   atomic.Bool
	mu     sync.Mutex
	probes map[uint64]int // that are out, by period
}

// ends says what became of calls.
type ends struct{ admitted, refused, successful, failed, ignored, released uint64 }

func newCrowd(t *testing.T, cfg breaker.Config) *crowd {
	c := &crowd{t: t, probes: map[uint64]int{}}
	c.b = breaker.Must(breaker.New("stock", cfg, breaker.WithListener(c)))
	t.Cleanup(c.b.Close)
	return c
}

func (c *crowd) OnEvent(e event.Event) { c.heard = append(c.heard, e) }

// run goes through the configurations while the crowd is at work, and returns what
// the members of the crowd have seen.
func (c *crowd) run(configs []breaker.Config) (sum ends) {
	const members = 8
	ends := make([]ends, members)
	var wg, atWork sync.WaitGroup
	atWork.Add(members)
	for i := range ends {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 5))
			c.call(r, &ends[i])
			atWork.Done()
			for !c.done.Load() {
				c.call(r, &ends[i])
			}
		})
	}
	wg.Go(c.look)
	atWork.Wait()
	const rounds = 1000
	for i := range rounds {
		if err := c.b.Reconfigure(configs[(i+1)%len(configs)]); err != nil {
			c.t.Error(err)
		}
		if i%10 == 0 {
			runtime.Gosched() // on a machine with few processors
		}
	}
	c.done.Store(true)
	wg.Wait()
	equal(c.t, "version", c.b.Snapshot().ConfigVersion, 1+rounds)
	for _, e := range ends {
		sum.admitted += e.admitted
		sum.refused += e.refused
		sum.successful += e.successful
		sum.failed += e.failed
		sum.ignored += e.ignored
		sum.released += e.released
	}
	return sum
}

// call makes one call in one of the ways there are, and counts how it ended.
func (c *crowd) call(r *rand.Rand, e *ends) {
	var end *uint64
	var err error
	switch n := r.IntN(20); {
	case n < 12:
		end = &e.successful
	case n < 16:
		end, err = &e.failed, errDown
	case n < 18:
		end, err = &e.ignored, switchgear.MarkIgnored(errDown)
	default:
		end = &e.released
	}

	if end != &e.released && r.IntN(2) == 0 {
		got := c.b.Do(context.Background(), func(context.Context) error { return err })
		if errors.Is(got, breaker.ErrRejected) {
			e.refused++
			return
		}
	} else {
		p, refusal := c.b.Acquire(context.Background())
		if refusal != nil {
			e.refused++
			return
		}
		state, period := p.IssuedBy()
		if state != breaker.Closed && state != breaker.HalfOpen {
			c.t.Errorf("a call was admitted in %v", state)
		}
		probe := p.Probe()
		if probe {
			c.count(period, 1)
		}
		if r.IntN(4) == 0 {
			runtime.Gosched() // to be out while things change
		}
		if probe {
			c.count(period, -1)
		}
		if end == &e.released {
			p.Release()
		} else {
			p.Done(err)
		}
	}
	e.admitted++
	*end++
}

// count keeps the number of a period's probes that are out.
func (c *crowd) count(period uint64, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.probes[period] += n; c.probes[period] > mostProbes {
		c.t.Errorf("%d probes are out, no configuration allows more than %d", c.probes[period], mostProbes)
	}
	if c.probes[period] == 0 {
		delete(c.probes, period)
	}
}

// look checks that nothing runs backwards.
func (c *crowd) look() {
	var before breaker.Snapshot
	for !c.done.Load() {
		now := c.b.Snapshot()
		c.b.Save()
		if now.Period < before.Period || now.ConfigVersion < before.ConfigVersion {
			c.t.Errorf("period and version went from %d, %d to %d, %d", before.Period, before.ConfigVersion, now.Period, now.ConfigVersion)
		}
		a, b := reflect.ValueOf(before.Counters), reflect.ValueOf(now.Counters)
		for i := range a.NumField() {
			if b.Field(i).Uint() < a.Field(i).Uint() {
				c.t.Errorf("%s went from %v to %v", a.Type().Field(i).Name, a.Field(i), b.Field(i))
			}
		}
		before = now
		runtime.Gosched()
	}
}

// checkEvents checks that the events tell one story without gaps.
func (c *crowd) checkEvents() {
	state, period, version := breaker.Closed.String(), uint64(1), uint64(1)
	for i, e := range c.heard {
		ok := e.Seq == uint64(i+1)
		switch e.Kind {
		case event.Transition:
			ok = ok && e.From == state && e.Period == period+1
			state, period = e.To, e.Period
		case event.Reconfigured:
			version++
			ok = ok && e.Period == period && e.Detail.(*breaker.Reconfiguration).Version == version
		}
		if !ok {
			c.t.Fatalf("event %d does not follow from those before it: %v", i, e)
		}
	}
	equal(c.t, "state", c.b.State().String(), state)
}
