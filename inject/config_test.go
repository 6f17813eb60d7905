package inject_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/inject"
	"github.com/switchgear-go/switchgear/internal/check"
)

func keys(n int) (keys []string) {
	for i := range n {
		keys = append(keys, fmt.Sprint(i))
	}
	return keys
}

func TestConfig(t *testing.T) {
	const month = check.MaxDuration
	long := strings.Repeat("x", 257)
	failure := inject.Fault{Kind: inject.Failure, Probability: 1}
	for _, tt := range []struct {
		name     string
		cfg      inject.Config
		problems []string
	}{
		{"Z1: nothing", inject.Config{}, nil},
		{"Z1: the least", inject.Config{MaxHang: 1, Faults: []inject.Fault{{Kind: inject.Latency, Probability: 1, Delay: 1, Keys: []string{"x"}}}}, nil},
		{"Z1: the most", inject.Config{MaxHang: month, Faults: append(slices.Repeat([]inject.Fault{failure}, 99),
			inject.Fault{Kind: inject.Latency, Probability: 100, Delay: month, Keys: keys(1000)})}, nil},
		{"Z1: texts at their longest", inject.Config{Faults: []inject.Fault{{Kind: inject.Panic, Probability: 12.34, Keys: []string{long[:256]}, Message: long[:256]}}}, nil},
		{"Z1: too many faults", inject.Config{Faults: slices.Repeat([]inject.Fault{failure}, 101)}, []string{"Faults = 101: must be at most 100"}},
		{"Z1: too many keys", inject.Config{Faults: []inject.Fault{{Kind: inject.Hang, Probability: 1, Keys: keys(1000)}, {Kind: inject.Hang, Probability: 1, Keys: keys(1)}}},
			[]string{"Faults = 1001: must have at most 1000 keys in all"}},
		{"Z1: too many keys in one fault", inject.Config{Faults: []inject.Fault{{Kind: inject.Hang, Probability: 1, Keys: append(keys(1000), "")}}},
			[]string{"Faults = 1001: must have at most 1000 keys in all"}},
		{"K59: a hang without end", inject.Config{MaxHang: off}, []string{"MaxHang = -2.147483648s: must be from 1ns to 720h0m0s"}},
		{"K59: a negative hang", inject.Config{MaxHang: -1}, []string{"MaxHang = -1ns: must be from 1ns to 720h0m0s"}},
		{"no kind", inject.Config{Faults: []inject.Fault{{Probability: 1}}}, []string{"Faults[0].Kind = none: must be one of [error latency hang panic]"}},
		{"an unknown kind", inject.Config{Faults: []inject.Fault{{Kind: 5, Probability: 1}}}, []string{"Faults[0].Kind = Kind(5): must be one of [error latency hang panic]"}},
		{"a latency of nothing", inject.Config{Faults: []inject.Fault{{Kind: inject.Latency, Probability: 1}}},
			[]string{"Faults[0].Delay = 0s: must be from 1ns to 720h0m0s: there is no default"}},
		{"K59: a negative latency", inject.Config{Faults: []inject.Fault{failure, {Kind: inject.Latency, Probability: 1, Delay: -1}}},
			[]string{"Faults[1].Delay = -1ns: must be from 1ns to 720h0m0s"}},
		{"a delay of no use", inject.Config{Faults: []inject.Fault{{Kind: inject.Hang, Probability: 1, Delay: 1}}},
			[]string{"Faults[0].Delay = 1ns: must be 0 unless Kind is latency"}},
		{"a message of no use", inject.Config{Faults: []inject.Fault{{Kind: inject.Latency, Probability: 1, Delay: 1, Message: "slow"}}},
			[]string{`Faults[0].Message = "slow": must be empty where Kind is latency: such a call does not fail`}},
		{"a long message", inject.Config{Faults: []inject.Fault{{Kind: inject.Failure, Probability: 1, Message: long}}},
			[]string{`Faults[0].Message = "xxxxxxxxxxxxxxxxxxxx": must have at most 256 bytes, not 257`}},
		{"bad keys", inject.Config{Faults: []inject.Fault{{Kind: inject.Failure, Probability: 1, Keys: []string{"", "a", long}}}},
			[]string{`Faults[0].Keys[0] = "": must have from 1 to 256 bytes, not 0`, `Faults[0].Keys[2] = "xxxxxxxxxxxxxxxxxxxx": must have from 1 to 256 bytes, not 257`}},
		{"a share that was meant in percent", inject.Config{Faults: []inject.Fault{{Kind: inject.Failure, Probability: 0.5}}},
			[]string{"Faults[0].Probability = 0.5: must be from 1 to 100 percent with at most two decimals, or 0 for never"}},
		{"Off is no probability", inject.Config{Faults: []inject.Fault{{Kind: inject.Failure, Probability: off}}},
			[]string{"Faults[0].Probability = -2.147483648e+09: must be from 1 to 100 percent with at most two decimals, or 0 for never"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			i, err := inject.New("stock", tt.cfg)
			var got []string
			if c, ok := errors.AsType[*switchgear.ConfigError](err); ok {
				equal(t, "policy and name", c.Policy+" "+c.Name, "inject stock")
				for _, p := range c.Problems {
					got = append(got, p.String())
				}
			}
			equal(t, "problems", got, tt.problems)
			equal(t, "made", i != nil, tt.problems == nil)
		})
	}
	for _, p := range []switchgear.Percent{-1, 101, 1.234, switchgear.Percent(math.NaN()), switchgear.Percent(math.Inf(1))} {
		_, err := inject.New("stock", inject.Config{Faults: []inject.Fault{{Kind: inject.Failure, Probability: p}}})
		equal(t, fmt.Sprintf("K59: a probability of %v is refused", float64(p)), errors.Is(err, switchgear.ErrConfig), true)
	}
}

func TestDefaults(t *testing.T) {
	t.Run("Z1: a zero field means the documented default", func(t *testing.T) {
		cfg := inject.Must(inject.New("stock", inject.Config{})).Config()
		equal(t, "MaxHang", cfg.MaxHang, time.Minute)
		equal(t, "a seed was drawn", cfg.Seed != 0, true)
		again := inject.Must(inject.New("stock", cfg))
		equal(t, "of an injector made with that", again.Config(), cfg)
		equal(t, "name", again.Name(), "stock")
	})
	t.Run("K60: nothing is shared with the caller's value", func(t *testing.T) {
		cfg := inject.Config{Faults: []inject.Fault{{Kind: inject.Failure, Probability: 100, Keys: []string{"a"}}}, Seed: 1}
		r := rigWith(t, cfg).on()
		cfg.Faults[0].Kind, cfg.Faults[0].Keys[0] = inject.Latency, "b"
		got := r.Config()
		equal(t, "fault", got.Faults[0], inject.Fault{Kind: inject.Failure, Probability: 100, Keys: []string{"a"}})
		got.Faults[0].Keys[0] = "c"
		equal(t, "key", r.Config().Faults[0].Keys[0], "a")
	})
	t.Run("a fault that never strikes is told", func(t *testing.T) {
		r := newRig(t, inject.Fault{Kind: inject.Failure})
		equal(t, "events", len(r.heard), 1)
		equal(t, "kept", r.Events(), r.heard)
		equal(t, "kind", r.heard[0].Kind, event.Warning)
		equal(t, "reason", r.heard[0].Reason, "Faults[0].Probability = 0 %: the fault strikes no call")
	})
	t.Run("options that are nil leave the default", func(t *testing.T) {
		i := inject.Must(inject.New("stock", inject.Config{Faults: []inject.Fault{{Kind: inject.Failure, Probability: 100, Keys: []string{"a"}}}},
			nil, inject.WithClock(nil), inject.WithRandom(nil), inject.WithKeyFunc(nil), inject.WithListener(nil)))
		equal(t, "error", i.Enable("ana", "test", time.Hour), nil)
		_, err := call(inject.WithKey(t.Context(), "a"), i)
		equal(t, "injected", errors.Is(err, inject.ErrInjected), true)
		i.Disable("ana", "")
	})
	t.Run("Must panics with the error", func(t *testing.T) {
		defer func() {
			if err, ok := recover().(error); !ok || !errors.Is(err, switchgear.ErrConfig) {
				t.Errorf("panic with %v", err)
			}
		}()
		inject.Must(inject.New("stock", inject.Config{MaxHang: -1}))
	})
}

func TestKind(t *testing.T) {
	for k, name := range map[inject.Kind]string{inject.Failure: "error", inject.Latency: "latency", inject.Hang: "hang", inject.Panic: "panic"} {
		text, err := k.MarshalText()
		equal(t, "error", err, nil)
		equal(t, "text", string(text), name)
		var back inject.Kind
		equal(t, "error", back.UnmarshalText(text), nil)
		equal(t, "kind", back, k)
	}
	for _, k := range []inject.Kind{0, 5} {
		if _, err := k.MarshalText(); err == nil {
			t.Errorf("%v was written", k)
		}
	}
	var k inject.Kind
	for _, name := range []string{"", "none", "ERROR", "gremlin"} {
		if err := k.UnmarshalText([]byte(name)); err == nil {
			t.Errorf("%q was read", name)
		}
	}
}
