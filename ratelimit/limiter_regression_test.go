package ratelimit_test

import (
	"math"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/ratelimit"
)

// K41: a limiter that moves its clock when it refuses loses what had accrued until
// then, and a caller who asks often enough is never admitted.
func TestK41(t *testing.T) {
	t.Run("K41: a refused call leaves no trace", func(t *testing.T) {
		r := newRig(t, bucket(10, 10))
		r.drain(10)
		r.clock.Advance(50 * ms)
		_, err := r.Reserve(1, 0)
		retryAfter(t, err, 50*ms)
		r.clock.Advance(50 * ms)
		r.wait(0, 0)
		equal(t, "another one", r.admits(1), 0)
	})
	t.Run("K41: not even one that asks all the time", func(t *testing.T) {
		r := newRig(t, bucket(10, 1))
		r.drain(1)
		for range 99_999 {
			r.clock.Advance(1000)
			equal(t, "admitted early", r.admits(1), 0)
		}
		r.clock.Advance(1000)
		equal(t, "admitted", r.admits(1), 1)
	})
	both(t, "K41: more than the burst is refused and changes nothing", bucket(10, 10), func(t *testing.T, cfg ratelimit.Config) {
		r := newRig(t, cfg)
		equal(t, "reason", refused(t, r.AllowN(11)).Reason, ratelimit.TooMany)
		r.drain(10)
		r.clock.Advance(time.Second)
		_, err := r.Reserve(11, time.Hour)
		equal(t, "reason", refused(t, err).Reason, ratelimit.TooMany)
		r.drain(10)
	})
}

// K42: a rate of zero that ends in a division by zero makes a wait of zero.
func TestK42(t *testing.T) {
	both(t, "K42: nothing is refilled", bucket(off, 1), func(t *testing.T, cfg ratelimit.Config) {
		r := newRig(t, cfg)
		equal(t, "first", r.Allow(), nil)
		for range 1000 {
			r.clock.Advance(3600 * ms)
			_, known := refused(t, r.Allow()).RetryAfter()
			equal(t, "a time to come back", known, false)
		}
		_, err := r.Reserve(1, math.MaxInt64)
		refused(t, err)
		equal(t, "next", r.Snapshot().Next, -1)
		equal(t, "available", r.Snapshot().Available, 0)
	})
	both(t, "K42: what was reserved can be given back", bucket(off, 2), func(t *testing.T, cfg ratelimit.Config) {
		r := newRig(t, cfg)
		res := r.wait(0, 0)
		res.Cancel()
		r.drain(2)
	})
	t.Run("K42: a rate of zero must be meant", func(t *testing.T) {
		_, err := ratelimit.New("stock", ratelimit.Config{Burst: 1})
		equal(t, "accepted", err == nil, false)
	})
	both(t, "K42: an infinite one admits everything", bucket(math.Inf(1), 0), func(t *testing.T, cfg ratelimit.Config) {
		r := newRig(t, cfg)
		equal(t, "admitted", r.admits(1000), 1000)
	})
}

// K43: the time that a queue takes to drain, computed as an unsigned number, wraps when
// the last call lies further back than the queue is long.
func TestK43(t *testing.T) {
	both(t, "K43: an empty queue admits at once", ratelimit.Config{Rate: 10, Burst: 1, MaxWait: 500 * ms}, func(t *testing.T, cfg ratelimit.Config) {
		c := ticking{clock.NewVirtual(start)}
		l := ratelimit.Must(ratelimit.New("stock", cfg, ratelimit.WithClock(c)))
		c.Advance(time.Second)
		t0 := c.Virtual.Mono()
		for _, at := range []time.Duration{0, 100 * ms, 350 * ms} {
			// The decision reads the clock once and so is made a nanosecond later.
			c.AdvanceTo(t0 + at)
			res, err := l.Reserve(1, 500*ms)
			equal(t, "error", err, nil)
			equal(t, "wait", res.Wait(), 0)
		}
		equal(t, "delayed", l.Counters().Delayed, 0)
	})
}

// K44: a limiter that compares only the present level with the limit lets the first
// batch through, however large.
func TestK44(t *testing.T) {
	both(t, "K44: a batch larger than the limit", ratelimit.Config{Rate: 10, Burst: 10}, func(t *testing.T, cfg ratelimit.Config) {
		for _, wait := range []time.Duration{0, 500 * ms} {
			r := newRig(t, cfg)
			_, err := r.Reserve(25, wait)
			rejection := refused(t, err)
			equal(t, "text", rejection.Error(), `ratelimit "stock" never admits 25 at once: its burst is 10`)
			_, known := rejection.RetryAfter()
			equal(t, "a time to come back", known, false)
			r.drain(10)
		}
	})
}
