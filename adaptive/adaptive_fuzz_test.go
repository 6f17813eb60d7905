package adaptive

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
)

// Whatever the configuration, New returns either a *ConfigError or a limiter whose
// limit stays within its bounds, whatever the calls do.
func FuzzConfig(f *testing.F) {
	f.Add(uint8(0), 0, 0, 0, int64(0), 0, 0.0, 0.0, 0.0, 0.0, 0, 0, int64(0), []byte{1, 2, 3})
	f.Add(uint8(1), 5, 1, 9, int64(off), 0, 0.0, 50.0, 0.0, 0.5, 2, 4, int64(off), []byte{0, 255, 7, 9})
	f.Add(uint8(2), 100, 3, 1_000_000, int64(time.Millisecond), 3, 5.5, 99.99, 0.5, 0.0, -1, 0, int64(time.Second), []byte{200, 200, 1})
	f.Add(uint8(0), 1, 1, 1, int64(1), -5, math.NaN(), math.Inf(1), -1.0, 1e-300, off, math.MaxInt, int64(-1), []byte{})
	f.Fuzz(func(t *testing.T, algorithm uint8, initial, least, most int, window int64, samples int, drops, share, backoff, smoothing float64, a, b int, timeout int64, calls []byte) {
		cfg := Config{
			Algorithm: Algorithm(algorithm % 4), Initial: initial, Min: least, Max: most,
			Window: WindowConfig{Time: time.Duration(window), Samples: samples, Drops: switchgear.Percent(drops)},
			Shares: []switchgear.Percent{100, switchgear.Percent(share)},
		}
		switch cfg.Algorithm {
		case ByAIMD:
			cfg.AIMD = AIMDConfig{Backoff: backoff, Timeout: time.Duration(timeout)}
		case ByVegas:
			cfg.Vegas = VegasConfig{Alpha: a, Beta: b, Smoothing: smoothing, Probe: samples}
		default:
			cfg.Gradient2 = Gradient2Config{LongWindow: a, QueueSize: b, Smoothing: smoothing, Backoff: backoff, Tolerance: drops}
		}
		l, err := New("stock", cfg)
		if err != nil {
			if !errors.Is(err, switchgear.ErrConfig) || l != nil {
				t.Fatalf("got %v and %v", l, err)
			}
			return
		}
		got := l.Config()
		if again, err := New("stock", got); err != nil {
			t.Fatalf("the effective configuration is invalid: %v", err)
		} else {
			equal(t, "effective configuration", again.Config(), got)
		}
		r := newRig(t, cfg)
		for _, c := range calls[:min(len(calls), 200)] {
			permit, err := r.TryAcquire(Priority(c % 3))
			if err != nil {
				t.Fatalf("idle, and refused: %v", err)
			}
			r.clock.Advance(time.Duration(c) << (c % 40))
			permit.Done(switchgear.Outcome(c % 4))
			within(t, "limit", r.Limit(), got.Min, got.Max)
		}
		equal(t, "running", r.Running(), 0)
	})
}
