package cache_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/cache"
)

const (
	ttl   = time.Minute
	stale = time.Hour
)

func both() cache.Config { return cache.Config{TTL: ttl, StaleFor: stale} }

func TestAges(t *testing.T) {
	t.Run("fresh until the TTL, stale until StaleFor after it", func(t *testing.T) {
		r := newRig(t, both(), nil)
		r.store("a", 1)
		r.fresh("a", 1, 0)
		r.clock.Advance(ttl - 1)
		r.fresh("a", 1, ttl-1)
		r.clock.Advance(1)
		r.stale("a", errDown, 1, ttl)
		r.clock.Advance(stale - 1)
		r.stale("a", errDown, 1, ttl+stale-1)
		r.clock.Advance(1)
		r.fails("a", errDown)
		equal(t, "counters", r.Counters(), cache.Counters{Fresh: 2, Called: 1, Stale: 2, Failed: 1})
	})
	t.Run("a stale answer is not given where the call succeeds, and the new one begins at age 0", func(t *testing.T) {
		r := newRig(t, both(), nil)
		r.store("a", 1)
		r.clock.Advance(ttl)
		r.store("a", 2)
		r.clock.Advance(ttl - 1)
		r.fresh("a", 2, ttl-1)
	})
	t.Run("by default every call is made", func(t *testing.T) {
		r := newRig(t, cache.Config{}, nil)
		r.store("a", 1)
		r.store("a", 2)
		r.stale("a", errDown, 2, 0)
		r.clock.Advance(10*time.Minute - 1)
		r.stale("a", errDown, 2, 10*time.Minute-1)
		r.clock.Advance(1)
		r.fails("a", errDown)
	})
	t.Run("without StaleFor an error is an error", func(t *testing.T) {
		r := newRig(t, cache.Config{TTL: ttl, StaleFor: off}, nil)
		r.store("a", 1)
		r.fresh("a", 1, 0)
		r.clock.Advance(ttl)
		r.fails("a", errDown)
	})
	t.Run("errors are not cached, and a failure does not spoil what is", func(t *testing.T) {
		r := newRig(t, both(), nil)
		r.fails("a", errDown)
		r.fails("a", errDown)
		r.store("a", 1)
		r.clock.Advance(ttl)
		r.stale("a", errDown, 1, ttl)
		r.stale("a", errDown, 1, ttl)
	})
	t.Run("what another caller stored meanwhile is given as fresh", func(t *testing.T) {
		r := newRig(t, both(), nil)
		v, meta, err := cache.Do(context.Background(), r.Cache, "a", func(context.Context) (int, error) {
			r.store("a", 7)
			return 0, errDown
		})
		equal(t, "answer", v, 7)
		equal(t, "error", err, nil)
		equal(t, "meta", meta, cache.Meta{Cached: true, Err: errDown})
	})
	t.Run("C5: a jump of the wall clock changes nothing", func(t *testing.T) {
		r := newRig(t, both(), nil)
		r.store("a", 1)
		r.clock.JumpWall(-24 * time.Hour)
		r.fresh("a", 1, 0)
		r.clock.JumpWall(48 * time.Hour)
		r.fresh("a", 1, 0)
	})
	t.Run("keys do not mix, and Drop drops one", func(t *testing.T) {
		r := newRig(t, both(), nil)
		r.store("a", 1)
		r.store("b", 2)
		r.Drop(context.Background(), "a")
		r.Drop(context.Background(), "c")
		r.fails("a", errDown)
		r.fresh("b", 2, 0)
	})
}

func TestCauses(t *testing.T) {
	noAnswer := []error{
		errDown, fmt.Errorf("stock: %w", refusal{}), context.DeadlineExceeded, context.Canceled,
		switchgear.MarkIgnored(errDown), switchgear.MarkFailure(errNotFound),
	}
	t.Run("any error that is no answer, refusals among them", func(t *testing.T) {
		r := newRig(t, cache.Config{}, nil)
		r.store("a", 1)
		for _, err := range noAnswer {
			r.stale("a", err, 1, 0)
		}
	})
	t.Run("an error that is an answer is returned and ends the old one", func(t *testing.T) {
		r := newRig(t, both(), nil)
		r.store("a", 1)
		r.store("b", 2)
		r.clock.Advance(ttl)
		r.fails("a", switchgear.MarkSuccess(errNotFound))
		r.fails("a", errDown)
		r.stale("b", errDown, 2, ttl)
	})
	t.Run("a classifier decides what an answer is", func(t *testing.T) {
		r := newRig(t, cache.Config{}, nil, cache.WithClassifier(func(err error) switchgear.Judgement {
			if errors.Is(err, errNotFound) {
				return switchgear.Judgement{Health: switchgear.Success}
			}
			return switchgear.Judgement{}
		}))
		r.store("a", 1)
		r.stale("a", errDown, 1, 0)
		r.fails("a", errNotFound)
		r.fails("a", errDown)
	})
	t.Run("a cause narrows it", func(t *testing.T) {
		r := newRig(t, cache.Config{}, nil, cache.WithCause(func(err error) bool { return errors.Is(err, switchgear.ErrRejected) }))
		r.store("a", 1)
		r.fails("a", errDown)
		r.stale("a", refusal{}, 1, 0)
	})
	t.Run("a caller that has cancelled gets its error", func(t *testing.T) {
		r := newRig(t, cache.Config{}, nil)
		r.store("a", 1)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		r.askAs(ctx, "a", -1, context.Canceled, -1, cache.Meta{Err: context.Canceled}, context.Canceled)
		r.stale("a", errDown, 1, 0)
	})
	t.Run("a caller whose deadline has passed gets a stale answer", func(t *testing.T) {
		r := newRig(t, cache.Config{}, nil)
		r.store("a", 1)
		ctx, cancel := context.WithTimeout(context.Background(), -1)
		defer cancel()
		err := context.DeadlineExceeded
		r.askAs(ctx, "a", -1, err, 1, cache.Meta{Cached: true, Stale: true, Err: err}, nil)
	})
}

func TestCallThatDoesNotReturn(t *testing.T) {
	r := newRig(t, both(), nil)
	r.store("a", 1)
	r.clock.Advance(ttl)
	before := r.Counters()
	t.Run("a panic goes on", func(t *testing.T) {
		defer func() { equal(t, "recovered", recover(), any("boom")) }()
		_, _, _ = cache.Do(context.Background(), r.Cache, "a", func(context.Context) (int, error) { panic("boom") })
	})
	t.Run("so does a Goexit", func(t *testing.T) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _, _ = cache.Do(context.Background(), r.Cache, "a", func(context.Context) (int, error) { runtime.Goexit(); return 0, nil })
			t.Error("Do returned")
		}()
		<-done
	})
	equal(t, "counters", r.Counters(), before)
	r.stale("a", errDown, 1, ttl)
}

// The two halves of Do, for code that does not wait in place.
func TestLookupAndSettle(t *testing.T) {
	ctx := context.Background()
	r := newRig(t, both(), nil)
	_, _, ok := r.Lookup(ctx, "a")
	equal(t, "found", ok, false)
	v, meta, err := r.Settle(ctx, "a", 1, nil)
	equal(t, "answer", v, 1)
	equal(t, "meta", meta, cache.Meta{})
	equal(t, "error", err, nil)
	v, meta, ok = r.Lookup(ctx, "a")
	equal(t, "answer", v, 1)
	equal(t, "meta", meta, cache.Meta{Cached: true})
	equal(t, "found", ok, true)
}

func TestNilOptions(t *testing.T) {
	c := cache.Must(cache.New[string, int]("items", cache.Config{}, nil,
		nil, cache.WithClock(nil), cache.WithListener(nil), cache.WithCause(nil), cache.WithClassifier(nil)))
	v, _, err := cache.Do(context.Background(), c, "a", func(context.Context) (int, error) { return 1, nil })
	equal(t, "answer", v, 1)
	equal(t, "error", err, nil)
}

func TestAllocations(t *testing.T) {
	ctx := context.Background()
	r := newRig(t, both(), nil)
	call := func(context.Context) (int, error) { return 1, nil }
	down := func(context.Context) (int, error) { return 0, errDown }
	_, _, _ = cache.Do(ctx, r.Cache, "a", call)
	equal(t, "allocations of a fresh answer", testing.AllocsPerRun(100, func() { _, _, _ = cache.Do(ctx, r.Cache, "a", call) }), 0)
	r.clock.Advance(ttl)
	equal(t, "allocations of a stale answer", testing.AllocsPerRun(100, func() { _, _, _ = cache.Do(ctx, r.Cache, "a", down) }), 0)
	always := newRig(t, cache.Config{}, nil)
	_, _, _ = cache.Do(ctx, always.Cache, "a", call)
	equal(t, "allocations of storing anew", testing.AllocsPerRun(100, func() { _, _, _ = cache.Do(ctx, always.Cache, "a", call) }), 0)
}
