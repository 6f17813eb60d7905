package bulkhead_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/bulkhead"
)

// These tests run in bubbles of fake time, in which waiting takes none.

func TestAcquireWaits(t *testing.T) {
	cfg := bulkhead.Config{MaxConcurrent: 1, MaxWaiting: 10, MaxWait: time.Second}
	bubble := func(t *testing.T, name string, test func(*testing.T, *bulkhead.Bulkhead, bulkhead.Permit)) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := bulkhead.Must(bulkhead.New("stock", cfg))
				p, err := b.TryAcquire()
				equal(t, "error", err, nil)
				test(t, b, p)
			})
		})
	}

	bubble(t, "until a permit comes back", func(t *testing.T, b *bulkhead.Bulkhead, p bulkhead.Permit) {
		begin := time.Now()
		time.AfterFunc(300*time.Millisecond, p.Release)
		p2, err := b.Acquire(context.Background())
		equal(t, "error", err, nil)
		equal(t, "waited", time.Since(begin), 300*time.Millisecond)
		p2.Release()
		equal(t, "running", b.Snapshot().Running, 0)
	})
	bubble(t, "at most for MaxWait", func(t *testing.T, b *bulkhead.Bulkhead, p bulkhead.Permit) {
		begin := time.Now()
		_, err := b.Acquire(context.Background())
		equal(t, "reason", rejection(t, err).Reason, bulkhead.TimedOut)
		equal(t, "waited", time.Since(begin), time.Second)
		equal(t, "waiting", b.Snapshot().Waiting, 0)
	})
	bubble(t, "not beyond the caller's deadline", func(t *testing.T, b *bulkhead.Bulkhead, p bulkhead.Permit) {
		begin := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		defer cancel()
		_, err := b.Acquire(ctx)
		equal(t, "waited", time.Since(begin), 200*time.Millisecond)
		equal(t, "reason", rejection(t, err).Reason, bulkhead.GaveUp)
		equal(t, "matches the context's error", errors.Is(err, context.DeadlineExceeded), true)
		equal(t, "matches the sentinels", errors.Is(err, bulkhead.ErrRejected) && errors.Is(err, switchgear.ErrRejected), true)
		// Rule C1.2: the deadline passed in our own queue, which is not held against
		// the dependency.
		equal(t, "judged", switchgear.JudgeError(ctx, err, time.Now, false), switchgear.Ignored)
		equal(t, "counters", b.Counters(), bulkhead.Counters{Admitted: 1, Queued: 1, GaveUp: 1})
		p.Release()
		equal(t, "available", b.Snapshot().Available, 1)
	})
	bubble(t, "not beyond the caller's cancellation, and names its cause", func(t *testing.T, b *bulkhead.Bulkhead, p bulkhead.Permit) {
		errLost := errors.New("race is lost")
		ctx, cancel := context.WithCancelCause(context.Background())
		time.AfterFunc(200*time.Millisecond, func() { cancel(errLost) })
		_, err := b.Acquire(ctx)
		equal(t, "matches", errors.Is(err, context.Canceled) && errors.Is(err, errLost), true)
		equal(t, "text", err.Error(),
			`bulkhead "stock" had no room until the caller gave up (context canceled): 1 of 1 calls running, 0 of 10 waiting`)
	})
	bubble(t, "not at all if the caller has gone already", func(t *testing.T, b *bulkhead.Bulkhead, p bulkhead.Permit) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err := b.Acquire(ctx)
		equal(t, "reason", rejection(t, err).Reason, bulkhead.GaveUp)
		equal(t, "counters", b.Counters(), bulkhead.Counters{Admitted: 1, GaveUp: 1})
		p.Release()
		p, err = b.Acquire(ctx)
		equal(t, "where there is room the context is not looked at", err, nil)
		p.Release()
	})
	bubble(t, "K38: a permit that comes together with the end of the context is not lost", func(t *testing.T, b *bulkhead.Bulkhead, p bulkhead.Permit) {
		for range 100 { // which of the two is noticed is left to chance
			ctx, cancel := context.WithCancel(context.Background())
			answer := make(chan error)
			go func() {
				var err error
				p, err = b.Acquire(ctx)
				answer <- err
			}()
			synctest.Wait() // it waits now
			before := p
			before.Release()
			cancel()
			equal(t, "error", <-answer, nil)
			equal(t, "running", b.Snapshot().Running, 1)
		}
		p.Release()
		equal(t, "running", b.Snapshot().Running, 0)
	})
	bubble(t, "in the order of arrival, together with callbacks", func(t *testing.T, b *bulkhead.Bulkhead, p bulkhead.Permit) {
		var mu sync.Mutex
		var order []int
		arrived := func(i int, p bulkhead.Permit, err error) {
			equal(t, "error", err, nil)
			mu.Lock()
			order = append(order, i)
			mu.Unlock()
			time.AfterFunc(time.Millisecond, p.Release)
		}
		for i := range 10 {
			if i%3 == 0 {
				b.Enqueue(func(p bulkhead.Permit, err error) { arrived(i, p, err) })
				continue
			}
			go func() {
				p, err := b.Acquire(context.Background())
				arrived(i, p, err)
			}()
			synctest.Wait() // it waits now
		}
		p.Release()
		time.Sleep(time.Second)
		mu.Lock()
		defer mu.Unlock()
		equal(t, "order", order, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
		equal(t, "running", b.Snapshot().Running, 0)
	})
}

// Newcomers that never pause cannot keep those who wait from their turn.
func TestFairness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const callers, rounds = 20, 10
		b := bulkhead.Must(bulkhead.New("stock", bulkhead.Config{MaxConcurrent: 3, MaxWaiting: callers, MaxWait: off}))
		var served [callers]int
		var wg sync.WaitGroup
		end := time.Now().Add(time.Duration(rounds) * callers / 3 * time.Millisecond)
		for i := range callers {
			wg.Go(func() {
				for time.Now().Before(end) { // as often as it can
					_ = b.Do(context.Background(), func(context.Context) error {
						served[i]++
						time.Sleep(time.Millisecond)
						return nil
					})
				}
			})
		}
		wg.Wait()
		if low, high := slices.Min(served[:]), slices.Max(served[:]); low < rounds-1 || high > low+2 {
			t.Errorf("calls per caller: %v", served)
		}
	})
}

// load makes n calls at once that take d each, and returns how many ran, the most at
// the same time, and how long it all took.
func load(b *bulkhead.Bulkhead, n int, d time.Duration) (ran, most int64, took time.Duration) {
	var running, reached, top atomic.Int64
	var wg sync.WaitGroup
	begin := time.Now()
	for range n {
		wg.Go(func() {
			_ = b.Do(context.Background(), func(context.Context) error {
				reached.Add(1)
				now := running.Add(1)
				for old := top.Load(); now > old && !top.CompareAndSwap(old, now); old = top.Load() {
				}
				time.Sleep(d)
				running.Add(-1)
				return errDown
			})
		})
	}
	wg.Wait()
	return reached.Load(), top.Load(), time.Since(begin)
}

func TestConcurrency(t *testing.T) {
	t.Run("K20: calls that have a permit run side by side", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := bulkhead.Must(bulkhead.New("stock", bulkhead.Config{MaxConcurrent: 50}))
			ran, most, took := load(b, 50, 100*time.Millisecond)
			equal(t, "ran", ran, 50)
			equal(t, "at the same time", most, 50)
			equal(t, "took", took, 100*time.Millisecond)
		})
	})
	t.Run("K75: of 1,000 calls that start together only 50 reach the dependency", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := bulkhead.Must(bulkhead.New("stock", bulkhead.Config{MaxConcurrent: 50}))
			ran, most, took := load(b, 1000, time.Second)
			equal(t, "ran", ran, 50)
			equal(t, "at the same time", most, 50)
			equal(t, "took", took, time.Second)
			equal(t, "counters", b.Counters(), bulkhead.Counters{Admitted: 50, Refused: 950})
		})
	})
	t.Run("K75: with a queue for all of them they take turns", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := bulkhead.Must(bulkhead.New("stock", bulkhead.Config{MaxConcurrent: 50, MaxWaiting: 950, MaxWait: time.Minute}))
			ran, most, took := load(b, 1000, time.Second)
			equal(t, "ran", ran, 1000)
			equal(t, "at the same time", most, 50)
			equal(t, "took", took, 20*time.Second)
		})
	})
}
