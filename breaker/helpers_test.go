package breaker_test

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
)

const (
	off = switchgear.Off
	ns  = time.Nanosecond
)

// start is the wall time of the virtual clocks in these tests. It lies in the
// past of every real deadline, so that only deadlines given on purpose pass.
var start = time.Date(2020, time.May, 1, 12, 0, 0, 0, time.UTC)

var errDown = errors.New("connection refused")

// plain is the configuration that most tests begin with: easy to count, and with
// nothing left to chance.
func plain() breaker.Config {
	return breaker.Config{
		Window:       breaker.WindowConfig{Calls: 10},
		MinimumCalls: 4,
		Open:         breaker.OpenConfig{Wait: 10 * time.Second, Jitter: off},
		HalfOpen:     breaker.HalfOpenConfig{Probes: 2},
	}
}

// with returns plain, changed.
func with(change func(*breaker.Config)) breaker.Config {
	cfg := plain()
	change(&cfg)
	return cfg
}

// A rig is a breaker in virtual time together with what it told its listener.
type rig struct {
	*breaker.Breaker
	t     testing.TB
	clock *clock.Virtual
	heard []event.Event
}

// OnEvent has no lock on purpose: one event comes after the other (rule S7), and
// the race detector checks it.
func (r *rig) OnEvent(e event.Event) { r.heard = append(r.heard, e) }

func newRig(t testing.TB, cfg breaker.Config, opts ...breaker.Option) *rig {
	t.Helper()
	r := &rig{t: t, clock: clock.NewVirtual(start)}
	b, err := breaker.New("stock", cfg, append([]breaker.Option{breaker.WithClock(r.clock), breaker.WithListener(r)}, opts...)...)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	r.Breaker = b
	return r
}

// admitted takes a permit, which must be granted.
func (r *rig) admitted() breaker.Permit {
	r.t.Helper()
	p, err := r.Acquire(context.Background())
	if err != nil {
		r.t.Fatalf("Acquire: %v", err)
	}
	return p
}

// refused asks for a permit, which must be denied.
func (r *rig) refused() *breaker.Rejection {
	r.t.Helper()
	_, err := r.Acquire(context.Background())
	rejection, ok := errors.AsType[*breaker.Rejection](err)
	if !ok {
		r.t.Fatalf("Acquire: got error %v, want a rejection in %v", err, r.State())
	}
	return rejection
}

// succeed, fail and ignore make n calls that end at once.

func (r *rig) succeed(n int) {
	r.t.Helper()
	for range n {
		p := r.admitted()
		p.Success()
	}
}

func (r *rig) fail(n int) {
	r.t.Helper()
	for range n {
		p := r.admitted()
		p.Failure(errDown)
	}
}

func (r *rig) ignore(n int) {
	r.t.Helper()
	for range n {
		p := r.admitted()
		p.Ignore()
	}
}

// take makes one successful call that takes d.
func (r *rig) take(d time.Duration) {
	r.t.Helper()
	p := r.admitted()
	r.clock.Advance(d)
	p.Success()
}

// trip makes calls fail until the breaker is open.
func (r *rig) trip() {
	r.t.Helper()
	for range 1000 {
		if r.State() == breaker.Open {
			return
		}
		r.fail(1)
	}
	r.t.Fatal("a thousand failures do not open the breaker")
}

// probing trips the breaker, lets the interval pass and returns the first probe.
func (r *rig) probing() breaker.Permit {
	r.t.Helper()
	r.trip()
	r.clock.Advance(r.Snapshot().RetryAfter)
	p := r.admitted()
	r.in(breaker.HalfOpen)
	return p
}

// in checks the state.
func (r *rig) in(want breaker.State) {
	r.t.Helper()
	equal(r.t, "state", r.State(), want)
}

// window checks the counts that the breaker shows, written as calls, failed, slow
// and slow failed.
func (r *rig) window(want ...int64) {
	r.t.Helper()
	c := r.Snapshot().Numbers.Counts
	equal(r.t, "calls, failed, slow, slow failed in the window",
		[]int64{c.Calls, c.Failed, c.Slow, c.SlowFailed}, append(want, 0, 0, 0, 0)[:4])
}

// move carries out an operator's order, which must be valid.
func (r *rig) move(to breaker.State) { r.t.Helper(); r.moveFor(to, 0) }

func (r *rig) moveFor(to breaker.State, d time.Duration) {
	r.t.Helper()
	if err := r.Move(breaker.Move{To: to, Author: "ana", Reason: "test", For: d}); err != nil {
		r.t.Fatalf("Move: %v", err)
	}
}

// retryAfter checks how long a refused call is told to stay away.
func (r *rig) retryAfter(want time.Duration) {
	r.t.Helper()
	got, known := r.refused().RetryAfter()
	if !known || got != want {
		r.t.Errorf("RetryAfter: got %v, %v, want %v", got, known, want)
	}
}

// path checks the states that the events heard so far have gone through.
func (r *rig) path(want ...breaker.State) {
	r.t.Helper()
	var got, names []string
	for _, e := range r.heard {
		if e.Kind == event.Transition || e.Kind == event.Renewed {
			got = append(got, e.To)
		}
	}
	for _, s := range want {
		names = append(names, s.String())
	}
	equal(r.t, "states entered", got, names)
}

// last returns the newest event and what it tells about the change.
func (r *rig) last() (event.Event, *breaker.Change) {
	r.t.Helper()
	if len(r.heard) == 0 {
		r.t.Fatal("no event was heard")
	}
	e := r.heard[len(r.heard)-1]
	c, ok := e.Detail.(*breaker.Change)
	if !ok {
		r.t.Fatalf("%v: Detail is %T, want a *breaker.Change", e, e.Detail)
	}
	return e, c
}

func equal[T any](t testing.TB, what string, got, want T) {
	if !reflect.DeepEqual(got, want) {
		t.Helper()
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
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
