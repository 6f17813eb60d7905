package event

import (
	"reflect"
	"runtime"
	"testing"
)

// equal fails the test if got is not want.
func equal[T any](t *testing.T, what string, got, want T) {
	if !reflect.DeepEqual(got, want) {
		t.Helper()
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// noLeak checks at the end of the test that there are no more goroutines than
// now. One that is past its last statement may take a moment to be gone, so the
// check yields to it; it fails only if a goroutine stays.
func noLeak(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for range 1_000_000 {
			if runtime.NumGoroutine() <= before {
				return
			}
			runtime.Gosched()
		}
		t.Errorf("goroutines: %d before the test, %d after", before, runtime.NumGoroutine())
	})
}

// A recorder is a listener that keeps what it gets. It has no lock on purpose:
// the stream promises one call after the other, and the race detector checks it.
type recorder struct{ events []Event }

func (r *recorder) OnEvent(e Event) { r.events = append(r.events, e) }

func (r *recorder) seqs() []uint64 { return seqs(r.events) }

func seqs(events []Event) []uint64 {
	var s []uint64
	for _, e := range events {
		s = append(s, e.Seq)
	}
	return s
}

// upTo returns first, first+1, … last.
func upTo(first, last uint64) []uint64 {
	var s []uint64
	for i := first; i <= last; i++ {
		s = append(s, i)
	}
	return s
}

// newStream returns a stream with the given memory and listeners.
func newStream(recent int, listeners ...Listener) *Stream {
	s := new(Stream)
	s.Init(recent, listeners...)
	return s
}
