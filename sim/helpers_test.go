package sim

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"testing"
)

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// near compares with an absolute tolerance.
func near(t testing.TB, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: got %g, want %g ± %g", what, got, want, tolerance)
	}
}

// simulate makes one run of a scenario that is expected to be fine.
func simulate(t testing.TB, cfg Config, seed uint64) *Result {
	t.Helper()
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(context.Background(), seed)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// sample is a set of numbers, one for each run.
type sample []float64

func (s sample) mean() float64 {
	sum := 0.0
	for _, v := range s {
		sum += v
	}
	return sum / float64(len(s))
}

// deviation is the standard deviation of a sample.
func (s sample) deviation() float64 {
	m, sum := s.mean(), 0.0
	for _, v := range s {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(len(s)-1))
}

// halfWidth is half the width of the interval that holds the true mean of the
// population with a probability of 99.99 %, if the sample is not small.
func (s sample) halfWidth() float64 { return 3.9 * s.deviation() / math.Sqrt(float64(len(s))) }

// quantile interpolates linearly between the values next to place q·(n-1).
func (s sample) quantile(q float64) float64 {
	v := slices.Sorted(slices.Values(s))
	place := q * float64(len(v)-1)
	i := int(place)
	return v[i] + (place-float64(i))*(v[min(i+1, len(v)-1)]-v[i])
}

func inJSON(t testing.TB, v any) string {
	t.Helper()
	body, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
