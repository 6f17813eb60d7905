package breaker_test

import (
	"context"
	"fmt"
	"math/rand/v2"
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

// stressed are the configurations under load. Intervals are tiny, so that a run
// goes through many periods.
func stressed() map[string]breaker.Config {
	const us = time.Microsecond
	open := breaker.OpenConfig{Wait: 50 * us, Jitter: 50}
	return map[string]breaker.Config{
		"count window": {
			Window: breaker.WindowConfig{Calls: 20}, MinimumCalls: 10, FailureRate: 40, Open: open,
		},
		"time window": {
			Window: breaker.WindowConfig{Length: 5 * time.Millisecond, Buckets: 5}, MinimumCalls: 10, FailureRate: 40, Open: open,
		},
		"one bucket, slow calls": {
			Window: breaker.WindowConfig{Length: time.Millisecond, Buckets: 1}, MinimumCalls: 5, Open: open,
			SlowCall: breaker.SlowCallConfig{Duration: 20 * us, Rate: 60},
		},
		"streak, timers": {
			Window: breaker.WindowConfig{Calls: 20}, MinimumCalls: 10, FailureRate: 40,
			Open:     breaker.OpenConfig{Wait: 50 * us, Jitter: 50, Automatic: true, Factor: 1.5},
			HalfOpen: breaker.HalfOpenConfig{Probes: 3, Verdict: breaker.ByStreak, Successes: 6, MaxWait: 300 * us, ProbeLimit: off},
		},
		"all rules": {
			Window: breaker.WindowConfig{Calls: 50}, ConsecutiveFailures: 8, FailureCount: 25, Grace: time.Millisecond,
			Evidence: &evidence.Config{}, Open: open, HalfOpen: breaker.HalfOpenConfig{ProbeLimit: off},
		},
		"rise limit": {
			Window: breaker.WindowConfig{Calls: 10_000}, Evidence: &evidence.Config{MaxRise: 3, MaxRiseWindow: 10 * us},
			Open: open, HalfOpen: breaker.HalfOpenConfig{ProbeLimit: off},
		},
	}
}

// A load is many goroutines on one breaker, and what they saw.
type load struct {
	t   *testing.T
	b   *breaker.Breaker
	cfg breaker.Config

	admitted, refused atomic.Uint64
	failing           atomic.Int64 // calls that fail, in a hundred; at most [always]
	out               sync.Map     // period: *atomic.Int64, its probes that are out

	open time.Duration // OpenTime, as look has seen it last

	events []event.Event // no lock: one comes after the other (rule S7)
	told   atomic.Int64  // how many there are
}

func newLoad(t *testing.T, cfg breaker.Config) *load {
	l := &load{t: t}
	b, err := breaker.New("stock", cfg, breaker.WithListener(l))
	if err != nil {
		t.Fatal(err)
	}
	l.b, l.cfg = b, b.Config()
	return l
}

func (l *load) OnEvent(e event.Event) {
	l.events = append(l.events, e)
	l.told.Add(1)
}

// call makes one call that ends in a random way.
func (l *load) call(r *rand.Rand) {
	p, err := l.b.Acquire(context.Background())
	if err != nil {
		l.refused.Add(1)
		return
	}
	l.admitted.Add(1)
	state, period := p.IssuedBy()
	if state == breaker.Open || state == breaker.ForcedOpen {
		l.t.Errorf("admitted in %v", state)
	}
	if p.Probe() != (state == breaker.HalfOpen) {
		l.t.Errorf("a permit of %v: probe is %v", state, p.Probe())
	}
	if p.Probe() {
		n, _ := l.out.LoadOrStore(period, new(atomic.Int64))
		out := n.(*atomic.Int64)
		if h := l.cfg.HalfOpen; out.Add(1) > int64(h.Probes) && h.ProbeLimit == off {
			l.t.Errorf("more than %d probes are out", h.Probes)
		}
		runtime.Gosched()
		out.Add(-1) // before the slot is given back, or the next one would be one too many
	}
	switch n := int64(r.IntN(100)); {
	case n < 3:
		p.Ignore()
	case n < 6:
		p.Release()
	case n < 8:
		runtime.Gosched() // long enough to be slow, or late
		p.Success()
	case n < 100-always+l.failing.Load():
		p.Failure(errDown)
	default:
		p.Success()
	}
}

// fewest is how many events a load must cause to have tested anything.
const fewest = 10

// always is how many in a hundred calls fail when all do that come to an end.
const always = 92

// run makes n calls on each of eight goroutines, while the dependency gets well and
// sick again and others look and operate. On a machine so fast, or so slow, that this
// caused too few events, the dependency then fails until there are enough.
func (l *load) run(n int, others ...func(*rand.Rand)) {
	var callers, watchers sync.WaitGroup
	var done atomic.Bool
	before := runtime.NumGoroutine()
	for seed := range uint64(8) {
		callers.Go(func() {
			r := rand.New(rand.NewPCG(seed, 3))
			for i := 0; i < n || i < 100*n && l.told.Load() < fewest; i++ {
				switch {
				case i >= n:
					l.failing.Store(always)
				case i%500 == 0:
					l.failing.Store(int64(r.IntN(2) * r.IntN(90)))
				}
				l.call(r)
			}
		})
	}
	for i, other := range append(others, l.look) {
		watchers.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 4))
			for !done.Load() {
				other(r)
				runtime.Gosched()
			}
		})
	}
	callers.Wait()
	done.Store(true)
	watchers.Wait()
	l.b.Close()
	// A timer that had started may still be telling the listener. When it is gone the
	// stream's lock, by way of Events, makes what it wrote visible here.
	for range 1_000_000 {
		if runtime.NumGoroutine() <= before {
			break
		}
		runtime.Gosched()
	}
	l.b.Events()
}

// look checks that a snapshot makes sense, whenever it is taken.
func (l *load) look(*rand.Rand) {
	before := l.b.Counters()
	s := l.b.Snapshot()
	n := s.Numbers
	if n.SlowFailed < 0 || n.SlowFailed > min(n.Failed, n.Slow) || max(n.Failed, n.Slow) > n.Calls {
		l.t.Errorf("window: %+v", n)
	}
	if most := l.cfg.Window.Calls; most > 0 && n.Calls > int64(max(most, l.cfg.HalfOpen.Probes)) {
		l.t.Errorf("%d calls in a window of %d", n.Calls, most)
	}
	if s.ProbesOut < 0 || s.ProbesOut > l.cfg.HalfOpen.Probes {
		l.t.Errorf("%d probes out", s.ProbesOut)
	}
	if s.RetryAfter < 0 || s.State == breaker.Open && s.RetryAfter > 2*l.cfg.Open.MaxWait {
		l.t.Errorf("retry after %v", s.RetryAfter)
	}
	if s.OpenTime < l.open {
		l.t.Errorf("open for %v, and later for %v", l.open, s.OpenTime)
	}
	l.open = s.OpenTime
	after := s.Counters
	for i, pair := range [][2]uint64{
		{before.Successful, after.Successful}, {before.Failed, after.Failed}, {before.Slow, after.Slow},
		{before.Ignored, after.Ignored}, {before.Released, after.Released}, {before.Rejected, after.Rejected},
		{before.Late, after.Late}, {before.Trips, after.Trips}, {before.Probes, after.Probes},
		{before.GivenBack, after.GivenBack}, {before.Overdue, after.Overdue},
	} {
		if pair[0] > pair[1] {
			l.t.Errorf("counter %d went back from %d to %d", i, pair[0], pair[1])
		}
	}
}

// operate moves the breaker now and then.
func (l *load) operate(r *rand.Rand) {
	for range r.IntN(50) {
		runtime.Gosched()
	}
	m := breaker.Move{To: everyState[r.IntN(len(everyState))], Author: "ana", Reason: "stress"}
	if m.To > breaker.HalfOpen && r.IntN(4) > 0 {
		m.For = time.Duration(1 + r.IntN(200_000))
	}
	err := l.b.Move(m)
	if r.IntN(3) == 0 {
		err = l.b.Reset("ana", "stress")
	}
	if err != nil {
		l.t.Error(err)
	}
}

// settled checks everything that must add up once no call is in progress.
func (l *load) settled() {
	t, c := l.t, l.b.Counters()
	equal(t, "N1: admitted", c.Successful+c.Failed+c.Ignored+c.Released+c.Late, l.admitted.Load())
	equal(t, "N1: rejected", c.Rejected, l.refused.Load())
	state, period, trips, probes, givenBack, refused := breaker.Closed.String(), uint64(1), uint64(0), uint64(0), uint64(0), uint64(0)
	for i, e := range l.events {
		if e.Seq != uint64(i+1) {
			t.Fatalf("S7: event %d has number %d", i+1, e.Seq)
		}
		if e.Kind != event.Transition && e.Kind != event.Renewed {
			continue
		}
		if e.From != state || (e.From == e.To) != (e.Kind == event.Renewed) {
			t.Fatalf("S7: %v does not follow from %s", e, state)
		}
		if e.Period <= period {
			t.Fatalf("S5: %v begins period %d after %d", e, e.Period, period)
		}
		d := e.Detail.(*breaker.Change)
		state, period = e.To, e.Period
		probes, givenBack, refused = probes+d.Probes, givenBack+d.GivenBack, refused+d.Refused
		if d.Trip != nil && d.Trip.Rule != breaker.RuleOperator {
			trips++
		}
		if err := l.reason(e, d); err != nil {
			t.Errorf("%v: %v", e, err)
		}
	}
	s := l.b.Snapshot()
	equal(t, "S7: the last event's state", state, s.State.String())
	equal(t, "S5: the last event's period", period, s.Period)
	equal(t, "trips", trips, c.Trips)
	if probes > c.Probes || givenBack > c.GivenBack || refused > c.Rejected {
		t.Errorf("events tell of %d probes, %d given back and %d refused, the counters of %d, %d and %d",
			probes, givenBack, refused, c.Probes, c.GivenBack, c.Rejected)
	}
	if n := s.Numbers; s.State == breaker.Closed && !s.Grace && l.cfg.Window.Calls > 0 {
		// In a time window old successes may have left since the last outcome.
		if enough := n.Calls >= n.Minimum; enough && atLeast(n.Failed, n.Calls, l.cfg.FailureRate) ||
			enough && l.cfg.SlowCall.Duration != off && atLeast(n.Slow, n.Calls, l.cfg.SlowCall.Rate) ||
			l.cfg.ConsecutiveFailures != off && s.Consecutive >= int64(l.cfg.ConsecutiveFailures) ||
			l.cfg.FailureCount != off && n.Failed >= int64(l.cfg.FailureCount) || s.Evidence >= 1 {
			t.Errorf("W4: closed, with every reason to trip: %+v", s)
		}
	}
	if len(l.events) < fewest {
		t.Errorf("only %d events: the load is too light", len(l.events))
	}
}

// reason checks that the numbers of a change are reason enough for it.
func (l *load) reason(e event.Event, d *breaker.Change) error {
	n := d.Numbers
	rate := func(part int64, p switchgear.Percent) bool { return n.Calls >= n.Minimum && atLeast(part, n.Calls, p) }
	enough := true
	switch {
	case d.Trip != nil:
		if d.Trip.Numbers != n && d.Trip.Rule != breaker.RuleOperator {
			return fmt.Errorf("the trip record has %+v", d.Trip.Numbers)
		}
		switch d.Trip.Rule {
		case breaker.RuleFailureRate:
			enough = rate(n.Failed, l.cfg.FailureRate)
		case breaker.RuleSlowRate:
			enough = rate(n.Slow, l.cfg.SlowCall.Rate)
		case breaker.RuleConsecutive:
			enough = d.Trip.Consecutive >= int64(l.cfg.ConsecutiveFailures)
		case breaker.RuleFailureCount:
			enough = n.Failed >= int64(l.cfg.FailureCount)
		case breaker.RuleEvidence:
			enough = d.Trip.Evidence.Score >= d.Trip.Evidence.Threshold
		case breaker.RuleProbesFailed:
			enough = l.cfg.HalfOpen.Verdict == breaker.ByStreak && n.Failed > 0 || rate(n.Failed, l.cfg.FailureRate)
		}
	case e.Author == "" && e.From == "HALF_OPEN" && e.To == "CLOSED" && l.cfg.HalfOpen.Verdict == breaker.ByRate:
		enough = n.Calls >= n.Minimum && !rate(n.Failed, l.cfg.FailureRate)
	}
	if l.cfg.HalfOpen.Verdict == breaker.ByRate && d.Probes-d.GivenBack > uint64(l.cfg.HalfOpen.Probes) {
		return fmt.Errorf("%d probes, %d given back", d.Probes, d.GivenBack)
	}
	if !enough {
		return fmt.Errorf("no reason: %+v", d.Numbers)
	}
	return nil
}

func TestStress(t *testing.T) {
	for name, cfg := range stressed() {
		t.Run(name, func(t *testing.T) {
			noLeak(t)
			l := newLoad(t, cfg)
			l.run(scale(40_000, 10_000))
			l.settled()
		})
		t.Run(name+", with an operator", func(t *testing.T) {
			noLeak(t)
			l := newLoad(t, cfg)
			l.run(scale(20_000, 5_000), l.operate)
			l.settled()
		})
	}
}

// TestStressCounting holds that no success is lost or counted twice while the cells
// that count them are sealed and opened over and over.
func TestStressCounting(t *testing.T) {
	for name, cfg := range stressed() {
		t.Run(name, func(t *testing.T) {
			cfg.FailureRate, cfg.SlowCall.Rate, cfg.ConsecutiveFailures, cfg.FailureCount = off, 0, off, off
			cfg.SlowCall, cfg.Evidence = breaker.SlowCallConfig{}, nil
			b := breaker.Must(breaker.New("stock", cfg))
			n := scale(100_000, 20_000)
			var group sync.WaitGroup
			for g := range 8 {
				group.Go(func() {
					for i := range n {
						p, _ := b.Acquire(context.Background())
						switch {
						case g == 0 && i%10 == 0:
							p.Failure(errDown)
						case g == 1 && i%1000 == 0:
							p.Success()
							b.Snapshot()
						default:
							p.Success()
						}
					}
				})
			}
			group.Wait()
			c := b.Counters()
			equal(t, "successful, failed, late", [3]uint64{c.Successful, c.Failed, c.Late},
				[3]uint64{uint64(8*n - n/10), uint64(n / 10), 0})
		})
	}
}

// TestStressWindow holds that a window read after the storm shows each outcome, for
// the cells book theirs in it late.
func TestStressWindow(t *testing.T) {
	for name, window := range map[string]breaker.WindowConfig{
		"count window": {Calls: 10_000_000},
		"time window":  {Length: month, Buckets: 3600},
	} {
		t.Run(name, func(t *testing.T) {
			b := breaker.Must(breaker.New("stock", breaker.Config{Window: window, FailureRate: off}))
			var group sync.WaitGroup
			n := scale(50_000, 10_000)
			for g := range 8 {
				group.Go(func() {
					for i := range n {
						p, _ := b.Acquire(context.Background())
						if (g+i)%16 == 0 {
							p.Failure(errDown)
						} else {
							p.Success()
						}
						if i%5000 == 0 {
							b.Snapshot()
						}
					}
				})
			}
			group.Wait()
			s := b.Snapshot()
			equal(t, "calls", s.Numbers.Calls, int64(8*n))
			equal(t, "failed", s.Numbers.Failed, int64(s.Counters.Failed))
			equal(t, "failed", s.Numbers.Failed, int64(n/2))
		})
	}
}

// TestStressFences holds that each outcome counts in exactly one period: that which
// admitted it, or none (S5). The windows are so large that they forget nothing, so
// what all periods have shown at their end is the sum of all that counted.
func TestStressFences(t *testing.T) {
	for name, window := range map[string][]breaker.WindowConfig{
		"count window": {{Calls: 10_000_000}, {Calls: 9_000_000}},
		"time window":  {{Length: month, Buckets: 3600}, {Length: month, Buckets: 1000}},
	} {
		for _, reconfigured := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, reconfigured %v", name, reconfigured), func(t *testing.T) {
				var shown int64
				cfg := breaker.Config{Window: window[0], FailureRate: off}
				b := breaker.Must(breaker.New("stock", cfg, breaker.WithListener(event.Func(func(e event.Event) {
					if d, ok := e.Detail.(*breaker.Change); ok {
						shown += d.Numbers.Calls
					}
				}))))
				var callers, operator sync.WaitGroup
				var done atomic.Bool
				n := scale(30_000, 10_000)
				for g := range 6 {
					callers.Go(func() {
						for i := range n {
							fail := (g+i)%50 == 0
							_ = b.Do(context.Background(), func(context.Context) error {
								if i%7 == 0 {
									runtime.Gosched() // and be late
								}
								if fail {
									return errDown
								}
								return nil
							})
						}
					})
				}
				operator.Go(func() {
					for i := 0; !done.Load(); i++ {
						to := []breaker.State{breaker.Closed, breaker.MetricsOnly}[i%2]
						if err := b.Move(breaker.Move{To: to, Reason: "test"}); err != nil {
							t.Error(err)
						}
						if reconfigured {
							cfg.Window = window[i%2]
							cfg.SlowCall = breaker.SlowCallConfig{}
							if i%3 == 0 {
								cfg.SlowCall = breaker.SlowCallConfig{Duration: time.Hour, Rate: off}
							}
							if err := b.Reconfigure(cfg); err != nil {
								t.Error(err)
							}
						}
						for range 20 {
							runtime.Gosched()
						}
					}
				})
				callers.Wait()
				done.Store(true)
				operator.Wait()
				c := b.Counters()
				equal(t, "shown by all periods", shown+b.Snapshot().Numbers.Calls, int64(c.Successful+c.Failed))
				equal(t, "all calls", c.Successful+c.Failed+c.Late, uint64(6*n))
				if c.Late == 0 {
					t.Log("nothing was late: the load is too light")
				}
			})
		}
	}
}
