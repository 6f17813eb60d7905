package window

import (
	"testing"
	"time"
)

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %+v, want %+v", what, got, want)
	}
}

// A window is what the two kinds have in common.
type window interface {
	Record(now time.Duration, failed, slow bool)
	Good(now time.Duration, n int64)
	Counts(now time.Duration) Counts
	Reset()
}

var (
	_ window = (*Count)(nil)
	_ window = (*Time)(nil)
)

// good, failed, slow and slowFailed record n outcomes of one kind at now.

func good(w window, now time.Duration, n int)       { record(w, now, n, false, false) }
func failed(w window, now time.Duration, n int)     { record(w, now, n, true, false) }
func slow(w window, now time.Duration, n int)       { record(w, now, n, false, true) }
func slowFailed(w window, now time.Duration, n int) { record(w, now, n, true, true) }

func record(w window, now time.Duration, n int, failed, slow bool) {
	for range n {
		w.Record(now, failed, slow)
	}
}
