package retry_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/retry"
)

// These tests block, in the time of a synctest bubble and on the real clock.

// bubble runs a test on a retry that is made in its bubble.
func bubble(t *testing.T, name string, cfg retry.Config, f func(*testing.T, *retry.Retry)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { f(t, made(t, cfg)) })
	})
}

func TestDo(t *testing.T) {
	bubble(t, "waits, and returns what the last run returned", retry.Config{Backoff: plain}, func(t *testing.T, r *retry.Retry) {
		began := time.Now()
		runs := 0
		n, err := retry.Do(t.Context(), r, func(context.Context) (int, error) {
			if runs++; runs < 3 {
				return -runs, errDown
			}
			return 42, nil
		})
		equal(t, "result", n, 42)
		equal(t, "error", err, nil)
		equal(t, "took", time.Since(began), 3*time.Second)
		c := r.Counters()
		equal(t, "counters", c, retry.Counters{Calls: 1, Attempts: 3, Retries: 2, Recovered: 1})
	})
	bubble(t, "gives up with the last result", retry.Config{Backoff: plain}, func(t *testing.T, r *retry.Retry) {
		runs := 0
		n, err := retry.Do(t.Context(), r, func(context.Context) (int, error) { runs++; return runs, errDown })
		equal(t, "result", n, 3)
		matches(t, gaveUp(t, err, retry.ByAttempts, 3), errDown)
	})
	bubble(t, "K29: a cancellation ends the wait", retry.Config{Attempts: 5, Backoff: plainOf(30 * time.Second)}, func(t *testing.T, r *retry.Retry) {
		ctx, cancel := context.WithCancel(t.Context())
		began := time.Now()
		time.AfterFunc(100*ms, cancel)
		runs := 0
		err := r.Do(ctx, func(context.Context) error { runs++; return errDown })
		equal(t, "took", time.Since(began), 100*ms)
		equal(t, "runs", runs, 1)
		matches(t, gaveUp(t, err, retry.ByCancellation, 1), errDown, context.Canceled)
		equal(t, "cancelled", r.Counters(), retry.Counters{Calls: 1, Attempts: 1, GaveUp: retry.GaveUp{Cancelled: 1}})
	})
	bubble(t, "K29: the cause of a cancellation is in the result", retry.Config{Backoff: plain}, func(t *testing.T, r *retry.Retry) {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(100*ms, func() { cancel(errOther) })
		err := r.Do(ctx, func(context.Context) error { return errDown })
		matches(t, gaveUp(t, err, retry.ByCancellation, 1), errDown, context.Canceled, errOther)
	})
	bubble(t, "K29: a call cancelled before it began still makes one attempt", retry.Config{Backoff: plain}, func(t *testing.T, r *retry.Retry) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		runs := 0
		err := r.Do(ctx, func(context.Context) error { runs++; return errDown })
		equal(t, "runs", runs, 1)
		matches(t, gaveUp(t, err, retry.ByCancellation, 1), errDown, context.Canceled)
	})
	bubble(t, "K32: ends early by the caller's deadline", retry.Config{Attempts: off, Backoff: plainOf(2 * time.Second)}, func(t *testing.T, r *retry.Retry) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		began := time.Now()
		err := r.Do(ctx, func(context.Context) error { return errDown })
		equal(t, "took", time.Since(began), 2*time.Second) // the next wait is 4 s
		matches(t, gaveUp(t, err, retry.ByDeadline, 2), errDown, context.DeadlineExceeded)
	})
	bubble(t, "K32: the deadline passes in an attempt", retry.Config{Attempts: off, Backoff: plain}, func(t *testing.T, r *retry.Retry) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		runs := 0
		err := r.Do(ctx, func(ctx context.Context) error {
			if runs++; runs == 2 {
				<-ctx.Done()
				return ctx.Err()
			}
			return errDown
		})
		matches(t, gaveUp(t, err, retry.ByDeadline, 2), errDown, context.DeadlineExceeded)
	})
	bubble(t, "K32: ends by MaxElapsed", retry.Config{Attempts: off, MaxElapsed: 5 * time.Second, Backoff: plain}, func(t *testing.T, r *retry.Retry) {
		began := time.Now()
		err := r.Do(t.Context(), func(context.Context) error { return errDown })
		e := gaveUp(t, err, retry.ByElapsed, 3)
		matches(t, e, errDown)
		equal(t, "took", time.Since(began), 3*time.Second)
		equal(t, "elapsed", e.Elapsed, 3*time.Second)
	})
	bubble(t, "who waits is counted", retry.Config{Backoff: plain}, func(t *testing.T, r *retry.Retry) {
		ctx, cancel := context.WithCancel(t.Context())
		for range 5 {
			go func() { _ = r.Do(ctx, func(context.Context) error { return errDown }) }()
		}
		synctest.Wait()
		equal(t, "waiting", r.Snapshot().Waiting, 5)
		cancel()
		synctest.Wait()
		equal(t, "waiting", r.Snapshot().Waiting, 0)
		equal(t, "cancelled", r.Snapshot().Counters.GaveUp.Cancelled, 5)
	})
	bubble(t, "the context tells the number of the attempt", retry.Config{Backoff: plain}, func(t *testing.T, r *retry.Retry) {
		ctx := t.Context()
		var numbers []int
		_ = r.Do(ctx, func(within context.Context) error {
			a, _ := switchgear.AttemptOf(within)
			if numbers = append(numbers, a.Number); len(numbers) == 1 {
				equal(t, "the first gets the caller's context", within, ctx)
			}
			return errDown
		})
		equal(t, "numbers", numbers, []int{1, 2, 3})
	})
	t.Run("the classifier decides what is worth repeating", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := made(t, retry.Config{Backoff: plain}, retry.WithClassifier(func(err error) switchgear.Judgement {
				if err == errOther {
					return never
				}
				return switchgear.Judgement{Health: switchgear.Ignored, Repeat: switchgear.RepeatYes, NotBefore: 7 * time.Second}
			}))
			began := time.Now()
			runs := 0
			err := r.Do(t.Context(), func(context.Context) error {
				if runs++; runs == 2 {
					return errOther
				}
				return errDown
			})
			equal(t, "error", err, errOther)
			equal(t, "runs", runs, 2)
			equal(t, "took", time.Since(began), 7*time.Second)
		})
	})
}

func TestFunctionsThatDoNotReturn(t *testing.T) {
	for i, name := range []string{"first", "second"} {
		t.Run("a panic in the "+name+" attempt passes, and all is settled", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := budgetOf(t, nil, budget.Config{Kind: budget.Throttling})
				r := made(t, retry.Config{Backoff: plain}, retry.WithBudget(b))
				runs := 0
				func() {
					defer func() { equal(t, "recovered", recover(), any("boom")) }()
					_ = r.Do(t.Context(), func(context.Context) error {
						if runs++; runs == i+1 {
							panic("boom")
						}
						return errDown
					})
				}()
				equal(t, "withdrawals out", b.Snapshot().InUse, 0)
				equal(t, "tokens", b.Snapshot().Available, float64(10-runs))
				equal(t, "final", r.Counters().Final, 1)
			})
		})
	}
	bubble(t, "a Goexit passes", retry.Config{Backoff: plain}, func(t *testing.T, r *retry.Retry) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = r.Do(t.Context(), func(context.Context) error { runtime.Goexit(); return nil })
		}()
		<-done
		equal(t, "counters", r.Counters(), retry.Counters{Calls: 1, Attempts: 1, Final: 1})
	})
	t.Run("a panic in the classifier passes", func(t *testing.T) {
		b := budgetOf(t, nil, budget.Config{Kind: budget.Throttling})
		r := made(t, retry.Config{}, retry.WithBudget(b), retry.WithClassifier(func(error) switchgear.Judgement { panic("boom") }))
		func() {
			defer func() { equal(t, "recovered", recover(), any("boom")) }()
			_ = r.Do(t.Context(), func(context.Context) error { return errDown })
		}()
		equal(t, "tokens", b.Snapshot().Available, 9)
	})
	t.Run("a panic in the source of chance passes, and nothing is withdrawn", func(t *testing.T) {
		b := budgetOf(t, nil, budget.Config{Kind: budget.Throttling})
		r := made(t, retry.Config{}, retry.WithBudget(b), retry.WithRandom(func() float64 { panic("boom") }))
		func() {
			defer func() { equal(t, "recovered", recover(), any("boom")) }()
			_ = r.Do(t.Context(), func(context.Context) error { return errDown })
		}()
		equal(t, "withdrawals out", b.Snapshot().InUse, 0)
		equal(t, "tokens", b.Snapshot().Available, 9)
	})
}

func TestCostOfASuccess(t *testing.T) {
	r := made(t, retry.Config{})
	ctx := t.Context()
	n := 0
	equal(t, "allocations", testing.AllocsPerRun(100, func() {
		_, _ = retry.Do(ctx, r, func(context.Context) (int, error) { n++; return n, nil })
	}), 0)
	equal(t, "allocations of a final error", testing.AllocsPerRun(100, func() {
		if _, err := retry.Do(ctx, r, func(context.Context) (int, error) { return 0, errFinal }); !errors.Is(err, errFinal) {
			t.Error(err)
		}
	}), 0)
}
