package breaker_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/evidence"
)

// probes is plain with the given number of probes and verdict, all of the probes
// needed for it.
func probes(n int, v breaker.Verdict) breaker.Config {
	return with(func(c *breaker.Config) {
		c.MinimumCalls = 10
		c.HalfOpen.Probes, c.HalfOpen.Verdict = n, v
	})
}

// settle ends permits with one outcome each: + success, - failure, 0 ignored.
func settle(permits []breaker.Permit, outcomes string) {
	for i, o := range outcomes {
		switch o {
		case '+':
			permits[i].Success()
		case '-':
			permits[i].Failure(errDown)
		default:
			permits[i].Ignore()
		}
	}
}

func TestProbeNumber(t *testing.T) {
	for _, v := range []breaker.Verdict{breaker.ByRate, breaker.ByStreak} {
		t.Run("H1: at most so many are out, the rest is refused at once, by "+v.String(), func(t *testing.T) {
			r := newRig(t, probes(3, v))
			permits := []breaker.Permit{r.probing(), r.admitted(), r.admitted()}
			for range 10 {
				r.refused()
			}
			s := r.Snapshot()
			equal(t, "probes out", s.ProbesOut, 3)
			equal(t, "probes and rejected", [2]uint64{s.Counters.Probes, s.Counters.Rejected}, [2]uint64{3, 10})
			permits[0].Ignore()
			permits[0] = r.admitted()
			r.refused()
			settle(permits, "+++")
			r.in(breaker.Closed)
		})
	}
	t.Run("H1: by rate, settled probes keep their place", func(t *testing.T) {
		cfg := probes(5, breaker.ByRate)
		r := newRig(t, cfg)
		permits := []breaker.Permit{r.probing(), r.admitted(), r.admitted(), r.admitted(), r.admitted()}
		settle(permits, "+-")
		r.refused()
		r.in(breaker.HalfOpen)
		settle(permits[2:], "+-+")
		r.in(breaker.Closed)
	})
	t.Run("H1: by streak, a success makes room for another", func(t *testing.T) {
		cfg := probes(1, breaker.ByStreak)
		cfg.HalfOpen.Successes = 4
		r := newRig(t, cfg)
		p := r.probing()
		for range 3 {
			r.refused()
			p.Success()
			r.in(breaker.HalfOpen)
			p = r.admitted()
		}
		p.Success()
		r.in(breaker.Closed)
		equal(t, "probes", r.Counters().Probes, 4)
	})
	t.Run("H1: five by default", func(t *testing.T) {
		r := newRig(t, breaker.Config{Open: breaker.OpenConfig{Jitter: off}})
		r.probing()
		for range 4 {
			r.admitted()
		}
		r.refused()
	})
	t.Run("H1: however many arrive together", func(t *testing.T) {
		for _, v := range []breaker.Verdict{breaker.ByRate, breaker.ByStreak} {
			clk := clock.NewVirtual(start)
			b := breaker.Must(breaker.New("stock", probes(3, v), breaker.WithClock(clk)))
			for range scale(200, 50) {
				if err := b.Move(breaker.Move{To: breaker.Open, Reason: "test"}); err != nil {
					t.Fatal(err)
				}
				clk.Advance(10 * time.Second)
				var admitted atomic.Int64
				var group sync.WaitGroup
				for range 32 {
					group.Go(func() {
						if _, err := b.Acquire(context.Background()); err == nil {
							admitted.Add(1)
						}
					})
				}
				group.Wait()
				if n := admitted.Load(); n != 3 {
					t.Fatalf("by %v: %d probes admitted, want 3", v, n)
				}
			}
		}
	})
}

func TestVerdictByRate(t *testing.T) {
	run := func(t *testing.T, cfg breaker.Config, outcomes string) *rig {
		t.Helper()
		r := newRig(t, cfg)
		permits := []breaker.Permit{r.probing()}
		for len(permits) < cfg.HalfOpen.Probes {
			permits = append(permits, r.admitted())
		}
		settle(permits, outcomes)
		return r
	}
	t.Run("H2: the failure rate decides, exactly at the threshold opens", func(t *testing.T) {
		for outcomes, want := range map[string]breaker.State{
			"++++": breaker.Closed, "+-++": breaker.Closed, "--++": breaker.Open, "++--": breaker.Open,
			"----": breaker.Open, "+++": breaker.HalfOpen, "---": breaker.HalfOpen,
		} {
			r := run(t, probes(4, breaker.ByRate), outcomes)
			if got := r.State(); got != want {
				t.Errorf("%s: got %v, want %v", outcomes, got, want)
			}
		}
	})
	t.Run("H2: a minimum below the number of probes is enough, the others are late", func(t *testing.T) {
		cfg := probes(4, breaker.ByRate)
		cfg.MinimumCalls = 2
		r := newRig(t, cfg)
		permits := []breaker.Permit{r.probing(), r.admitted(), r.admitted(), r.admitted()}
		settle(permits, "++")
		r.in(breaker.Closed)
		settle(permits[2:], "--")
		r.in(breaker.Closed)
		r.window(0)
		equal(t, "late", r.Counters().Late, 2)
	})
	t.Run("H2: the trip record", func(t *testing.T) {
		r := run(t, probes(4, breaker.ByRate), "--+-")
		trip := r.Snapshot().LastTrip
		equal(t, "rule", trip.Rule, breaker.RuleProbesFailed)
		equal(t, "text", trip.Text(), "3 of 4 probes failed, mostly error: connection refused")
		equal(t, "the threshold is in the record", trip.Threshold, 50)
		r.window(4, 3)
	})
	t.Run("H2: the threshold is that of T1, and 50 % where T1 is off", func(t *testing.T) {
		cfg := probes(4, breaker.ByRate)
		cfg.FailureRate = 75
		r := run(t, cfg, "--++")
		r.in(breaker.Closed)
		r = run(t, cfg, "---+")
		r.in(breaker.Open)
		cfg.FailureRate, cfg.ConsecutiveFailures = off, 10
		r = run(t, cfg, "-+++")
		r.in(breaker.Closed)
		r = run(t, cfg, "--++")
		r.in(breaker.Open)
	})
	t.Run("H2: slow probes open too", func(t *testing.T) {
		cfg := probes(2, breaker.ByRate)
		cfg.SlowCall = breaker.SlowCallConfig{Duration: time.Second, Rate: 50}
		r := newRig(t, cfg)
		p, q := r.probing(), r.admitted()
		p.Success()
		r.clock.Advance(2 * time.Second)
		q.Success()
		r.in(breaker.Open)
		trip := r.Snapshot().LastTrip
		equal(t, "rule", trip.Rule, breaker.RuleProbesSlow)
		equal(t, "text", trip.Text(), "1 of 2 probes were slow")

		cfg.SlowCall.Rate = 51
		r = newRig(t, cfg)
		p, q = r.probing(), r.admitted()
		p.Success()
		r.clock.Advance(2 * time.Second)
		q.Success()
		r.in(breaker.Closed)
	})
	t.Run("H2: T3, T4 and T6 do not act here", func(t *testing.T) {
		cfg := probes(5, breaker.ByRate)
		cfg.Window.Calls = 100
		cfg.ConsecutiveFailures, cfg.FailureCount, cfg.Evidence = 2, 2, &evidence.Config{}
		r := newRig(t, cfg)
		permits := []breaker.Permit{r.probing(), r.admitted(), r.admitted(), r.admitted(), r.admitted()}
		settle(permits, "--++")
		r.in(breaker.HalfOpen)
		settle(permits[4:], "+")
		r.in(breaker.Closed)
	})
}

func TestVerdictByStreak(t *testing.T) {
	t.Run("H3: the first failure opens at once", func(t *testing.T) {
		r := newRig(t, probes(5, breaker.ByStreak))
		permits := []breaker.Permit{r.probing(), r.admitted(), r.admitted()}
		settle(permits, "++-")
		r.in(breaker.Open)
		trip := r.Snapshot().LastTrip
		equal(t, "rule", trip.Rule, breaker.RuleProbesFailed)
		equal(t, "trips", r.Counters().Trips, 2)
	})
	t.Run("H3: N successes in a row close", func(t *testing.T) {
		r := newRig(t, probes(3, breaker.ByStreak))
		p := r.probing()
		p.Success()
		r.ignore(3)
		r.succeed(1)
		r.in(breaker.HalfOpen)
		r.succeed(1)
		r.in(breaker.Closed)
	})
	t.Run("H3: fewer successes than probes may do", func(t *testing.T) {
		cfg := probes(5, breaker.ByStreak)
		cfg.HalfOpen.Successes = 1
		r := newRig(t, cfg)
		p, q := r.probing(), r.admitted()
		p.Success()
		r.in(breaker.Closed)
		q.Failure(errDown)
		r.in(breaker.Closed)
	})
	t.Run("H3: a slow success is a success", func(t *testing.T) {
		cfg := probes(1, breaker.ByStreak)
		cfg.SlowCall.Duration = time.Second
		r := newRig(t, cfg)
		p := r.probing()
		r.clock.Advance(2 * time.Second)
		p.Success()
		r.in(breaker.Closed)
	})
}

func TestGiveBacks(t *testing.T) {
	t.Run("H4: give-backs are counted and shown", func(t *testing.T) {
		r := newRig(t, probes(2, breaker.ByRate))
		p := r.probing()
		p.Ignore()
		for range 9 {
			r.ignore(1)
			q := r.admitted()
			q.Release()
		}
		r.in(breaker.HalfOpen)
		c := r.Counters()
		equal(t, "probes, given back", [2]uint64{c.Probes, c.GivenBack}, [2]uint64{19, 19})
		r.succeed(2)
		r.in(breaker.Closed)
		_, change := r.last()
		equal(t, "probes and give-backs of the period", [2]uint64{change.Probes, change.GivenBack}, [2]uint64{21, 19})
	})
	t.Run("H5: late outcomes of the CLOSED period never decide", func(t *testing.T) {
		for _, v := range []breaker.Verdict{breaker.ByRate, breaker.ByStreak} {
			r := newRig(t, probes(1, v))
			stale := []breaker.Permit{r.admitted(), r.admitted(), r.admitted()}
			p := r.probing()
			settle(stale, "-+0")
			r.in(breaker.HalfOpen)
			equal(t, "probes out", r.Snapshot().ProbesOut, 1)
			p.Success()
			r.in(breaker.Closed)
		}
	})
}

func TestLongestStay(t *testing.T) {
	cfg := probes(2, breaker.ByRate)
	cfg.HalfOpen.MaxWait = 7 * time.Second
	t.Run("H6: without a verdict in time the breaker opens, at the timer's instant", func(t *testing.T) {
		r := newRig(t, cfg)
		p := r.probing()
		p.Success()
		equal(t, "timers", r.clock.Pending(), 1)
		r.clock.Advance(7*time.Second - ns)
		r.in(breaker.HalfOpen)
		r.clock.Advance(3 * time.Second)
		r.in(breaker.Open)
		s := r.Snapshot()
		equal(t, "since", s.Since, start.Add(17*time.Second))
		equal(t, "retry after", s.RetryAfter, 7*time.Second+ns)
		equal(t, "rule", s.LastTrip.Rule, breaker.RuleProbesLate)
		equal(t, "text", s.LastTrip.Text(), "no verdict of the probes in time, 1 were in")
		equal(t, "trips", s.Counters.Trips, 2)
		equal(t, "timers", r.clock.Pending(), 0)
	})
	t.Run("H6: it counts from entry, however late the probes come", func(t *testing.T) {
		r := newRig(t, cfg)
		p := r.probing()
		p.Ignore()
		r.clock.Advance(6 * time.Second)
		r.admitted()
		r.clock.Advance(time.Second)
		r.in(breaker.Open)
	})
	t.Run("H6: a verdict stops the timer", func(t *testing.T) {
		for _, outcomes := range []string{"++", "--"} {
			r := newRig(t, cfg)
			permits := []breaker.Permit{r.probing(), r.admitted()}
			settle(permits, outcomes)
			equal(t, "timers", r.clock.Pending(), 0)
		}
	})
	t.Run("H6: so does an operator", func(t *testing.T) {
		for _, to := range everyState {
			r := newRig(t, cfg)
			r.probing()
			r.move(to)
			want := 0
			if to == breaker.HalfOpen {
				want = 1 // a new one
			}
			equal(t, "timers in "+to.String(), r.clock.Pending(), want)
		}
	})
	t.Run("H6, O5: with both timers the breaker goes round by itself", func(t *testing.T) {
		c := cfg
		c.Open.Automatic = true
		r := newRig(t, c)
		r.trip()
		r.clock.Advance(10*time.Second + 3*17*time.Second)
		r.in(breaker.HalfOpen)
		equal(t, "since", r.Snapshot().Since, r.clock.Now())
		equal(t, "events", len(r.heard), 2+3*2)
	})
	t.Run("H6: off by default", func(t *testing.T) {
		r := newRig(t, probes(2, breaker.ByRate))
		r.probing()
		equal(t, "timers", r.clock.Pending(), 0)
		r.clock.Advance(1000 * time.Hour)
		r.in(breaker.HalfOpen)
	})
	t.Run("H6: Close stops it", func(t *testing.T) {
		r := newRig(t, cfg)
		p, q := r.probing(), r.admitted()
		r.Close()
		equal(t, "timers", r.clock.Pending(), 0)
		r.clock.Advance(8 * time.Second)
		r.in(breaker.HalfOpen)
		p.Success()
		q.Success()
		r.in(breaker.Closed)
	})
}

func TestListenersFirst(t *testing.T) {
	t.Run("H7: listeners have seen OPEN to HALF_OPEN before the first probe runs", func(t *testing.T) {
		r := newRig(t, plain())
		r.trip()
		r.clock.Advance(10 * time.Second)
		err := r.Do(context.Background(), func(context.Context) error {
			r.path(breaker.Open, breaker.HalfOpen)
			return nil
		})
		equal(t, "error", err, nil)
	})
	t.Run("H7: under another delivery the ring has it", func(t *testing.T) {
		var b *breaker.Breaker
		clk := clock.NewVirtual(start)
		var heard []string
		b = breaker.Must(breaker.New("stock", plain(), breaker.WithClock(clk), breaker.WithListener(event.Func(func(e event.Event) {
			heard = append(heard, e.To)
			if e.To != "OPEN" {
				return
			}
			clk.Advance(10 * time.Second)
			_ = b.Do(context.Background(), func(context.Context) error {
				events := b.Events()
				equal(t, "newest in the ring", events[len(events)-1].To, "HALF_OPEN")
				equal(t, "heard when the probe runs", heard, []string{"OPEN"})
				return nil
			})
		}))))
		for range 4 {
			_ = b.Do(context.Background(), func(context.Context) error { return errDown })
		}
		equal(t, "heard in the end", heard, []string{"OPEN", "HALF_OPEN"})
	})
}

func TestProbeLimit(t *testing.T) {
	t.Run("H8: the default is the base open wait", func(t *testing.T) {
		equal(t, "limit", newRig(t, plain()).Config().HalfOpen.ProbeLimit, 10*time.Second)
	})
	t.Run("H8: a probe out too long is a slow failure, its report is late", func(t *testing.T) {
		cfg := probes(2, breaker.ByRate)
		cfg.HalfOpen.ProbeLimit = 3 * time.Second
		r := newRig(t, cfg)
		p := r.probing()
		r.clock.Advance(time.Second)
		q := r.admitted()
		r.clock.Advance(2*time.Second - ns)
		r.refused()
		r.window(0)
		r.clock.Advance(ns)
		r.refused() // p has just been settled, but by rate that was its place (H1)
		r.window(1, 1, 1, 1)
		s := r.Snapshot()
		equal(t, "probes out", s.ProbesOut, 1)
		equal(t, "overdue, failed, late", [3]uint64{s.Counters.Overdue, s.Counters.Failed, s.Counters.Late}, [3]uint64{1, 10, 0})
		equal(t, "last failure", s.LastFailure, r.clock.Now())
		p.Success()
		p.Success()
		equal(t, "late", r.Counters().Late, 1)
		r.window(1, 1, 1, 1)
		q.Success()
		r.in(breaker.Open)
		r.window(2, 1, 1, 1)
		equal(t, "rule", r.Snapshot().LastTrip.Rule, breaker.RuleProbesFailed)
		text := r.Snapshot().LastTrip.Text()
		equal(t, "text", text, "1 of 2 probes failed, mostly error: probe still out after the probe limit")
	})
	t.Run("H8: it is checked lazily", func(t *testing.T) {
		r := newRig(t, probes(1, breaker.ByRate))
		p := r.probing()
		r.clock.Advance(time.Hour)
		r.in(breaker.HalfOpen)
		equal(t, "probes out", r.Snapshot().ProbesOut, 1)
		equal(t, "timers", r.clock.Pending(), 0)
		p.Success() // nobody wanted the slot: it counts
		r.in(breaker.Closed)
	})
	t.Run("H8: by streak it opens the breaker", func(t *testing.T) {
		r := newRig(t, probes(2, breaker.ByStreak))
		p := r.probing()
		r.admitted()
		r.clock.Advance(10 * time.Second)
		r.refused()
		r.in(breaker.Open)
		equal(t, "overdue", r.Counters().Overdue, 1)
		p.Failure(errDown)
		equal(t, "late", r.Counters().Late, 1)
	})
	t.Run("H8: several at once decide together", func(t *testing.T) {
		r := newRig(t, probes(3, breaker.ByRate))
		permits := []breaker.Permit{r.probing(), r.admitted(), r.admitted()}
		permits[0].Success()
		r.clock.Advance(10 * time.Second)
		r.refused()
		r.in(breaker.Open)
		c := r.Counters()
		equal(t, "overdue", c.Overdue, 2)
		settle(permits[1:], "+0")
		equal(t, "late", r.Counters().Late, 2)
	})
	t.Run("H8: off means never", func(t *testing.T) {
		cfg := probes(1, breaker.ByRate)
		cfg.HalfOpen.ProbeLimit = off
		r := newRig(t, cfg)
		p := r.probing()
		r.clock.Advance(10000 * time.Hour)
		r.refused()
		r.in(breaker.HalfOpen)
		p.Success()
		r.in(breaker.Closed)
	})
	t.Run("H8: a forgotten probe leaves its mark though it never reports", func(t *testing.T) {
		r := newRig(t, probes(3, breaker.ByRate))
		r.move(breaker.HalfOpen)
		r.admitted() // forgotten
		p, q := r.admitted(), r.admitted()
		r.clock.Advance(10 * time.Second)
		p.Success()
		q.Success()
		r.in(breaker.HalfOpen)
		r.succeed(1) // the verdict that its failure completes is in time for this call
		r.in(breaker.Closed)
		r.window(1)
	})
}
