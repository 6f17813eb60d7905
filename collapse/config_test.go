package collapse_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/collapse"
)

func TestConfig(t *testing.T) {
	t.Run("Z1: a zero field means the documented default", func(t *testing.T) {
		g := collapse.Must(collapse.New[string, int]("items", collapse.Config{}))
		want := collapse.Config{MaxKeys: 10_000, Limit: off}
		equal(t, "configuration", g.Config(), want)
		equal(t, "its own effect", collapse.Must(collapse.New[string, int]("items", want)).Config(), want)
		equal(t, "name", g.Name(), "items")
	})
	t.Run("Z1, K59: bounds", func(t *testing.T) {
		for _, tt := range []struct {
			cfg  collapse.Config
			path string // "": fine
		}{
			{collapse.Config{MaxKeys: 1}, ""},
			{collapse.Config{MaxKeys: 10_000_000}, ""},
			{collapse.Config{MaxKeys: 10_000_001}, "MaxKeys"},
			{collapse.Config{MaxKeys: -1}, "MaxKeys"},
			{collapse.Config{MaxKeys: off}, "MaxKeys"},
			{collapse.Config{Limit: time.Millisecond}, ""},
			{collapse.Config{Limit: 30 * 24 * time.Hour}, ""},
			{collapse.Config{Limit: time.Millisecond - 1}, "Limit"},
			{collapse.Config{Limit: 30*24*time.Hour + 1}, "Limit"},
			{collapse.Config{Limit: -1}, "Limit"},
		} {
			_, err := collapse.New[string, int]("items", tt.cfg)
			invalid, _ := errors.AsType[*switchgear.ConfigError](err)
			switch {
			case tt.path == "" && err != nil:
				t.Errorf("%+v: got %v", tt.cfg, err)
			case tt.path != "" && (invalid == nil || len(invalid.Problems) != 1 || invalid.Problems[0].Path != tt.path):
				t.Errorf("%+v: got %v, want a problem with %s", tt.cfg, err, tt.path)
			}
		}
	})
	t.Run("Z1: everything wrong is reported at once", func(t *testing.T) {
		_, err := collapse.New[string, int]("items", collapse.Config{MaxKeys: -1, Limit: -1})
		equal(t, "error", err.Error(), `collapse "items": invalid configuration: `+
			`MaxKeys = -1: must be from 1 to 10000000; Limit = -1ns: must be from 1ms to 720h0m0s, or Off`)
		defer func() { equal(t, "Must panics with the error", recover(), any(err)) }()
		collapse.Must[string, int](nil, err)
	})
	t.Run("options that are nil leave the default", func(t *testing.T) {
		g := collapse.Must(collapse.New[string, int]("items", collapse.Config{}, nil, collapse.WithClock(nil), collapse.WithListener(nil)))
		v, _, err := g.Do(context.Background(), "a", func(context.Context) (int, error) { return 1, nil })
		equal(t, "value", v, 1)
		equal(t, "error", err, nil)
	})
	t.Run("events carry the time of the clock", func(t *testing.T) {
		clk := clock.NewVirtual(time.Date(2020, time.May, 1, 12, 0, 0, 0, time.UTC))
		r := newRig(t, collapse.Config{MaxKeys: 1}, collapse.WithClock(clk))
		for i := range 2 {
			r.Join(string(rune('a' + i)))
		}
		equal(t, "time", r.Events()[0].Time, clk.Now())
	})
}
