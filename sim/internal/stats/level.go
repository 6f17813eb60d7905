package stats

import (
	"slices"
	"time"
)

// A Level follows a number that goes up and down, such as the calls in flight,
// and knows its largest value and its average over time in each of several
// stretches of time. Use [NewLevel].
type Level struct {
	cuts     []time.Duration // ends of the stretches, in order
	parts    []part
	current  int
	number   int64
	since    time.Duration // the number has been what it is, as far as it is booked
	boundary time.Duration // cuts[current], or never
}

type part struct {
	area   float64 // number × nanoseconds
	start  int64   // the number at its beginning
	rises  uint64  // changes upwards
	peak   int64   // the largest that a change has made
	peakAt time.Duration
}

const never = time.Duration(1<<63 - 1)

// NewLevel returns a level of zero at time zero. The stretches are those between
// the cuts, the first beginning at zero and the last without end.
func NewLevel(cuts []time.Duration) *Level {
	l := &Level{cuts: slices.Clone(cuts), parts: make([]part, len(cuts)+1)}
	l.Reset()
	return l
}

// Reset takes the level back to zero at time zero.
func (l *Level) Reset() {
	clear(l.parts)
	l.current, l.number, l.since = 0, 0, 0
	l.boundary = l.end()
}

func (l *Level) end() time.Duration {
	if l.current < len(l.cuts) {
		return l.cuts[l.current]
	}
	return never
}

// Add changes the number by delta at an instant not before the last one.
func (l *Level) Add(now time.Duration, delta int64) {
	if now >= l.boundary {
		l.cross(now)
	}
	p := &l.parts[l.current]
	p.area += float64(l.number) * float64(now-l.since)
	l.since = now
	l.number += delta
	if delta > 0 {
		p.rises++
	}
	if delta != 0 && l.number > p.peak {
		p.peak, p.peakAt = l.number, now
	}
}

// cross books the stretches that have ended by now.
func (l *Level) cross(now time.Duration) {
	for now >= l.boundary {
		p := &l.parts[l.current]
		p.area += float64(l.number) * float64(l.boundary-l.since)
		l.since = l.boundary
		l.current++
		l.parts[l.current].start = l.number
		l.boundary = l.end()
	}
}

// Number returns the number as it is.
func (l *Level) Number() int64 { return l.number }

// Between returns the largest number from one cut, or zero, to another, when it
// was first reached, and the average over that time. The number that there was to
// begin with counts if no change within the time has reached it again. The level
// must have been followed up to the second cut: add 0 there.
func (l *Level) Between(from, to time.Duration) (peak int64, at time.Duration, average float64) {
	parts := l.between(from, to)
	var area float64
	for _, p := range parts {
		area += p.area
		if p.peak > peak {
			peak, at = p.peak, p.peakAt
		}
	}
	if len(parts) > 0 && parts[0].start > peak {
		peak, at = parts[0].start, from
	}
	if to > from {
		average = area / float64(to-from)
	}
	return peak, at, average
}

// Rises returns how many changes from one cut, or zero, to another made the number
// larger.
func (l *Level) Rises(from, to time.Duration) (n uint64) {
	for _, p := range l.between(from, to) {
		n += p.rises
	}
	return n
}

// between returns the stretches from one cut, or zero, to another.
func (l *Level) between(from, to time.Duration) []part {
	first, last := l.after(from), l.after(to)
	return l.parts[first:max(first, last)]
}

// after returns the place of the stretch that begins at a cut, or at zero.
func (l *Level) after(at time.Duration) int {
	i, found := slices.BinarySearch(l.cuts, at)
	if found {
		i++
	}
	return i
}
