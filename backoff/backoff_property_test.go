package backoff_test

import (
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/backoff"
)

// grown is the delay before jitter, worked out slowly and with far more digits
// than a float64 has.
func grown(cfg backoff.Config, attempt int) time.Duration {
	d := new(big.Float).SetPrec(500).SetInt64(int64(cfg.Initial))
	factor := new(big.Float).SetPrec(500).SetFloat64(cfg.Factor)
	most := new(big.Float).SetInt64(int64(cfg.Max))
	for range attempt - 1 {
		if d.Mul(d, factor); d.Cmp(most) >= 0 {
			return cfg.Max
		}
		if cfg.Factor == 1 {
			break
		}
	}
	ns, _ := d.Add(d, big.NewFloat(0.5)).Int64()
	return time.Duration(ns)
}

func anyConfig(r *rand.Rand) backoff.Config {
	cfg := backoff.Config{
		Kind:    backoff.Kind(r.IntN(2)),
		Initial: time.Microsecond << r.IntN(36) * time.Duration(1+r.IntN(9)) / 10,
		Jitter:  backoff.Jitter(r.IntN(4)),
	}
	cfg.Initial = min(max(cfg.Initial, time.Microsecond), month)
	cfg.Floor = time.Microsecond + time.Duration(r.Int64N(int64(cfg.Initial-time.Microsecond)+1))
	if cfg.Kind == backoff.Exponential {
		cfg.Factor = []float64{1, 1 + r.Float64()/100, 1 + r.Float64(), 2, 1 + 99*r.Float64(), 100}[r.IntN(6)]
		cfg.Max = cfg.Initial + time.Duration(r.Int64N(int64(month-cfg.Initial)+1))
	} else if cfg.Jitter == backoff.Decorrelated {
		cfg.Jitter = backoff.None
	}
	return cfg
}

func TestDelaysAreThoseOfTheModel(t *testing.T) {
	r := seeded(t)
	for range 3_000 {
		b := made(t, anyConfig(r))
		cfg := b.Config()
		attempt := 1 + r.IntN(60)
		most := grown(cfg, attempt)
		least := most
		previous := time.Duration(r.Int64N(int64(2 * cfg.Max)))
		switch cfg.Jitter {
		case backoff.Full:
			least = cfg.Floor
		case backoff.Equal:
			least = max(most/2, cfg.Floor)
		case backoff.Decorrelated:
			from := cfg
			from.Initial = max(previous, cfg.Initial)
			least, most = cfg.Initial, grown(from, 2)
		}
		draw := r.Float64()
		got := b.Delay(attempt, previous, always(draw))
		want := least + time.Duration(draw*float64(most-least))
		// The last digits of a power may be others: some nanoseconds in a month.
		if slack := 2 + want>>46; got < want-slack || got > want+slack {
			t.Fatalf("%+v, attempt %d, previous %v, draw %v: got %d, want %d", cfg, attempt, previous, draw, got, want)
		}
		if got < cfg.Floor || got > cfg.Max {
			t.Fatalf("%+v, attempt %d: %v is not from Floor to Max", cfg, attempt, got)
		}
	}
}

func TestDelaysGrowUpToMax(t *testing.T) {
	r := seeded(t)
	for range 300 {
		cfg := anyConfig(r)
		cfg.Jitter = backoff.None
		b := made(t, cfg)
		last := time.Duration(0)
		for attempt := 1; attempt < 1<<30; attempt += 1 + attempt/8 {
			d := b.Delay(attempt, last, nil)
			if d < last || d > b.Config().Max {
				t.Fatalf("%+v, attempt %d: %v after %v", cfg, attempt, d, last)
			}
			last = d
		}
		if cfg.Factor > 1.001 {
			equal(t, "in the end", last, b.Config().Max)
		}
	}
}

// The means are known, so that a jitter which draws from a wrong interval shows.
func TestJitterIsEven(t *testing.T) {
	r := seeded(t)
	for _, tt := range []struct {
		jitter backoff.Jitter
		mean   time.Duration
	}{
		{backoff.Full, 4_000 * ms}, {backoff.Equal, 6_000 * ms}, {backoff.Decorrelated, 4_000 * ms},
	} {
		b := made(t, backoff.Config{Initial: 2 * time.Microsecond, Floor: time.Microsecond, Factor: 4, Max: 8 * time.Second, Jitter: tt.jitter})
		const n = 20_000
		var sum time.Duration
		for range n {
			sum += b.Delay(30, 5*time.Second, r.Float64)
		}
		// Ten standard errors of an even draw from 8 seconds.
		if sum/n < tt.mean-170*ms || sum/n > tt.mean+170*ms {
			t.Errorf("%v: the mean is %v, want %v", tt.jitter, sum/n, tt.mean)
		}
	}
}
