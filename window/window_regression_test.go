package window

import (
	"testing"
	"time"
)

// A window whose buckets were cleaned by whoever noticed first that time had moved
// on wiped, with its slower cleaners, outcomes that had been recorded in the
// meantime: known fault K08. Here moving on and recording are one step, so the
// first outcome after the gap does all the cleaning and the rest find nothing to
// clean.
func TestK08OutcomesRightAfterAnIdleGapStay(t *testing.T) {
	w := NewTime(10*second, 10)
	now := time.Duration(0)
	for range 10_000 {
		good(w, now, 3)
		failed(w, now+5*second, 2)
		now += 60 * second
		for range 64 {
			w.Record(now, true, false)
		}
		if got, want := w.Counts(now), (Counts{Calls: 64, Failed: 64}); got != want {
			t.Fatalf("at %v: got %+v, want %+v", now, got, want)
		}
		now += 60 * second
	}
}

// A clock that was read before another but handed in after it looked to the window
// like a jump of a whole round, and buckets were wiped or counted below zero: known
// fault K10. Here what is older than the newest bucket goes into the newest, so the
// policy is 6, not 5.
func TestK10TimeRunsBackwards(t *testing.T) {
	w := NewTime(10*second, 10)
	failed(w, 9500*time.Millisecond, 5)
	failed(w, 3200*time.Millisecond, 1)
	equal(t, "K10: at 9.6 s", w.Counts(9600*time.Millisecond), Counts{Calls: 6, Failed: 6})
	equal(t, "K10: after 20 s", w.Counts(20*second), Counts{})
	good(w, 20*second, 1)
	equal(t, "K10: and one more", w.Counts(20*second), Counts{Calls: 1})
}

// A window of one bucket had, for an instant at each boundary, no bucket at all:
// known fault K11.
func TestK11ASingleBucketAtItsBoundaries(t *testing.T) {
	w := NewTime(second, 1)
	for boundary := second; boundary <= 5*second; boundary += second {
		failed(w, boundary-1, 1)
		equal(t, "K11: in the last instant", w.Counts(boundary-1).Failed >= 1, true)
		equal(t, "K11: at the boundary", w.Counts(boundary), Counts{})
		failed(w, boundary, 1)
		equal(t, "K11: the first of the next", w.Counts(boundary), Counts{Calls: 1, Failed: 1})
	}
}
