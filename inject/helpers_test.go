package inject_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/inject"
)

const (
	off = switchgear.Off
	ms  = time.Millisecond
)

var errDown = errors.New("connection refused")

func equal[T any](t testing.TB, what string, got, want T) {
	if !reflect.DeepEqual(got, want) {
		t.Helper()
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// A rig is an injector in virtual time with what it told its listener.
type rig struct {
	*inject.Injector
	t     testing.TB
	clock *clock.Virtual
	heard []event.Event
}

func (r *rig) OnEvent(e event.Event) { r.heard = append(r.heard, e) }

func newRig(t testing.TB, faults ...inject.Fault) *rig {
	t.Helper()
	return rigWith(t, inject.Config{Faults: faults, Seed: 1})
}

func rigWith(t testing.TB, cfg inject.Config, opts ...inject.Option) *rig {
	t.Helper()
	r := &rig{t: t, clock: clock.NewVirtual(time.Date(2026, time.March, 1, 3, 0, 0, 0, time.UTC))}
	i, err := inject.New("stock", cfg, append(opts, inject.WithClock(r.clock), inject.WithListener(r))...)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	r.Injector = i
	return r
}

// on switches the injector on for an hour.
func (r *rig) on() *rig {
	r.t.Helper()
	if err := r.Enable("ana", "test", time.Hour); err != nil {
		r.t.Fatalf("Enable: %v", err)
	}
	return r
}

// struck draws for n calls and returns the numbers, from 1, of those that were struck.
func (r *rig) struck(n int) (numbers []int) {
	for number := 1; number <= n; number++ {
		if _, ok := r.Draw(context.Background()); ok {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// call makes a call and reports whether it was made.
func call(ctx context.Context, i *inject.Injector) (made bool, err error) {
	_, err = inject.Do(ctx, i, func(context.Context) (int, error) {
		made = true
		return 1, nil
	})
	return made, err
}
