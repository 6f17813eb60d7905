package cache

import "sync/atomic"

// Counters count over the whole life of a [Cache]; each only grows. Each call that
// returns is in one of the first four. A call that panics is not counted.
type Counters struct {
	// Fresh are answers given without a call.
	Fresh uint64 `json:"fresh"`
	// Called are calls that succeeded.
	Called uint64 `json:"called"`
	// Stale are answers given in place of an error.
	Stale uint64 `json:"stale"`
	// Failed are calls whose error the caller got.
	Failed uint64 `json:"failed"`
	// StoreFailures are errors and panics of the store, without those that came
	// after the caller had gone.
	StoreFailures uint64 `json:"store_failures"`
}

// Counters returns the counters. They are read one after another, while calls may
// be going on.
func (c *Cache[K, V]) Counters() Counters {
	return Counters{
		Fresh:         c.tally.fresh.Load(),
		Called:        c.tally.called.Load(),
		Stale:         c.tally.stale.Load(),
		Failed:        c.tally.failed.Load(),
		StoreFailures: c.tally.storeFailures.Load(),
	}
}

type tally struct{ fresh, called, stale, failed, storeFailures atomic.Uint64 }
