package retry_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/backoff"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/retry"
)

// Many goroutines on one retry and one budget, on the real clock: calls that
// succeed, fail, panic, leave and are cancelled. In the end the books must balance.
func TestStress(t *testing.T) {
	const goroutines, each = 8, 400
	b := budgetOf(t, nil, budget.Config{Kind: budget.Quota, Quota: budget.QuotaConfig{Capacity: 40, Cost: 8}})
	r := made(t, retry.Config{
		Attempts: 4, MaxElapsed: time.Minute, WaitRejected: true,
		Backoff: backoff.Config{Initial: 20 * time.Microsecond, Max: 100 * time.Microsecond},
	}, retry.WithBudget(b))

	var attempts, good, left atomic.Uint64
	call := func(random *rand.Rand) {
		ctx, cancel := context.WithCancel(background)
		defer cancel()
		runs := 0
		defer func() {
			if recover() != nil {
				left.Add(1)
			}
		}()
		err := r.Do(ctx, func(within context.Context) error {
			attempts.Add(1)
			if runs++; runs > 4 {
				t.Errorf("run %d of 4", runs)
			}
			if a, ok := switchgear.AttemptOf(within); ok != (runs > 1) || ok && a.Number != runs {
				t.Errorf("run %d is attempt %+v", runs, a)
			}
			switch random.IntN(20) {
			case 0:
				panic("boom")
			case 1:
				cancel()
				return ctx.Err()
			case 2:
				go cancel() // perhaps while it waits
				return errDown
			case 3:
				return errFinal
			case 4:
				return &refusal{wait: 10 * time.Microsecond, known: true}
			case 5, 6, 7, 8, 9:
				return errDown
			}
			return nil
		})
		if err == nil {
			good.Add(1)
		}
	}

	var callers, watchers sync.WaitGroup
	var done atomic.Bool
	watchers.Go(func() {
		last := r.Counters()
		for !done.Load() {
			s := r.Snapshot()
			if s.Waiting < 0 || s.Waiting > goroutines {
				t.Errorf("%d calls wait", s.Waiting)
			}
			if c := s.Counters; c.Calls < last.Calls || c.Retries < last.Retries || c.Recovered+c.Final > c.Calls {
				t.Errorf("counters went from %+v to %+v", last, c)
			}
			last = s.Counters
			runtime.Gosched()
		}
	})
	for seed := range uint64(goroutines) {
		callers.Go(func() {
			random := rand.New(rand.NewPCG(seed, 5))
			for range each {
				call(random)
			}
		})
	}
	callers.Wait()
	done.Store(true)
	watchers.Wait()

	s, in := r.Snapshot(), b.Snapshot()
	c := s.Counters
	equal(t, "calls", c.Calls, goroutines*each)
	equal(t, "attempts", c.Attempts, attempts.Load())
	equal(t, "waiting", s.Waiting, 0)
	gaveUp := c.GaveUp.Attempts + c.GaveUp.Elapsed + c.GaveUp.Budget + c.GaveUp.Deadline + c.GaveUp.Hint + c.GaveUp.Refused + c.GaveUp.Cancelled
	equal(t, "calls ended", good.Load()+c.Final+gaveUp, c.Calls)
	if c.Final < left.Load() || c.Recovered == 0 || c.GaveUp.Cancelled == 0 || c.GaveUp.Budget == 0 {
		t.Errorf("not everything happened: %+v", c)
	}
	equal(t, "withdrawals out", in.InUse, 0)
	equal(t, "withdrawals", in.Granted, in.Settled+in.Cancelled)
	if in.Settled > c.Retries {
		t.Errorf("%d withdrawals settled for %d retries", in.Settled, c.Retries)
	}
}
