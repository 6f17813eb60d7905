package backoff_test

import (
	"math"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/backoff"
)

func TestDelay(t *testing.T) {
	t.Run("K26: late attempts wait for Max", func(t *testing.T) {
		b := made(t, backoff.Config{Initial: 100 * ms, Factor: 2, Max: time.Second, Jitter: backoff.None})
		for i, want := range []time.Duration{100 * ms, 200 * ms, 400 * ms, 800 * ms, time.Second} {
			equal(t, "delay", b.Delay(i+1, 0, nil), want)
		}
		for _, attempt := range []int{36, 37, 63, 64, 65, 200, 1_025, 1_000_000, math.MaxInt32, math.MaxInt} {
			equal(t, "late delay", b.Delay(attempt, 0, nil), time.Second)
		}
	})
	t.Run("K26: the longest Max and the steepest Factor do not overflow", func(t *testing.T) {
		b := made(t, backoff.Config{Initial: month, Factor: 100, Max: month, Jitter: backoff.None})
		for _, attempt := range []int{1, 2, 5, 200, math.MaxInt} {
			equal(t, "delay", b.Delay(attempt, 0, nil), month)
		}
	})
	t.Run("there is no attempt before the first", func(t *testing.T) {
		b := made(t, backoff.Config{Jitter: backoff.None})
		for _, attempt := range []int{1, 0, -1, math.MinInt} {
			equal(t, "delay", b.Delay(attempt, 0, nil), 100*ms)
		}
	})
	t.Run("a constant backoff does not grow", func(t *testing.T) {
		b := made(t, backoff.Config{Kind: backoff.Constant, Initial: 15 * time.Second, Jitter: backoff.None})
		for _, attempt := range []int{1, 2, 1_000_000} {
			equal(t, "delay", b.Delay(attempt, 0, nil), 15*time.Second)
		}
	})
	t.Run("each jitter from end to end", func(t *testing.T) {
		for _, tt := range []struct {
			jitter              backoff.Jitter
			attempt             int
			previous            time.Duration
			least, middle, most time.Duration
		}{
			{backoff.Full, 1, 0, 1 * ms, 50*ms + 500*time.Microsecond, 100 * ms},
			{backoff.Full, 3, 0, 1 * ms, 200*ms + 500*time.Microsecond, 400 * ms},
			{backoff.Equal, 1, 0, 50 * ms, 75 * ms, 100 * ms},
			{backoff.Equal, 3, 0, 200 * ms, 300 * ms, 400 * ms},
			{backoff.Decorrelated, 1, 0, 100 * ms, 200 * ms, 300 * ms},
			{backoff.Decorrelated, 7, 200 * ms, 100 * ms, 350 * ms, 600 * ms},
			// A hinted wait may go before, and be longer than Max.
			{backoff.Decorrelated, 2, time.Hour, 100 * ms, 5050 * ms, 10 * time.Second},
			{backoff.Decorrelated, 2, math.MaxInt64, 100 * ms, 5050 * ms, 10 * time.Second},
			{backoff.Decorrelated, 2, -1, 100 * ms, 200 * ms, 300 * ms},
			{backoff.None, 3, 0, 400 * ms, 400 * ms, 400 * ms},
		} {
			t.Run(tt.jitter.String(), func(t *testing.T) {
				b := made(t, backoff.Config{Jitter: tt.jitter})
				equal(t, "least", b.Delay(tt.attempt, tt.previous, always(0)), tt.least)
				equal(t, "middle", b.Delay(tt.attempt, tt.previous, always(0.5)), tt.middle)
				equal(t, "most", b.Delay(tt.attempt, tt.previous, always(1)), tt.most)
			})
		}
	})
	t.Run("K31: no draw makes a delay shorter than Floor", func(t *testing.T) {
		for _, j := range []backoff.Jitter{backoff.Full, backoff.Equal, backoff.Decorrelated} {
			b := made(t, backoff.Config{Initial: 10 * ms, Floor: 8 * ms, Jitter: j})
			for _, r := range []float64{0, -1, math.Inf(-1), math.NaN(), math.SmallestNonzeroFloat64} {
				if d := b.Delay(1, 0, always(r)); d < 8*ms {
					t.Errorf("%v jitter, draw %v: %v", j, r, d)
				}
			}
		}
	})
	t.Run("no draw makes a delay longer than it may be", func(t *testing.T) {
		for _, r := range []float64{1, 1.5, math.MaxFloat64, math.Inf(1)} {
			b := made(t, backoff.Config{})
			equal(t, "delay", b.Delay(1, 0, always(r)), 100*ms)
			equal(t, "late delay", b.Delay(math.MaxInt, 0, always(r)), 10*time.Second)
			equal(t, "hinted", b.Hinted(time.Minute, always(r)), 72*time.Second)
		}
	})
	t.Run("without a source of chance there is still jitter", func(t *testing.T) {
		b := made(t, backoff.Config{Jitter: backoff.Full})
		seen := map[time.Duration]bool{}
		for range 100 {
			d := b.Delay(10, 0, nil)
			if d < 1*ms || d > 10*time.Second {
				t.Errorf("delay %v", d)
			}
			seen[d] = true
		}
		if len(seen) < 50 {
			t.Errorf("%d different delays of 100", len(seen))
		}
	})
}

func TestHinted(t *testing.T) {
	t.Run("K77: callers with one hint spread out, and never come early", func(t *testing.T) {
		b := made(t, backoff.Config{})
		random := seeded(t)
		seen := map[time.Duration]bool{}
		for range 30 {
			d := b.Hinted(time.Minute, random.Float64)
			if d < time.Minute || d > 72*time.Second {
				t.Errorf("wait %v", d)
			}
			seen[d.Round(10*ms)] = true
		}
		if len(seen) < 25 {
			t.Errorf("%d different waits of 30", len(seen))
		}
	})
	t.Run("from end to end", func(t *testing.T) {
		b := made(t, backoff.Config{Spread: 50})
		equal(t, "least", b.Hinted(10*time.Second, always(0)), 10*time.Second)
		equal(t, "middle", b.Hinted(10*time.Second, always(0.5)), 12500*ms)
		equal(t, "most", b.Hinted(10*time.Second, always(1)), 15*time.Second)
	})
	t.Run("Off waits exactly as asked, and draws nothing", func(t *testing.T) {
		b := made(t, backoff.Config{Spread: off})
		equal(t, "wait", b.Hinted(time.Minute, func() float64 { t.Error("drawn"); return 1 }), time.Minute)
	})
	t.Run("K28, K31: a short hint is no reason not to wait", func(t *testing.T) {
		b := made(t, backoff.Config{Floor: 5 * ms})
		for _, hint := range []time.Duration{0, -1, math.MinInt64, 1, 5*ms - 1} {
			equal(t, "wait", b.Hinted(hint, always(0)), 5*ms)
		}
		equal(t, "a hint of some milliseconds", b.Hinted(300*ms, always(0)), 300*ms)
	})
	t.Run("Max does not shorten a hint", func(t *testing.T) {
		b := made(t, backoff.Config{Max: time.Second})
		equal(t, "wait", b.Hinted(time.Hour, always(0)), time.Hour)
	})
	t.Run("K26: the longest hint does not overflow", func(t *testing.T) {
		b := made(t, backoff.Config{Spread: 100})
		for _, hint := range []time.Duration{math.MaxInt64, math.MaxInt64 - 1, math.MaxInt64/2 + 1, math.MaxInt64 - 600} {
			for _, r := range []float64{0, 1e-18, 0.5, 1} {
				if d := b.Hinted(hint, always(r)); d < hint {
					t.Errorf("hint %d, draw %v: wait %d", hint, r, d)
				}
			}
		}
	})
}

func TestNothingAllocates(t *testing.T) {
	for _, j := range []backoff.Jitter{backoff.Full, backoff.Equal, backoff.Decorrelated, backoff.None} {
		b := made(t, backoff.Config{Jitter: j})
		random := always(0.5)
		equal(t, "allocations", testing.AllocsPerRun(100, func() {
			b.Delay(5, time.Second, random)
			b.Delay(5, time.Second, nil)
			b.Hinted(time.Second, random)
		}), 0)
	}
}
