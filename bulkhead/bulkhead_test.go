package bulkhead_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/bulkhead"
)

func TestPermits(t *testing.T) {
	t.Run("as many as the limit, and one more for each that comes back", func(t *testing.T) {
		r := newRig(t, bulkhead.Config{MaxConcurrent: 2})
		first, second := r.taken(), r.taken()
		r.refused()
		first.Release()
		third := r.taken()
		r.refused()
		r.now(2, 0)
		second.Release()
		third.Release()
		r.now(0, 0)
		equal(t, "counters", r.Counters(), bulkhead.Counters{Admitted: 3, Refused: 2})
	})
	t.Run("the zero permit does nothing", func(t *testing.T) {
		var p bulkhead.Permit
		p.Release()
	})
	t.Run("a refusal without a queue comes at once, also from Acquire and Enqueue", func(t *testing.T) {
		r := newRig(t, bulkhead.Config{MaxConcurrent: 1})
		r.taken()
		_, err := r.Acquire(context.Background())
		equal(t, "reason", rejection(t, err).Reason, bulkhead.Full)
		a := r.enqueue()
		equal(t, "reason", rejection(t, a.err).Reason, bulkhead.Full)
		equal(t, "cancel", a.cancel(), false)
		equal(t, "timers", r.clock.Pending(), 0)
		equal(t, "counters", r.Counters(), bulkhead.Counters{Admitted: 1, Refused: 2})
	})
	t.Run("nothing is allocated where there is room, nor by a refusal", func(t *testing.T) {
		r := newRig(t, bulkhead.Config{MaxConcurrent: 1, MaxWaiting: 1})
		ctx := context.Background()
		equal(t, "acquire", testing.AllocsPerRun(100, func() {
			p, _ := r.Acquire(ctx)
			p.Release()
		}), 0)
		equal(t, "Do", testing.AllocsPerRun(100, func() { _ = r.Do(ctx, nothing) }), 0)
		r.taken()
		equal(t, "nobody waits", testing.AllocsPerRun(100, func() { _, _ = r.TryAcquire() }), 0)
		r.enqueue()
		equal(t, "the queue is full", testing.AllocsPerRun(100, func() { _, _ = r.Acquire(ctx) }), 0)
	})
}

func TestQueue(t *testing.T) {
	t.Run("first come, first served", func(t *testing.T) {
		r := newRig(t, bulkhead.Config{MaxConcurrent: 1, MaxWaiting: 3})
		p := r.taken()
		first, second, third := r.enqueue(), r.enqueue(), r.enqueue()
		over := r.enqueue()
		equal(t, "over the bound", rejection(t, over.err).Reason, bulkhead.Full)
		r.now(1, 3)

		p.Release()
		equal(t, "first", first.admitted(), true)
		equal(t, "second waits", second.waiting(), true)
		r.now(1, 2)
		first.permit.Release()
		equal(t, "second", second.admitted(), true)
		second.permit.Release()
		equal(t, "third", third.admitted(), true)
		third.permit.Release()
		r.now(0, 0)
		equal(t, "counters", r.Counters(), bulkhead.Counters{Admitted: 4, Queued: 3, Refused: 1})
		equal(t, "timers", r.clock.Pending(), 0)
	})
	t.Run("nobody overtakes", func(t *testing.T) {
		r := newRig(t, bulkhead.Config{MaxConcurrent: 1, MaxWaiting: 2})
		p := r.taken()
		first := r.enqueue()
		p.Release() // to first; there is no moment at which it is free
		r.refused()
		second := r.enqueue()
		equal(t, "first", first.admitted(), true)
		equal(t, "second waits", second.waiting(), true)
	})
	t.Run("who waits for MaxWait is refused, neither earlier nor later", func(t *testing.T) {
		r := newRig(t, bulkhead.Config{MaxConcurrent: 1, MaxWaiting: 2, MaxWait: time.Second})
		r.taken()
		first := r.enqueue()
		r.clock.Advance(time.Millisecond)
		second := r.enqueue()
		r.clock.Advance(999*time.Millisecond - 1)
		equal(t, "first waits", first.waiting(), true)
		r.clock.Advance(1)
		equal(t, "first", *rejection(t, first.err), bulkhead.Rejection{
			Name: "stock", Reason: bulkhead.TimedOut, Running: 1, Limit: 1, Waiting: 1, MaxWaiting: 2, Waited: time.Second,
		})
		equal(t, "second waits", second.waiting(), true)
		r.clock.Advance(time.Millisecond)
		equal(t, "second", rejection(t, second.err).Reason, bulkhead.TimedOut)
		r.now(1, 0)
		equal(t, "counters", r.Counters(), bulkhead.Counters{Admitted: 1, Queued: 2, TimedOut: 2})
	})
	t.Run("with MaxWait off nobody is sent away", func(t *testing.T) {
		r := newRig(t, bulkhead.Config{MaxConcurrent: 1, MaxWaiting: 1, MaxWait: off})
		p := r.taken()
		a := r.enqueue()
		equal(t, "timers", r.clock.Pending(), 0)
		r.clock.Advance(1000 * time.Hour)
		equal(t, "waits", a.waiting(), true)
		p.Release()
		equal(t, "admitted", a.admitted(), true)
	})
	t.Run("who cancels leaves the queue, wherever it stands", func(t *testing.T) {
		for gone := range 3 {
			r := newRig(t, bulkhead.Config{MaxConcurrent: 1, MaxWaiting: 3})
			p := r.taken()
			asks := []*ask{r.enqueue(), r.enqueue(), r.enqueue()}
			equal(t, "cancel", asks[gone].cancel(), true)
			equal(t, "cancel again", asks[gone].cancel(), false)
			r.now(1, 2)
			for i, a := range asks {
				if i == gone {
					continue
				}
				p.Release()
				equal(t, "admitted", a.admitted(), true)
				equal(t, "cancel, too late", a.cancel(), false)
				p = &a.permit
			}
			p.Release()
			r.clock.Advance(time.Hour)
			equal(t, "answers to the one that cancelled", asks[gone].answers, 0)
			r.now(0, 0)
			equal(t, "counters", r.Counters(), bulkhead.Counters{Admitted: 3, Queued: 3, GaveUp: 1})
		}
	})
	t.Run("a callback may use the bulkhead", func(t *testing.T) {
		r := newRig(t, bulkhead.Config{MaxConcurrent: 1, MaxWaiting: 100_000, MaxWait: off})
		p := r.taken()
		var order []int
		for i := range 100_000 {
			r.Enqueue(func(p bulkhead.Permit, err error) {
				order = append(order, i)
				if i == 0 {
					equal(t, "waiting, seen from inside", r.Snapshot().Waiting, 99_999)
				}
				p.Release()
			})
		}
		p.Release() // each callback runs inside the Release of the one before
		equal(t, "called", len(order), 100_000)
		for i, id := range order {
			if i != id {
				t.Fatalf("the %d-th to be called was number %d", i, id)
			}
		}
		r.now(0, 0)
	})
	t.Run("a callback that panics keeps nobody from an answer", func(t *testing.T) {
		r := newRig(t, bulkhead.Config{MaxConcurrent: 1, MaxWaiting: 3})
		p := r.taken()
		r.Enqueue(func(p bulkhead.Permit, _ error) { defer p.Release(); panic("first") })
		r.Enqueue(func(p bulkhead.Permit, _ error) { defer p.Release(); runtime.Goexit() })
		last := r.enqueue()
		var recovered any
		in(func() {
			defer func() { recovered = recover() }()
			p.Release()
		})
		equal(t, "the panic was ended by the Goexit after it", recovered, nil)
		equal(t, "last", last.admitted(), true)
		last.permit.Release()
		r.now(0, 0)
	})
	t.Run("callbacks that are due together are all called, also if one panics", func(t *testing.T) {
		r := newRig(t, bulkhead.Config{MaxConcurrent: 1, MaxWaiting: 3})
		p := r.taken()
		r.Enqueue(func(p bulkhead.Permit, _ error) { defer p.Release(); panic("first") })
		second, third := r.enqueue(), r.enqueue()
		var recovered any
		in(func() {
			defer func() { recovered = recover() }()
			equal(t, "Reconfigure", r.Reconfigure(bulkhead.Config{MaxConcurrent: 3, MaxWaiting: 3}), nil)
		})
		equal(t, "panic", recovered, "first")
		equal(t, "second", second.admitted(), true)
		equal(t, "third", third.admitted(), true)
		r.now(3, 0)
		p.Release()
	})
}

// in runs f on a goroutine of its own and waits for its end.
func in(f func()) {
	var wg sync.WaitGroup
	wg.Go(f)
	wg.Wait()
}

func TestDo(t *testing.T) {
	ctx := context.Background()
	t.Run("runs with a permit and passes on what comes back", func(t *testing.T) {
		r := newRig(t, bulkhead.Config{MaxConcurrent: 1})
		v, err := bulkhead.Do(ctx, r.Bulkhead, func(context.Context) (int, error) {
			r.now(1, 0)
			return 42, errDown
		})
		equal(t, "value", v, 42)
		equal(t, "error", err, errDown)
		equal(t, "error without a value", r.Do(ctx, func(context.Context) error { return errDown }), errDown)
		r.now(0, 0)
	})
	t.Run("does not run without one", func(t *testing.T) {
		r := newRig(t, bulkhead.Config{MaxConcurrent: 1})
		r.taken()
		v, err := bulkhead.Do(ctx, r.Bulkhead, func(context.Context) (int, error) {
			t.Error("it ran")
			return 42, nil
		})
		equal(t, "value", v, 0)
		equal(t, "matches", errors.Is(err, bulkhead.ErrRejected) && errors.Is(err, switchgear.ErrRejected), true)
		equal(t, "without a value", errors.Is(r.Do(ctx, nothing), bulkhead.ErrRejected), true)
	})
	t.Run("a panic gives the permit back and goes on", func(t *testing.T) {
		r := newRig(t, bulkhead.Config{MaxConcurrent: 1})
		for _, do := range []func(){
			func() { _ = r.Do(ctx, func(context.Context) error { panic("boom") }) },
			func() {
				_, _ = bulkhead.Do(ctx, r.Bulkhead, func(context.Context) (int, error) { panic("boom") })
			},
		} {
			func() {
				defer func() { equal(t, "panic", recover(), any("boom")) }()
				do()
			}()
			r.now(0, 0)
		}
	})
	t.Run("so does a Goexit", func(t *testing.T) {
		r := newRig(t, bulkhead.Config{MaxConcurrent: 1})
		in(func() {
			_ = r.Do(ctx, func(context.Context) error { runtime.Goexit(); return nil })
		})
		in(func() {
			_, _ = bulkhead.Do(ctx, r.Bulkhead, func(context.Context) (int, error) { runtime.Goexit(); return 0, nil })
		})
		r.now(0, 0)
	})
}

func TestSnapshot(t *testing.T) {
	r := newRig(t, bulkhead.Config{MaxConcurrent: 2, MaxWaiting: 5})
	r.taken()
	r.taken()
	r.enqueue()
	equal(t, "snapshot", r.Snapshot(), bulkhead.Snapshot{
		Name: "stock", Running: 2, Limit: 2, Available: 0, Waiting: 1, MaxWaiting: 5,
		Counters: bulkhead.Counters{Admitted: 2, Queued: 1},
	})
	equal(t, "name", r.Name(), "stock")
}

// The word has room for a billion admissions; then they have to be booked elsewhere.
func TestCountersBeyondTheWord(t *testing.T) {
	const most = 1 << 30 // of the numbers in a word, half may be used
	r := newRig(t, bulkhead.Config{MaxConcurrent: 2, MaxWaiting: 1})
	want := uint64(0)
	for range 5 {
		r.SkipAdmissions(most - 2)
		for range 4 {
			p := r.taken()
			q := r.taken()
			r.refused()
			q.Release()
			p.Release()
		}
		want += most - 2 + 8
		equal(t, "admitted", r.Counters().Admitted, want)
		r.now(0, 0)
	}
}
