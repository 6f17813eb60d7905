package backoff_test

import (
	"math"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/backoff"
)

// Whatever the configuration and the arguments: New refuses the one, or every
// delay is from Floor to Max and no hint is shortened.
func FuzzDelay(f *testing.F) {
	f.Add(uint8(0), uint8(0), int64(0), 0.0, int64(0), int64(0), 0.0, int64(1), int64(0), int64(0), 0.5)
	f.Add(uint8(0), uint8(3), int64(100*ms), 2.0, int64(time.Second), int64(0), 0.0, int64(1_000_000), int64(0), int64(time.Hour), 1.0)
	f.Add(uint8(0), uint8(2), int64(month), 100.0, int64(month), int64(1000), 100.0, int64(math.MaxInt64), int64(math.MaxInt64), int64(math.MaxInt64), math.Inf(1))
	f.Add(uint8(1), uint8(1), int64(1000), 1.0, int64(1000), int64(1000), float64(off), int64(math.MinInt64), int64(-1), int64(math.MinInt64), math.NaN())
	f.Fuzz(func(t *testing.T, kind, jitter uint8, initial int64, factor float64, most, floor int64, spread float64, attempt, previous, hint int64, draw float64) {
		b, err := backoff.New(backoff.Config{
			Kind: backoff.Kind(kind), Jitter: backoff.Jitter(jitter), Initial: time.Duration(initial), Factor: factor,
			Max: time.Duration(most), Floor: time.Duration(floor), Spread: switchgear.Percent(spread),
		})
		if err != nil {
			return
		}
		cfg := b.Config()
		if cfg.Floor < time.Microsecond || cfg.Initial < cfg.Floor || cfg.Max < cfg.Initial || cfg.Max > month {
			t.Fatalf("accepted: %+v", cfg)
		}
		if d := b.Delay(int(attempt), time.Duration(previous), always(draw)); d < cfg.Floor || d > cfg.Max {
			t.Errorf("%+v: delay %d", cfg, d)
		}
		if d := b.Hinted(time.Duration(hint), always(draw)); d < time.Duration(hint) || d < cfg.Floor {
			t.Errorf("%+v: hint %d, wait %d", cfg, hint, d)
		}
	})
}
