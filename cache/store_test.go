package cache_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/cache"
	"github.com/switchgear-go/switchgear/event"
)

// A faulty store is a map that does something bad first, if there is such.
type faulty struct {
	entries map[string]cache.Entry[int]
	get     func() error
	put     func() error
}

func newFaulty(bad func() error) *faulty {
	return &faulty{map[string]cache.Entry[int]{}, bad, bad}
}

func (f *faulty) Get(_ context.Context, key string) (cache.Entry[int], bool, error) {
	if f.get != nil {
		if err := f.get(); err != nil {
			return cache.Entry[int]{Value: 666}, true, err // what comes with an error is not to be used
		}
	}
	e, ok := f.entries[key]
	return e, ok, nil
}

func (f *faulty) Put(_ context.Context, key string, e cache.Entry[int]) error {
	if f.put != nil {
		if err := f.put(); err != nil {
			return err
		}
	}
	f.entries[key] = e
	return nil
}

func TestStoreThatFails(t *testing.T) {
	for name, bad := range map[string]func() error{
		"error": func() error { return errors.New("store is down") },
		"panic": func() error { panic("store is down") },
	} {
		t.Run(name+": the call is made and its result returned", func(t *testing.T) {
			r := newRig(t, both(), newFaulty(bad))
			r.store("a", 1)       // get and put fail
			r.fails("a", errDown) // get fails twice
			equal(t, "counters", r.Counters(), cache.Counters{Called: 1, Failed: 1, StoreFailures: 4})
		})
		t.Run("K67: "+name+": one warning, and another only after a minute without failures", func(t *testing.T) {
			store := newFaulty(bad)
			r := newRig(t, both(), store)
			for range 1000 {
				r.store("a", 1)
				r.clock.Advance(time.Second)
			}
			equal(t, "warnings", len(r.heard), 1)
			e := r.heard[0]
			equal(t, "kind", e.Kind, event.Warning)
			equal(t, "source", e.Source, "cache")
			equal(t, "name", e.Name, "items")
			equal(t, "reason", e.Reason, "the store fails: store is down; calls are made as if nothing were cached")

			store.get, store.put = nil, nil
			r.store("a", 1)
			r.fresh("a", 1, 0)
			r.clock.Advance(59 * time.Second) // a minute after the last failure
			store.get, store.put = bad, bad
			r.store("a", 1)
			equal(t, "warnings", len(r.heard), 2)
		})
	}
	t.Run("a Goexit goes on and is counted", func(t *testing.T) {
		r := newRig(t, both(), newFaulty(func() error { runtime.Goexit(); return nil }))
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _, _ = cache.Do(context.Background(), r.Cache, "a", func(context.Context) (int, error) { return 1, nil })
		}()
		<-done
		equal(t, "store failures", r.Counters().StoreFailures, 1)
		equal(t, "reason", strings.Contains(r.heard[0].Reason, "it ends the goroutine"), true)
	})
	t.Run("a key that cannot be hashed is the store's panic", func(t *testing.T) {
		c := cache.Must(cache.New[any, int]("items", both(), nil))
		for range 2 { // the lock is free again
			v, _, err := cache.Do(context.Background(), c, any([]int{}), func(context.Context) (int, error) { return 1, nil })
			equal(t, "answer", v, 1)
			equal(t, "error", err, nil)
		}
		equal(t, "store failures", c.Counters().StoreFailures, 4)
	})
	t.Run("an error because the caller is gone is not the store's", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), -1)
		defer cancel()
		r := newRig(t, both(), newFaulty(ctx.Err))
		r.askAs(ctx, "a", 1, nil, 1, cache.Meta{}, nil)
		equal(t, "store failures", r.Counters().StoreFailures, 0)
		equal(t, "warnings", len(r.heard), 0)
	})
}

func TestWhatTheStoreIsTold(t *testing.T) {
	store := newFaulty(nil)
	r := newRig(t, both(), store)
	t.Run("K69: ages and spans, no instants of this process", func(t *testing.T) {
		r.clock.Advance(1234 * time.Hour)
		r.store("a", 1)
		equal(t, "entry", store.entries["a"], cache.Entry[int]{Value: 1, Keep: ttl + stale})
	})
	t.Run("the store measures the age", func(t *testing.T) {
		store.entries["a"] = cache.Entry[int]{Value: 1, Age: ttl - 1}
		r.fresh("a", 1, ttl-1)
		store.entries["a"] = cache.Entry[int]{Value: 1, Age: ttl + stale - 1}
		r.stale("a", errDown, 1, ttl+stale-1)
		store.entries["a"] = cache.Entry[int]{Value: 1, Age: ttl + stale}
		r.fails("a", errDown)
		store.entries["a"] = cache.Entry[int]{Value: 1, Age: -time.Hour} // another machine's clock
		r.fresh("a", 1, 0)
	})
	t.Run("without a TTL it is asked only after an error", func(t *testing.T) {
		asked := 0
		store := newFaulty(nil)
		store.get = func() error { asked++; return nil }
		r := newRig(t, cache.Config{}, store)
		r.store("a", 1)
		equal(t, "asked", asked, 0)
		r.fails("b", errDown)
		equal(t, "asked", asked, 1)
	})
}
