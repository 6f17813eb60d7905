package model

import "time"

// Counts are the numbers of a window.
type Counts struct{ Calls, Failed, Slow, SlowFailed int64 }

// Outcome is one recorded outcome. Bucket is the number of the time bucket that it
// is filed in, counted from the clock's origin.
type Outcome struct {
	Bucket       int64
	Failed, Slow bool
}

// A Window remembers every outcome that it was ever given (W6).
type Window struct {
	Last    int           // W1: the last so many count; 0 makes it a time window
	Bucket  time.Duration // W2: the length of a bucket
	Buckets int           // W2: how many are visible

	All []Outcome
}

// Record files an outcome in the bucket in which it ended or, if that is older than
// the newest one, in the newest (W2).
func (w *Window) Record(now time.Duration, failed, slow bool) {
	w.All = append(w.All, Outcome{w.bucket(now), failed, slow})
}

// Reset empties the window.
func (w *Window) Reset() { w.All = nil }

// Counts counts the outcomes that are visible at now.
func (w *Window) Counts(now time.Duration) (c Counts) {
	for _, o := range w.Visible(now) {
		c.Calls++
		if o.Failed {
			c.Failed++
		}
		if o.Slow {
			c.Slow++
		}
		if o.Failed && o.Slow {
			c.SlowFailed++
		}
	}
	return c
}

// Visible returns the outcomes that are visible at now, oldest first.
func (w *Window) Visible(now time.Duration) (visible []Outcome) {
	newest := w.bucket(now)
	for i, o := range w.All {
		if w.Last > 0 && i >= len(w.All)-w.Last || w.Last == 0 && o.Bucket > newest-int64(w.Buckets) {
			visible = append(visible, o)
		}
	}
	return visible
}

// End returns the instant at which the bucket ends in which an outcome of now is
// filed.
func (w *Window) End(now time.Duration) time.Duration {
	return time.Duration(w.bucket(now)+1) * w.Bucket
}

// Resize returns a window of another kind or size that holds what the smaller of
// the two held at now (W6). An outcome is then filed under the start of its bucket.
func (w *Window) Resize(now time.Duration, to Window) Window {
	to.All = nil
	for _, o := range w.Visible(now) {
		to.Record(time.Duration(o.Bucket)*w.Bucket, o.Failed, o.Slow)
	}
	to.All = to.Visible(now)
	return to
}

// bucket returns the bucket of now, or the newest there is.
func (w *Window) bucket(now time.Duration) int64 {
	if w.Last > 0 {
		return 0
	}
	bucket := int64(now / w.Bucket)
	if now%w.Bucket < 0 {
		bucket-- // rounded down, also before the origin
	}
	for _, o := range w.All {
		bucket = max(bucket, o.Bucket)
	}
	return bucket
}
