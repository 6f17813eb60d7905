package hedge

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/event"
)

func TestDefaults(t *testing.T) {
	for _, test := range []struct {
		name     string
		cfg      Config
		want     Config
		warnings int
	}{
		{"nothing set", Config{}, Config{
			Delay: 100 * ms, Percentile: 95, Window: time.Minute, MinimumSamples: 100, MinDelay: ms, MaxExtra: 1, MaxAbandoned: 100,
		}, 0},
		{"a delay alone is the delay", Config{Delay: 10 * ms}, Config{
			Delay: 10 * ms, Percentile: off, MaxExtra: 1, MaxAbandoned: 100,
		}, 0},
		{"a delay and a percentile", Config{Delay: 10 * ms, Percentile: 99}, Config{
			Delay: 10 * ms, Percentile: 99, Window: time.Minute, MinimumSamples: 100, MinDelay: ms, MaxExtra: 1, MaxAbandoned: 100,
		}, 0},
		{"all off", Config{Percentile: off, MaxExtra: off, MaxAbandoned: off, Always: true}, Config{
			Delay: 100 * ms, Percentile: off, MaxExtra: off, MaxAbandoned: off, Always: true,
		}, 0},
		{"what has no effect is a warning", Config{Delay: ms, Window: time.Second, MinimumSamples: 1, MinDelay: 1}, Config{
			Delay: ms, Percentile: off, Window: time.Second, MinimumSamples: 1, MinDelay: 1, MaxExtra: 1, MaxAbandoned: 100,
		}, 3},
		{"a low percentile is a warning", Config{Percentile: 49.99}, Config{
			Delay: 100 * ms, Percentile: 49.99, Window: time.Minute, MinimumSamples: 100, MinDelay: ms, MaxExtra: 1, MaxAbandoned: 100,
		}, 1},
	} {
		t.Run("Z1: "+test.name, func(t *testing.T) {
			b := budget.Must(budget.New("extra", budget.Config{}))
			h := made(t, test.cfg, WithBudget(b))
			equal(t, "config", h.Config(), test.want)
			equal(t, "warnings", len(h.Warnings()), test.warnings)
			again := made(t, h.Config(), WithBudget(b))
			equal(t, "a config that was filled in, again", again.Config(), test.want)
			equal(t, "name", h.Name(), "stock")
		})
	}
}

func TestBounds(t *testing.T) {
	percents := []any{switchgear.Percent(0.5), switchgear.Percent(100.01), switchgear.Percent(-1), switchgear.Percent(math.NaN()), switchgear.Percent(33.333)}
	for _, b := range []struct {
		path      string
		good, bad []any
		off       bool
	}{
		{"Delay", []any{time.Duration(1), month}, []any{time.Duration(-1), month + 1}, false},
		{"Percentile", []any{switchgear.Percent(1), switchgear.Percent(99.9), switchgear.Percent(100)}, percents, true},
		{"Window", []any{time.Second, time.Hour}, []any{time.Second - 1, time.Hour + 1, -time.Second}, false},
		{"MinimumSamples", []any{1, 1_000_000_000}, []any{-1, 1_000_000_001}, false},
		{"MinDelay", []any{time.Duration(1), month}, []any{time.Duration(-1), month + 1}, false},
		{"MaxExtra", []any{1, 10}, []any{-1, 11}, true},
		{"MaxAbandoned", []any{1, 1_000_000}, []any{-1, 1_000_001}, true},
	} {
		t.Run("Z1: "+b.path, func(t *testing.T) {
			for _, percentile := range []switchgear.Percent{0, off} {
				with := func(value any) error {
					cfg := Config{Percentile: percentile}
					f := reflect.ValueOf(&cfg).Elem().FieldByName(b.path)
					f.Set(reflect.ValueOf(value).Convert(f.Type()))
					_, err := New("stock", cfg)
					return err
				}
				values := b.good
				if b.off {
					values = append(values, off)
				}
				for _, v := range values {
					if err := with(v); err != nil {
						t.Errorf("%v is refused: %v", v, err)
					}
				}
				values = b.bad
				if !b.off {
					values = append(values, off)
				}
				for _, v := range values {
					err, ok := errors.AsType[*switchgear.ConfigError](with(v))
					if !ok || len(err.Problems) != 1 || err.Problems[0].Path != b.path || err.Policy != "hedge" {
						t.Errorf("%v: got error %v, want one problem of %s", v, err, b.path)
					}
				}
			}
		})
	}
	t.Run("Z1: everything wrong is reported at once", func(t *testing.T) {
		h, err := New("stock", Config{Delay: -1, Percentile: 0.5, MaxExtra: 11})
		equal(t, "hedge beside an error", h, nil)
		want := `hedge "stock": invalid configuration: Delay = -1ns: must be from 1ns to 720h0m0s; ` +
			`Percentile = 0.5: must be in percent, from 1 to 100, or Off; did you mean 50 %?; MaxExtra = 11: must be from 1 to 10, or Off`
		equal(t, "error", err.Error(), want)
		equal(t, "sentinel", errors.Is(err, switchgear.ErrConfig), true)
	})
}

func TestWiring(t *testing.T) {
	t.Run("no budget is a warning, also as an event", func(t *testing.T) {
		var heard []event.Event
		h := made(t, Config{}, WithListener(event.Func(func(e event.Event) { heard = append(heard, e) })))
		equal(t, "warnings", len(h.Warnings()), 1)
		equal(t, "events", len(heard), 1)
		equal(t, "event", heard[0].Source+" "+heard[0].Name+" "+string(heard[0].Kind), "hedge stock warning")
		equal(t, "same words", heard[0].Reason, h.Warnings()[0].String())
		equal(t, "about the budget", strings.Contains(heard[0].Reason, "no budget"), true)
		h.Warnings()[0].Path = "changed by the caller"
		equal(t, "path", h.Warnings()[0].Path, "MaxExtra")
	})
	t.Run("nothing is hedged, nothing needs a budget", func(t *testing.T) {
		equal(t, "warnings", len(made(t, Config{MaxExtra: off}).Warnings()), 0)
	})
	t.Run("nil options, and options given nil, leave the default", func(t *testing.T) {
		h := made(t, Config{}, nil, WithClock(nil), WithBudget(nil), WithSharedBudget(nil), WithClassifier(nil), WithProbing(nil), WithListener(nil))
		equal(t, "clock", h.clk != nil, true)
		equal(t, "budget", h.budget, nil)
	})
	t.Run("Must panics on an error, and only then", func(t *testing.T) {
		h := made(t, Config{})
		equal(t, "Must", Must(h, nil), h)
		defer func() { equal(t, "panic", recover(), any(errDown)) }()
		Must(nil, errDown)
	})
}

func TestVerdictText(t *testing.T) {
	for v, name := range []string{"open", "won", "failed", "late"} {
		text, err := Verdict(v).MarshalText()
		equal(t, "marshal", err, nil)
		equal(t, "name", string(text), name)
		var back Verdict
		equal(t, "unmarshal", back.UnmarshalText(text), nil)
		equal(t, "there and back", back, Verdict(v))
	}
	var v Verdict
	if err := v.UnmarshalText([]byte("lost")); err == nil {
		t.Error("lost is taken for a verdict")
	}
	equal(t, "no verdict", Verdict(9).String(), "verdict(9)")
}
