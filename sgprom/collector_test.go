package sgprom_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/sgprom"
)

func TestConfig(t *testing.T) {
	for _, tt := range []struct {
		cfg     sgprom.Config
		problem string
	}{
		{sgprom.Config{}, ""},
		{sgprom.Config{MaxNames: 1}, ""},
		{sgprom.Config{MaxNames: 10_000}, ""},
		{sgprom.Config{MaxNames: -1}, "MaxNames = -1: must be from 1 to 10000"},
		{sgprom.Config{MaxNames: 10_001}, "MaxNames = 10001: must be from 1 to 10000"},
		{sgprom.Config{MaxNames: switchgear.Off}, "MaxNames = -2147483648: must be from 1 to 10000"},
	} {
		_, err := sgprom.New(&source{}, tt.cfg)
		if tt.problem == "" {
			equal(t, fmt.Sprint(tt.cfg), err, nil)
		} else if !errors.Is(err, switchgear.ErrConfig) || !strings.HasSuffix(err.Error(), tt.problem) {
			t.Errorf("%v: got %v, want %s", tt.cfg, err, tt.problem)
		}
	}
}

func TestNilIsNoSource(t *testing.T) {
	_, err := sgprom.New(nil, sgprom.Config{MaxNames: -1})
	if !errors.Is(err, switchgear.ErrConfig) || !strings.Contains(err.Error(), "source") || !strings.Contains(err.Error(), "MaxNames") {
		t.Errorf("got %v", err)
	}
}

func TestNilOption(t *testing.T) {
	_, err := sgprom.New(&source{}, sgprom.Config{}, nil)
	equal(t, "error", err, nil)
}

func TestMustPanics(t *testing.T) {
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, switchgear.ErrConfig) {
			t.Errorf("got %v", err)
		}
	}()
	sgprom.Must(sgprom.New(&source{}, sgprom.Config{MaxNames: -1}))
}

func TestCollector(t *testing.T) {
	t.Run("the state is one of six", func(t *testing.T) {
		var s source
		b := s.add("a")
		c := must(t, &s, sgprom.Config{})
		for _, to := range []breaker.State{breaker.Open, breaker.HalfOpen, breaker.Disabled, breaker.MetricsOnly, breaker.ForcedOpen, breaker.Closed} {
			if err := b.Move(breaker.Move{To: to, Reason: "test"}); err != nil {
				t.Fatal(err)
			}
			f := gather(t, c)
			for _, state := range []string{"closed", "open", "half_open", "disabled", "metrics_only", "forced_open"} {
				want := 0.0
				if state == strings.ToLower(to.String()) {
					want = 1
				}
				equal(t, to.String(), value(t, f, "switchgear_breaker_state", "name=a,state="+state), want)
			}
		}
	})
	t.Run("K61: the series of who is gone are gone", func(t *testing.T) {
		var s source
		s.add("a")
		s.add("b")
		c := must(t, &s, sgprom.Config{})
		two := series(gather(t, c))
		s.remove(0)
		f := gather(t, c)
		equal(t, "series", series(f)-2, (two-2)/2)
		value(t, f, "switchgear_breaker_trips_total", "name=b")
	})
	t.Run("K64: ten thousand names", func(t *testing.T) {
		var s source
		c := must(t, &s, sgprom.Config{MaxNames: 50})
		for i := range 10_000 {
			fail(s.add(fmt.Sprint("host ", i)), 1)
		}
		f := gather(t, c)
		if n := series(f); n > 51*40 {
			t.Errorf("%d series", n)
		}
		equal(t, "failures of others", value(t, f, "switchgear_breaker_calls_total", "kind=failed,name=other"), 9950)
		equal(t, "others", value(t, f, "switchgear_entries", "place=other"), 9950)
	})
	t.Run("K66: a hostile name does not spoil a scrape", func(t *testing.T) {
		var s source
		names := []string{
			`<img src=x onerror=alert(1)>"'&`, "a\nb", `a\nb`, `quote"}` + "\n# TYPE x counter\nx 1\n", "\xff\xfe", "", "other",
			strings.Repeat("x", 5000), strings.Repeat("x", 6000), "\x00",
		}
		for _, name := range names {
			s.add(name)
		}
		f := gather(t, must(t, &s, sgprom.Config{}, sgprom.WithResilience4j(nil)))
		var text strings.Builder
		for _, family := range f {
			if _, err := expfmt.MetricFamilyToText(&text, family); err != nil {
				t.Fatal(err)
			}
		}
		for line := range strings.Lines(text.String()) {
			if !strings.HasPrefix(line, "switchgear_") && !strings.HasPrefix(line, "resilience4j_") && !strings.HasPrefix(line, "# ") {
				t.Errorf("a name has broken out: %q", line)
			}
		}
		for _, part := range []string{`name="<img src=x onerror=alert(1)>\"'&"`, `name="a\nb"`, `name="a\\nb"`, `name="` + "\uFFFD" + `"`, `name=""`} {
			if !strings.Contains(text.String(), part) {
				t.Errorf("%s is missing", part)
			}
		}
		equal(t, "named", value(t, f, "switchgear_entries", "place=named"), 8)
	})
	t.Run("the same numbers twice, if nothing has happened", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := must(t, everything(t), sgprom.Config{MaxNames: 1})
			equal(t, "text", render(t, gather(t, c)), render(t, gather(t, c)))
		})
	})
}

// The names follow the conventions. Resilience4j's need not: they are as they are.
func TestLint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		problems, err := testutil.CollectAndLint(must(t, everything(t), sgprom.Config{}))
		equal(t, "error", err, nil)
		for _, p := range problems {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
		l := latency(t, sgprom.LatencyConfig{})
		l.Timer("a").Observe(1, switchgear.Success)
		problems, err = promlint.NewWithMetricFamilies(gather(t, l)).Lint()
		equal(t, "error", err, nil)
		for _, p := range problems {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	})
}
