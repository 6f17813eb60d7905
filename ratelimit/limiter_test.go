package ratelimit_test

import (
	"math"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/ratelimit"
)

func TestLimiter(t *testing.T) {
	both(t, "a burst at once, then at the rate", bucket(10, 10), func(t *testing.T, cfg ratelimit.Config) {
		r := newRig(t, cfg)
		r.drain(10)
		r.clock.Advance(10 * time.Second)
		r.drain(10)
	})
	both(t, "all or none", bucket(10, 10), func(t *testing.T, cfg ratelimit.Config) {
		r := newRig(t, cfg)
		equal(t, "6 of 10", r.AllowN(6), nil)
		refused(t, r.AllowN(5))
		equal(t, "4 of 4", r.AllowN(4), nil)
		refused(t, r.AllowN(1))
	})
	both(t, "none or fewer take nothing and give nothing", bucket(10, 3), func(t *testing.T, cfg ratelimit.Config) {
		r := newRig(t, cfg)
		r.drain(3)
		for _, n := range []int{0, -1, math.MinInt} {
			equal(t, "allowed", r.AllowN(n), nil)
			res := r.reserved(n, 0)
			equal(t, "wait", res.Wait(), 0)
			res.Cancel()
		}
		equal(t, "admitted", r.admits(3), 0)
	})
	both(t, "reservations wait their turn", bucket(10, 1), func(t *testing.T, cfg ratelimit.Config) {
		r := newRig(t, cfg)
		r.wait(time.Second, 0)
		r.wait(time.Second, 100*ms)
		r.wait(time.Second, 200*ms)
		r.clock.Advance(50 * ms)
		r.wait(time.Second, 250*ms)
		_, err := r.Reserve(1, 349*ms)
		retryAfter(t, err, 350*ms)
		r.wait(350*ms, 350*ms)
	})
	both(t, "a reservation's wait runs down", bucket(10, 1), func(t *testing.T, cfg ratelimit.Config) {
		r := newRig(t, cfg)
		r.drain(1)
		res := r.wait(time.Second, 100*ms)
		r.clock.Advance(30 * ms)
		equal(t, "wait", res.Wait(), 70*ms)
		r.clock.Advance(time.Second)
		equal(t, "wait", res.Wait(), 0)
	})
	both(t, "a wait below zero is none, a long one is bounded", bucket(0.000001, 1), func(t *testing.T, cfg ratelimit.Config) {
		r := newRig(t, cfg)
		r.drain(1)
		_, err := r.Reserve(1, -1)
		refused(t, err)
		equal(t, "wait for a millionth a second", waitOf(r.reserved(1, math.MaxInt64)), 1_000_000*time.Second)
		_, err = r.Reserve(1, math.MaxInt64)
		equal(t, "second wait", err == nil, true)
		_, err = r.Reserve(1, math.MaxInt64)
		equal(t, "34 days", refused(t, err).MaxWait, 30*24*time.Hour)
	})
	both(t, "an infinite rate", bucket(math.Inf(1), 0), func(t *testing.T, cfg ratelimit.Config) {
		r := newRig(t, cfg)
		equal(t, "admitted", r.admits(1000), 1000)
		equal(t, "many at once", r.AllowN(math.MaxInt), nil)
		res := r.wait(0, 0)
		res.Cancel()
		equal(t, "snapshot", r.Snapshot().Next, 0)
	})
	t.Run("the default burst is a second's worth", func(t *testing.T) {
		newRig(t, bucket(10, 0)).drain(10)
		newRig(t, bucket(2.5, 0)).drain(3)
		newRig(t, bucket(0.1, 0)).drain(1)
	})
	t.Run("a bucket lets through twice as many in a window, a window does not", func(t *testing.T) {
		most := map[ratelimit.Kind]int{ratelimit.TokenBucket: 19, ratelimit.SlidingWindow: 10}
		for kind, want := range most {
			r := newRig(t, ratelimit.Config{Kind: kind, Rate: 10, Burst: 10})
			admitted := 0
			for range 100 {
				admitted += r.admits(10)
				r.clock.Advance(10*ms - 1)
			}
			equal(t, kind.String(), admitted, want)
		}
	})
	t.Run("a window's slots come free one by one", func(t *testing.T) {
		r := newRig(t, window(4, 4)) // 4 in a second
		for range 4 {
			equal(t, "admitted", r.Allow(), nil)
			r.clock.Advance(200 * ms)
		}
		equal(t, "admitted at 800 ms", r.admits(1), 0)
		r.clock.Advance(200*ms - 1)
		equal(t, "admitted just before the second is over", r.admits(1), 0)
		r.clock.Advance(1)
		equal(t, "admitted at 1 s", r.admits(5), 1)
		r.clock.Advance(200 * ms)
		equal(t, "admitted at 1.2 s", r.admits(5), 1)
	})
	t.Run("a window's length is Burst/Rate", func(t *testing.T) {
		r := newRig(t, window(10, 1000))
		r.drain(1000)
		r.clock.Advance(100*time.Second - 1)
		equal(t, "admitted", r.admits(1), 0)
		r.clock.Advance(1)
		r.drain(1000)
	})
}

func TestLongLife(t *testing.T) {
	t.Run("a rate without an end in decimals does not drift", func(t *testing.T) {
		for _, rate := range []float64{3, 7, 0.3, 999_983, 1.0 / 3} {
			r := newRig(t, bucket(rate, 1))
			r.drain(1)
			// The n-th token is there n/rate after the first one was taken; a call
			// asks for it as soon as it is.
			n := 0
			for range 1000 {
				n++
				r.reserved(1, time.Hour)
			}
			res := r.reserved(1, 2*time.Hour)
			exact := float64(n+1) / (math.Round(rate*1e9) / 1e9) * 1e9
			if wait := float64(res.Wait()); wait < exact-2 || wait > exact+2 {
				t.Errorf("%v a second: token %d after %v ns, want %.1f", rate, n+1, wait, exact)
			}
		}
	})
	both(t, "for as long as a clock can run", bucket(10, 10), func(t *testing.T, cfg ratelimit.Config) {
		v := clock.NewVirtual(start)
		l := ratelimit.Must(ratelimit.New("stock", cfg, ratelimit.WithClock(v)))
		for _, at := range []time.Duration{1, 1 << 40, 1 << 61, 1 << 62, math.MaxInt64 - 2*time.Second} {
			v.AdvanceTo(at)
			equal(t, "full", l.AllowN(10), nil)
			retryAfter(t, l.Allow(), map[ratelimit.Kind]time.Duration{ratelimit.TokenBucket: 100 * ms, ratelimit.SlidingWindow: time.Second}[cfg.Kind])
		}
		v.AdvanceTo(math.MaxInt64 - 1)
		equal(t, "full", l.AllowN(10), nil)
		_, err := l.Reserve(10, math.MaxInt64)
		_, known := refused(t, err).RetryAfter()
		equal(t, "a time to come back after the end of time", known, false)
	})
	t.Run("the largest and the smallest limits", func(t *testing.T) {
		for _, cfg := range []ratelimit.Config{
			bucket(100_000_000, 1_000_000_000), bucket(0.000001, 1_000_000_000), bucket(100_000_000, 1), bucket(99_999_999.999999999, 7),
			window(100_000_000, 10_000),
		} {
			r := newRig(t, cfg)
			for range 3 {
				equal(t, "all at once", r.AllowN(cfg.Burst), nil)
				equal(t, "one more", r.admits(1), 0)
				if cfg.Rate < 1 {
					break
				}
				r.clock.Advance(20 * time.Second)
			}
		}
	})
	t.Run("a clock that seems to run backwards", func(t *testing.T) {
		b := &backwards{Virtual: clock.NewVirtual(start)}
		b.Advance(time.Hour)
		l := ratelimit.Must(ratelimit.New("stock", bucket(10, 1), ratelimit.WithClock(b)))
		b.back = time.Minute
		equal(t, "first", l.Allow(), nil)
		retryAfter(t, l.Allow(), 100*ms)
	})
}

type backwards struct {
	*clock.Virtual
	back time.Duration
}

func (b *backwards) Mono() time.Duration { return b.Virtual.Mono() - b.back }

func TestNothingAllocates(t *testing.T) {
	both(t, "admitted", bucket(10, 10), func(t *testing.T, cfg ratelimit.Config) {
		r := newRig(t, cfg)
		equal(t, "allocations", testing.AllocsPerRun(1000, func() {
			_ = r.Allow()
			res, _ := r.Reserve(1, time.Second)
			res.Cancel()
			r.clock.Advance(time.Second)
		}), 0)
	})
	both(t, "refused", bucket(10, 10), func(t *testing.T, cfg ratelimit.Config) {
		r := newRig(t, cfg)
		r.drain(10)
		equal(t, "allocations", testing.AllocsPerRun(1000, func() { _ = r.Allow() }), 1)
	})
}
