package window

import (
	"math"
	"time"
)

// A Time window holds the outcomes of the last while, in buckets of equal length
// (rule W2). Create it with [NewTime].
//
// Buckets are cut where the clock shows a multiple of their length. An outcome is
// filed under the time at which it ended; if that is before the newest bucket, it
// goes into the newest, so that a late report is not lost and a clock reading that
// was overtaken by another does no damage. The window shows the bucket of the time
// asked about and the ones before it, as many as it has in all: an outcome is
// visible for at least the length of all buckets but one, and for less than the
// length of all.
//
// A window takes 16 bytes per bucket, and from its first slow outcome 32: about
// 1 KiB and 2 KiB for 60 buckets. Any [time.Duration] will do as a time.
type Time struct {
	width time.Duration // of one bucket
	total Counts        // of all buckets

	// The ring of buckets. slow is nil until it is needed. What is in a bucket that
	// has left the window is zero. slot is the place of the newest bucket, the one
	// after it that of the oldest; while all buckets are empty any slot will do.
	slot  int
	calls []tally
	slow  []tally

	// The newest bucket is the index-th since the clock's origin and ends before
	// end, which is kept because comparing with it is all that most outcomes need.
	// A window that has seen nothing yet ends before every time.
	index int64
	end   time.Duration
}

// A tally counts the calls of one bucket, or its slow calls.
type tally struct{ all, failed int64 }

// NewTime returns an empty window of the given length in so many buckets. Each is
// length/buckets long, rounded up to whole nanoseconds, so that the window may be
// longer than asked for by less than one nanosecond per bucket, and never shorter.
// A length below one nanosecond, or a number of buckets below 1, is taken as 1.
// Bounds are the owner's to check.
func NewTime(length time.Duration, buckets int) *Time {
	length, buckets = max(length, 1), max(buckets, 1)
	return &Time{
		width: (length-1)/time.Duration(buckets) + 1,
		calls: make([]tally, buckets),
		end:   math.MinInt64,
	}
}

// Record adds one outcome that ended at now. O(1), and at most O(buckets) when the
// newest bucket has ended.
func (w *Time) Record(now time.Duration, failed, slow bool) {
	if now >= w.end {
		w.advance(now)
	}
	w.total.Calls++
	w.calls[w.slot].all++
	if failed {
		w.total.Failed++
		w.calls[w.slot].failed++
	}
	if slow {
		w.needSlow()
		w.total.Slow++
		w.slow[w.slot].all++
	}
	if failed && slow {
		w.total.SlowFailed++
		w.slow[w.slot].failed++
	}
}

// Good adds n outcomes that ended at now and were neither failed nor slow; an n of
// zero or less adds none. It costs as much as one Record.
func (w *Time) Good(now time.Duration, n int64) { w.Add(now, Counts{Calls: n}) }

// Counts returns the counts of the outcomes that are visible at now. A now before
// the newest bucket is taken as a time within it. Asking changes nothing, however
// far ahead now is (rule S6). O(1), and at most O(buckets) when the newest bucket
// has ended.
func (w *Time) Counts(now time.Duration) Counts {
	visible, slot := w.total, w.slot
	for range w.expired(now) {
		slot = w.following(slot)
		visible.subtract(w.bucket(slot))
	}
	return visible
}

// End returns the instant at which the bucket ends in which Record would file an
// outcome at now: the first instant that belongs to the next bucket. Good outcomes
// that end before it can be saved up and added together, as of now, with the same
// result, so long as nothing that ends later is added first. Asking changes nothing.
func (w *Time) End(now time.Duration) time.Duration {
	if now < w.end {
		return w.end
	}
	return w.endOf(floor(now, w.width))
}

// Reset empties the window. What it had as its newest bucket no longer matters.
func (w *Time) Reset() {
	if w.total.Calls > 0 {
		clear(w.calls)
		clear(w.slow)
	}
	w.total = Counts{}
	w.end = math.MinInt64
}

// advance makes the bucket of now, which is after the newest, the newest.
func (w *Time) advance(now time.Duration) {
	for range w.expired(now) {
		w.slot = w.following(w.slot)
		w.total.subtract(w.bucket(w.slot))
		w.calls[w.slot] = tally{}
		if w.slow != nil {
			w.slow[w.slot] = tally{}
		}
	}
	w.index = floor(now, w.width)
	w.end = w.endOf(w.index)
}

// expired returns how many buckets, from the oldest on, have left the window at now:
// as many as now is buckets after the newest, but not more than there are.
func (w *Time) expired(now time.Duration) int {
	if now < w.end || w.total.Calls == 0 {
		return 0
	}
	// The difference may be too large for an int64, but not for a uint64.
	after := uint64(floor(now, w.width) - w.index)
	return int(min(after, uint64(len(w.calls))))
}

// following returns the slot after a slot. The one after the newest bucket's is
// the oldest bucket's.
func (w *Time) following(slot int) int {
	if slot++; slot < len(w.calls) {
		return slot
	}
	return 0
}

// bucket returns what is in a slot.
func (w *Time) bucket(slot int) Counts {
	c := Counts{Calls: w.calls[slot].all, Failed: w.calls[slot].failed}
	if w.slow != nil {
		c.Slow, c.SlowFailed = w.slow[slot].all, w.slow[slot].failed
	}
	return c
}

func (w *Time) needSlow() {
	if w.slow == nil {
		w.slow = make([]tally, len(w.calls))
	}
}

// startOf and endOf return the instants at which the index-th bucket since the
// clock's origin starts and ends, or the closest that a Duration can express.

func (w *Time) startOf(index int64) time.Duration {
	if index < math.MinInt64/int64(w.width) {
		return math.MinInt64
	}
	return time.Duration(index) * w.width
}

func (w *Time) endOf(index int64) time.Duration {
	if index >= math.MaxInt64/int64(w.width) {
		return math.MaxInt64
	}
	return time.Duration(index+1) * w.width
}

// floor returns a/b rounded down, also before the clock's origin. b is positive.
func floor(a, b time.Duration) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return int64(q)
}
