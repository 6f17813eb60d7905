package hedge

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// partCount is how many parts the window has. The current one is filling, so the window
// covers between 5/6 and all of its length.
const partCount = 6

// A slice holds the samples of one part of the window.
type slice struct {
	n        uint64
	min, max time.Duration
	counts   [buckets]uint32
}

// A tail is a running percentile over a sliding window. A sample costs a few
// additions: the percentile's bucket moves a step or two with it instead of being
// looked for. Only the change from slice to slice goes through all buckets.
//
// It takes 20 KiB. It is safe for concurrent use.
type tail struct {
	hundredths int64
	minimum    uint64 // samples needed
	length     time.Duration

	// What every call reads. delay is the percentile, 0 while there are too few
	// samples; end is when the current slice ends. Both are written under mu.
	delay atomic.Int64
	end   atomic.Int64

	mu       sync.Mutex // guards what is below; nothing is called under it
	parts    [partCount]slice
	current  int
	n        uint64
	min, max time.Duration
	total    [buckets]uint64

	at    int    // the bucket of the percentile
	below uint64 // samples in buckets before it
}

func newTail(hundredths int64, minimum int, window, now time.Duration) *tail {
	t := &tail{hundredths: hundredths, minimum: uint64(minimum), length: window / partCount}
	t.end.Store(int64(now + t.length))
	return t
}

// add records a sample. One that comes in with an older time than another goes into
// the newest slice.
func (t *tail) add(d, now time.Duration) {
	d = max(d, 0)
	i := bucketOf(d)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget(now)
	s := &t.parts[t.current]
	if s.n == 0 {
		s.min, s.max = d, d
	}
	s.min, s.max = min(s.min, d), max(s.max, d)
	s.n++
	s.counts[i]++
	if t.n == 0 {
		t.min, t.max = d, d
	}
	t.min, t.max = min(t.min, d), max(t.max, d)
	t.n++
	t.total[i]++
	if i < t.at {
		t.below++
	}
	t.settle()
}

// value returns the percentile, or 0 while there are too few samples.
func (t *tail) value(now time.Duration) time.Duration {
	if int64(now) >= t.end.Load() {
		t.mu.Lock()
		t.forget(now)
		t.mu.Unlock()
	}
	return time.Duration(t.delay.Load())
}

// percentile answers any percentage, and false if there is no sample.
func (t *tail) percentile(hundredths int64, now time.Duration) (time.Duration, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget(now)
	if t.n == 0 {
		return 0, false
	}
	if hundredths == 0 {
		return t.min, true
	}
	rank, seen := rankOf(hundredths, t.n), uint64(0)
	for i, n := range t.total {
		if seen += n; seen >= rank {
			return t.clamp(i), true
		}
	}
	return t.max, true
}

// samples returns how many there are.
func (t *tail) samples(now time.Duration) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget(now)
	return t.n
}

// clamp returns the value that stands for bucket i: its upper end, so that an
// estimate is never too short, but nothing that no sample reached. So one sample,
// and many equal ones, are told exactly, as is the highest.
func (t *tail) clamp(i int) time.Duration { return max(min(upperOf(i), t.max), t.min) }

// forget drops the slices that have left the window. Called under mu.
func (t *tail) forget(now time.Duration) {
	end := time.Duration(t.end.Load())
	if now < end {
		return
	}
	passed := (now-end)/t.length + 1
	for range min(passed, partCount) {
		t.current = (t.current + 1) % partCount
		s := &t.parts[t.current]
		if s.n == 0 {
			continue
		}
		for i, n := range s.counts {
			t.total[i] -= uint64(n)
		}
		t.n -= s.n
		*s = slice{}
	}
	t.end.Store(int64(end + passed*t.length))

	t.min, t.max = math.MaxInt64, 0
	for i := range t.parts {
		if s := &t.parts[i]; s.n > 0 {
			t.min, t.max = min(t.min, s.min), max(t.max, s.max)
		}
	}
	t.at, t.below = 0, 0
	t.settle()
}

// settle moves the percentile's bucket to where it belongs and publishes the delay.
// Called under mu.
func (t *tail) settle() {
	if t.n == 0 {
		t.delay.Store(0)
		return
	}
	rank := rankOf(t.hundredths, t.n)
	for t.below >= rank {
		t.at--
		t.below -= t.total[t.at]
	}
	for t.below+t.total[t.at] < rank {
		t.below += t.total[t.at]
		t.at++
	}
	if t.n < t.minimum {
		t.delay.Store(0)
		return
	}
	t.delay.Store(int64(max(t.clamp(t.at), 1))) // 0 would mean too few samples
}
