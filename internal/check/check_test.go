package check

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
)

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// said returns the only problem, or "".
func (c *Checker) said() string {
	if len(c.Problems) == 0 {
		return ""
	}
	return c.Problems[0].String()
}

func TestZ1(t *testing.T) {
	t.Run("Z1: whole numbers", func(t *testing.T) {
		for _, tt := range []struct {
			in, out int
			off     bool
			said    string
		}{
			{0, 3, true, ""},
			{1, 1, true, ""},
			{10, 10, true, ""},
			{11, 11, true, "N = 11: must be from 1 to 10, or Off"},
			{11, 11, false, "N = 11: must be from 1 to 10"},
			{-1, -1, true, "N = -1: must be from 1 to 10, or Off"},
			{off, off, true, ""},
			{off, off, false, "N = -2147483648: must be from 1 to 10"},
		} {
			var c Checker
			v := tt.in
			c.Int("N", &v, 3, 1, 10, tt.off)
			equal(t, "value", v, tt.out)
			equal(t, "said", c.said(), tt.said)
		}
	})
	t.Run("Z1: durations", func(t *testing.T) {
		for _, tt := range []struct {
			in, out time.Duration
			off     bool
			said    string
		}{
			{0, time.Second, true, ""},
			{1, 1, true, ""},
			{time.Hour, time.Hour, true, ""},
			{time.Hour + 1, time.Hour + 1, false, "D = 1h0m0.000000001s: must be from 1ns to 1h0m0s"},
			{-1, -1, true, "D = -1ns: must be from 1ns to 1h0m0s, or Off"},
			{off, off, true, ""},
			{off, off, false, "D = -2.147483648s: must be from 1ns to 1h0m0s"},
		} {
			var c Checker
			v := tt.in
			c.Duration("D", &v, time.Second, 1, time.Hour, tt.off)
			equal(t, "value", v, tt.out)
			equal(t, "said", c.said(), tt.said)
		}
	})
	t.Run("Z1, K59: numbers with a fraction", func(t *testing.T) {
		for _, tt := range []struct {
			in, out float64
			said    string
		}{
			{0, 2, ""},
			{1, 1, ""},
			{100, 100, ""},
			{0.5, 0.5, "F = 0.5: must be from 1 to 100"},
			{100.5, 100.5, "F = 100.5: must be from 1 to 100"},
			{math.Inf(1), math.Inf(1), "F = +Inf: must be from 1 to 100"},
		} {
			var c Checker
			v := tt.in
			c.Float("F", &v, 2, 1, 100)
			equal(t, "value", v, tt.out)
			equal(t, "said", c.said(), tt.said)
		}
		var c Checker
		v := math.NaN()
		c.Float("F", &v, 2, 1, 100)
		equal(t, "NaN", c.said(), "F = NaN: must be from 1 to 100")
	})
	t.Run("Z1: percentages", func(t *testing.T) {
		for _, tt := range []struct {
			in         switchgear.Percent
			hundredths int64
			said       string
		}{
			{0, 20_00, ""},
			{1, 1_00, ""},
			{33.33, 33_33, ""},
			{100, 100_00, ""},
			{off, 0, ""},
			{0.29, 0, "P = 0.29: must be in percent, from 1 to 100, or Off; did you mean 29 %?"},
			{101, 0, "P = 101: must be from 1 to 100 percent with at most two decimals, or Off"},
			{-1, 0, "P = -1: must be from 1 to 100 percent with at most two decimals, or Off"},
		} {
			var c Checker
			v := tt.in
			equal(t, "hundredths", c.Percent("P", &v, 20), tt.hundredths)
			equal(t, "said", c.said(), tt.said)
		}
	})
}

func TestEverythingIsReported(t *testing.T) {
	var part, whole Checker
	part.Wrong("Rate", -1, "must be at least %d", 0)
	part.Wrong("Burst", 0, "must be positive")

	equal(t, "a part that is right", whole.Part("Retry", nil), true)
	equal(t, "a part that is wrong", whole.Part("Limit", part.Err("ratelimit", "x")), false)
	equal(t, "an error of another kind", whole.Part("Hedge", errors.New("boom")), false)
	whole.Doubt("Total", 1, "is %s", "short")

	equal(t, "problems", len(whole.Problems), 3)
	equal(t, "warnings", whole.Warnings[0].String(), "Total = 1: is short")
	err := whole.Err("pipeline", "stock")
	equal(t, "error", err.Error(), `pipeline "stock": invalid configuration: Limit.Rate = -1: must be at least 0; Limit.Burst = 0: must be positive; Hedge = boom: must be valid`)
	equal(t, "sentinel", errors.Is(err, switchgear.ErrConfig), true)
	equal(t, "nothing wrong", (&Checker{}).Err("pipeline", "stock"), nil)
}
