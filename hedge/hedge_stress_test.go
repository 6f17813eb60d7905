package hedge

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear/budget"
)

// Many callers at once, with attempts that answer, fail, panic, end their goroutine,
// heed their context or do not, and callers that give up. Every value that an attempt
// returned is either given to a caller or discarded, once; gauges, counters and the
// budget are balanced in the end, and no goroutine is left.
func TestStress(t *testing.T) {
	noLeak(t)
	const callers = 8
	calls := rounds(800)
	for _, cfg := range []Config{
		{Delay: 1, MaxExtra: 3, Always: true},
		{Percentile: 50, MinimumSamples: 10, MinDelay: 1, Delay: 1, MaxExtra: 1, MaxAbandoned: 2, Always: true},
	} {
		// No hedge is refused, and some are: the first has plenty.
		b := budget.Must(budget.New("extra", budget.Config{Ratio: budget.RatioConfig{Percent: 100, MinPerSecond: 1_000_000}}))
		h := made(t, cfg, WithBudget(b))
		var built, kept, thrown, passedOn atomic.Int64
		attempt := func(ctx context.Context) (*atomic.Int32, error) {
			for range rand.IntN(20) {
				runtime.Gosched()
			}
			switch rand.IntN(20) {
			case 0:
				panic(errDown)
			case 1:
				runtime.Goexit()
			case 2, 3, 4:
				return nil, errDown
			case 5, 6:
				<-ctx.Done()
				return nil, context.Cause(ctx)
			case 7:
				<-ctx.Done() // and answers all the same
			}
			built.Add(1)
			return new(atomic.Int32), nil
		}
		// once notes that somebody has got the value, who must be the only one.
		once := func(v *atomic.Int32, by *atomic.Int64) {
			if v.Add(1) != 1 {
				t.Error("a value was handed out twice")
			}
			by.Add(1)
		}
		one := func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
			defer cancel()
			returned := false
			defer func() {
				if !returned {
					passedOn.Add(1)
					_ = recover()
				}
			}()
			held, err := Hold(ctx, h, func(v *atomic.Int32) { once(v, &thrown) }, attempt)
			returned = true
			if err == nil {
				once(held.Value, &kept)
			} else if !errors.Is(err, errDown) && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error: %v", err)
			}
			held.Release()
		}
		var all sync.WaitGroup
		for range callers {
			all.Go(func() {
				for range calls / 10 {
					goes(func() { // a Goexit must not end the caller's loop
						for range 10 {
							one()
						}
					})
				}
			})
		}
		all.Wait()
		for range 1_000_000 {
			if h.Snapshot().Running == 0 {
				break
			}
			runtime.Gosched()
		}
		c := h.Counters()
		t.Logf("%+v", c)
		equal(t, "values kept or discarded", kept.Load()+thrown.Load(), built.Load())
		equal(t, "discarded", c.Discarded, uint64(thrown.Load()))
		// What a plain call passed on was no attempt of a race.
		s := h.Snapshot()
		equal(t, "running and abandoned", fmt.Sprint(s.Running, s.Abandoned), "0 0")
		equal(t, "calls by their end", c.Plain+c.Won+c.Failed+c.Stopped, c.Calls)
		ended := c.Won + c.Failures + c.Late
		attempts := c.Calls - c.Plain + c.Hedges
		if ended > attempts || attempts-ended > uint64(passedOn.Load()) {
			t.Errorf("attempts: %d made, %d ended by themselves, at most %d passed on", attempts, ended, passedOn.Load())
		}
		bs := b.Snapshot()
		equal(t, "in use", bs.InUse, 0)
		equal(t, "withdrawals", bs.Granted, c.Hedges)
		equal(t, "withdrawals ended", bs.Settled+bs.Cancelled, bs.Granted)
		equal(t, "refused", bs.Refused, c.Refused)
	}
}

// K36: attempts that ignore their context are left behind; their goroutines end with
// them, as the bubble and noLeak check, and their late results change nothing.
func TestStressLeftBehind(t *testing.T) {
	noLeak(t)
	synctest.Test(t, func(t *testing.T) {
		const calls = 1000
		h := made(t, Config{Delay: 5 * ms, MaxExtra: 2, MaxAbandoned: off, Always: true})
		var all sync.WaitGroup
		for range calls {
			all.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), 12*ms)
				defer cancel()
				begun := time.Now()
				err := h.Do(ctx, func(context.Context) error { time.Sleep(50 * ms); return nil })
				equal(t, "error", err, context.DeadlineExceeded)
				equal(t, "returned after", time.Since(begun), 12*ms)
			})
		}
		all.Wait()
		equal(t, "abandoned", h.Snapshot().Abandoned, 3*calls)
		time.Sleep(200 * ms)
		synctest.Wait()
		equal(t, "counters", h.Counters(), Counters{Calls: calls, Stopped: calls, Hedges: 2 * calls, Late: 3 * calls})
		atRest(t, h, 0)
	})
}

// The tail under concurrent use loses no sample, and its percentile stays within what
// was added.
func TestStressTail(t *testing.T) {
	tl := newTail(95_00, 1, time.Hour, 0)
	const workers, each = 4, 5000
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for i := range each {
				tl.add(time.Duration(10+i%100)*ms, time.Duration(i)*ms)
				if d := tl.value(time.Duration(i) * ms); d < 10*ms || d > 110*ms {
					t.Errorf("percentile: %v", d)
				}
			}
		})
	}
	all.Wait()
	equal(t, "samples", tl.samples(each*ms), workers*each)
	within(t, tl.value(each*ms), 104*ms)
}
