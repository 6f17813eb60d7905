package throttle_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/throttle"
)

const off = switchgear.Off

var (
	start   = time.Date(2020, time.May, 1, 12, 0, 0, 0, time.UTC)
	errDown = errors.New("connection refused")
)

// plain is a configuration that is easy to count with: the bare formula over ten
// buckets of a second.
func plain() throttle.Config {
	return throttle.Config{Window: 10 * time.Second, Buckets: 10, MaxRefusal: off, MinimumRequests: 1}
}

// A rig is a throttle in virtual time, with a die of which every throw is known.
type rig struct {
	*throttle.Throttle
	t     testing.TB
	clock *clock.Virtual
	die   float64
	heard []event.Event
}

func (r *rig) OnEvent(e event.Event) { r.heard = append(r.heard, e) }

func newRig(t testing.TB, cfg throttle.Config, opts ...throttle.Option) *rig {
	t.Helper()
	r := &rig{t: t, clock: clock.NewVirtual(start), die: 0.9999999}
	opts = append(opts, throttle.WithClock(r.clock), throttle.WithListener(r),
		throttle.WithRandom(func() float64 { return r.die }))
	th, err := throttle.New("stock", cfg, opts...)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	r.Throttle = th
	return r
}

// calls makes n calls that end at once; none may be refused.
func (r *rig) calls(n int, o switchgear.Outcome) {
	r.t.Helper()
	for range n {
		p, err := r.Acquire(context.Background())
		if err != nil {
			r.t.Fatalf("Acquire: %v", err)
		}
		p.Done(o)
	}
}

// refused makes n calls, all of which must be refused. The die is thrown accordingly.
func (r *rig) refused(n int) (last *throttle.Rejection) {
	r.t.Helper()
	die := r.die
	r.die = 0
	for range n {
		_, err := r.Acquire(context.Background())
		last = rejection(r.t, err)
	}
	r.die = die
	return last
}

// holds checks what the window holds.
func (r *rig) holds(requests, accepts int64) {
	r.t.Helper()
	s := r.Snapshot()
	equal(r.t, "requests", s.Requests, requests)
	equal(r.t, "accepts", s.Accepts, accepts)
}

func rejection(t testing.TB, err error) *throttle.Rejection {
	t.Helper()
	r, ok := errors.AsType[*throttle.Rejection](err)
	if !ok {
		t.Fatalf("got error %v, want a rejection", err)
	}
	return r
}

func equal[T any](t testing.TB, what string, got, want T) {
	if !reflect.DeepEqual(got, want) {
		t.Helper()
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func nothing(context.Context) error { return nil }
