package budget_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/budget"
)

// problems returns what is wrong with cfg, as "path = value: bound".
func problems(t *testing.T, cfg budget.Config) (found []string) {
	t.Helper()
	b, err := budget.New("stock", cfg)
	if err == nil {
		return nil
	}
	if b != nil || !errors.Is(err, switchgear.ErrConfig) {
		t.Errorf("New: got %v and error %v, want nil and a configuration error", b, err)
	}
	c, ok := errors.AsType[*switchgear.ConfigError](err)
	if !ok {
		t.Fatalf("New: got error %T, want a *switchgear.ConfigError", err)
	}
	equal(t, "policy and name", c.Policy+" "+c.Name, "budget stock")
	for _, p := range c.Problems {
		found = append(found, p.Path)
	}
	return found
}

func TestDefaults(t *testing.T) {
	t.Run("Z1: a zero field means the documented default", func(t *testing.T) {
		for _, want := range []budget.Config{
			ratio(20, 10, 10*time.Second),
			{Kind: budget.Quota, Quota: budget.QuotaConfig{Capacity: 500, Cost: 5, TimeoutCost: 10}},
			throttling(10, 0.1),
		} {
			got := budget.Must(budget.New("stock", budget.Config{Kind: want.Kind})).Config()
			equal(t, want.Kind.String(), got, want)
			again := budget.Must(budget.New("stock", got)).Config()
			equal(t, want.Kind.String()+", from its own effect", again, want)
		}
	})
	t.Run("Z1: defaults that depend on other fields", func(t *testing.T) {
		q := func(capacity, cost int) budget.QuotaConfig {
			return budget.Must(budget.New("stock", quota(capacity, cost))).Config().Quota
		}
		equal(t, "twice the cost", q(100, 30).TimeoutCost, 60)
		equal(t, "but no more than there is", q(100, 60).TimeoutCost, 100)
		equal(t, "a small pool", q(3, 0), budget.QuotaConfig{Capacity: 3, Cost: 3, TimeoutCost: 3})
	})
}

func TestBounds(t *testing.T) {
	q := func(capacity, cost, timeout int) budget.Config {
		return budget.Config{Kind: budget.Quota, Quota: budget.QuotaConfig{Capacity: capacity, Cost: cost, TimeoutCost: timeout}}
	}
	for _, tt := range []struct {
		path      string
		good, bad []budget.Config
	}{
		{"Kind", nil, []budget.Config{{Kind: 3}, {Kind: 255}}},
		{"Ratio.Percent",
			[]budget.Config{ratio(1, 0, 0), ratio(100, 0, 0), ratio(12.34, 0, 0), ratio(off, 0, 0)},
			[]budget.Config{ratio(0.2, 0, 0), ratio(-1, 0, 0), ratio(101, 0, 0), ratio(switchgear.Percent(math.NaN()), 0, 0)}},
		{"Ratio.MinPerSecond",
			[]budget.Config{ratio(0, 0.001, 0), ratio(0, 1e6, 0), ratio(0, off, 0)},
			[]budget.Config{ratio(0, -1, 0), ratio(0, 0.0009, 0), ratio(0, 1e6+1, 0), ratio(0, math.NaN(), 0), ratio(0, math.Inf(1), 0), ratio(0, math.Inf(-1), 0)}},
		{"Ratio.Window",
			[]budget.Config{ratio(0, 0, time.Second), ratio(0, 0, time.Hour)},
			[]budget.Config{ratio(0, 0, -1), ratio(0, 0, time.Second-1), ratio(0, 0, time.Hour+1), ratio(0, 0, off)}},
		{"Quota.Capacity",
			[]budget.Config{q(1, 0, 0), q(1e9, 0, 0)},
			[]budget.Config{q(-1, 0, 0), q(1e9+1, 0, 0), q(off, 0, 0), q(math.MinInt, 0, 0), q(math.MaxInt, 0, 0)}},
		{"Quota.Cost",
			[]budget.Config{q(10, 1, 0), q(10, 10, 0)},
			[]budget.Config{q(10, -1, 0), q(10, 11, 0), q(10, off, 0), q(10, math.MaxInt, 0)}},
		{"Quota.TimeoutCost",
			[]budget.Config{q(10, 5, 1), q(10, 5, 10)},
			[]budget.Config{q(10, 5, -1), q(10, 5, 11), q(10, 5, off)}},
		{"Throttling.MaxTokens",
			[]budget.Config{throttling(1, 0), throttling(1000, 0)},
			[]budget.Config{throttling(-1, 0), throttling(1001, 0), throttling(off, 0)}},
		{"Throttling.TokenRatio",
			[]budget.Config{throttling(0, 0.001), throttling(0, 1000)},
			[]budget.Config{throttling(0, -1), throttling(0, 0.0005), throttling(0, 1001), throttling(0, math.NaN()), throttling(0, math.Inf(1))}},
	} {
		t.Run("Z1, K59: "+tt.path, func(t *testing.T) {
			for _, cfg := range tt.good {
				equal(t, "problems", problems(t, cfg), nil)
			}
			for _, cfg := range tt.bad {
				equal(t, "problems", problems(t, cfg), []string{tt.path})
			}
		})
	}
	t.Run("Z1: settings of another kind are errors", func(t *testing.T) {
		all := budget.Config{
			Ratio:      budget.RatioConfig{Window: time.Second},
			Quota:      budget.QuotaConfig{Cost: 1},
			Throttling: budget.ThrottlingConfig{TokenRatio: 1},
		}
		equal(t, "ratio", problems(t, all), []string{"Quota", "Throttling"})
		all.Kind = budget.Quota
		equal(t, "quota", problems(t, all), []string{"Ratio", "Throttling"})
		all.Kind = budget.Throttling
		equal(t, "throttling", problems(t, all), []string{"Ratio", "Quota"})
	})
	t.Run("Z1: every problem at once", func(t *testing.T) {
		cfg := ratio(0.2, -1, -1)
		cfg.Quota.Cost = 1
		equal(t, "problems", problems(t, cfg), []string{"Quota", "Ratio.Percent", "Ratio.MinPerSecond", "Ratio.Window"})
	})
}

func TestWarnings(t *testing.T) {
	t.Run("Z1: a budget that allows nothing is doubtful, and says so", func(t *testing.T) {
		r := newRig(t, ratio(off, off, 0))
		equal(t, "warnings", len(r.Warnings()), 1)
		equal(t, "events", len(r.heard), 1)
		equal(t, "reason", r.heard[0].Reason, r.Warnings()[0].String())
		equal(t, "remembered", len(r.Events()), 1)
		r.calls(100, success)
		equal(t, "granted", len(r.take(10)), 0)
	})
	t.Run("so is a floor that is never reached", func(t *testing.T) {
		equal(t, "warnings", len(newRig(t, ratio(off, 0.09, 0)).Warnings()), 1)
		equal(t, "warnings", len(newRig(t, ratio(off, 0.1, 0)).Warnings()), 0)
	})
	t.Run("the defaults are not", func(t *testing.T) {
		for name, cfg := range kinds() {
			equal(t, name, len(newRig(t, cfg).Warnings()), 0)
		}
	})
}

func TestKindTexts(t *testing.T) {
	for _, k := range []budget.Kind{budget.Ratio, budget.Quota, budget.Throttling} {
		text, err := k.MarshalText()
		equal(t, "marshal", err, nil)
		equal(t, "text", string(text), k.String())
		var back budget.Kind = 9
		equal(t, "unmarshal", back.UnmarshalText(text), nil)
		equal(t, "there and back", back, k)
	}
	var k budget.Kind
	if err := k.UnmarshalText([]byte("Ratio")); err == nil || !strings.Contains(err.Error(), `"Ratio"`) {
		t.Errorf("got %v, want an error that names the text", err)
	}
	if _, err := budget.Kind(7).MarshalText(); err == nil {
		t.Error("an unknown kind has a name")
	}
	equal(t, "an unknown kind", budget.Kind(7).String(), "kind(7)")
}

func TestMust(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Must does not panic")
		}
	}()
	budget.Must(budget.New("stock", budget.Config{Kind: 9}))
}

func TestOptions(t *testing.T) {
	b, err := budget.New("stock", budget.Config{}, nil, budget.WithClock(nil), budget.WithListener(nil))
	equal(t, "error", err, nil)
	equal(t, "name", b.Name(), "stock")
	b.Begin()
	b.End(success)
	_, ok := b.Withdraw()
	equal(t, "granted in real time", ok, true)
}

func TestErrors(t *testing.T) {
	for want, cfg := range map[string]budget.Config{
		`budget "stock" is exhausted: extra attempts are limited to 20 % of the calls of the last 10s, plus 10 a second`: {},
		`budget "stock" is exhausted: extra attempts are limited to 20 % of the calls of the last 10s`:                   ratio(0, off, 0),
		`budget "stock" is exhausted: extra attempts are limited to 0.5 a second over 10s`:                               ratio(off, 0.5, 0),
		`budget "stock" is exhausted: no extra attempts are allowed`:                                                     ratio(off, off, 0),
		`budget "stock" is exhausted: an extra attempt takes 5 of 500 tokens, and too few are left`:                      quota(0, 0),
		`budget "stock" is exhausted: too many attempts fail, so that no more than half of 10 tokens are left`:           throttling(0, 0),
	} {
		b := budget.Must(budget.New("stock", cfg))
		err := b.Exhausted()
		equal(t, "text", err.Error(), want)
		equal(t, "sentinel", errors.Is(err, budget.ErrExhausted), true)
		equal(t, "no refusal of the call", errors.Is(err, switchgear.ErrRejected), false)
		equal(t, "one value", b.Exhausted() == err, true)
		if e, ok := errors.AsType[*budget.ExhaustedError](err); !ok || e.Name != "stock" || e.Config != b.Config() {
			t.Errorf("facts: %+v", e)
		}
	}
}

func TestSnapshotJSON(t *testing.T) {
	r := newRig(t, quota(10, 5))
	r.take(3)
	text, err := json.Marshal(r.Snapshot())
	equal(t, "error", err, nil)
	equal(t, "document", string(text), `{"kind":"quota","state":"exhausted","grants":false,"available":0,"capacity":10,"in_use":2,`+
		`"granted":2,"refused":1,"settled":0,"cancelled":0,"shortages":1}`)
}
