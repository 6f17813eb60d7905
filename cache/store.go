package cache

import (
	"context"
	"time"
)

// A Store keeps the answers of a [Cache]. [Memory] is a ready one; one that several
// processes share is for the program to write.
//
// Time crosses this interface only as ages, never as instants: the clocks of two
// processes have nothing in common, so each store measures with its own.
//
// Both methods are called on every caller's path and by many of them at once. A
// store that may take long, because it is across a network, has to bound its own
// time, and is best kept behind a breaker of its own. Errors and panics are
// survived: see [Counters.StoreFailures].
type Store[K comparable, V any] interface {
	// Get returns the newest entry for key, with its Age as of now, and whether
	// there is one. An entry that has reached its Keep may be returned or not.
	Get(ctx context.Context, key K) (Entry[V], bool, error)

	// Put stores e in place of what there is for key, or drops that if e.Keep is
	// not positive. The store may drop entries whenever it likes.
	Put(ctx context.Context, key K, e Entry[V]) error
}

// An Entry is an answer in a [Store].
type Entry[V any] struct {
	// Value is the answer.
	Value V
	// Age is how old the answer is; 0 when a cache puts it.
	Age time.Duration
	// Keep is the age at which it is of no more use. Get may leave it 0.
	Keep time.Duration
}
