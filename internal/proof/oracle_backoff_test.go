package proof

import (
	"fmt"
	"math"
	"testing"
	"time"

	cenkalti "github.com/cenkalti/backoff/v5"
	"pgregory.net/rapid"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/backoff"
)

// TestOracleBackoff holds the delays without jitter against those of cenkalti/backoff,
// attempt by attempt.
//
// The two compute in different ways: the oracle multiplies the delay before and drops
// the fraction of a nanosecond each time, the product multiplies the first delay by a
// power and rounds once. Where the factor is a whole number nothing is ever cut off, and
// they must be equal. Otherwise they may differ by what the oracle has cut off so far,
// which later multiplications have enlarged.
func TestOracleBackoff(t *testing.T) {
	var ledger ledger
	rapid.Check(t, func(t *rapid.T) {
		tally := tally{}
		cfg := drawGrowth(t)
		cfg.Jitter = backoff.None
		b, err := backoff.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		oracle := cenkaltiBackoff(cfg.Initial, cfg.Max, cfg.Factor, 0)
		cut := 0.0 // what the oracle has lost at most, in nanoseconds
		if cfg.Factor == math.Trunc(cfg.Factor) {
			tally.note("whole factor")
		}
		for attempt := 1; attempt <= 300; attempt++ {
			got, want := b.Delay(attempt, 0, nil), oracle.NextBackOff()
			slack := time.Duration(0)
			if cfg.Factor != math.Trunc(cfg.Factor) {
				slack = time.Duration(min(cut, float64(cfg.Max))) + 1
			}
			if off := got - want; off < -slack || off > slack {
				t.Fatalf("%+v: delay %d: got %d ns, want %d ns, or at most %d away", cfg, attempt, got, want, slack)
			}
			cut = cut*cfg.Factor + 1
			switch {
			case want == cfg.Max && cfg.Max > cfg.Initial:
				tally.note("at the maximum")
			case want > cfg.Initial:
				tally.note("between")
			}
		}
		ledger.add(tally)
	})
	ledger.require(t, 50, "whole factor", "at the maximum", "between")

	t.Run("K26: no delay after the maximum is anything but the maximum", func(t *testing.T) {
		b, err := backoff.New(backoff.Config{Initial: 100 * ms, Factor: 2, Max: sec, Jitter: backoff.None})
		if err != nil {
			t.Fatal(err)
		}
		oracle := cenkaltiBackoff(100*ms, sec, 2, 0)
		for attempt := 1; attempt <= 1_000_000; attempt++ {
			if got, want := b.Delay(attempt, 0, nil), oracle.NextBackOff(); got != want {
				t.Fatalf("delay %d: got %v, want %v", attempt, got, want)
			}
		}
	})
	t.Run("constant", func(t *testing.T) {
		for _, d := range []time.Duration{time.Microsecond, 250 * ms, 30 * 24 * time.Hour} {
			b, err := backoff.New(backoff.Config{Kind: backoff.Constant, Initial: d, Jitter: backoff.None})
			if err != nil {
				t.Fatal(err)
			}
			oracle := cenkalti.NewConstantBackOff(d)
			for attempt := range 100 {
				if got, want := b.Delay(attempt, 0, nil), oracle.NextBackOff(); got != want {
					t.Fatalf("delay %d: got %v, want %v", attempt, got, want)
				}
			}
		}
	})
}

// drawGrowth generates how delays grow.
func drawGrowth(t *rapid.T) backoff.Config {
	initial := pick(t, "initial", 100*ms, time.Microsecond, 12_345*time.Nanosecond, ms, 333*ms, sec, time.Hour)
	longest := 30 * 24 * time.Hour
	return backoff.Config{
		Initial: initial,
		Factor:  pick(t, "factor", 2, 1, 1.5, 3, 1.01, 1.7, 2.5, 10, 99.99, 100),
		Max:     initial + min(longest-initial, initial*time.Duration(pick(t, "growth", 9, 0, 1, 100, 1<<20))),
		Floor:   time.Microsecond,
	}
}

func cenkaltiBackoff(initial, most time.Duration, factor, randomization float64) *cenkalti.ExponentialBackOff {
	b := cenkalti.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval, b.Multiplier, b.RandomizationFactor = initial, most, factor, randomization
	b.Reset()
	return b
}

// TestOracleJitter compares the ranges that delays are drawn from. The oracle knows one
// kind of jitter, a share up and down of the interval; with another interval in its
// middle that is the range of full jitter, of equal jitter, or of a hint.
//
//	Full    from 0 to d      d/2 ± 100 %
//	Equal   from d/2 to d    3d/4 ± 33 %
//	Hinted  from h to 1.2 h  1.1 h ± 9 %
//
// Not compared: what is below Floor, which is never drawn here and sometimes there, and
// [backoff.Decorrelated], which has no counterpart.
func TestOracleJitter(t *testing.T) {
	const draws = 2000 // misses the outermost hundredth once in 10⁸ times
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawGrowth(t)
		cfg.Initial, cfg.Max = max(cfg.Initial, ms), max(cfg.Max, ms)
		kind := pick(t, "kind", "full", "equal", "hinted")
		attempt := pick(t, "attempt", 1, 2, 3, 5, 10, 100)
		middle, randomization := 0.5, 1.0
		switch kind {
		case "equal":
			cfg.Jitter, middle, randomization = backoff.Equal, 0.75, 1.0/3
		case "hinted":
			middle, randomization = 1.1, 0.1/1.1
		}
		cfg.Spread = switchgear.Percent(20)
		b, err := backoff.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		delay := func(r float64) time.Duration {
			if kind == "hinted" {
				return b.Hinted(cfg.Initial, func() float64 { return r })
			}
			return b.Delay(attempt, 0, func() float64 { return r })
		}
		growing := cenkaltiBackoff(cfg.Initial, cfg.Max, cfg.Factor, 0)
		interval := growing.NextBackOff()
		for range attempt - 1 {
			if kind != "hinted" {
				interval = growing.NextBackOff()
			}
		}
		mid := time.Duration(float64(interval) * middle)
		shortest, longest := delay(0), delay(1)
		hundredth := (longest-shortest)/100 + 1
		slack := time.Duration(float64(interval)/10_000) + 2 // what the oracle cuts off, and Floor
		least, most := time.Duration(math.MaxInt64), time.Duration(0)
		for range draws {
			d := cenkaltiBackoff(mid, mid, 1, randomization).NextBackOff()
			least, most = min(least, d), max(most, d)
		}
		which := fmt.Sprintf("%s jitter, %+v, attempt %d: from %v to %v", kind, cfg, attempt, shortest, longest)
		if least < shortest-slack-cfg.Floor || most > longest+slack {
			t.Fatalf("%s; the oracle has drawn from %v to %v", which, least, most)
		}
		if least > shortest+hundredth+slack || most < longest-hundredth-slack {
			t.Fatalf("%s; the oracle has only drawn from %v to %v", which, least, most)
		}
		// And evenly: in both, the median is the middle.
		if d := delay(0.5) - mid; d < -slack-cfg.Floor || d > slack+cfg.Floor {
			t.Fatalf("%s; the middle is %v, of the oracle %v", which, delay(0.5), mid)
		}
	})
}
