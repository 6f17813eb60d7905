package adaptive

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
)

func problems(t *testing.T, cfg Config) []switchgear.Problem {
	t.Helper()
	_, err := New("stock", cfg)
	if err == nil {
		return nil
	}
	invalid, ok := errors.AsType[*switchgear.ConfigError](err)
	if !ok {
		t.Fatalf("got %v, want a *ConfigError", err)
	}
	equal(t, "policy and name", invalid.Policy+" "+invalid.Name, "adaptive stock")
	return invalid.Problems
}

func TestDefaults(t *testing.T) {
	shares := []switchgear.Percent{100, 90, 60}
	window := WindowConfig{Time: time.Second, Samples: 10, Drops: 5}
	for _, c := range []struct {
		cfg, want Config
	}{
		{Config{}, Config{
			Initial: 20, Min: 1, Max: 200, Window: window, Shares: shares,
			Gradient2: Gradient2Config{LongWindow: 600, Tolerance: 1.5, QueueSize: 4, Smoothing: 0.2, Backoff: 0.9},
		}},
		{Config{Algorithm: ByVegas}, Config{
			Algorithm: ByVegas, Initial: 20, Min: 1, Max: 200, Window: window, Shares: shares,
			Vegas: VegasConfig{Alpha: 3, Beta: 6, Smoothing: 1, Probe: 30},
		}},
		{Config{Algorithm: ByAIMD}, Config{
			Algorithm: ByAIMD, Initial: 20, Min: 1, Max: 200, Window: window, Shares: shares,
			AIMD: AIMDConfig{Backoff: 0.9, Timeout: 5 * time.Second},
		}},
	} {
		l := Must(New("stock", c.cfg))
		equal(t, "Z1: "+c.cfg.Algorithm.String(), l.Config(), c.want)
		equal(t, "warnings", len(l.Warnings()), 0)
		again := Must(New("stock", l.Config()))
		equal(t, "Z1: the effective configuration is its own effect", again.Config(), c.want)
		equal(t, "warnings", len(again.Warnings()), 0)
	}
	t.Run("defaults follow the bounds", func(t *testing.T) {
		equal(t, "Initial below a high Min", Must(New("x", Config{Min: 50})).Config().Initial, 50)
		equal(t, "Initial above a low Max", Must(New("x", Config{Max: 5})).Config().Initial, 5)
		equal(t, "Max above a high Min", Must(New("x", Config{Min: 500})).Config().Max, 500)
		equal(t, "Beta above a high Alpha", Must(New("x", Config{Algorithm: ByVegas, Vegas: VegasConfig{Alpha: 10}})).Config().Vegas.Beta, 20)
	})
	t.Run("a warm start", func(t *testing.T) {
		equal(t, "limit", Must(New("x", Config{Initial: 77})).Limit(), 77)
	})
	t.Run("shares are copied in and out", func(t *testing.T) {
		mine := []switchgear.Percent{100, 80}
		l := Must(New("x", Config{Shares: mine}))
		mine[1] = 1
		l.Config().Shares[1] = 2
		equal(t, "shares", l.Config().Shares, []switchgear.Percent{100, 80})
	})
}

func TestProblems(t *testing.T) {
	for _, c := range []struct {
		name string
		cfg  Config
		path string
		said string
	}{
		{"an unknown algorithm", Config{Algorithm: 3}, "Algorithm", "gradient2, vegas or aimd"},
		{"a negative bound", Config{Min: -1}, "Min", "from 1 to 1000000"},
		{"a bound that is off", Config{Max: off}, "Max", "from 1 to 1000000"},
		{"K40: a limit as large as an int", Config{Max: math.MaxInt}, "Max", "from 1 to 1000000"},
		{"bounds crossed", Config{Min: 10, Max: 5}, "Max", "at least Min = 10"},
		{"a start below Min", Config{Min: 10, Initial: 5}, "Initial", "from 10 to 200"},
		{"a start above Max", Config{Initial: 201}, "Initial", "from 1 to 200"},
		{"samples without a window", Config{Window: WindowConfig{Time: off, Samples: 5}}, "Window.Samples", "must be 0"},
		{"drops without a window", Config{Window: WindowConfig{Time: off, Drops: 5}}, "Window.Drops", "must be 0"},
		{"a window too short", Config{Window: WindowConfig{Time: 1}}, "Window.Time", "from 1ms"},
		{"a window without samples", Config{Window: WindowConfig{Samples: -1}}, "Window.Samples", "from 1"},
		{"a bare 0.5", Config{Window: WindowConfig{Drops: 0.5}}, "Window.Drops", "did you mean 50 %?"},
		{"drops off", Config{Window: WindowConfig{Drops: off}}, "Window.Drops", "from 1 to 100"},
		{"too many levels", Config{Shares: make([]switchgear.Percent, 9)}, "Shares", "at most 8"},
		{"a first level with less than all", Config{Shares: []switchgear.Percent{90}}, "Shares[0]", "must be 100"},
		{"a share of nothing", Config{Shares: []switchgear.Percent{100, 0}}, "Shares[1]", "from 1 to 100"},
		{"a share of a bare 0.9", Config{Shares: []switchgear.Percent{100, 0.9}}, "Shares[1]", "did you mean 90 %?"},
		{"NaN", Config{Shares: []switchgear.Percent{100, switchgear.Percent(math.NaN())}}, "Shares[1]", "from 1 to 100"},
		{"a share above the level before", Config{Shares: []switchgear.Percent{100, 50, 60}}, "Shares[2]", "at most the share"},
		{"a backoff that does not back off", Config{Algorithm: ByAIMD, AIMD: AIMDConfig{Backoff: 1}}, "AIMD.Backoff", "from 0.5 to 0.99"},
		{"a negative timeout", Config{Algorithm: ByAIMD, AIMD: AIMDConfig{Timeout: -1}}, "AIMD.Timeout", "or Off"},
		{"Alpha and Beta crossed", Config{Algorithm: ByVegas, Vegas: VegasConfig{Alpha: 6, Beta: 6}}, "Vegas.Beta", "above Vegas.Alpha = 6"},
		{"too much smoothing", Config{Algorithm: ByVegas, Vegas: VegasConfig{Smoothing: 1.5}}, "Vegas.Smoothing", "from 0.01 to 1"},
		{"a negative probe", Config{Algorithm: ByVegas, Vegas: VegasConfig{Probe: -1}}, "Vegas.Probe", "or Off"},
		{"a tolerance below one", Config{Gradient2: Gradient2Config{Tolerance: 0.9}}, "Gradient2.Tolerance", "from 1 to 10"},
		{"no long window", Config{Gradient2: Gradient2Config{LongWindow: -1}}, "Gradient2.LongWindow", "from 1"},
		{"no queue", Config{Gradient2: Gradient2Config{QueueSize: -4}}, "Gradient2.QueueSize", "from 1"},
	} {
		t.Run("Z1: "+c.name, func(t *testing.T) {
			found := problems(t, c.cfg)
			if len(found) != 1 || found[0].Path != c.path || !strings.Contains(found[0].Bound, c.said) {
				t.Errorf("got %v, want one at %s that says %q", found, c.path, c.said)
			}
		})
	}
	t.Run("Z1: all at once, in the order of the fields", func(t *testing.T) {
		var paths []string
		for _, p := range problems(t, Config{
			Initial: -1, Min: -1, Max: -1, Window: WindowConfig{Time: -1, Samples: -1, Drops: -1},
			Shares:    []switchgear.Percent{50, 200},
			Gradient2: Gradient2Config{-1, -1, -1, -1, -1},
		}) {
			paths = append(paths, p.Path)
		}
		equal(t, "paths", paths, []string{
			"Initial", "Min", "Max", "Window.Time", "Window.Samples", "Window.Drops", "Shares[0]", "Shares[1]",
			"Gradient2.LongWindow", "Gradient2.Tolerance", "Gradient2.QueueSize", "Gradient2.Smoothing", "Gradient2.Backoff",
		})
	})
	t.Run("Z1: what has no effect is a warning", func(t *testing.T) {
		l := Must(New("stock", Config{Min: 5, Max: 5, AIMD: AIMDConfig{Backoff: 3}, Vegas: VegasConfig{Alpha: 1}}))
		var paths []string
		for _, w := range l.Warnings() {
			paths = append(paths, w.Path)
		}
		equal(t, "paths", paths, []string{"Max", "AIMD", "Vegas"})
		l = Must(New("stock", Config{Algorithm: ByAIMD, Gradient2: Gradient2Config{QueueSize: 5}}))
		equal(t, "text", l.Warnings()[0].String(), "Gradient2 = set: has no effect with Algorithm = aimd")
	})
}

func TestAlgorithmTexts(t *testing.T) {
	for a := ByGradient; a <= ByAIMD; a++ {
		text, err := a.MarshalText()
		equal(t, "marshal", err, nil)
		var back Algorithm
		equal(t, "unmarshal "+string(text), back.UnmarshalText(text), nil)
		equal(t, "there and back", back, a)
	}
	var a Algorithm
	if err := a.UnmarshalText([]byte("bbr")); err == nil {
		t.Error("bbr is taken for an algorithm")
	}
	equal(t, "an unknown one", Algorithm(9).String(), "algorithm 9")
}
