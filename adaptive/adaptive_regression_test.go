package adaptive

import (
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
)

// Each of these is a mistake that the published code makes, or that is easily made
// with it. The test opens with the story.

func TestRegressions(t *testing.T) {
	// Calls that all end at the client's timeout have durations that do not vary,
	// so a limit that looks at durations alone finds nothing wrong and climbs to its
	// maximum, while not one call succeeds (github.com/Netflix/concurrency-limits,
	// issue 137).
	t.Run("a steady timeout does not raise the limit", func(t *testing.T) {
		for a := ByGradient; a <= ByAIMD; a++ {
			r := newRig(t, Config{Algorithm: a})
			for range 100 {
				r.flight(5*time.Second, switchgear.Failure)
			}
			equal(t, a.String(), r.Limit(), 1)
		}
	})

	// A refused connection comes back in a tenth of a millisecond. Taken for the
	// shortest duration, it makes every real answer look as if it had stood in a
	// queue, until the next probe.
	t.Run("the duration of a failure never becomes the base", func(t *testing.T) {
		for a := ByGradient; a <= ByVegas; a++ {
			for _, w := range []WindowConfig{{}, single} {
				r := newRig(t, Config{Algorithm: a, Window: w})
				r.flight(100*ms, switchgear.Success)
				r.clock.Advance(time.Second)
				r.flight(100*ms, switchgear.Success)
				r.flight(ms/10, switchgear.Failure)
				r.clock.Advance(time.Second)
				r.flight(100*ms, switchgear.Success)
				equal(t, a.String(), r.Snapshot().Base, 100*ms)
			}
		}
	})

	// A hundred calls hang and then fail together. Each drop by itself would take a
	// tenth, and 0.9 to the hundredth is nothing.
	t.Run("a flight that fails as a whole lowers the limit once", func(t *testing.T) {
		for _, w := range []WindowConfig{{}, single} {
			r := newRig(t, Config{Algorithm: ByAIMD, Initial: 100, Window: w})
			for _, want := range []int{90, 81} {
				r.flight(2*time.Second, switchgear.Failure)
				// A window needs a second, and begins with its first sample.
				permit := r.take(1, Critical)[0]
				r.clock.Advance(time.Second)
				if w == single {
					permit.Ignore()
				} else {
					permit.Dropped()
				}
				equal(t, "limit", r.Limit(), want)
			}
		}
	})

	// In a window of a thousand calls one fails, as one in a thousand always does.
	// If any drop lowers the limit, it goes down a tenth a second, for ever.
	t.Run("the errors that every dependency has do not lower the limit", func(t *testing.T) {
		for a := ByGradient; a <= ByAIMD; a++ {
			r := newRig(t, Config{Algorithm: a, Initial: 100})
			for range 60 {
				for i := range 20 { // a window
					permits := r.take(r.Limit(), Critical)
					r.clock.Advance(50 * ms)
					for j := range permits {
						if i == 0 && j < len(permits)/25 {
							permits[j].Dropped() // two in a thousand
						} else {
							permits[j].Success()
						}
					}
				}
			}
			within(t, a.String(), r.Limit(), 100, 200)
		}
	})

	// At a limit of one, ten calls of five seconds each take the best part of a
	// minute: the limiter would be blind when it matters.
	t.Run("a low limit does not wait for more samples than it has calls", func(t *testing.T) {
		r := newRig(t, Config{Algorithm: ByAIMD, Initial: 1})
		r.flight(5*time.Second, switchgear.Success)
		r.flight(5*time.Second, switchgear.Success)
		equal(t, "limit", r.Limit(), 2)
	})

	// A limiter that was idle for an hour must not take the hour for its window's
	// time, and the first few calls for a sample of a second.
	t.Run("a window begins with its first sample", func(t *testing.T) {
		r := newRig(t, Config{Initial: 10})
		r.clock.Advance(time.Hour)
		for range 5 {
			r.flight(ms, switchgear.Success)
		}
		equal(t, "steps", r.Counters().Steps, 0)
		r.clock.Advance(time.Second)
		r.flight(ms, switchgear.Success)
		equal(t, "steps", r.Counters().Steps, 1)
	})

	// On a clock with coarse ticks a call may begin in the very tick in which a drop
	// lowered the limit. It was admitted by the new limit, and speaks of that.
	t.Run("a drop counts if its call began at the instant of the last one that did", func(t *testing.T) {
		r := newRig(t, Config{Algorithm: ByAIMD, Initial: 100, Window: single})
		for range 3 {
			permit := r.take(1, Critical)[0]
			permit.Dropped()
		}
		equal(t, "limit", r.Limit(), 72)
	})
}
