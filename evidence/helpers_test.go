package evidence

import (
	"math"
	"testing"
)

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// near compares to a relative tolerance. NaN is near nothing.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func mustTest(t testing.TB, cfg Config, shares int) *Test {
	t.Helper()
	test, err := NewTest(cfg, shares)
	if err != nil {
		t.Fatal(err)
	}
	return test
}
