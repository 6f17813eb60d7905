package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/backoff"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/throttle"
)

// Known faults of such libraries, as far as they come from putting policies together.

func TestKnownFaults(t *testing.T) {
	inBubble(t, "K24: ten thousand refusals of an open breaker change no statistics", func(t *testing.T) {
		p := must(t, pipeline.Config{
			Throttle: &throttle.Config{MinimumRequests: 1}, Adaptive: &adaptive.Config{},
			Breaker: &breaker.Config{
				MinimumCalls: 20, Window: breaker.WindowConfig{Length: 10 * time.Second},
				Open:     breaker.OpenConfig{Wait: 2 * time.Second, Jitter: off},
				HalfOpen: breaker.HalfOpenConfig{Probes: 2},
			},
		}, pipeline.WithRandom(func() float64 { return 1 })) // the throttle lets everything pass
		for range 20 {
			_ = p.Do(background, func(context.Context) error { return errDown })
		}
		equal(t, "state", p.Breaker().State(), breaker.Open)
		before, throttled, limited := p.Breaker().Counters(), p.Throttle().Counters(), p.Adaptive().Counters()
		for range 10_000 {
			_ = p.Do(background, nothing)
		}
		after := p.Breaker().Counters()
		equal(t, "rejected", after.Rejected-before.Rejected, 10_000)
		equal(t, "failed", after.Failed, before.Failed)
		equal(t, "successful", after.Successful, before.Successful)
		equal(t, "ignored", after.Ignored, before.Ignored)
		equal(t, "throttle: failed", p.Throttle().Counters().Failed, throttled.Failed)
		equal(t, "throttle: ignored", p.Throttle().Counters().Ignored-throttled.Ignored, 10_000)
		equal(t, "adaptive limit: dropped", p.Adaptive().Counters().Dropped, limited.Dropped)

		time.Sleep(2 * time.Second)
		for i := range 23 { // two probes, and one failure among the others
			_ = p.Do(background, func(context.Context) error {
				if i == 10 {
					return errDown
				}
				return nil
			})
		}
		equal(t, "state", p.Breaker().State(), breaker.Closed)
	})
	inBubble(t, "K29: a caller that gives up ends the wait", func(t *testing.T) {
		p := must(t, pipeline.Config{Retry: &retry.Config{
			Attempts: 5, Backoff: backoff.Config{Kind: backoff.Constant, Initial: 30 * time.Second, Max: 30 * time.Second, Jitter: backoff.None},
		}, Breaker: counting()})
		ctx, cancel := context.WithCancel(background)
		time.AfterFunc(100*ms, cancel)
		began, attempts := time.Now(), 0
		err := p.Do(ctx, func(context.Context) error { attempts++; return errDown })
		equal(t, "time", time.Since(began), 100*ms)
		equal(t, "attempts", attempts, 1)
		matches(t, "error", err, context.Canceled)
		matches(t, "error", err, errDown)
		equal(t, "the attempt is still a failure", p.Breaker().Counters().Failed, 1)
		equal(t, "nobody waits", p.Retry().Snapshot().Waiting, 0)
	})
	inBubble(t, "K32: the error of a loop that time ended has both reasons", func(t *testing.T) {
		slowly := func(context.Context) error { time.Sleep(200 * ms); return errDown }
		p := must(t, pipeline.Config{Total: limit(2 * time.Second), Retry: thrice(), Breaker: counting()})
		err := p.Do(background, slowly)
		matches(t, "by the total", err, errDown)
		matches(t, "by the total", err, context.DeadlineExceeded)

		ctx, cancel := context.WithTimeout(background, time.Second)
		defer cancel()
		err = must(t, pipeline.Config{Retry: thrice()}).Do(ctx, slowly)
		matches(t, "by the caller", err, errDown)
		matches(t, "by the caller", err, context.DeadlineExceeded)

		cfg := pipeline.Config{Retry: thrice()}
		cfg.Retry.MaxElapsed = time.Second
		err = must(t, cfg).Do(background, slowly)
		matches(t, "by the loop's own limit", err, errDown)
		matches(t, "by the loop's own limit", err, retry.ErrExhausted)
	})
	inBubble(t, "K38: a place that becomes free when all who waited for it have gone is not lost", func(t *testing.T) {
		p := must(t, pipeline.Config{Breaker: counting(), Bulkhead: &bulkhead.Config{MaxConcurrent: 1, MaxWaiting: 100, MaxWait: 10 * ms}})
		var calls sync.WaitGroup
		calls.Go(func() {
			equal(t, "holder", p.Do(background, func(ctx context.Context) error { return take(ctx, time.Second) }), nil)
		})
		synctest.Wait()
		for range 100 {
			calls.Go(func() { matches(t, "waiter", p.Do(background, nothing), bulkhead.ErrRejected) })
		}
		calls.Wait()
		equal(t, "next", p.Do(background, nothing), nil)
		s := p.Bulkhead().Snapshot()
		equal(t, "available and waiting", [2]int{s.Available, s.Waiting}, [2]int{1, 0})
		c := p.Breaker().Counters()
		equal(t, "successful, failed, ignored", [3]uint64{c.Successful, c.Failed, c.Ignored}, [3]uint64{2, 0, 100})
	})
	inBubble(t, "K46: nothing starts after the caller has gone, nor after a winner", func(t *testing.T) {
		for _, wins := range []bool{false, true} {
			p := must(t, pipeline.Config{
				Hedge: &hedge.Config{Delay: 10 * ms, MaxExtra: 4}, Budget: &budget.Config{Ratio: budget.RatioConfig{MinPerSecond: 100}}, Breaker: counting(),
			})
			ctx, cancel := context.WithCancel(hedge.Safe(background))
			if !wins {
				time.AfterFunc(15*ms, cancel)
			}
			began := time.Now()
			var started, ended atomic.Int64
			err := p.Do(ctx, func(ctx context.Context) error {
				defer ended.Add(1)
				if started.Add(1) == 1 && wins {
					return take(ctx, 15*ms)
				}
				return take(ctx, time.Hour)
			})
			equal(t, "won", err == nil, wins)
			equal(t, "time", time.Since(began), 15*ms)
			synctest.Wait()
			equal(t, "ended", ended.Load(), 2)
			time.Sleep(time.Second)
			equal(t, "started", started.Load(), 2)
			equal(t, "failed", p.Breaker().Counters().Failed, 0)
			cancel()
		}
	})
	inBubble(t, "K47: an extra attempt that fails leaves the first one alone", func(t *testing.T) {
		p := must(t, pipeline.Config{Hedge: &hedge.Config{Delay: 10 * ms}, Budget: &budget.Config{}, Breaker: counting()})
		began := time.Now()
		var attempts atomic.Int64
		v, err := pipeline.Do(hedge.Safe(background), p, func(ctx context.Context) (int64, error) {
			me := attempts.Add(1)
			if me == 2 {
				return me, errors.Join(errDown, take(ctx, 10*ms))
			}
			return me, take(ctx, 60*ms)
		})
		equal(t, "value", v, 1)
		equal(t, "error", err, nil)
		equal(t, "time", time.Since(began), 60*ms)

		errOther := errors.New("other")
		attempts.Store(0)
		err = p.Do(hedge.Safe(background), func(ctx context.Context) error {
			if attempts.Add(1) == 1 {
				_ = take(ctx, 30*ms)
				return errDown
			}
			return errOther
		})
		matches(t, "all failed", err, errDown)
		matches(t, "all failed", err, errOther)
	})
	inBubble(t, "K75: what was admitted before the first failure all reaches the dependency", func(t *testing.T) {
		p := must(t, pipeline.Config{Breaker: &breaker.Config{MinimumCalls: 5}})
		var reached atomic.Int64
		var calls sync.WaitGroup
		for range 1000 {
			calls.Go(func() {
				err := p.Do(background, func(context.Context) error { reached.Add(1); time.Sleep(time.Second); return errDown })
				matches(t, "error", err, errDown)
			})
		}
		calls.Wait()
		equal(t, "reached", reached.Load(), 1000)
		equal(t, "state", p.Breaker().State(), breaker.Open)
		c := p.Breaker().Counters()
		equal(t, "trips, failed and late", [3]uint64{c.Trips, c.Failed, c.Late}, [3]uint64{1, 5, 995})
	})
}

// Where user code leaves by a panic or runtime.Goexit, everything is released.
func TestAbnormalEnds(t *testing.T) {
	leave := map[string]func(){"panic": func() { panic("boom") }, "runtime.Goexit": func() { runtime.Goexit() }}
	shapes := map[string]func(*pipeline.Config){
		"plain":                 func(*pipeline.Config) {},
		"abandoning":            func(c *pipeline.Config) { c.Attempt.Abandon = true },
		"abandoning as a whole": func(c *pipeline.Config) { c.Total.Abandon = true },
		"hedged":                func(c *pipeline.Config) { c.Hedge = &hedge.Config{Delay: 100 * ms, Always: true} },
		"retry inside":          func(c *pipeline.Config) { c.RetryInsideBreaker = true },
	}
	places := []string{"function", "Check", "classifier"}
	for how, out := range leave {
		for shape, change := range shapes {
			for _, place := range places {
				inBubble(t, fmt.Sprintf("K25: %s, %s, %s", how, shape, place), func(t *testing.T) {
					cfg := pipeline.Config{
						Total: limit(time.Minute), Adaptive: &adaptive.Config{}, Throttle: &throttle.Config{}, Retry: thrice(), Budget: &budget.Config{},
						Breaker: counting(), Bulkhead: &bulkhead.Config{}, Attempt: limit(time.Second),
					}
					change(&cfg)
					at := func(here string) {
						if place == here {
							out()
						}
					}
					p := must(t, cfg, pipeline.WithClassifier(func(error) switchgear.Judgement { at("classifier"); return switchgear.Judgement{} }))
					var caught any
					var answers, discarded atomic.Int64
					returned := false
					var done sync.WaitGroup
					done.Go(func() {
						defer func() { caught = recover() }()
						_, _ = pipeline.Run(background, p, pipeline.Call[int]{
							Func:    func(context.Context) (int, error) { at("function"); answers.Add(1); return 7, nil },
							Check:   func(int) error { at("Check"); return errDown },
							Discard: func(int) { discarded.Add(1) },
						})
						returned = true
					})
					done.Wait()
					synctest.Wait()
					equal(t, "returned", returned, false)
					if how == "panic" && !strings.Contains(fmt.Sprint(caught), "boom") {
						t.Errorf("the panic arrived as %v", caught)
					}
					equal(t, "running in the bulkhead", p.Bulkhead().Snapshot().Running, 0)
					equal(t, "running in the adaptive limit", p.Adaptive().Running(), 0)
					equal(t, "drawn from the budget", p.Budget().Snapshot().InUse, 0)
					equal(t, "answers disposed of", discarded.Load(), answers.Load())
					c := p.Breaker().Counters()
					equal(t, "outcomes", c.Failed+c.Released+c.Ignored+c.Successful, 1)
					if how == "panic" {
						equal(t, "failed", c.Failed, 1)
					}
					time.Sleep(2 * time.Minute)
				})
			}
		}
	}
}

func TestProbesAreNotHedged(t *testing.T) {
	for _, inside := range []bool{false, true} {
		inBubble(t, fmt.Sprintf("inside the breaker: %v", inside), func(t *testing.T) {
			p := must(t, pipeline.Config{
				Retry: thrice(), Hedge: &hedge.Config{Delay: time.Second}, Budget: &budget.Config{}, Breaker: counting(), RetryInsideBreaker: inside,
			})
			_ = p.Breaker().Move(breaker.Move{To: breaker.Open, Reason: "test"})
			time.Sleep(10 * time.Second)
			var attempts atomic.Int64
			call := func() {
				equal(t, "error", p.Do(hedge.Safe(background), func(ctx context.Context) error {
					a, _ := switchgear.AttemptOf(ctx)
					equal(t, "probe", a.Probe, attempts.Add(1) <= 2)
					return take(ctx, 1500*ms)
				}), nil)
			}
			call()
			call()
			equal(t, "attempts", attempts.Load(), 2)
			equal(t, "state", p.Breaker().State(), breaker.Closed)
			call()
			synctest.Wait()
			equal(t, "attempts, closed again", attempts.Load(), 4)
		})
	}
	inBubble(t, "a hedge alone inside the breaker", func(t *testing.T) {
		b := breaker.Must(breaker.New("b", *counting()))
		extra := budget.Must(budget.New("x", budget.Config{}))
		p := pipeline.Must(pipeline.Compose("stock", []pipeline.Policy{
			pipeline.Breaker(b),
			pipeline.Hedge(hedge.Must(hedge.New("h", hedge.Config{Delay: time.Second, Always: true}, hedge.WithBudget(extra)))),
		}, pipeline.Accept(pipeline.RetryInside)))
		_ = b.Move(breaker.Move{To: breaker.Open, Reason: "test"})
		time.Sleep(10 * time.Second)
		var attempts atomic.Int64
		equal(t, "error", p.Do(background, func(ctx context.Context) error { attempts.Add(1); return take(ctx, 1500*ms) }), nil)
		equal(t, "attempts", attempts.Load(), 1)
	})
}
