package backoff_test

import (
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/backoff"
)

func TestDefaults(t *testing.T) {
	for _, tt := range []struct {
		name      string
		cfg, want backoff.Config
	}{
		{"zero", backoff.Config{}, backoff.Config{Initial: 100 * ms, Factor: 2, Max: 10 * time.Second, Floor: 1 * ms, Spread: 20}},
		{"a long Initial", backoff.Config{Initial: time.Minute}, backoff.Config{Initial: time.Minute, Factor: 2, Max: time.Minute, Floor: 1 * ms, Spread: 20}},
		{"a short Initial", backoff.Config{Initial: 10 * time.Microsecond, Spread: off},
			backoff.Config{Initial: 10 * time.Microsecond, Factor: 2, Max: 10 * time.Second, Floor: 10 * time.Microsecond, Spread: off}},
		{"decorrelated", backoff.Config{Jitter: backoff.Decorrelated},
			backoff.Config{Initial: 100 * ms, Factor: 3, Max: 10 * time.Second, Jitter: backoff.Decorrelated, Floor: 1 * ms, Spread: 20}},
		{"constant", backoff.Config{Kind: backoff.Constant, Initial: 50 * ms},
			backoff.Config{Kind: backoff.Constant, Initial: 50 * ms, Factor: 1, Max: 50 * ms, Floor: 1 * ms, Spread: 20}},
	} {
		t.Run("Z1: "+tt.name, func(t *testing.T) {
			got := made(t, tt.cfg).Config()
			equal(t, "config", got, tt.want)
			equal(t, "made again from it", made(t, got).Config(), tt.want)
		})
	}
}

// bounds says for each field which values it takes.
var bounds = []struct {
	field     string
	good, bad []any
}{
	{"Kind", []any{backoff.Exponential}, []any{backoff.Kind(2), backoff.Kind(255)}},
	{"Jitter", []any{backoff.Full, backoff.Equal, backoff.Decorrelated, backoff.None}, []any{backoff.Jitter(4), backoff.Jitter(255)}},
	{"Initial", []any{time.Microsecond, time.Second, 10 * time.Second, month},
		[]any{time.Duration(1), time.Duration(100), time.Duration(-1), -time.Second, month + 1, time.Duration(off), time.Duration(math.MinInt64), time.Duration(math.MaxInt64)}},
	{"Factor", []any{1.0, 1.5, 100.0}, []any{0.5, 0.99, 100.1, -1.0, math.NaN(), math.Inf(1), math.Inf(-1)}},
	{"Max", []any{100 * ms, month}, []any{100*ms - 1, time.Duration(-1), month + 1, time.Duration(off)}},
	{"Floor", []any{time.Microsecond, 100 * ms}, []any{time.Duration(1), time.Duration(-1), 100*ms + 1, month + 1, time.Duration(off)}},
	{"Spread", []any{switchgear.Percent(1), switchgear.Percent(100), switchgear.Percent(off)},
		[]any{switchgear.Percent(0.2), switchgear.Percent(101), switchgear.Percent(-1), switchgear.Percent(math.NaN())}},
}

func TestBounds(t *testing.T) {
	covered := map[string]bool{}
	for _, b := range bounds {
		covered[b.field] = true
		t.Run("K59: "+b.field, func(t *testing.T) {
			for _, value := range b.good {
				if _, err := backoff.New(with(b.field, value)); err != nil {
					t.Errorf("%v is refused: %v", value, err)
				}
			}
			for _, value := range b.bad {
				refused(t, with(b.field, value), b.field)
			}
		})
	}
	for f := range reflect.TypeFor[backoff.Config]().Fields() {
		if !covered[f.Name] {
			t.Errorf("no test for the bounds of %s", f.Name)
		}
	}
}

func with(field string, value any) backoff.Config {
	var cfg backoff.Config
	reflect.ValueOf(&cfg).Elem().FieldByName(field).Set(reflect.ValueOf(value))
	return cfg
}

// refused checks that New finds fault with the fields, and with nothing else.
func refused(t *testing.T, cfg backoff.Config, fields ...string) {
	t.Helper()
	b, err := backoff.New(cfg)
	equal(t, "backoff beside an error", b, nil)
	equal(t, "matches ErrConfig", errors.Is(err, switchgear.ErrConfig), true)
	c, ok := errors.AsType[*switchgear.ConfigError](err)
	if !ok {
		t.Fatalf("%+v: got %v, want a *switchgear.ConfigError", cfg, err)
	}
	equal(t, "policy", c.Policy, "backoff")
	var found []string
	for _, p := range c.Problems {
		found = append(found, p.Path)
	}
	equal(t, fmt.Sprintf("problems of %+v", cfg), found, fields)
}

func TestFieldsThatDisagree(t *testing.T) {
	t.Run("Z1: a constant backoff takes nothing that makes it grow", func(t *testing.T) {
		refused(t, backoff.Config{Kind: backoff.Constant, Factor: 2}, "Factor")
		refused(t, backoff.Config{Kind: backoff.Constant, Factor: math.NaN()}, "Factor")
		refused(t, backoff.Config{Kind: backoff.Constant, Max: time.Second}, "Max")
		refused(t, backoff.Config{Kind: backoff.Constant, Jitter: backoff.Decorrelated}, "Jitter")
	})
	t.Run("Z1: everything is reported at once", func(t *testing.T) {
		refused(t, backoff.Config{Kind: 7, Initial: -1, Factor: 0.5, Max: -1, Jitter: 9, Floor: -1, Spread: -1},
			"Kind", "Initial", "Jitter", "Factor", "Max", "Floor", "Spread")
	})
	t.Run("the error names value and bound", func(t *testing.T) {
		_, err := backoff.New(backoff.Config{Initial: time.Second, Max: 100 * ms, Floor: 2 * time.Second})
		equal(t, "error", err.Error(), `backoff "": invalid configuration: Max = 100ms: must be at least Initial = 1s; Floor = 2s: must be at most Initial = 1s`)
	})
}

func TestMust(t *testing.T) {
	equal(t, "config", backoff.Must(backoff.New(backoff.Config{})).Config().Initial, 100*ms)
	defer func() { equal(t, "panicked", recover() != nil, true) }()
	backoff.Must(backoff.New(backoff.Config{Initial: -1}))
}

func TestNames(t *testing.T) {
	names(t, "exponential", "constant")(func(n int) (fmt.Stringer, encoding.TextMarshaler, encoding.TextUnmarshaler) {
		k := backoff.Kind(n)
		return k, k, &k
	})
	names(t, "full", "equal", "decorrelated", "none")(func(n int) (fmt.Stringer, encoding.TextMarshaler, encoding.TextUnmarshaler) {
		j := backoff.Jitter(n)
		return j, j, &j
	})
}

// names checks the names of an enumeration, of which enum gives the member with a
// number, and a place for one.
func names(t *testing.T, want ...string) func(enum func(int) (fmt.Stringer, encoding.TextMarshaler, encoding.TextUnmarshaler)) {
	return func(enum func(int) (fmt.Stringer, encoding.TextMarshaler, encoding.TextUnmarshaler)) {
		t.Helper()
		for n, name := range want {
			s, m, _ := enum(n)
			equal(t, "string", s.String(), name)
			text, err := m.MarshalText()
			equal(t, "text", string(text), name)
			equal(t, "error", err, nil)

			_, _, place := enum(255)
			equal(t, "error", place.UnmarshalText(text), nil)
			equal(t, "read back", reflect.ValueOf(place).Elem().Uint(), uint64(n))
		}
		s, m, place := enum(len(want))
		if _, err := m.MarshalText(); err == nil {
			t.Errorf("%v is written", s)
		}
		for _, bad := range []string{"", "Full", "none ", s.String()} {
			if place.UnmarshalText([]byte(bad)) == nil {
				t.Errorf("%q is read", bad)
			}
		}
		equal(t, "left alone", reflect.ValueOf(place).Elem().Uint(), uint64(len(want)))
	}
}
