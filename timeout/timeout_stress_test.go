package timeout_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/timeout"
)

const callers = 8

// A function that stops when its context tells it to has taken the limit, by the
// reading that judges it: the timer is never ahead of the verdict.
func TestStressVerdict(t *testing.T) {
	before := runtime.NumGoroutine()
	to := timeout.Must(timeout.New("stock", timeout.Config{Limit: 20 * time.Microsecond}))
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for range 500 {
				err := to.Do(context.Background(), func(ctx context.Context) error {
					<-ctx.Done()
					return ctx.Err()
				})
				if e, ok := errors.AsType[*timeout.Error](err); !ok || e.Elapsed < e.Limit || e.Err != nil {
					t.Errorf("got %v", err)
					return
				}
			}
		})
	}
	wg.Wait()
	equal(t, "timed out", to.Counters().TimedOut, callers*500)
	settled(t, before)
}

// K36 on real goroutines: limits, callers that leave, results, panics and Goexits
// race for each other, and in the end everything adds up and nothing is left.
func TestStressAbandon(t *testing.T) {
	before := runtime.NumGoroutine()
	to := timeout.Must(timeout.New("stock", timeout.Config{Limit: 20 * time.Microsecond, Abandon: true, MaxAbandoned: 50}))
	var started, timedOut, rejected, canceled atomic.Uint64
	var callersGone sync.WaitGroup
	for c := range callers {
		callersGone.Go(func() {
			for i := range 500 {
				one(to, c+i, &started, &timedOut, &rejected, &canceled)
				s := to.Snapshot()
				if s.Abandoned < 0 || s.Abandoned > 50+callers || s.Running < s.Abandoned {
					t.Errorf("snapshot: %+v", s)
					return
				}
			}
		})
	}
	callersGone.Wait()
	settled(t, before)

	n := to.Counters()
	equal(t, "timed out", n.TimedOut, timedOut.Load())
	equal(t, "rejected", n.Rejected, rejected.Load())
	equal(t, "late", n.Late, n.Abandoned)
	if most := timedOut.Load() + canceled.Load(); n.Abandoned > most || n.LatePanics > n.Late {
		t.Errorf("counters: %+v, with %d ends that leave something behind", n, most)
	}
	s := to.Snapshot()
	equal(t, "running, abandoned", [2]int{s.Running, s.Abandoned}, [2]int{0, 0})
	t.Logf("%d calls: %+v", started.Load(), n)
}

// one makes a call whose kind goes by i, in a goroutine that it may end.
func one(to *timeout.Timeout, i int, started, timedOut, rejected, canceled *atomic.Uint64) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { _ = recover() }()
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		if i%7 == 0 {
			go cancel()
		}
		err := to.Do(ctx, func(ctx context.Context) error {
			started.Add(1)
			for range (i % 5) * 20 {
				runtime.Gosched()
			}
			switch i % 6 {
			case 0:
				panic("boom")
			case 1:
				runtime.Goexit()
			case 2:
				<-ctx.Done()
			}
			return nil
		})
		switch {
		case errors.Is(err, timeout.ErrTimeout):
			timedOut.Add(1)
		case errors.Is(err, timeout.ErrRejected):
			rejected.Add(1)
			for range 100 { // let some of the others return
				runtime.Gosched()
			}
		case errors.Is(err, context.Canceled):
			canceled.Add(1)
		}
	}()
	<-done
}

// Handles of one timeout in many goroutines, with children that outlive them.
func TestStressHandles(t *testing.T) {
	before := runtime.NumGoroutine()
	to := timeout.Must(timeout.New("stock", timeout.Config{Limit: time.Hour}))
	parent, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for i := range 300 {
				h, err := to.Context(parent)
				if err != nil {
					t.Error(err)
					return
				}
				child, stop := context.WithCancel(h.Ctx)
				if i%2 == 0 {
					stop()
				}
				if got := h.End(errDown); got != errDown {
					t.Errorf("verdict: %v", got)
				}
				<-child.Done()
				stop()
			}
		})
	}
	wg.Wait()
	cancel()
	equal(t, "counters", to.Counters(), timeout.Counters{})
	settled(t, before)
}
