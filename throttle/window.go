package throttle

import (
	"math"
	"sync/atomic"
	"time"
)

// counts is what the formula needs to know about a stretch of time.
type counts struct{ requests, accepts int64 }

func (c *counts) add(other counts) {
	c.requests += other.requests
	c.accepts += other.accepts
}

// A bucket counts the calls that ended, or were refused, in one stretch of time. Callers
// add to the newest one without a lock.
type bucket struct {
	index int64         // the bucket is the index-th since the clock's origin
	end   time.Duration // the first instant after it

	// before is what the older buckets held when this one began. It is never changed,
	// which makes what the window holds a matter of three loads. A caller that was
	// overtaken by the change of buckets adds to an older one, which is noticed with the
	// next change.
	before counts

	accepted, failed, refused atomic.Int64
}

// counts returns what the bucket itself has counted.
func (b *bucket) counts() counts {
	accepted := b.accepted.Load()
	return counts{accepted + b.failed.Load() + b.refused.Load(), accepted}
}

// window returns what the window holds as long as this bucket is the newest.
func (b *bucket) window() counts {
	c := b.counts()
	c.add(b.before)
	return c
}

// A ring is the buckets of a window, each in the slot that its index leaves modulo the
// number of slots. What has left the window stays until its slot is wanted; the index
// tells. It is guarded by its owner.
type ring struct {
	width   time.Duration // of one bucket
	buckets []*bucket     // nil until used
}

func newRing(cfg Config) ring {
	n := time.Duration(cfg.Buckets)
	return ring{width: (cfg.Window + n - 1) / n, buckets: make([]*bucket, n)}
}

// index returns which bucket now falls into. Clocks start at zero and do not run
// backwards.
func (r *ring) index(now time.Duration) int64 { return int64(max(now, 0) / r.width) }

// held returns what the buckets before the index-th hold that are in the window while
// that is the newest, and the index-th itself if it is there.
func (r *ring) held(index int64) (c counts) {
	for _, b := range r.buckets {
		if b != nil && index-b.index < int64(len(r.buckets)) {
			c.add(b.counts())
		}
	}
	return c
}

// begin makes the bucket that now falls into, which is not there yet.
func (r *ring) begin(now time.Duration) *bucket {
	index := r.index(now)
	b := &bucket{index: index, end: math.MaxInt64, before: r.held(index)}
	if index < math.MaxInt64/int64(r.width) {
		b.end = time.Duration(index+1) * r.width
	}
	r.buckets[index%int64(len(r.buckets))] = b
	return b
}
