package breaker_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/evidence"
)

const month = 30 * 24 * time.Hour

// problems returns what is wrong with cfg, as "path: bound".
func problems(t *testing.T, cfg breaker.Config) []switchgear.Problem {
	t.Helper()
	b, err := breaker.New("stock", cfg)
	if err == nil {
		return nil
	}
	equal(t, "breaker beside an error", b, nil)
	if !errors.Is(err, switchgear.ErrConfig) {
		t.Errorf("%v does not match ErrConfig", err)
	}
	c, ok := errors.AsType[*switchgear.ConfigError](err)
	if !ok {
		t.Fatalf("got error %v, want a *switchgear.ConfigError", err)
	}
	equal(t, "policy and name", c.Policy+" "+c.Name, "breaker stock")
	return c.Problems
}

// bounds says for each field which values it takes. A field is set by its path.
// Needs makes the configuration in which the field may be given at all.
var bounds = []struct {
	path      string
	good, bad []any
	off       bool // accepts Off
	needs     func(*breaker.Config)
}{
	{path: "Window.Calls", good: []any{1, 10_000_000}, bad: []any{-1, 10_000_001, math.MinInt}},
	{path: "Window.Length", good: []any{time.Millisecond, month}, bad: []any{ns, time.Millisecond - ns, month + ns, -time.Second}},
	{path: "Window.Buckets", good: []any{1, 3600}, bad: []any{-1, 3601}},
	{path: "MinimumCalls", good: []any{1, 1_000_000_000}, bad: []any{-1, 1_000_000_001}},
	{path: "FailureRate", good: percents, bad: badPercents, off: true},
	{path: "SlowCall.Duration", good: []any{ns, month}, bad: []any{-ns, month + ns}, off: true},
	{path: "SlowCall.Rate", good: percents, bad: badPercents, off: true,
		needs: func(c *breaker.Config) { c.SlowCall.Duration = 1 }},
	{path: "ConsecutiveFailures", good: []any{1, 1_000_000_000}, bad: []any{-1, 1_000_000_001}, off: true},
	{path: "FailureCount", good: []any{1, 1_000_000_000}, bad: []any{-1, 1_000_000_001}, off: true},
	{path: "Grace", good: []any{ns, month}, bad: []any{-ns, month + ns}},
	{path: "EnoughTime", good: []any{ns, month}, bad: []any{-ns, month + ns}},
	{path: "Open.Wait", good: []any{ns, month}, bad: []any{-ns, month + ns}},
	{path: "Open.Factor", good: []any{1.0, 1.5, 100.0}, bad: []any{0.99, 100.1, -1.0, math.NaN(), math.Inf(1)}},
	{path: "Open.MaxWait", good: []any{30 * time.Second, month}, bad: []any{30*time.Second - ns, month + ns, -ns}},
	{path: "Open.Jitter", good: []any{switchgear.Percent(1), switchgear.Percent(50), switchgear.Percent(12.34)},
		bad: []any{switchgear.Percent(50.01), switchgear.Percent(-1), switchgear.Percent(0.5), switchgear.Percent(1.234), switchgear.Percent(101)}, off: true},
	{path: "Open.MaxHint", good: []any{ns, month}, bad: []any{-ns, month + ns}, off: true},
	{path: "HalfOpen.Probes", good: []any{1, 10_000}, bad: []any{-1, 10_001}},
	{path: "HalfOpen.Verdict", good: []any{breaker.ByRate, breaker.ByStreak}, bad: []any{breaker.Verdict(2), breaker.Verdict(255)}},
	{path: "HalfOpen.Successes", good: []any{1, 10_000}, bad: []any{-1, 10_001},
		needs: func(c *breaker.Config) { c.HalfOpen.Verdict = breaker.ByStreak }},
	{path: "HalfOpen.MaxWait", good: []any{ns, month}, bad: []any{-ns, month + ns}, off: true},
	{path: "HalfOpen.ProbeLimit", good: []any{ns, month}, bad: []any{-ns, month + ns}, off: true},
}

var (
	percents    = []any{switchgear.Percent(1), switchgear.Percent(99.99), switchgear.Percent(100)}
	badPercents = []any{
		switchgear.Percent(0.5), switchgear.Percent(0.01), switchgear.Percent(100.01), switchgear.Percent(33.333),
		switchgear.Percent(-1), switchgear.Percent(-50), switchgear.Percent(math.NaN()), switchgear.Percent(math.Inf(1)),
	}
)

// set assigns value to the field with that path.
func set(t *testing.T, cfg *breaker.Config, path string, value any) {
	t.Helper()
	v := reflect.ValueOf(cfg).Elem()
	for name := range strings.SplitSeq(path, ".") {
		v = v.FieldByName(name)
	}
	v.Set(reflect.ValueOf(value).Convert(v.Type()))
}

func TestBounds(t *testing.T) {
	covered := map[string]bool{"Evidence": true, "SlowEvidence": true, "Open.Automatic": true}
	for _, b := range bounds {
		covered[b.path] = true
		t.Run("Z1: "+b.path, func(t *testing.T) {
			make := func(value any) breaker.Config {
				var cfg breaker.Config
				if b.needs != nil {
					b.needs(&cfg)
				}
				set(t, &cfg, b.path, value)
				return cfg
			}
			for _, value := range b.good {
				if found := problems(t, make(value)); found != nil {
					t.Errorf("%v is refused: %v", value, found)
				}
			}
			bad := b.bad
			if !b.off && b.path != "HalfOpen.Verdict" && b.path != "Open.Factor" {
				bad = append(bad[:len(bad):len(bad)], off)
			}
			for _, value := range bad {
				found := problems(t, make(value))
				if len(found) != 1 {
					t.Errorf("%v: got problems %v, want one", value, found)
					continue
				}
				equal(t, "path", found[0].Path, b.path)
				if got, want := fmt.Sprint(found[0].Value), fmt.Sprint(value); !same(found[0].Value, value) {
					t.Errorf("value in the problem: got %s, want %s", got, want)
				}
				if !strings.HasPrefix(found[0].Bound, "must be ") {
					t.Errorf("bound: %q", found[0].Bound)
				}
			}
			if b.off {
				if found := problems(t, make(off)); found != nil {
					t.Errorf("Off is refused: %v", found)
				}
			}
		})
	}
	fields(reflect.ValueOf(breaker.Config{}), "", func(path string, _ reflect.Value) {
		if !covered[path] {
			t.Errorf("no bounds are tested for %s", path)
		}
	})
}

// same compares the number in a problem with the one that was given, whatever types
// they have.
func same(got, given any) bool {
	number := func(x any) string {
		switch v := reflect.ValueOf(x); {
		case v.CanInt():
			return fmt.Sprint(v.Int())
		case v.CanUint():
			return fmt.Sprint(v.Uint())
		case v.CanFloat():
			return fmt.Sprint(v.Float())
		}
		return fmt.Sprint(x)
	}
	return number(got) == number(given)
}

func TestDefaults(t *testing.T) {
	t.Run("Z1: a zero field means the documented default", func(t *testing.T) {
		got := breaker.Must(breaker.New("stock", breaker.Config{})).Config()
		equal(t, "configuration", got, breaker.Config{
			Window:       breaker.WindowConfig{Length: time.Minute, Buckets: 60},
			MinimumCalls: 20, FailureRate: 50,
			SlowCall:            breaker.SlowCallConfig{Duration: off, Rate: off},
			ConsecutiveFailures: off, FailureCount: off,
			Open: breaker.OpenConfig{
				Wait: 30 * time.Second, Factor: 1, MaxWait: 5 * time.Minute, Jitter: 10, MaxHint: 5 * time.Minute,
			},
			HalfOpen: breaker.HalfOpenConfig{Probes: 5, MaxWait: off, ProbeLimit: 30 * time.Second},
		})
	})
	t.Run("Z1: defaults that depend on other fields", func(t *testing.T) {
		cfg := breaker.Config{Open: breaker.OpenConfig{Wait: 7 * time.Second}}
		cfg.SlowCall.Duration = time.Second
		cfg.HalfOpen.Probes, cfg.HalfOpen.Verdict = 3, breaker.ByStreak
		got := breaker.Must(breaker.New("stock", cfg)).Config()
		equal(t, "SlowCall.Rate", got.SlowCall.Rate, 100)
		equal(t, "Open.MaxWait", got.Open.MaxWait, 70*time.Second)
		equal(t, "HalfOpen.ProbeLimit", got.HalfOpen.ProbeLimit, 7*time.Second)
		equal(t, "HalfOpen.Successes", got.HalfOpen.Successes, 3)
		cfg.Open.Wait = month
		equal(t, "Open.MaxWait of the longest wait", breaker.Must(breaker.New("stock", cfg)).Config().Open.MaxWait, month)
	})
	t.Run("W2: one bucket a second up to 60, at least one", func(t *testing.T) {
		for length, want := range map[time.Duration]int{
			time.Millisecond: 1, 500 * time.Millisecond: 1, time.Second: 1, 1500 * time.Millisecond: 2, 10 * time.Second: 10,
			time.Minute: 60, 2 * time.Minute: 60, month: 60,
		} {
			got := breaker.Must(breaker.New("stock", breaker.Config{Window: breaker.WindowConfig{Length: length}})).Config()
			equal(t, fmt.Sprintf("buckets of %v", length), got.Window.Buckets, want)
		}
	})
	t.Run("T6: evidence has its own defaults, other ones for slow calls", func(t *testing.T) {
		cfg := breaker.Config{Evidence: &evidence.Config{}, SlowEvidence: &evidence.Config{}}
		cfg.SlowCall.Duration = time.Second
		got := breaker.Must(breaker.New("stock", cfg)).Config()
		equal(t, "failures", *got.Evidence, evidence.Config{}.WithDefaults())
		equal(t, "slow calls", *got.SlowEvidence, evidence.Config{}.WithSlowDefaults())
	})
	t.Run("Z1: the effective configuration is a valid one, and its own effect", func(t *testing.T) {
		for path, change := range changes {
			var cfg breaker.Config
			change(&cfg)
			once := breaker.Must(breaker.New("stock", cfg)).Config()
			b, err := breaker.New("stock", once)
			if err != nil {
				t.Errorf("%s changed: %v", path, err)
				continue
			}
			equal(t, "the configuration with another "+path, b.Config(), once)
		}
	})
}

func TestConfigProblems(t *testing.T) {
	t.Run("T1: a bare 0.5 is refused with a hint", func(t *testing.T) {
		for path, cfg := range map[string]breaker.Config{
			"FailureRate":   {FailureRate: 0.5},
			"SlowCall.Rate": {SlowCall: breaker.SlowCallConfig{Duration: 1, Rate: 0.5}},
			"Open.Jitter":   {Open: breaker.OpenConfig{Jitter: 0.5}},
		} {
			found := problems(t, cfg)
			if len(found) != 1 || found[0].Path != path || !strings.Contains(found[0].Bound, "did you mean 50 %?") {
				t.Errorf("%s: got %v", path, found)
			}
		}
	})
	t.Run("Z1: every problem is reported at once, in the order of the fields", func(t *testing.T) {
		found := problems(t, breaker.Config{
			Window: breaker.WindowConfig{Calls: -1, Length: time.Second}, MinimumCalls: -1, FailureRate: 0.5,
			SlowCall:            breaker.SlowCallConfig{Duration: -1, Rate: 50},
			ConsecutiveFailures: -1, FailureCount: -1,
			Evidence: &evidence.Config{Sick: 2}, SlowEvidence: &evidence.Config{},
			Grace: -1, EnoughTime: -1,
			Open:     breaker.OpenConfig{Wait: -1, Factor: -1, MaxWait: -1, Jitter: 51, MaxHint: -1},
			HalfOpen: breaker.HalfOpenConfig{Probes: -1, Verdict: 7, MaxWait: -1, ProbeLimit: -1},
		})
		var paths []string
		for _, p := range found {
			paths = append(paths, p.Path)
		}
		equal(t, "paths", paths, []string{
			"Window.Length", "Window.Calls", "MinimumCalls", "FailureRate", "SlowCall.Duration", "SlowCall.Rate",
			"ConsecutiveFailures", "FailureCount", "Evidence.Sick", "SlowEvidence",
			"Grace", "EnoughTime", "Open.Wait", "Open.Factor", "Open.MaxWait", "Open.Jitter", "Open.MaxHint",
			"HalfOpen.Probes", "HalfOpen.Verdict", "HalfOpen.MaxWait", "HalfOpen.ProbeLimit",
		})
	})
	for _, c := range []struct {
		name    string
		change  func(*breaker.Config)
		path    string
		mention string
	}{
		{"a window counts calls or time", func(c *breaker.Config) { c.Window.Calls, c.Window.Length = 10, time.Second }, "Window.Length", "calls or time"},
		{"only a time window has buckets", func(c *breaker.Config) { c.Window.Calls, c.Window.Buckets = 10, 10 }, "Window.Buckets", "time window"},
		{"no bucket is shorter than a millisecond", func(c *breaker.Config) {
			c.Window.Length, c.Window.Buckets = 10*time.Millisecond, 11
		}, "Window.Buckets", "at most 10"},
		{"a failure count that the window cannot hold", func(c *breaker.Config) { c.Window.Calls, c.FailureCount = 10, 11 }, "FailureCount", "Window.Calls = 10"},
		{"a slow rate without a duration", func(c *breaker.Config) { c.SlowCall.Rate = 50 }, "SlowCall.Rate", "SlowCall.Duration"},
		{"slow evidence without a duration", func(c *breaker.Config) { c.SlowEvidence = &evidence.Config{} }, "SlowEvidence", "SlowCall.Duration"},
		{"slow evidence with the duration off", func(c *breaker.Config) {
			c.SlowCall.Duration, c.SlowEvidence = off, &evidence.Config{}
		}, "SlowEvidence", "SlowCall.Duration"},
		{"a cap below the wait", func(c *breaker.Config) { c.Open.Wait, c.Open.MaxWait = time.Minute, time.Second }, "Open.MaxWait", "Open.Wait = 1m0s"},
		{"successes for a verdict by rate", func(c *breaker.Config) { c.HalfOpen.Successes = 3 }, "HalfOpen.Successes", "ByStreak"},
		{"a bad evidence field", func(c *breaker.Config) { c.Evidence = &evidence.Config{Burst: 9} }, "Evidence.Burst", "from 1 to 4"},
		{"a bad slow evidence field", func(c *breaker.Config) {
			c.SlowCall.Duration, c.SlowEvidence = 1, &evidence.Config{Healthy: 0.9}
		}, "SlowEvidence.Sick", "above Healthy"},
	} {
		t.Run("Z1: "+c.name, func(t *testing.T) {
			var cfg breaker.Config
			c.change(&cfg)
			found := problems(t, cfg)
			if len(found) != 1 || found[0].Path != c.path || !strings.Contains(found[0].Bound, c.mention) {
				t.Errorf("got %v, want one at %s that mentions %q", found, c.path, c.mention)
			}
		})
	}
	t.Run("Z1: all warnings can be read, and none keeps New from working", func(t *testing.T) {
		b, err := breaker.New("stock", breaker.Config{
			Window: breaker.WindowConfig{Calls: 5}, FailureRate: off, Evidence: &evidence.Config{Healthy: 0.2, Sick: 0.35},
		})
		if err != nil {
			t.Fatal(err)
		}
		var paths []string
		for _, w := range b.Warnings() {
			paths = append(paths, w.Path)
		}
		equal(t, "paths", paths, []string{"MinimumCalls", "Evidence.Sick"})
		b.Warnings()[0].Path = "changed"
		equal(t, "Warnings returns a copy", b.Warnings()[0].Path, "MinimumCalls")
	})
	t.Run("Z1: Off with Off", func(t *testing.T) {
		equal(t, "problems", problems(t, breaker.Config{SlowCall: breaker.SlowCallConfig{Duration: off, Rate: off}}), nil)
	})
}

func TestVerdictTexts(t *testing.T) {
	for _, v := range []breaker.Verdict{breaker.ByRate, breaker.ByStreak} {
		text, err := v.MarshalText()
		equal(t, "marshal", err, nil)
		var back breaker.Verdict
		equal(t, "unmarshal "+string(text), back.UnmarshalText(text), nil)
		equal(t, "there and back", back, v)
	}
	var v breaker.Verdict
	if err := v.UnmarshalText([]byte("vote")); err == nil {
		t.Error("vote is taken for a verdict")
	}
}
