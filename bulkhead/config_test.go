package bulkhead_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/event"
)

// problems returns what is wrong with cfg, a line each.
func problems(t *testing.T, cfg bulkhead.Config) (lines []string) {
	t.Helper()
	b, err := bulkhead.New("stock", cfg)
	if err == nil {
		return nil
	}
	equal(t, "bulkhead beside an error", b, nil)
	c, ok := errors.AsType[*switchgear.ConfigError](err)
	if !ok {
		t.Fatalf("got error %v, want a *switchgear.ConfigError", err)
	}
	equal(t, "policy and name", c.Policy+" "+c.Name, "bulkhead stock")
	for _, p := range c.Problems {
		lines = append(lines, p.String())
	}
	return lines
}

func TestBounds(t *testing.T) {
	const month = 30 * 24 * time.Hour
	for _, tt := range []struct {
		name string
		cfg  bulkhead.Config
		want string // the start of the only problem
	}{
		{"one call", bulkhead.Config{MaxConcurrent: 1}, ""},
		{"K40: any number of calls", bulkhead.Config{MaxConcurrent: math.MaxInt}, ""},
		{"a negative limit", bulkhead.Config{MaxConcurrent: -1}, "MaxConcurrent = -1: must be from 1 to "},
		{"the smallest limit", bulkhead.Config{MaxConcurrent: math.MinInt}, "MaxConcurrent = -"},
		{"a limit that is off", bulkhead.Config{MaxConcurrent: off}, "MaxConcurrent = -2147483648: must be from 1 to "},
		{"one waiter", bulkhead.Config{MaxWaiting: 1}, ""},
		{"K40: any number of waiters", bulkhead.Config{MaxWaiting: math.MaxInt}, ""},
		{"no waiters", bulkhead.Config{MaxWaiting: off}, ""},
		{"a negative queue", bulkhead.Config{MaxWaiting: -1}, "MaxWaiting = -1: must be from 1 to "},
		{"the shortest wait", bulkhead.Config{MaxWaiting: 1, MaxWait: 1}, ""},
		{"the longest wait", bulkhead.Config{MaxWaiting: 1, MaxWait: month}, ""},
		{"a longer one", bulkhead.Config{MaxWaiting: 1, MaxWait: month + 1}, "MaxWait = 720h0m0.000000001s: must be from 1ns to 720h0m0s, or Off"},
		{"a wait without end", bulkhead.Config{MaxWaiting: 1, MaxWait: off}, ""},
		{"a negative wait", bulkhead.Config{MaxWaiting: 1, MaxWait: -1}, "MaxWait = -1ns: must be from "},
		{"a wait that nobody waits", bulkhead.Config{MaxWait: time.Second}, "MaxWait = 1s: needs MaxWaiting"},
		{"off and off", bulkhead.Config{MaxWaiting: off, MaxWait: off}, ""},
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
		equal(t, "problems", len(problems(t, bulkhead.Config{MaxConcurrent: -1, MaxWaiting: -1, MaxWait: -1})), 3)
	})
}

func TestDefaults(t *testing.T) {
	for _, tt := range []struct{ given, want bulkhead.Config }{
		{bulkhead.Config{}, bulkhead.Config{MaxConcurrent: 10, MaxWaiting: off, MaxWait: off}},
		{bulkhead.Config{MaxWaiting: 5}, bulkhead.Config{MaxConcurrent: 10, MaxWaiting: 5, MaxWait: time.Second}},
		{bulkhead.Config{MaxWaiting: 5, MaxWait: off}, bulkhead.Config{MaxConcurrent: 10, MaxWaiting: 5, MaxWait: off}},
	} {
		got := bulkhead.Must(bulkhead.New("stock", tt.given)).Config()
		equal(t, "configuration", got, tt.want)
		equal(t, "of the effective configuration", bulkhead.Must(bulkhead.New("stock", got)).Config(), got)
	}
}

func TestWarnings(t *testing.T) {
	r := newRig(t, bulkhead.Config{MaxWaiting: 1_000_001})
	equal(t, "warnings", len(r.Warnings()), 1)
	equal(t, "path", r.Warnings()[0].Path, "MaxWaiting")
	r.Warnings()[0].Path = "changed"
	equal(t, "Warnings returns a copy", r.Warnings()[0].Path, "MaxWaiting")
	equal(t, "events", len(r.heard), 1)
	equal(t, "kind", r.heard[0].Kind, event.Warning)
	equal(t, "source and name", r.heard[0].Source+" "+r.heard[0].Name, "bulkhead stock")
	equal(t, "remembered", r.Events(), r.heard)
	equal(t, "none without cause", newRig(t, bulkhead.Config{MaxWaiting: 1_000_000}).Warnings(), nil)
}

func TestOptions(t *testing.T) {
	b, err := bulkhead.New("stock", bulkhead.Config{MaxWaiting: 1_000_001}, nil, bulkhead.WithClock(nil), bulkhead.WithListener(nil))
	equal(t, "error", err, nil)
	p, err := b.TryAcquire()
	equal(t, "error", err, nil)
	p.Release()
}

func TestMust(t *testing.T) {
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, switchgear.ErrConfig) {
			t.Errorf("recovered %v", err)
		}
	}()
	bulkhead.Must(bulkhead.New("stock", bulkhead.Config{MaxConcurrent: -1}))
}
