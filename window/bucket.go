package window

import (
	"iter"
	"time"
)

// Buckets returns the buckets that are visible at now and not empty, oldest first,
// each with the instant at which it starts: the compact form in which to keep a
// window over a restart. Such an instant means nothing to another process, so keep
// the age, now − start. Giving the buckets to [Time.Add] of an empty window restores
// the content. The window must not be changed while it is read.
func (w *Time) Buckets(now time.Duration) iter.Seq2[time.Duration, Counts] {
	return func(yield func(time.Duration, Counts) bool) {
		slot, expired := w.slot, w.expired(now)
		for i := range len(w.calls) {
			slot = w.following(slot)
			c := w.bucket(slot)
			if i < expired || c.Calls == 0 {
				continue
			}
			age := int64(len(w.calls) - 1 - i) // in buckets; the newest comes last
			if !yield(w.startOf(w.index-age), c) {
				return
			}
		}
	}
}

// Add adds outcomes that ended at the given time, like as many calls of Record at
// the cost of one. Counts that no list of outcomes can have, and those that would
// bring the window above 2⁶² outcomes, are ignored, so that counts from a source that
// is not trusted do no harm.
func (w *Time) Add(at time.Duration, c Counts) {
	if c.Calls == 0 || !c.consistent() {
		return
	}
	if at >= w.end {
		w.advance(at)
	}
	if !w.total.fits(c) {
		return
	}
	w.total.add(c)
	w.calls[w.slot].all += c.Calls
	w.calls[w.slot].failed += c.Failed
	if c.Slow > 0 {
		w.needSlow()
		w.slow[w.slot].all += c.Slow
		w.slow[w.slot].failed += c.SlowFailed
	}
}

// Resize returns a new window of another length or number of buckets, as NewTime
// does, which holds what this one shows at now, as far as it reaches back: what the
// smaller of the two would show (rule W6). This one stays as it is. O(buckets of
// both).
//
// The content of a bucket is filed under the instant at which the bucket starts.
// Where the new bucket length is the old one or a multiple of it, that is the bucket
// in which each outcome would have been filed. Otherwise an outcome can leave the
// new window early, by less than the length of an old bucket, but never late.
func (w *Time) Resize(now, length time.Duration, buckets int) *Time {
	resized := NewTime(length, buckets)
	newest := floor(max(now, w.startOf(w.index)), resized.width)
	for start, c := range w.Buckets(now) {
		// What is too old already would leave again before now. Leaving it out here
		// keeps the cost down where old buckets are much longer than new ones.
		if uint64(newest-floor(start, resized.width)) < uint64(len(resized.calls)) {
			resized.Add(start, c)
		}
	}
	return resized
}
