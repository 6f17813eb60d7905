package ratelimit_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/ratelimit"
)

const (
	off = switchgear.Off
	ms  = time.Millisecond
)

var start = time.Date(2020, time.May, 1, 12, 0, 0, 0, time.UTC)

// A rig is a limiter in virtual time.
type rig struct {
	*ratelimit.Limiter
	t     testing.TB
	clock *clock.Virtual
}

func newRig(t testing.TB, cfg ratelimit.Config) *rig {
	t.Helper()
	v := clock.NewVirtual(start)
	// Nothing may depend on the clock's origin.
	v.Advance(12345*time.Hour + 678)
	l, err := ratelimit.New("stock", cfg, ratelimit.WithClock(v))
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return &rig{Limiter: l, t: t, clock: v}
}

// drain takes everything there is, n calls.
func (r *rig) drain(n int) {
	r.t.Helper()
	equal(r.t, "admitted at once", r.admits(n+1), n)
}

// admits asks n times for one call and returns how many are admitted.
func (r *rig) admits(n int) (admitted int) {
	for range n {
		if r.Allow() == nil {
			admitted++
		}
	}
	return admitted
}

// reserved reserves, which must work.
func (r *rig) reserved(n int, most time.Duration) ratelimit.Reservation {
	r.t.Helper()
	res, err := r.Reserve(n, most)
	if err != nil {
		r.t.Fatalf("Reserve(%d, %v): %v", n, most, err)
	}
	return res
}

// wait reserves one call and checks its wait.
func (r *rig) wait(most, want time.Duration) ratelimit.Reservation {
	r.t.Helper()
	res := r.reserved(1, most)
	equal(r.t, "wait", res.Wait(), want)
	return res
}

// refused returns the rejection that err must be.
func refused(t testing.TB, err error) *ratelimit.Rejection {
	t.Helper()
	r, ok := errors.AsType[*ratelimit.Rejection](err)
	if !ok {
		t.Fatalf("got error %v, want a rejection", err)
	}
	return r
}

// retryAfter checks when a refused caller is told to come back.
func retryAfter(t testing.TB, err error, want time.Duration) {
	t.Helper()
	got, known := switchgear.RetryAfter(err)
	if !known || got != want {
		t.Errorf("RetryAfter of %v: got %v, %v, want %v", err, got, known, want)
	}
}

func equal[T any](t testing.TB, what string, got, want T) {
	if !reflect.DeepEqual(got, want) {
		t.Helper()
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// A ticking clock moves on by a nanosecond whenever it is read.
type ticking struct{ *clock.Virtual }

func (c ticking) Mono() time.Duration {
	c.Advance(1)
	return c.Virtual.Mono()
}

func bucket(rate float64, burst int) ratelimit.Config {
	return ratelimit.Config{Rate: rate, Burst: burst}
}

func window(rate float64, burst int) ratelimit.Config {
	return ratelimit.Config{Kind: ratelimit.SlidingWindow, Rate: rate, Burst: burst}
}

// both runs a test on both kinds.
func both(t *testing.T, name string, cfg ratelimit.Config, f func(t *testing.T, cfg ratelimit.Config)) {
	for _, kind := range []ratelimit.Kind{ratelimit.TokenBucket, ratelimit.SlidingWindow} {
		t.Run(name+"/"+kind.String(), func(t *testing.T) {
			cfg.Kind = kind
			f(t, cfg)
		})
	}
}

func waitOf(r ratelimit.Reservation) time.Duration { return r.Wait() }
