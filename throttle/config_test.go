package throttle_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/throttle"
)

// problems returns what is wrong with cfg, a line each.
func problems(t *testing.T, cfg throttle.Config) (lines []string) {
	t.Helper()
	th, err := throttle.New("stock", cfg)
	if err == nil {
		return nil
	}
	equal(t, "throttle beside an error", th, nil)
	c, ok := errors.AsType[*switchgear.ConfigError](err)
	if !ok {
		t.Fatalf("got error %v, want a *switchgear.ConfigError", err)
	}
	equal(t, "policy and name", c.Policy+" "+c.Name, "throttle stock")
	for _, p := range c.Problems {
		lines = append(lines, p.String())
	}
	return lines
}

func TestBounds(t *testing.T) {
	const month = 30 * 24 * time.Hour
	for _, tt := range []struct {
		name string
		cfg  throttle.Config
		want string // the start of the only problem
	}{
		{"the smallest K", throttle.Config{K: 1}, ""},
		{"the largest K", throttle.Config{K: 100}, ""},
		{"a K below 1", throttle.Config{K: 0.99}, "K = 0.99: must be from 1 to 100"},
		{"a K above 100", throttle.Config{K: 100.5}, "K = 100.5: must be from 1 to 100"},
		{"no number", throttle.Config{K: math.NaN()}, "K = NaN: must be from 1 to 100"},
		{"K is off", throttle.Config{K: off}, "K = -2.147483648e+09: must be from 1 to 100"},
		{"the shortest window", throttle.Config{Window: time.Millisecond}, ""},
		{"the longest window", throttle.Config{Window: month}, ""},
		{"too short a window", throttle.Config{Window: time.Millisecond - 1}, "Window = 999.999µs: must be from 1ms to 720h0m0s"},
		{"too long a window", throttle.Config{Window: month + 1}, "Window = 720h0m0.000000001s: must be from 1ms to 720h0m0s"},
		{"a negative window", throttle.Config{Window: -1}, "Window = -1ns: must be from 1ms to 720h0m0s"},
		{"a window that is off", throttle.Config{Window: off}, "Window = -2.147483648s: must be from 1ms to 720h0m0s"},
		{"one bucket", throttle.Config{Buckets: 1}, ""},
		{"as many buckets as can be", throttle.Config{Buckets: 3600}, ""},
		{"too many buckets", throttle.Config{Buckets: 3601}, "Buckets = 3601: must be from 1 to 3600"},
		{"a negative number of buckets", throttle.Config{Buckets: -1}, "Buckets = -1: must be from 1 to 3600"},
		{"buckets of a millisecond", throttle.Config{Window: 10 * time.Millisecond, Buckets: 10}, ""},
		{"shorter buckets", throttle.Config{Window: 10 * time.Millisecond, Buckets: 11}, "Buckets = 11: must be at most 10, so"},
		{"the smallest refusal", throttle.Config{MaxRefusal: 1}, ""},
		{"the largest refusal", throttle.Config{MaxRefusal: 100}, ""},
		{"the bare formula", throttle.Config{MaxRefusal: off}, ""},
		{"a bare share", throttle.Config{MaxRefusal: 0.9}, "MaxRefusal = 0.9: must be in percent, from 1 to 100, or Off; did you mean 90 %?"},
		{"a refusal of more than all", throttle.Config{MaxRefusal: 101}, "MaxRefusal = 101: must be from 1 to 100 percent"},
		{"a negative refusal", throttle.Config{MaxRefusal: -1}, "MaxRefusal = -1: must be from 1 to 100 percent"},
		{"the book's minimum", throttle.Config{MinimumRequests: 1}, ""},
		{"the largest minimum", throttle.Config{MinimumRequests: 1_000_000_000}, ""},
		{"a larger minimum", throttle.Config{MinimumRequests: 1_000_000_001}, "MinimumRequests = 1000000001: must be from 1 to 1000000000"},
		{"a minimum that is off", throttle.Config{MinimumRequests: off}, "MinimumRequests = -2147483648: must be from 1 to 1000000000"},
	} {
		t.Run("Z1: "+tt.name, func(t *testing.T) {
			found := problems(t, tt.cfg)
			switch {
			case tt.want == "":
				equal(t, "problems", found, nil)
			case len(found) != 1 || !strings.HasPrefix(found[0], tt.want):
				t.Errorf("got %q, want one that starts with %q", found, tt.want)
			}
		})
	}
	t.Run("Z1: every problem is reported at once", func(t *testing.T) {
		found := problems(t, throttle.Config{K: -1, Window: -1, Buckets: -1, MaxRefusal: -1, MinimumRequests: -1})
		equal(t, "problems", len(found), 5)
	})
}

func TestDefaults(t *testing.T) {
	got := throttle.Must(throttle.New("stock", throttle.Config{})).Config()
	equal(t, "configuration", got, throttle.Config{
		K: 2, Window: 2 * time.Minute, Buckets: 60, MaxRefusal: 90, MinimumRequests: 20,
	})
	for length, want := range map[time.Duration]int{
		time.Millisecond: 1, time.Second: 1, 1500 * time.Millisecond: 2, time.Minute: 60, time.Hour: 60,
	} {
		cfg := throttle.Must(throttle.New("stock", throttle.Config{Window: length})).Config()
		equal(t, "buckets of "+length.String(), cfg.Buckets, want)
		equal(t, "of the effective configuration", throttle.Must(throttle.New("stock", cfg)).Config(), cfg)
	}
}

func TestWarnings(t *testing.T) {
	r := newRig(t, throttle.Config{K: 1})
	equal(t, "warnings", len(r.Warnings()), 1)
	equal(t, "text", r.Warnings()[0].String(), "K = 1: allows for no failure: a few of them and refusals go up to MaxRefusal = 90 %")
	equal(t, "events", len(r.heard), 1)
	equal(t, "kind", r.heard[0].Kind, event.Warning)
	equal(t, "none without cause", newRig(t, throttle.Config{K: 1.1}).Warnings(), nil)
}

func TestOptions(t *testing.T) {
	th, err := throttle.New("stock", throttle.Config{}, nil,
		throttle.WithClock(nil), throttle.WithRandom(nil), throttle.WithListener(nil), throttle.WithClassifier(nil))
	equal(t, "error", err, nil)
	p, err := th.Acquire(t.Context())
	equal(t, "error", err, nil)
	p.Done(switchgear.Success)
}

func TestMust(t *testing.T) {
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, switchgear.ErrConfig) {
			t.Errorf("recovered %v", err)
		}
	}()
	throttle.Must(throttle.New("stock", throttle.Config{K: -1}))
}

func TestReconfigure(t *testing.T) {
	t.Run("other rules judge what the window holds", func(t *testing.T) {
		r := newRig(t, plain())
		r.calls(10, switchgear.Success)
		r.calls(20, switchgear.Failure)
		cfg := plain()
		cfg.K, cfg.MaxRefusal, cfg.MinimumRequests = 1.5, 40, 5
		equal(t, "error", r.Reconfigure(cfg), nil)
		r.holds(30, 10)
		equal(t, "refusal", r.Snapshot().Refusal, 40)
		equal(t, "events", len(r.heard), 1)
		d, ok := r.heard[0].Detail.(*throttle.Reconfiguration)
		equal(t, "detail", ok, true)
		equal(t, "text", d.String(), "K: 2 → 1.5, MaxRefusal: off → 40 %, MinimumRequests: 1 → 5")
		equal(t, "new", d.New, r.Config())
	})
	t.Run("another window begins empty", func(t *testing.T) {
		r := newRig(t, plain())
		r.calls(30, switchgear.Failure)
		r.clock.Advance(1500 * time.Millisecond)
		cfg := plain()
		cfg.Window = time.Second
		equal(t, "error", r.Reconfigure(cfg), nil)
		r.holds(0, 0)
		r.calls(1, switchgear.Failure)
		r.holds(1, 0)
		r.clock.Advance(time.Second)
		r.holds(0, 0)
		equal(t, "failed", r.Counters().Failed, 31)
	})
	t.Run("the same again is nothing, and an invalid one changes nothing", func(t *testing.T) {
		r := newRig(t, plain())
		before := r.Config()
		equal(t, "error", r.Reconfigure(before), nil)
		equal(t, "invalid", errors.Is(r.Reconfigure(throttle.Config{K: -1}), switchgear.ErrConfig), true)
		equal(t, "configuration", r.Config(), before)
		equal(t, "events", len(r.heard), 0)
	})
}
