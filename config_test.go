package switchgear_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
)

func TestOff(t *testing.T) {
	// It compiles only if Off fits these types.
	var (
		n int                = switchgear.Off
		d time.Duration      = switchgear.Off
		p switchgear.Percent = switchgear.Off
	)
	equal(t, "Z1: Off is no number that somebody writes by chance", n < -1_000_000 && d < 0 && p < 0, true)
}

func TestHundredths(t *testing.T) {
	for _, c := range []struct {
		p    switchgear.Percent
		want int64
	}{
		{0, 0}, {1, 100}, {50, 5000}, {100, 10000}, {1.01, 101}, {29.01, 2901}, {33.33, 3333}, {57.99, 5799}, {99.99, 9999}, {0.07 + 1, 107},
	} {
		got, ok := c.p.Hundredths()
		equal(t, fmt.Sprintf("T1: %v is a percentage", float64(c.p)), ok, true)
		equal(t, fmt.Sprintf("T1: hundredths of %v", float64(c.p)), got, c.want)
	}
	t.Run("T1: every hundredth from 1 to 100 is exact", func(t *testing.T) {
		for h := int64(100); h <= 10000; h++ {
			if got, ok := (switchgear.Percent(h) / 100).Hundredths(); got != h || !ok {
				t.Fatalf("%d/100: got %d, %v", h, got, ok)
			}
		}
	})
	t.Run("T1: everything else is refused", func(t *testing.T) {
		for _, p := range []float64{
			0.5, 0.01, 0.999, 1e-9, -1, -0.5, -100, 100.01, 101, 1e9, 33.333, 1.005, 99.999,
			math.NaN(), math.Inf(1), math.Inf(-1), switchgear.Off,
		} {
			if h, ok := switchgear.Percent(p).Hundredths(); ok {
				t.Errorf("%v: accepted as %d", p, h)
			}
		}
	})
}

func TestPercentTexts(t *testing.T) {
	for _, c := range []struct {
		p            switchgear.Percent
		people, text string
	}{
		{50, "50 %", "50%"}, {33.33, "33.33 %", "33.33%"}, {100, "100 %", "100%"}, {switchgear.Off, "off", "off"}, {0, "0 %", "0%"},
	} {
		equal(t, "String", c.p.String(), c.people)
		text, err := json.Marshal(c.p)
		equal(t, "Marshal", string(text), `"`+c.text+`"`)
		equal(t, "error", err, nil)
		var back switchgear.Percent
		equal(t, "Unmarshal", json.Unmarshal(text, &back), nil)
		equal(t, "and back", back, c.p)
	}
	t.Run("T1: documents may write it in several ways", func(t *testing.T) {
		for text, want := range map[string]switchgear.Percent{
			"50": 50, "50%": 50, "50 %": 50, " 50 % ": 50, "12.5%": 12.5, "off": switchgear.Off, "OFF": switchgear.Off, " Off ": switchgear.Off,
			"0.5": 0.5, "-3": -3, // bounds are for the validation, which knows the field
		} {
			p := switchgear.Percent(7)
			equal(t, fmt.Sprintf("error of %q", text), p.UnmarshalText([]byte(text)), nil)
			equal(t, fmt.Sprintf("value of %q", text), p, want)
		}
	})
	t.Run("T1: what is no percentage is an error, and changes nothing", func(t *testing.T) {
		for _, text := range []string{"", "%", "half", "50%%", "50 percent", "NaN", "Inf", "-inf%", "1e999", "5 0"} {
			p := switchgear.Percent(7)
			err := p.UnmarshalText([]byte(text))
			if err == nil || !strings.Contains(err.Error(), "is not a percentage") {
				t.Errorf("%q: got error %v", text, err)
			}
			equal(t, fmt.Sprintf("value after %q", text), p, 7)
		}
	})
}

func TestConfigError(t *testing.T) {
	err := error(&switchgear.ConfigError{Policy: "breaker", Name: "stock", Problems: []switchgear.Problem{
		{Path: "HalfOpen.Probes", Value: -1, Bound: "must be from 1 to 100000"},
		{Path: "Open.Wait", Value: -time.Second, Bound: "must be from 1ns to 720h0m0s"},
	}})
	equal(t, "text", err.Error(), `breaker "stock": invalid configuration: HalfOpen.Probes = -1: must be from 1 to 100000; `+
		`Open.Wait = -1s: must be from 1ns to 720h0m0s`)
	equal(t, "it matches ErrConfig", errors.Is(fmt.Errorf("starting: %w", err), switchgear.ErrConfig), true)
	equal(t, "it matches nothing else", errors.Is(err, switchgear.ErrRejected), false)
	found, ok := errors.AsType[*switchgear.ConfigError](fmt.Errorf("starting: %w", err))
	equal(t, "found", ok, true)
	equal(t, "problem", found.Problems[0].String(), "HalfOpen.Probes = -1: must be from 1 to 100000")
}
