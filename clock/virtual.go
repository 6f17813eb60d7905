package clock

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// A Virtual clock stands still until it is told to move. Its Mono starts at zero,
// and the same steps always give the same order of callbacks.
//
// Moving the clock ([Virtual.Advance], [Virtual.AdvanceTo], [Virtual.Step]) runs
// the timers that have come due, one after another in the goroutine that moves
// it: in order of due time, and in order of creation where due times are equal.
// While a callback runs, the clock shows exactly the instant the timer was due,
// and no lock is held. So a callback may read the clock and create and stop
// timers; one that it creates is run by the same move if it is due within it,
// and a callback that for ever creates another without delay is never done. A
// callback may also move the clock: its move runs to its end first, as time spent
// inside the callback, and the outer one then goes on from there, so that the
// clock never runs backwards. A panic in a callback goes up to whoever moves the
// clock; the clock stays usable, at the instant of that timer.
//
// All methods are safe for concurrent use. Two goroutines that move the clock at
// the same time both succeed, but a callback that one of them runs may then see
// the clock move on under it: let one goroutine own the time.
//
// The zero value is a clock whose wall time starts at the zero [time.Time].
type Virtual struct {
	// mono and skew are atomics so that reading the clock takes no lock: a
	// simulator reads it for every simulated call. mono is written under mu.
	mono atomic.Int64 // nanoseconds since the origin
	skew atomic.Int64 // nanoseconds by which the wall clock was jumped

	start time.Time

	mu      sync.Mutex // guards the fields below; no callback runs under it
	timers  timerHeap
	created uint64 // timers ever created; breaks ties
}

var _ Clock = (*Virtual)(nil)

// NewVirtual returns a clock whose wall time is start and whose Mono is zero.
func NewVirtual(start time.Time) *Virtual {
	// Without its monotonic reading, differences of Now show what a wall clock
	// would show, jumps included.
	return &Virtual{start: start.Round(0)}
}

// Now returns the start time, plus Mono, plus all jumps of the wall clock.
func (v *Virtual) Now() time.Time {
	return v.start.Add(v.Mono()).Add(time.Duration(v.skew.Load()))
}

// Mono returns how far the clock has been advanced.
func (v *Virtual) Mono() time.Duration { return time.Duration(v.mono.Load()) }

// JumpWall moves the wall clock alone by d, which may be negative. Mono and the
// timers do not notice (rule C5).
func (v *Virtual) JumpWall(d time.Duration) { v.skew.Add(int64(d)) }

// AfterFunc arranges for f to run when the clock has been advanced by d. A d of
// zero or less means now: f runs when the clock is next moved, be it by zero.
func (v *Virtual) AfterFunc(d time.Duration, f func()) Timer {
	v.mu.Lock()
	defer v.mu.Unlock()
	t := &virtualTimer{clock: v, f: f}
	v.created++
	v.timers.push(entry{due: v.in(d), seq: v.created, timer: t})
	return t
}

// Advance moves the clock on by d, running what comes due on the way. A d of zero
// or less runs what is due now.
func (v *Virtual) Advance(d time.Duration) { v.AdvanceTo(v.in(d)) }

// AdvanceTo moves the clock on until Mono is mono, running what comes due on the
// way. If Mono is there already, or beyond, it runs what is due now.
func (v *Virtual) AdvanceTo(mono time.Duration) {
	mono = max(mono, v.Mono())
	v.mu.Lock()
	for len(v.timers) > 0 && v.timers[0].due <= mono {
		f := v.popLocked()
		v.mu.Unlock()
		f()
		v.mu.Lock()
	}
	v.moveLocked(mono)
	v.mu.Unlock()
}

// Step moves the clock to the instant at which the next timer is due and runs that
// one timer. It returns false, and does nothing, if there is no timer.
func (v *Virtual) Step() bool {
	v.mu.Lock()
	if len(v.timers) == 0 {
		v.mu.Unlock()
		return false
	}
	f := v.popLocked()
	v.mu.Unlock()
	f()
	return true
}

// Next returns the value Mono will have when the next timer is due, and false if
// there is no timer.
func (v *Virtual) Next() (mono time.Duration, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.timers) == 0 {
		return 0, false
	}
	return v.timers[0].due, true
}

// Pending returns the number of timers that have neither started nor been stopped.
func (v *Virtual) Pending() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.timers)
}

// in returns the instant d from now: not before now, and never beyond the largest
// duration, which stands for "never" well enough.
func (v *Virtual) in(d time.Duration) time.Duration {
	now := v.Mono()
	if d > math.MaxInt64-now {
		return math.MaxInt64
	}
	return now + max(d, 0)
}

// popLocked takes the first timer off the heap, moves the clock to its instant and
// returns its callback.
func (v *Virtual) popLocked() func() {
	due := v.timers[0].due
	t := v.timers.remove(0)
	v.moveLocked(due)
	return t.take()
}

// moveLocked sets the time, but never back: a callback, or another goroutine, may
// have moved it further already.
func (v *Virtual) moveLocked(mono time.Duration) {
	if mono > v.Mono() {
		v.mono.Store(int64(mono))
	}
}

// A virtualTimer is one callback of a Virtual clock.
type virtualTimer struct {
	clock *Virtual
	f     func() // guarded by clock.mu, as is place
	place int    // index in the heap, or gone
}

// Stop implements [Timer]. The timer leaves the clock at once.
func (t *virtualTimer) Stop() bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	if t.place == gone {
		return false
	}
	t.clock.timers.remove(t.place)
	t.take()
	return true
}

// take returns the callback and forgets it, so that a timer kept after its end
// does not keep alive what the callback refers to.
func (t *virtualTimer) take() func() {
	f := t.f
	t.f = nil
	return f
}
