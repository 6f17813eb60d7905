package breaker_test

import (
	"context"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/event"
)

// Tests that were missing: breakers made wrong on purpose passed all the others.

func TestAnswersAfterTheDeadline(t *testing.T) {
	noOpinion := func(error) switchgear.Outcome { return switchgear.Undecided }
	for name, call := range map[string]func(context.Context, *rig){
		"Done": func(ctx context.Context, r *rig) {
			p, err := r.Acquire(ctx)
			if err != nil {
				t.Fatal(err)
			}
			p.Done(nil)
		},
		"Do": func(ctx context.Context, r *rig) {
			_ = r.Do(ctx, func(context.Context) error { return nil })
		},
		"DoJudged": func(ctx context.Context, r *rig) {
			_, _ = breaker.DoJudged(ctx, r.Breaker,
				func(int, error) switchgear.Outcome { return switchgear.Undecided },
				func(context.Context) (int, error) { return 1, nil })
		},
	} {
		t.Run("C1.6: an answer is an answer, also after the deadline, by "+name, func(t *testing.T) {
			r := newRig(t, plain(), breaker.WithClassifier(noOpinion))
			ctx, cancel := context.WithDeadline(context.Background(), start.Add(-time.Second))
			defer cancel()
			call(ctx, r)
			c := r.Counters()
			equal(t, "successful, failed, ignored", [3]uint64{c.Successful, c.Failed, c.Ignored}, [3]uint64{1, 0, 0})
		})
	}
}

func TestBrokenStreak(t *testing.T) {
	t.Run("R7: by streak, a failure from before has broken the streak", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.HalfOpen.Probes = 5 }))
		p := r.probing()
		p.Success()
		r.succeed(1)
		r.fail(1)
		if err := r.Reconfigure(with(func(c *breaker.Config) {
			c.HalfOpen = breaker.HalfOpenConfig{Probes: 5, Verdict: breaker.ByStreak, Successes: 3}
		})); err != nil {
			t.Fatal(err)
		}
		r.succeed(2)
		r.in(breaker.HalfOpen)
		r.succeed(1)
		r.in(breaker.Closed)
	})
}

func TestRunInAFullWindow(t *testing.T) {
	t.Run("T3: the failure that completes the run trips, however healthy the window", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.Window.Calls, c.ConsecutiveFailures = 100, 3 }))
		r.succeed(100)
		r.fail(2)
		r.in(breaker.Closed)
		r.fail(1)
		r.in(breaker.Open)
	})
}

func TestGrowthInHalfOpen(t *testing.T) {
	t.Run("O1: time spent in HALF_OPEN takes no growth back", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.Open.Factor, c.HalfOpen.ProbeLimit = 2, off }))
		p := r.probing()
		r.clock.Advance(time.Hour)
		p.Failure(errDown)
		r.fail(1)
		r.retryAfter(20 * time.Second)
	})
}

func TestMetricsOnlyInATimeWindow(t *testing.T) {
	t.Run("S4: METRICS_ONLY never trips, also when a bucket ends", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.Window = breaker.WindowConfig{Length: 10 * time.Second} }))
		r.move(breaker.MetricsOnly)
		for range 5 {
			r.fail(10)
			r.clock.Advance(time.Second)
		}
		r.in(breaker.MetricsOnly)
		r.window(50, 50)
	})
}

func TestListenersRunOutsideTheLock(t *testing.T) {
	t.Run("S7: whatever the event", func(t *testing.T) {
		var r *rig
		heard := 0
		r = newRig(t, plain(), breaker.WithListener(event.Func(func(event.Event) {
			heard++
			r.Counters() // takes the lock
		})))
		p := r.probing()
		p.Success()
		r.succeed(1)
		r.move(breaker.Closed)
		if err := r.Reconfigure(with(func(c *breaker.Config) { c.MinimumCalls = 1000 })); err != nil {
			t.Fatal(err)
		}
		r.moveFor(breaker.Disabled, time.Minute)
		r.clock.Advance(time.Minute)
		equal(t, "events: OPEN, HALF_OPEN, CLOSED, renewed, reconfigured, warning, DISABLED, CLOSED", heard, 8)
	})
}
