package ratelimit_test

import (
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/ratelimit"
)

func TestCancel(t *testing.T) {
	both(t, "the newest gives all back", bucket(10, 5), func(t *testing.T, cfg ratelimit.Config) {
		r := newRig(t, cfg)
		r.drain(5)
		first := r.reserved(5, time.Second)
		want := first.Wait()
		first.Cancel()
		second := r.reserved(5, time.Second)
		equal(t, "wait of the next", second.Wait(), want)
		second.Cancel()
		second.Cancel()
		first.Cancel()
		third := r.reserved(5, time.Second)
		equal(t, "wait after a second cancellation", third.Wait(), want)
		equal(t, "cancelled", r.Counters().Cancelled, 2)
	})
	both(t, "at the same instant, too", bucket(10, 5), func(t *testing.T, cfg ratelimit.Config) {
		r := newRig(t, cfg)
		res := r.reserved(3, 0)
		res.Cancel()
		r.drain(5)
	})
	both(t, "not when its time has passed", bucket(10, 1), func(t *testing.T, cfg ratelimit.Config) {
		r := newRig(t, cfg)
		r.drain(1)
		res := r.wait(time.Second, 100*ms)
		r.clock.Advance(100*ms + 1)
		res.Cancel()
		equal(t, "admitted", r.admits(1), 0)
	})
	t.Run("what later ones build upon is lost", func(t *testing.T) {
		r := newRig(t, bucket(10, 5))
		r.drain(5)
		a := r.reserved(5, time.Second)
		b := r.reserved(2, time.Second)
		a.Cancel() // lost, so that b's time is still right
		equal(t, "wait", b.Wait(), 700*ms)
		c := r.wait(time.Second, 800*ms)
		c.Cancel()
		b.Cancel()
		r.wait(time.Second, 600*ms)
	})
	t.Run("a part given back twice would let six begin together", func(t *testing.T) {
		// Of a reservation that is cancelled, only what later ones have not taken
		// could be given back. Done for b and then for a, that would put d, a whole
		// burst, at the time that c has already.
		r := newRig(t, bucket(10, 5))
		r.drain(5)
		a := r.reserved(4, time.Minute)
		b := r.reserved(4, time.Minute)
		c := r.reserved(1, time.Minute)
		b.Cancel()
		a.Cancel()
		d := r.reserved(5, time.Minute)
		equal(t, "distance", d.Wait()-c.Wait(), 500*ms)
	})
	t.Run("a window fills the gap, but not at once", func(t *testing.T) {
		r := newRig(t, window(2, 2)) // 2 in a second
		r.drain(2)
		a := r.wait(time.Minute, time.Second)
		b := r.wait(time.Minute, time.Second)
		r.wait(time.Minute, 2*time.Second)
		a.Cancel() // its slot is taken
		r.wait(time.Minute, 2*time.Second)
		b.Cancel()
		r.wait(time.Minute, 3*time.Second)
	})
	t.Run("the zero value does nothing", func(t *testing.T) {
		var res ratelimit.Reservation
		equal(t, "wait", res.Wait(), 0)
		res.Cancel()
	})
}

func TestCancelledCallersDoNotPushTheNextBack(t *testing.T) {
	r := newRig(t, ratelimit.Config{Kind: ratelimit.SlidingWindow, Rate: 0.3, Burst: 3})
	for range 3 {
		equal(t, "admitted", r.admits(1), 1)
		r.clock.Advance(time.Second)
	}
	for range 4 {
		a, b := r.reserved(1, time.Minute), r.reserved(2, time.Minute)
		equal(t, "wait of one", a.Wait(), 7*time.Second)
		equal(t, "wait of two more", b.Wait(), 9*time.Second)
		b.Cancel()
		a.Cancel()
	}
}
