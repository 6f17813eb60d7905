package retry_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/retry"
)

func TestBudget(t *testing.T) {
	quota := budget.Config{Kind: budget.Quota, Quota: budget.QuotaConfig{Capacity: 10, Cost: 5}}
	t.Run("K34: a quota is refilled by successes, and what helped is given back", func(t *testing.T) {
		clk := clock.NewVirtual(start)
		b := budgetOf(t, clk, quota)
		r := newRig(t, retry.Config{Attempts: 10, Backoff: plain}, retry.WithBudget(b))
		tokens := func() float64 { return b.Snapshot().Available }

		equal(t, "recovers", r.run(background, failing(1, errDown)), nil)
		equal(t, "given back", tokens(), 10)

		e := gaveUp(t, r.run(background, failing(ever, errDown)), retry.ByBudget, 3)
		matches(t, e, errDown, budget.ErrExhausted)
		equal(t, "drained", tokens(), 0)

		for range 5 {
			equal(t, "success", r.run(background, failing(0, nil)), nil)
		}
		equal(t, "refilled", tokens(), 5)
		gaveUp(t, r.run(background, failing(ever, errDown)), retry.ByBudget, 2)

		for range 50 {
			equal(t, "success", r.run(background, failing(0, nil)), nil)
		}
		equal(t, "never above", tokens(), 10)
	})
	t.Run("K35: retries that wait are counted, by decisions", func(t *testing.T) {
		clk := clock.NewVirtual(start)
		b := budgetOf(t, clk, budget.Config{Ratio: budget.RatioConfig{Percent: 20, MinPerSecond: off}})
		r := made(t, retry.Config{Backoff: plain}, retry.WithClock(clk), retry.WithBudget(b))
		var loops [10]retry.Loop
		for i := range loops {
			loops[i] = r.Begin()
		}
		scheduled, reached := 0, 0
		for i := range loops {
			delay, ok := loops[i].Next(background, errDown, again)
			if !ok {
				equal(t, "limit", loops[i].Limit(), retry.ByBudget)
				continue
			}
			scheduled++
			clk.AfterFunc(delay, func() { reached++; loops[i].Done(switchgear.Success) })
		}
		equal(t, "scheduled", scheduled, 2)
		clk.Advance(time.Second)
		equal(t, "reached", reached, 2)
		equal(t, "refused", r.Counters().GaveUp.Budget, 8)
	})
	t.Run("K35: retries that wait are counted, blocking", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := budgetOf(t, nil, budget.Config{Ratio: budget.RatioConfig{Percent: 20, MinPerSecond: off}})
			r := made(t, retry.Config{Attempts: 2, Backoff: plain}, retry.WithBudget(b))
			reached := make(chan time.Duration, 20)
			fail := make(chan struct{})
			began := time.Now()
			for range 10 {
				go func() {
					_ = r.Do(t.Context(), func(context.Context) error {
						<-fail
						reached <- time.Since(began)
						return errDown
					})
				}()
			}
			synctest.Wait()
			close(fail)
			synctest.Wait()
			equal(t, "first attempts", len(reached), 10)
			equal(t, "waiting", r.Snapshot().Waiting, 2)
			equal(t, "refused", r.Counters().GaveUp.Budget, 8)
			time.Sleep(time.Second)
			synctest.Wait()
			equal(t, "attempts", len(reached), 12)
			for range 10 {
				<-reached
			}
			equal(t, "second attempts at", [2]time.Duration{<-reached, <-reached}, [2]time.Duration{time.Second, time.Second})
		})
	})
	t.Run("K29: who is cancelled while waiting gives back", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := budgetOf(t, nil, quota)
			r := made(t, retry.Config{Backoff: plain}, retry.WithBudget(b))
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(100*ms, cancel)
			gaveUp(t, r.Do(ctx, func(context.Context) error { return errDown }), retry.ByCancellation, 1)
			equal(t, "tokens", b.Snapshot().Available, 10)
			equal(t, "cancelled", b.Counters().Cancelled, 1)
		})
	})
	t.Run("K33: a retry that was refused gives back", func(t *testing.T) {
		b := budgetOf(t, clock.NewVirtual(start), quota)
		r := newRig(t, retry.Config{Backoff: plain}, retry.WithBudget(b))
		gaveUp(t, r.run(background, func(attempt int) error {
			if attempt == 2 {
				return &refusal{}
			}
			return errDown
		}), retry.ByRefusal, 2)
		equal(t, "tokens", b.Snapshot().Available, 10)
	})
	t.Run("an exhausted budget is no refusal, so the failure counts", func(t *testing.T) {
		b := budgetOf(t, clock.NewVirtual(start), budget.Config{Ratio: budget.RatioConfig{Percent: off, MinPerSecond: off}})
		r := newRig(t, retry.Config{Backoff: plain}, retry.WithBudget(b))
		e := gaveUp(t, r.run(background, failing(ever, errDown)), retry.ByBudget, 1)
		equal(t, "matches the rejections' sentinel", errors.Is(e, switchgear.ErrRejected), false)
		equal(t, "health", switchgear.Judge(background, e, r.clk.Now, nil).Health, switchgear.Failure)

		waiting := newRig(t, retry.Config{WaitRejected: true, Backoff: plain}, retry.WithBudget(b))
		e = gaveUp(t, waiting.run(background, failing(ever, &refusal{time.Second, true})), retry.ByBudget, 1)
		matches(t, e, switchgear.ErrRejected, budget.ErrExhausted)
	})
	t.Run("nothing is withdrawn for an attempt that another limit forbids", func(t *testing.T) {
		b := budgetOf(t, clock.NewVirtual(start), quota)
		r := newRig(t, retry.Config{Attempts: 1, Backoff: plain}, retry.WithBudget(b))
		gaveUp(t, r.run(background, failing(ever, errDown)), retry.ByAttempts, 1)
		r = newRig(t, retry.Config{Backoff: plain}, retry.WithBudget(b))
		gaveUp(t, r.run(within(r.clk, 500*ms), failing(ever, errDown)), retry.ByDeadline, 1)
		equal(t, "granted", b.Counters().Granted, 0)
	})
	t.Run("a retry of an attempt that timed out pays what a timeout costs", func(t *testing.T) {
		b := budgetOf(t, clock.NewVirtual(start), quota)
		r := newRig(t, retry.Config{Attempts: 2, Backoff: plain}, retry.WithBudget(b))
		gaveUp(t, r.run(background, failing(ever, context.DeadlineExceeded)), retry.ByAttempts, 2)
		equal(t, "tokens", b.Snapshot().Available, 0)
	})
	t.Run("the budget hears of every attempt", func(t *testing.T) {
		b := budgetOf(t, clock.NewVirtual(start), budget.Config{Kind: budget.Throttling, Throttling: budget.ThrottlingConfig{MaxTokens: 100, TokenRatio: 0.5}})
		r := newRig(t, retry.Config{Attempts: 5, Backoff: plain}, retry.WithBudget(b))
		equal(t, "error", r.run(background, failing(4, errDown)), nil)
		equal(t, "tokens", b.Snapshot().Available, 96.5)
	})
}
