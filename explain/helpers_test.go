package explain_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/explain"
)

var start = time.Date(2026, time.March, 1, 3, 12, 44, 0, time.UTC)

var errDown = errors.New("dial tcp: connection refused")

func plain() breaker.Config {
	return breaker.Config{
		Window:       breaker.WindowConfig{Calls: 20},
		MinimumCalls: 20,
		Open:         breaker.OpenConfig{Wait: 27 * time.Second, Jitter: switchgear.Off},
		HalfOpen:     breaker.HalfOpenConfig{Probes: 3},
	}
}

// A rig is a breaker in virtual time together with what it told its listener.
type rig struct {
	*breaker.Breaker
	t     testing.TB
	clock *clock.Virtual
	heard []event.Event
}

func (r *rig) OnEvent(e event.Event) { r.heard = append(r.heard, e) }

func newRig(t testing.TB, name string, cfg breaker.Config, opts ...breaker.Option) *rig {
	t.Helper()
	r := &rig{t: t, clock: clock.NewVirtual(start)}
	b, err := breaker.New(name, cfg, append([]breaker.Option{breaker.WithClock(r.clock), breaker.WithListener(r)}, opts...)...)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	r.Breaker = b
	return r
}

// call makes a call that ends with err, and reports whether it was admitted.
func (r *rig) call(err error) bool {
	p, rejected := r.Acquire(context.Background())
	if rejected != nil {
		return false
	}
	if err == nil {
		p.Success()
	} else {
		p.Failure(err)
	}
	return true
}

func (r *rig) calls(n int, err error) {
	for range n {
		r.call(err)
	}
}

// trip opens the breaker of plain with 12 failures in 20 calls.
func (r *rig) trip() {
	r.t.Helper()
	r.calls(8, nil)
	r.calls(12, errDown)
	equal(r.t, "state", r.State(), breaker.Open)
}

func (r *rig) move(m breaker.Move) {
	r.t.Helper()
	if err := r.Move(m); err != nil {
		r.t.Fatalf("Move: %v", err)
	}
}

// last returns the record of the newest event.
func (r *rig) last() explain.Record {
	r.t.Helper()
	rec, ok := explain.Of(r.heard[len(r.heard)-1])
	if !ok {
		r.t.Fatalf("not explained: %v", r.heard[len(r.heard)-1])
	}
	return rec
}

func (r *rig) now() explain.Record { return explain.Now(r.Snapshot(), r.clock.Now()) }

func equal[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}
