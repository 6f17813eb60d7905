package clock

import (
	"testing"
	"time"
)

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// start is the wall time of the virtual clocks in these tests.
var start = time.Date(2030, time.May, 1, 12, 0, 0, 0, time.UTC)

// a journal notes which callbacks ran, and what the clock showed.
type journal struct {
	clock Clock
	lines []line
}

type line struct {
	name string
	at   time.Duration
}

func (j *journal) note(name string) func() {
	return func() { j.lines = append(j.lines, line{name, j.clock.Mono()}) }
}

func (j *journal) expect(t testing.TB, want ...line) {
	t.Helper()
	if len(j.lines) != len(want) {
		t.Fatalf("callbacks: got %v, want %v", j.lines, want)
	}
	for i := range want {
		if j.lines[i] != want[i] {
			t.Fatalf("callback %d: got %v, want %v", i, j.lines[i], want[i])
		}
	}
}
