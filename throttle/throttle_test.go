package throttle_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/throttle"
)

// edge checks that calls are refused with probability p, to a hair.
func edge(t *testing.T, r *rig, p float64) {
	t.Helper()
	ctx := context.Background()
	try := func(die float64) bool {
		r.die = die
		permit, err := r.Acquire(ctx)
		permit.Release()
		return err == nil
	}
	if p == 0 {
		equal(t, "admitted although the die shows 0", try(0), true)
		return
	}
	equal(t, "admitted where the die shows p", try(p), true)
	equal(t, "admitted where it shows less", try(math.Nextafter(p, 0)), false)
}

func TestFormula(t *testing.T) {
	for _, tt := range []struct {
		name             string
		cfg              throttle.Config
		accepted, failed int
		want             float64
	}{
		{"nothing is known", throttle.Config{}, 0, 0, 0},
		{"all is well", throttle.Config{}, 100, 0, 0},
		{"half of it is well: exactly K", throttle.Config{}, 50, 50, 0},
		{"one less", throttle.Config{}, 49, 51, 2. / 101},
		{"one in ten", throttle.Config{}, 10, 90, 80. / 101},
		{"none", throttle.Config{}, 0, 99, 0.99},
		{"a single failure", throttle.Config{}, 0, 1, 0.5},
		{"a smaller K", throttle.Config{K: 1.5}, 50, 50, 25. / 101},
		{"the smallest K", throttle.Config{K: 1}, 99, 1, 1. / 101},
		{"a larger K", throttle.Config{K: 10}, 10, 90, 0},
		{"one short of the minimum", throttle.Config{MinimumRequests: 20}, 0, 19, 0},
		{"the minimum", throttle.Config{MinimumRequests: 20}, 0, 20, 20. / 21},
		{"the largest refusal", throttle.Config{MaxRefusal: 75.5}, 0, 99, 0.755},
		{"less than that", throttle.Config{MaxRefusal: 75.5}, 10, 30, 20. / 41},
		{"a largest refusal of everything", throttle.Config{MaxRefusal: 100}, 0, 99, 0.99},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := plain()
			cfg.K = tt.cfg.K
			if tt.cfg.MinimumRequests > 0 {
				cfg.MinimumRequests = tt.cfg.MinimumRequests
			}
			if tt.cfg.MaxRefusal > 0 {
				cfg.MaxRefusal = tt.cfg.MaxRefusal
			}
			r := newRig(t, cfg)
			r.calls(tt.accepted, switchgear.Success)
			r.calls(tt.failed, switchgear.Failure)
			equal(t, "refusal", r.Snapshot().Refusal, switchgear.Percent(math.Round(tt.want*1e4)/100))
			edge(t, r, tt.want)
		})
	}
	t.Run("a refused call is a request that was not accepted", func(t *testing.T) {
		r := newRig(t, plain())
		r.calls(1, switchgear.Failure)
		r.refused(3)
		r.holds(4, 0)
		edge(t, r, 4./5)
	})
	t.Run("a call counts when it ends", func(t *testing.T) {
		r := newRig(t, plain())
		var permits []throttle.Permit
		for range 1000 { // a burst, of which nothing is known yet
			p, err := r.Acquire(context.Background())
			equal(t, "error", err, nil)
			permits = append(permits, p)
		}
		r.holds(0, 0)
		r.clock.Advance(30 * time.Second)
		permits[0].Done(switchgear.Success)
		r.holds(1, 1)
		r.clock.Advance(5 * time.Second)
		r.holds(1, 1)
	})
}

func TestOutcomes(t *testing.T) {
	r := newRig(t, plain())
	r.calls(4, switchgear.Success)
	r.calls(3, switchgear.Failure)
	r.calls(2, switchgear.Ignored)
	r.calls(1, switchgear.Undecided)
	r.calls(1, switchgear.Outcome(77))
	r.holds(7, 4)
	equal(t, "counters", r.Counters(), throttle.Counters{Accepted: 4, Failed: 3, Ignored: 2, Released: 2})

	p, err := r.Acquire(context.Background())
	equal(t, "error", err, nil)
	p.Done(switchgear.Success)
	p.Done(switchgear.Failure)
	p.Release()
	r.holds(8, 5)
	var zero throttle.Permit
	zero.Done(switchgear.Success)
	zero.Release()
	r.holds(8, 5)
}

func TestWindow(t *testing.T) {
	t.Run("forgets a bucket at a time", func(t *testing.T) {
		r := newRig(t, plain())
		for range 10 {
			r.calls(1, switchgear.Failure)
			r.calls(1, switchgear.Success)
			r.clock.Advance(time.Second)
		}
		for i := range int64(10) {
			r.holds(2*(9-i), 9-i)
			r.clock.Advance(time.Second)
		}
		edge(t, r, 0)
	})
	t.Run("shows what it holds to calls as to readers, after any pause", func(t *testing.T) {
		for pause := range 25 {
			r := newRig(t, plain())
			r.calls(10, switchgear.Failure)
			r.clock.Advance(time.Duration(pause) * 500 * time.Millisecond)
			want := 10. / 11
			if pause >= 20 {
				want = 0
			}
			equal(t, "refusal", r.Snapshot().Refusal, switchgear.Percent(math.Round(want*1e4)/100))
			edge(t, r, want)
		}
	})
	t.Run("reading changes nothing", func(t *testing.T) {
		r := newRig(t, plain())
		r.calls(5, switchgear.Failure)
		before := r.Snapshot()
		r.clock.Advance(time.Second)
		for range 3 {
			equal(t, "snapshot", r.Snapshot(), before)
		}
	})
	t.Run("the end of time is no special case", func(t *testing.T) {
		r := newRig(t, plain())
		r.clock.Advance(math.MaxInt64)
		r.calls(5, switchgear.Failure)
		r.calls(5, switchgear.Success)
		r.holds(10, 5)
	})
	t.Run("is never shorter than asked for, also where its buckets are no whole number", func(t *testing.T) {
		cfg := plain()
		cfg.Buckets = 3
		r := newRig(t, cfg)
		r.calls(1, switchgear.Failure)
		r.clock.Advance(10 * time.Second)
		r.holds(1, 0)
		r.clock.Advance(2)
		r.holds(0, 0)
	})
	t.Run("one bucket", func(t *testing.T) {
		cfg := plain()
		cfg.Buckets = 1
		r := newRig(t, cfg)
		r.calls(5, switchgear.Failure)
		r.clock.Advance(9 * time.Second)
		r.holds(5, 0)
		r.clock.Advance(time.Second)
		r.holds(0, 0)
		r.calls(1, switchgear.Success)
		r.holds(1, 1)
	})
}

func TestDo(t *testing.T) {
	ctx := context.Background()
	t.Run("judges errors as everywhere", func(t *testing.T) {
		r := newRig(t, plain())
		for range 4 {
			v, err := throttle.Do(ctx, r.Throttle, func(context.Context) (int, error) { return 42, nil })
			equal(t, "value", v, 42)
			equal(t, "error", err, nil)
		}
		equal(t, "failure", r.Do(ctx, func(context.Context) error { return errDown }), errDown)
		_ = r.Do(ctx, func(context.Context) error { return switchgear.MarkSuccess(errDown) })
		_ = r.Do(ctx, func(context.Context) error { return switchgear.ErrRejected })
		_ = r.Do(ctx, nothing)
		equal(t, "counters", r.Counters(), throttle.Counters{Accepted: 6, Failed: 1, Ignored: 1})
	})
	t.Run("asks the classifier about what is left", func(t *testing.T) {
		errBusy := errors.New("busy")
		overload := func(err error) switchgear.Judgement {
			if errors.Is(err, errBusy) {
				return switchgear.Judgement{Health: switchgear.Failure}
			}
			return switchgear.Judgement{Health: switchgear.Success}
		}
		r := newRig(t, plain(), throttle.WithClassifier(overload))
		for range 5 {
			_ = r.Do(ctx, func(context.Context) error { return errDown })
		}
		_ = r.Do(ctx, func(context.Context) error { return errBusy })
		r.holds(6, 5)
	})
	t.Run("does not run a refused call", func(t *testing.T) {
		r := newRig(t, plain())
		r.calls(1, switchgear.Failure)
		r.die = 0
		v, err := throttle.Do(ctx, r.Throttle, func(context.Context) (int, error) {
			t.Error("it ran")
			return 42, nil
		})
		equal(t, "value", v, 0)
		equal(t, "sentinels", errors.Is(err, throttle.ErrRejected) && errors.Is(err, switchgear.ErrRejected), true)
		equal(t, "without a value", errors.Is(r.Do(ctx, nothing), throttle.ErrRejected), true)
	})
	t.Run("a panic counts as a failure and goes on", func(t *testing.T) {
		r := newRig(t, plain(), throttle.WithClassifier(func(error) switchgear.Judgement { panic("classifier") }))
		for want, do := range map[string]func() error{
			"boom":       func() error { return r.Do(ctx, func(context.Context) error { panic("boom") }) },
			"classifier": func() error { return r.Do(ctx, func(context.Context) error { return errDown }) },
			"value": func() error {
				_, err := throttle.Do(ctx, r.Throttle, func(context.Context) (int, error) { panic("value") })
				return err
			},
		} {
			func() {
				defer func() { equal(t, "panic", recover(), any(want)) }()
				_ = do()
			}()
		}
		equal(t, "counters", r.Counters(), throttle.Counters{Failed: 3})
	})
	t.Run("a Goexit releases", func(t *testing.T) {
		r := newRig(t, plain())
		var wg sync.WaitGroup
		wg.Go(func() { _ = r.Do(ctx, func(context.Context) error { runtime.Goexit(); return nil }) })
		wg.Wait()
		wg.Go(func() {
			_, _ = throttle.Do(ctx, r.Throttle, func(context.Context) (int, error) { runtime.Goexit(); return 0, nil })
		})
		wg.Wait()
		equal(t, "counters", r.Counters(), throttle.Counters{Released: 2})
	})
	t.Run("allocates nothing for a call, and one error for a refusal", func(t *testing.T) {
		r := newRig(t, plain())
		equal(t, "Do", testing.AllocsPerRun(100, func() { _ = r.Do(ctx, nothing) }), 0)
		equal(t, "permit", testing.AllocsPerRun(100, func() {
			p, _ := r.Acquire(ctx)
			p.Done(switchgear.Success)
		}), 0)
		r.calls(1000, switchgear.Failure)
		r.die = 0
		equal(t, "refusal", testing.AllocsPerRun(100, func() { _, _ = r.Acquire(ctx) }), 1)
	})
}

func TestRejection(t *testing.T) {
	r := newRig(t, plain())
	r.calls(10, switchgear.Success)
	r.calls(90, switchgear.Failure)
	x := r.refused(1)
	equal(t, "facts", *x, throttle.Rejection{Name: "stock", Refusal: 79.21, Requests: 100, Accepts: 10, Window: 10 * time.Second})
	equal(t, "text", x.Error(), `throttle "stock" refuses 79.21 % of calls: 10 of 100 requests accepted in 10s`)
	_, known := switchgear.RetryAfter(x)
	equal(t, "hint", known, false)
	equal(t, "another sentinel", errors.Is(x, errDown), false)
	equal(t, "judged", switchgear.Judge(context.Background(), x, time.Now, nil),
		switchgear.Judgement{Health: switchgear.Ignored, Repeat: switchgear.RepeatNever})
	equal(t, "counters", r.Counters(), throttle.Counters{Accepted: 10, Failed: 90, Refused: 1})
}

func TestEvents(t *testing.T) {
	r := newRig(t, plain())
	changes := func(want ...string) {
		t.Helper()
		var got []string
		for _, e := range r.heard {
			equal(t, "kind", e.Kind, event.Transition)
			equal(t, "source and name", e.Source+" "+e.Name, "throttle stock")
			got = append(got, e.From+" "+e.To)
		}
		equal(t, "changes", got, want)
		equal(t, "remembered", len(r.Events()), len(want))
	}
	const begins, ends = "PASSING THROTTLING", "THROTTLING PASSING"
	r.calls(5, switchgear.Failure)
	r.refused(1000)
	changes()
	r.clock.Advance(time.Second)
	r.refused(1000)
	changes(begins) // one event for a thousand refusals
	r.clock.Advance(time.Second)
	r.refused(1000)
	changes(begins)
	r.clock.Advance(time.Second)
	r.calls(1, switchgear.Success) // the bucket before had refusals
	changes(begins)
	r.clock.Advance(time.Second)
	r.calls(1, switchgear.Success)
	changes(begins, ends)
	r.refused(1)
	r.clock.Advance(3 * time.Second)
	r.calls(1, switchgear.Success) // it is over before anybody could be told
	changes(begins, ends)
	equal(t, "name", r.Name(), "stock")
}
