package timeout_test

import (
	"errors"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/internal/check"
	"github.com/switchgear-go/switchgear/timeout"
)

func TestConfig(t *testing.T) {
	const month = check.MaxDuration
	for _, tt := range []struct {
		name     string
		cfg      timeout.Config
		problems []string
	}{
		{"Z1: the least", timeout.Config{Limit: 1}, nil},
		{"Z1: the most", timeout.Config{Limit: month, Minimum: month, Abandon: true, MaxAbandoned: 1_000_000}, nil},
		{"Z1: everything off", timeout.Config{Limit: time.Second, Minimum: off}, nil},
		{"Z1: no limit", timeout.Config{}, []string{"Limit = 0s: must be from 1ns to 720h0m0s: there is no default"}},
		{"K59: a negative limit", timeout.Config{Limit: -1}, []string{"Limit = -1ns: must be from 1ns to 720h0m0s"}},
		{"K59: a limit that is off", timeout.Config{Limit: off}, []string{"Limit = -2.147483648s: must be from 1ns to 720h0m0s"}},
		{"Z1: a limit too long", timeout.Config{Limit: month + 1}, []string{"Limit = 720h0m0.000000001s: must be from 1ns to 720h0m0s"}},
		{"K59: a negative minimum", timeout.Config{Limit: 1, Minimum: -1}, []string{"Minimum = -1ns: must be from 1ns to 720h0m0s, or Off"}},
		{"a minimum beyond the limit", timeout.Config{Limit: time.Second, Minimum: time.Second + 1},
			[]string{"Minimum = 1.000000001s: must be at most Limit = 1s: a call cannot use more time than that"}},
		{"Z1: too few abandoned", timeout.Config{Limit: 1, Abandon: true, MaxAbandoned: -1}, []string{"MaxAbandoned = -1: must be from 1 to 1000000"}},
		{"Z1: abandoned without a bound", timeout.Config{Limit: 1, Abandon: true, MaxAbandoned: off}, []string{"MaxAbandoned = -2147483648: must be from 1 to 1000000"}},
		{"a bound without effect", timeout.Config{Limit: 1, MaxAbandoned: 5},
			[]string{"MaxAbandoned = 5: must be 0 unless Abandon is set: otherwise no function is left behind"}},
		{"Z1: all at once", timeout.Config{Minimum: -1, MaxAbandoned: 1}, []string{
			"Limit = 0s: must be from 1ns to 720h0m0s: there is no default",
			"Minimum = -1ns: must be from 1ns to 720h0m0s, or Off",
			"MaxAbandoned = 1: must be 0 unless Abandon is set: otherwise no function is left behind",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			to, err := timeout.New("stock", tt.cfg)
			var got []string
			if c, ok := errors.AsType[*switchgear.ConfigError](err); ok {
				equal(t, "policy and name", c.Policy+" "+c.Name, "timeout stock")
				equal(t, "matches ErrConfig", errors.Is(err, switchgear.ErrConfig), true)
				for _, p := range c.Problems {
					got = append(got, p.String())
				}
			}
			equal(t, "problems", got, tt.problems)
			equal(t, "made", to != nil, tt.problems == nil)
		})
	}
}

func TestDefaults(t *testing.T) {
	t.Run("Z1: a zero field means the documented default", func(t *testing.T) {
		to := timeout.Must(timeout.New("stock", timeout.Config{Limit: time.Second}))
		equal(t, "configuration", to.Config(), timeout.Config{Limit: time.Second, Minimum: off})
		equal(t, "name", to.Name(), "stock")
		to = timeout.Must(timeout.New("stock", timeout.Config{Limit: time.Second, Abandon: true}))
		want := timeout.Config{Limit: time.Second, Minimum: off, Abandon: true, MaxAbandoned: 100}
		equal(t, "configuration", to.Config(), want)
		equal(t, "of a timeout made with that", timeout.Must(timeout.New("stock", want)).Config(), want)
	})
	t.Run("a doubtful configuration is told", func(t *testing.T) {
		var heard []event.Event
		to := timeout.Must(timeout.New("stock", timeout.Config{Limit: 1, Minimum: 1},
			nil, timeout.WithClock(nil), timeout.WithListener(nil),
			timeout.WithListener(event.Func(func(e event.Event) { heard = append(heard, e) }))))
		equal(t, "events heard and kept", heard, to.Events())
		if len(heard) != 1 || heard[0].Kind != event.Warning || heard[0].Source != "timeout" || heard[0].Name != "stock" ||
			heard[0].Reason != "Minimum = 1ns: equals Limit: every call whose caller has a deadline before the limit is refused" {
			t.Errorf("events: %v", heard)
		}
	})
	t.Run("Must panics with the error", func(t *testing.T) {
		defer func() {
			if err, ok := recover().(error); !ok || !errors.Is(err, switchgear.ErrConfig) {
				t.Errorf("panic with %v", err)
			}
		}()
		timeout.Must(timeout.New("stock", timeout.Config{}))
	})
}
