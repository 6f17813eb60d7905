package model

import "time"

// Evidence is a compiled evidence test (T6): the annex's numbers m and H, and how
// they fade and are limited.
type Evidence struct {
	Points     int64         // m
	Threshold  int64         // H
	Per        time.Duration // a point fades in this time; 0: never
	MaxRise    int64         // failures' worth that a window may rise; 0: any
	RiseWindow time.Duration
}

// A Score is the running state of an evidence test.
type Score struct {
	Points int64
	Mark   time.Duration

	Window bool // a rise window is there
	Opened time.Duration
	Base   int64

	// Since the score last left zero.
	Since                    time.Duration
	Calls, Failed, Forgotten int64
}

// Record is the annex's algorithm for one recorded outcome, step by step, and
// reports whether it trips.
//
// The annex leaves open what a score does that is past its threshold and still not
// acted upon, as happens during the grace. It stays below H+m, as package evidence
// documents.
func (s *Score) Record(e *Evidence, now time.Duration, failed bool) bool {
	s.forget(e, now) // 1
	if e.MaxRise > 0 && (!s.Window || now-s.Opened >= e.RiseWindow) {
		s.Window, s.Opened, s.Base = true, now, s.Points // 2
	}
	if failed { // 3
		if s.Points == 0 {
			s.Mark = now
			s.Since, s.Calls, s.Failed, s.Forgotten = now, 0, 0, 0
		}
		s.Points = min(s.Points+e.Points, e.Threshold+e.Points-1)
		if e.MaxRise > 0 {
			s.Points = min(s.Points, s.Base+e.MaxRise*e.Points)
		}
		s.Failed++
	} else if s.Points > 0 {
		s.Points--
	}
	s.Calls++
	return s.Points >= e.Threshold // 4
}

// Value returns the score as it will have faded at now.
func (s Score) Value(e *Evidence, now time.Duration) int64 {
	s.forget(e, now)
	return s.Points
}

func (s *Score) forget(e *Evidence, now time.Duration) {
	if e.Per > 0 && s.Points > 0 && now > s.Mark {
		k := (now - s.Mark) / e.Per // whole intervals only
		faded := min(int64(k), s.Points)
		s.Points -= faded
		s.Forgotten += faded
		s.Mark += k * e.Per // the remainder goes on counting
	}
}
