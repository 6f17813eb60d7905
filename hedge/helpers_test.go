package hedge

import (
	"errors"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
)

const (
	ms    = time.Millisecond
	month = 30 * 24 * time.Hour
)

// start is the wall time of the virtual clocks in these tests.
var start = time.Date(2030, time.May, 1, 12, 0, 0, 0, time.UTC)

var errDown = errors.New("connection refused")

// The judgements of an attempt's end that tests use most.
var (
	good    = switchgear.Judgement{Health: switchgear.Success, Repeat: switchgear.RepeatNever}
	bad     = switchgear.Judgement{Health: switchgear.Failure, Repeat: switchgear.RepeatYes}
	final   = switchgear.Judgement{Health: switchgear.Failure, Repeat: switchgear.RepeatNever}
	ignored = switchgear.Judgement{Health: switchgear.Ignored, Repeat: switchgear.RepeatNever}
)

func equal[T any](t testing.TB, what string, got, want T) {
	if !reflect.DeepEqual(got, want) {
		t.Helper()
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// made returns a hedge, which must be valid.
func made(t testing.TB, cfg Config, opts ...Option) *Hedge {
	t.Helper()
	h, err := New("stock", cfg, opts...)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return h
}

// virtual returns a hedge in virtual time.
func virtual(t testing.TB, cfg Config, opts ...Option) (*Hedge, *clock.Virtual) {
	t.Helper()
	v := clock.NewVirtual(start)
	return made(t, cfg, append([]Option{WithClock(v)}, opts...)...), v
}

// noLeak checks at the end of the test that there are no more goroutines than now.
// One that is past its last statement may take a moment to be gone, so the check
// yields to it; it fails only if a goroutine stays.
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

// atRest checks that nothing runs and that the counters add up. Panics that went on in
// the caller have to be told.
func atRest(t testing.TB, h *Hedge, passedOn uint64) {
	t.Helper()
	s, c := h.Snapshot(), h.Counters()
	equal(t, "running", s.Running, 0)
	equal(t, "abandoned", s.Abandoned, 0)
	equal(t, "calls by their end", c.Plain+c.Won+c.Failed+c.Stopped, c.Calls)
	equal(t, "attempts by their end", c.Won+c.Failures+c.Late+passedOn, c.Calls-c.Plain+c.Hedges)
}
