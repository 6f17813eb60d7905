package adaptive

import "time"

// A sampler gathers the ends of calls into steps; see [WindowConfig]. It is pure: the
// time is an argument.
type sampler struct {
	time    time.Duration // or off
	samples int
	drops   int64 // hundredths of a percent

	begin    time.Duration // when the window's first call ended
	calls    int
	dropped  int
	sum      float64 // of the successes' durations, which could overflow a Duration
	inFlight int

	cut time.Duration // when a drop last counted; used without a window only
}

// A sample is the end of one call that says something.
type sample struct {
	start, end time.Duration
	inFlight   int // at its admission, itself included
	dropped    bool
}

// add takes a sample, and returns a step if it completes one.
func (w *sampler) add(s sample, limit int) (step, bool) {
	if w.time == off {
		return w.single(s)
	}
	if w.calls == 0 {
		w.begin = s.end
	}
	w.calls++
	w.inFlight = max(w.inFlight, s.inFlight)
	if s.dropped {
		w.dropped++
	} else {
		w.sum += float64(s.rtt())
	}
	if s.end-w.begin < w.time || w.calls < min(w.samples, limit) {
		return step{}, false
	}
	return w.end(), true
}

func (w *sampler) end() step {
	done := step{
		inFlight: w.inFlight,
		dropped:  w.dropped > 0 && int64(w.dropped)*whole >= w.drops*int64(w.calls),
	}
	if n := w.calls - w.dropped; n > 0 {
		done.rtt = max(1, time.Duration(w.sum/float64(n)))
	}
	w.calls, w.dropped, w.sum, w.inFlight = 0, 0, 0, 0
	return done
}

// single makes a step of one call.
func (w *sampler) single(s sample) (step, bool) {
	if !s.dropped {
		return step{rtt: s.rtt(), inFlight: s.inFlight}, true
	}
	if s.start < w.cut {
		return step{}, false // its flight has been punished already
	}
	w.cut = s.end
	return step{inFlight: s.inFlight, dropped: true}, true
}

// rtt is never zero: algorithms divide by it.
func (s sample) rtt() time.Duration { return max(1, s.end-s.start) }
