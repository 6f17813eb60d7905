package bulkhead_test

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
)

const off = switchgear.Off

var (
	start   = time.Date(2020, time.May, 1, 12, 0, 0, 0, time.UTC)
	errDown = errors.New("connection refused")
)

// A rig is a bulkhead in virtual time together with what it told its listener.
type rig struct {
	*bulkhead.Bulkhead
	t     testing.TB
	clock *clock.Virtual
	heard []event.Event
}

func (r *rig) OnEvent(e event.Event) { r.heard = append(r.heard, e) }

func newRig(t testing.TB, cfg bulkhead.Config) *rig {
	t.Helper()
	r := &rig{t: t, clock: clock.NewVirtual(start)}
	b, err := bulkhead.New("stock", cfg, bulkhead.WithClock(r.clock), bulkhead.WithListener(r))
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	r.Bulkhead = b
	return r
}

// taken takes a permit, which must be there.
func (r *rig) taken() *bulkhead.Permit {
	r.t.Helper()
	p, err := r.TryAcquire()
	if err != nil {
		r.t.Fatalf("TryAcquire: %v", err)
	}
	return &p
}

// refused asks for a permit, which must not be there.
func (r *rig) refused() *bulkhead.Rejection {
	r.t.Helper()
	p, err := r.TryAcquire()
	p.Release()
	return rejection(r.t, err)
}

// rejection returns what err must be.
func rejection(t testing.TB, err error) *bulkhead.Rejection {
	t.Helper()
	r, ok := errors.AsType[*bulkhead.Rejection](err)
	if !ok {
		t.Fatalf("got error %v, want a rejection", err)
	}
	return r
}

// An ask is one use of Enqueue and its answers, of which there must not be two.
type ask struct {
	answers int
	permit  bulkhead.Permit
	err     error
	cancel  func() bool
}

func (r *rig) enqueue() *ask {
	a := &ask{}
	a.cancel = r.Enqueue(func(p bulkhead.Permit, err error) {
		a.answers++
		a.permit, a.err = p, err
	})
	return a
}

// admitted and waiting tell how far the ask is.

func (a *ask) admitted() bool { return a.answers == 1 && a.err == nil }
func (a *ask) waiting() bool  { return a.answers == 0 }

// now checks how many permits are out and how many callers wait.
func (r *rig) now(running, waiting int) {
	r.t.Helper()
	s := r.Snapshot()
	equal(r.t, "running", s.Running, running)
	equal(r.t, "waiting", s.Waiting, waiting)
	equal(r.t, "available", s.Available, max(s.Limit-running, 0))
}

func equal[T any](t testing.TB, what string, got, want T) {
	if !reflect.DeepEqual(got, want) {
		t.Helper()
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func yield() { runtime.Gosched() }

func nothing(context.Context) error { return nil }
