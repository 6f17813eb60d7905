package evidence

import "time"

// A Score is the running state of a [Test] over one stream of outcomes. The
// zero value is a score of zero, ready for use. It is not safe for concurrent
// use. It does not know its test: give every method the same one, and start
// from zero with a new one.
//
// The argument now is the reading of a monotonic clock with any fixed origin
// (rule C5). Where it runs backwards, as it may when goroutines race for a lock, nothing
// is forgotten and no window opened.
type Score struct {
	points int64
	mark   time.Duration // forgetting is done up to here

	// Of the rise window, where there is a limit.
	windowOpen  bool // false only before the first outcome
	windowStart time.Duration
	base        int64 // points at its start

	// Since the score last left zero; stale while it is zero.
	since     time.Duration
	calls     int64
	bad       int64
	forgotten int64
}

// Record takes in one outcome that ended at now, and reports whether the score
// is at the threshold of t. A score met exactly trips.
//
// Record does not reset the score. While the caller goes on without acting on
// a trip, the score stays bounded: it is never higher than one bad outcome can
// lift it from just below the threshold.
func (s *Score) Record(t *Test, now time.Duration, bad bool) (trip bool) {
	s.pass(t, now)
	if bad {
		s.raise(t, now)
	} else {
		s.lower(1)
	}
	return s.points >= t.threshold
}

// Good takes in n good outcomes, the last of which ended at now, as n calls of
// [Score.Record] at now would, but in one step. Nothing happens if n is not
// positive.
//
// Without a rise limit (see [Test.NeedsEveryOutcome]) good outcomes can be
// counted elsewhere and brought in here later, at the latest before the next
// bad one, with exactly the same result after it. Between two bad outcomes
// the score only ever falls: good outcomes and forgetting both subtract, and
// stop at zero. So the order in which they do does not matter, only the
// totals; and what is forgotten in total depends on the time from the last
// mark to the next bad outcome, not on how often one looked. With a rise limit
// the order matters, because a window begins at the score of its first outcome.
func (s *Score) Good(t *Test, now time.Duration, n int64) {
	if n <= 0 {
		return
	}
	s.pass(t, now)
	s.lower(n)
}

// Idle reports whether the score is zero. A good outcome then changes nothing,
// and the clock need not be read for it (rule T6), unless
// [Test.NeedsEveryOutcome]. An idle score stays so until a bad outcome; one
// that is not may meanwhile have faded to zero, which [Score.Value] would tell.
func (s *Score) Idle() bool { return s.points == 0 }

// Reset sets the score to zero, as on every change of state (rule W5), and when
// the test changes (R4).
func (s *Score) Reset() { *s = Score{} }

// Value returns the score in points at now, what has faded by then taken off.
// It changes nothing.
func (s *Score) Value(t *Test, now time.Duration) int {
	faded := *s
	faded.forget(t, now)
	return int(faded.points)
}

// pass lets time go by until now.
func (s *Score) pass(t *Test, now time.Duration) {
	s.forget(t, now)
	if t.rise > 0 && (!s.windowOpen || now > s.windowStart && now-s.windowStart >= t.riseWindow) {
		s.windowOpen, s.windowStart, s.base = true, now, s.points
	}
}

// forget takes off a point for each whole interval since the mark. The mark
// moves by whole intervals only, so that what is left of one keeps counting.
func (s *Score) forget(t *Test, now time.Duration) {
	if s.points == 0 || t.per == 0 || now <= s.mark || now-s.mark < t.per {
		return
	}
	intervals := int64((now - s.mark) / t.per)
	s.mark += time.Duration(intervals) * t.per
	faded := min(intervals, s.points)
	s.points -= faded
	s.forgotten += faded
}

// raise adds the points of a bad outcome.
func (s *Score) raise(t *Test, now time.Duration) {
	if s.points == 0 {
		s.mark, s.since = now, now
		s.calls, s.bad, s.forgotten = 0, 0, 0
	}
	s.points = min(s.points+t.points, t.ceiling)
	if t.rise > 0 {
		s.points = min(s.points, s.base+t.rise)
	}
	s.calls++
	s.bad++
}

// lower takes off the points of n good outcomes.
func (s *Score) lower(n int64) {
	if n >= s.points {
		s.points = 0 // the next bad outcome begins new counts
		return
	}
	s.points -= n
	s.calls += n
}
