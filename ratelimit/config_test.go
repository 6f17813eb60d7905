package ratelimit_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/ratelimit"
)

const month = 30 * 24 * time.Hour

func paths(t *testing.T, err error) (found []string) {
	t.Helper()
	if err == nil {
		return nil
	}
	c, ok := errors.AsType[*switchgear.ConfigError](err)
	if !ok || !errors.Is(err, switchgear.ErrConfig) {
		t.Fatalf("got error %v, want a configuration error", err)
	}
	equal(t, "policy and name", c.Policy+" "+c.Name, "ratelimit stock")
	for _, p := range c.Problems {
		found = append(found, p.Path)
	}
	return found
}

func problems(t *testing.T, cfg ratelimit.Config) []string {
	t.Helper()
	l, err := ratelimit.New("stock", cfg)
	if (l == nil) != (err != nil) {
		t.Errorf("New: got %v beside error %v", l, err)
	}
	return paths(t, err)
}

func TestDefaults(t *testing.T) {
	t.Run("Z1: a zero field means the documented default", func(t *testing.T) {
		for _, tt := range []struct {
			cfg   ratelimit.Config
			burst int
		}{
			{bucket(10, 0), 10}, {bucket(10.2, 0), 11}, {bucket(0.1, 0), 1}, {bucket(off, 0), 1}, {bucket(1e8, 0), 1e8},
			{window(10, 0), 10}, {window(1e8, 0), 10_000}, {window(off, 0), 1},
			{bucket(math.Inf(1), 0), 0}, {window(math.Inf(1), 0), 0},
		} {
			want := tt.cfg
			want.Burst = tt.burst
			l := ratelimit.Must(ratelimit.New("stock", tt.cfg))
			equal(t, "effect", l.Config(), want)
			equal(t, "effect of the effect", ratelimit.Must(ratelimit.New("stock", want)).Config(), want)
			equal(t, "warnings", len(l.Warnings()), 0)
		}
	})
}

func TestBounds(t *testing.T) {
	wait := func(d time.Duration) ratelimit.Config { return ratelimit.Config{Rate: 1, MaxWait: d} }
	for _, tt := range []struct {
		path      string
		good, bad []ratelimit.Config
	}{
		{"Kind", nil, []ratelimit.Config{{Kind: 2, Rate: 1}, {Kind: 255, Rate: 1}}},
		{"Rate",
			[]ratelimit.Config{bucket(0.000001, 0), bucket(1e8, 0), bucket(math.Inf(1), 0), bucket(off, 0), window(0.000001, 1)},
			[]ratelimit.Config{bucket(0, 0), bucket(-1, 0), bucket(9e-7, 0), bucket(1e8+1, 0), bucket(math.NaN(), 0), bucket(math.Inf(-1), 0), {}}},
		{"Burst",
			[]ratelimit.Config{bucket(1, 1), bucket(1, 1e9), window(1, 10_000)},
			[]ratelimit.Config{bucket(1, -1), bucket(1, 1e9+1), bucket(1, off), bucket(1, math.MinInt), window(1, 10_001), window(0.000001, 3), bucket(math.Inf(1), -1)}},
		{"MaxWait",
			[]ratelimit.Config{wait(1), wait(month)},
			[]ratelimit.Config{wait(-1), wait(month + 1), wait(off)}},
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
	t.Run("Z1: every problem at once", func(t *testing.T) {
		equal(t, "problems", problems(t, ratelimit.Config{Kind: 9, Rate: -1, Burst: -1, MaxWait: -1}), []string{"Kind", "Rate", "Burst", "MaxWait"})
	})
	t.Run("Z1: of a Keyed", func(t *testing.T) {
		for _, tt := range []struct {
			cfg  ratelimit.KeyedConfig
			want []string
		}{
			{ratelimit.KeyedConfig{Limit: bucket(1, 0)}, nil},
			{ratelimit.KeyedConfig{Limit: bucket(1, 0), MaxKeys: 1_000_000}, nil},
			{ratelimit.KeyedConfig{Limit: bucket(1, 0), MaxKeys: 1_000_001}, []string{"MaxKeys"}},
			{ratelimit.KeyedConfig{Limit: bucket(1, 0), MaxKeys: -1}, []string{"MaxKeys"}},
			{ratelimit.KeyedConfig{MaxKeys: -1}, []string{"Limit.Rate", "MaxKeys"}},
			{ratelimit.KeyedConfig{Limit: window(1, 10_000), MaxKeys: 1000}, nil},
			{ratelimit.KeyedConfig{Limit: window(1, 10_000), MaxKeys: 1001}, []string{"MaxKeys"}},
			{ratelimit.KeyedConfig{Limit: window(math.Inf(1), 0)}, nil},
		} {
			_, err := ratelimit.NewKeyed("stock", tt.cfg)
			equal(t, "problems", paths(t, err), tt.want)
		}
		k := ratelimit.MustKeyed(ratelimit.NewKeyed("stock", ratelimit.KeyedConfig{Limit: bucket(3, 0)}))
		equal(t, "effect", k.Config(), ratelimit.KeyedConfig{Limit: bucket(3, 3), MaxKeys: 1024})
	})
}

func TestWarnings(t *testing.T) {
	var heard []event.Event
	listen := ratelimit.WithListener(event.Func(func(e event.Event) { heard = append(heard, e) }))
	cfg := ratelimit.Config{Rate: math.Inf(1), Burst: 5, MaxWait: time.Second}
	l := ratelimit.Must(ratelimit.New("stock", cfg, listen, ratelimit.WithClock(clock.NewVirtual(start)), nil, ratelimit.WithClock(nil)))
	equal(t, "warnings", len(l.Warnings()), 2)
	equal(t, "heard", len(heard), 2)
	equal(t, "event", heard[0].String(), `2020-05-01T12:00:00.000Z ratelimit "stock" #1 warning: "Burst = 5: has no effect, because Rate is infinite"`)
	equal(t, "remembered", l.Events(), heard)
	never := ratelimit.Must(ratelimit.New("stock", ratelimit.Config{Rate: off, MaxWait: time.Second}))
	equal(t, "a wait in vain", never.Warnings()[0].Path, "MaxWait")

	k := ratelimit.MustKeyed(ratelimit.NewKeyed("stock", ratelimit.KeyedConfig{Limit: cfg}, listen))
	equal(t, "warnings of a Keyed", k.Warnings()[1].Path, "Limit.MaxWait")
	equal(t, "heard", len(heard), 4)
	equal(t, "remembered", len(k.Events()), 2)
}

func TestKindTexts(t *testing.T) {
	for _, k := range []ratelimit.Kind{ratelimit.TokenBucket, ratelimit.SlidingWindow} {
		text, err := k.MarshalText()
		equal(t, "marshal", err, nil)
		var back ratelimit.Kind = 9
		equal(t, "unmarshal", back.UnmarshalText(text), nil)
		equal(t, "there and back", back, k)
		equal(t, "text", string(text), k.String())
	}
	var k ratelimit.Kind
	equal(t, "no kind", k.UnmarshalText([]byte("leaky")) == nil, false)
	_, err := ratelimit.Kind(7).MarshalText()
	equal(t, "no name", err == nil, false)
	equal(t, "an unknown kind", ratelimit.Kind(7).String(), "kind(7)")
}

func TestMust(t *testing.T) {
	for name, f := range map[string]func(){
		"limiter": func() { ratelimit.Must(ratelimit.New("stock", ratelimit.Config{})) },
		"keyed":   func() { ratelimit.MustKeyed(ratelimit.NewKeyed("stock", ratelimit.KeyedConfig{})) },
	} {
		func() {
			defer func() { equal(t, name+" panics", recover() != nil, true) }()
			f()
		}()
	}
}
