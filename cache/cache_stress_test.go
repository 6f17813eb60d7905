package cache_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/cache"
)

// Many goroutines, few entries, times so short that everything happens. An answer
// is never that of another key, the bounds hold at every moment, and the counters
// add up.
func TestStress(t *testing.T) {
	const workers, keys = 8, 30
	each := scale(3000, 500)
	m, err := cache.NewMemory(cache.MemoryConfig{Entries: 10, MaxWeight: 60}, func(k int, _ int) int { return k % 13 })
	if err != nil {
		t.Fatal(err)
	}
	c := cache.Must(cache.New("items", cache.Config{TTL: time.Millisecond, StaleFor: time.Millisecond}, m))
	var callers, watcher sync.WaitGroup
	stop := make(chan struct{})
	watcher.Go(func() {
		for {
			if s := m.Snapshot(); s.Entries > 10 || s.Weight > 60 || s.Entries < 0 || s.Weight < 0 {
				t.Errorf("out of bounds: %+v", s)
				return
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	for range workers {
		callers.Go(func() {
			for i := range each {
				key := rand.IntN(keys)
				v, meta, err := cache.Do(context.Background(), c, key, func(context.Context) (int, error) {
					if rand.IntN(3) == 0 {
						return 0, errDown
					}
					return key*1000 + rand.IntN(1000), nil
				})
				switch {
				case err == nil && v/1000 != key:
					t.Errorf("key %d got %d", key, v)
				case err != nil && meta.Cached, meta.Cached && meta.Age >= 2*time.Millisecond, meta.Stale && meta.Err == nil:
					t.Errorf("%v, %+v, %v do not go together", v, meta, err)
				}
				switch i % 200 {
				case 50:
					c.Drop(context.Background(), key)
				case 150:
					m.Clear()
				}
			}
		})
	}
	callers.Wait()
	close(stop)
	watcher.Wait()
	n := c.Counters()
	equal(t, "calls", n.Fresh+n.Called+n.Stale+n.Failed, uint64(workers*each))
	equal(t, "store failures", n.StoreFailures, 0)
}

// K67 under load: a store that fails for everybody at once gives one warning.
func TestStressStoreFails(t *testing.T) {
	r := newRig(t, both(), newFaulty(func() error { panic("store is down") }))
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for range 500 {
				_, _, _ = cache.Do(context.Background(), r.Cache, "a", func(context.Context) (int, error) { return 1, nil })
			}
		})
	}
	callers.Wait()
	equal(t, "warnings", len(r.heard), 1)
	equal(t, "store failures", r.Counters().StoreFailures, 8*500*2)
}
