package cache

import (
	"context"
	"errors"
	"time"

	"github.com/switchgear-go/switchgear"
)

// Meta tells where an answer comes from.
type Meta struct {
	// Cached is whether the answer comes from the store.
	Cached bool
	// Stale is whether it is older than the TTL; only if Cached.
	Stale bool
	// Age is how long ago it was stored; 0 unless Cached.
	Age time.Duration
	// Err is the error of the call that was made: the one that a cached answer
	// hides, or else the one returned.
	Err error
}

// Do answers for key: from the store if it has a fresh answer, otherwise by running
// fn, whose answer it stores. If fn fails, it gives a stale answer if there is one,
// and otherwise returns what fn returned. See the package comment.
//
// fn runs in the calling goroutine, outside every lock.
func Do[K comparable, V any](ctx context.Context, c *Cache[K, V], key K, fn func(context.Context) (V, error)) (V, Meta, error) {
	if v, meta, ok := c.Lookup(ctx, key); ok {
		return v, meta, nil
	}
	v, err := fn(ctx)
	return c.Settle(ctx, key, v, err)
}

// Lookup is the first half of [Do]: it returns a fresh answer, if there is one. If
// not, make the call and hand its result to [Cache.Settle].
func (c *Cache[K, V]) Lookup(ctx context.Context, key K) (V, Meta, bool) {
	if c.fresh > 0 {
		if e, ok := c.get(ctx, key); ok && e.Age < c.fresh {
			c.tally.fresh.Add(1)
			return e.Value, Meta{Cached: true, Age: e.Age}, true
		}
	}
	var none V
	return none, Meta{}, false
}

// Settle is the second half of [Do]: the call for key returned v and err, and Settle
// returns what to give to the caller. ctx is the caller's.
func (c *Cache[K, V]) Settle(ctx context.Context, key K, v V, err error) (V, Meta, error) {
	if err == nil {
		c.tally.called.Add(1)
		c.put(ctx, key, Entry[V]{Value: v, Keep: c.keep})
		return v, Meta{}, nil
	}
	switch {
	case switchgear.Judge(context.Background(), err, c.clk.Now, c.classify).Health == switchgear.Success:
		c.put(ctx, key, Entry[V]{}) // overtaken by an answer that is an error
	case !cancelled(ctx) && (c.cause == nil || c.cause(err)):
		if e, ok := c.get(ctx, key); ok && e.Age < c.keep {
			c.tally.stale.Add(1)
			// Not stale if another caller has stored it in the meantime.
			return e.Value, Meta{Cached: true, Stale: e.Age >= c.fresh, Age: e.Age, Err: err}, nil
		}
	}
	c.tally.failed.Add(1)
	return v, Meta{Err: err}, err
}

// cancelled is whether the caller is gone. One whose deadline has passed may still
// be waiting for an answer.
func cancelled(ctx context.Context) bool {
	err := ctx.Err()
	return err != nil && !errors.Is(err, context.DeadlineExceeded)
}

// Drop drops the answer for key, if there is one: the next call is made.
func (c *Cache[K, V]) Drop(ctx context.Context, key K) { c.put(ctx, key, Entry[V]{}) }

// get asks the store and survives it. A failure is a miss.
func (c *Cache[K, V]) get(ctx context.Context, key K) (found Entry[V], ok bool) {
	returned := false
	defer func() {
		if !returned {
			c.storeFailed(recover()) // or runtime.Goexit, which goes on
		}
	}()
	e, ok, err := c.store.Get(ctx, key)
	returned = true
	if err != nil {
		c.refused(ctx, err)
		return found, false
	}
	e.Age = max(e.Age, 0) // another machine's clock, perhaps
	return e, ok
}

// put tells the store and survives it.
func (c *Cache[K, V]) put(ctx context.Context, key K, e Entry[V]) {
	returned := false
	defer func() {
		if !returned {
			c.storeFailed(recover())
		}
	}()
	err := c.store.Put(ctx, key, e)
	returned = true
	if err != nil {
		c.refused(ctx, err)
	}
}

// refused notes an error of the store, unless it only says that the caller is gone.
func (c *Cache[K, V]) refused(ctx context.Context, err error) {
	if ctx.Err() == nil {
		c.storeFailed(err)
	}
}
