package cache_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/cache"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
)

const off = switchgear.Off

// start is the wall time of the virtual clocks in these tests.
var start = time.Date(2020, time.May, 1, 12, 0, 0, 0, time.UTC)

var (
	errDown     = errors.New("connection refused")
	errNotFound = errors.New("no such item")
)

// refusal is what a policy returns that did not let a call through.
type refusal struct{}

func (refusal) Error() string        { return `breaker "stock" is OPEN` }
func (refusal) Is(target error) bool { return target == switchgear.ErrRejected }

// A rig is a cache in virtual time, and what it told its listener.
type rig struct {
	*cache.Cache[string, int]
	t     testing.TB
	clock *clock.Virtual
	heard []event.Event
}

func (r *rig) OnEvent(e event.Event) { r.heard = append(r.heard, e) }

func newRig(t testing.TB, cfg cache.Config, store cache.Store[string, int], opts ...cache.Option) *rig {
	t.Helper()
	r := &rig{t: t, clock: clock.NewVirtual(start)}
	c, err := cache.New("items", cfg, store, append([]cache.Option{cache.WithClock(r.clock), cache.WithListener(r)}, opts...)...)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	r.Cache = c
	return r
}

// ask makes a call for key that would return v and err, and checks what comes of it.
func (r *rig) ask(key string, v int, err error, want int, meta cache.Meta, wantErr error) {
	r.t.Helper()
	r.askAs(context.Background(), key, v, err, want, meta, wantErr)
}

func (r *rig) askAs(ctx context.Context, key string, v int, err error, want int, meta cache.Meta, wantErr error) {
	r.t.Helper()
	got, m, gotErr := cache.Do(ctx, r.Cache, key, func(context.Context) (int, error) { return v, err })
	equal(r.t, "answer", got, want)
	equal(r.t, "meta", m, meta)
	equal(r.t, "error", gotErr, wantErr)
}

// store makes a call for key that succeeds with v.
func (r *rig) store(key string, v int) {
	r.t.Helper()
	r.ask(key, v, nil, v, cache.Meta{}, nil)
}

// fails makes a call for key that fails and finds nothing in the cache.
func (r *rig) fails(key string, err error) {
	r.t.Helper()
	r.ask(key, -1, err, -1, cache.Meta{Err: err}, err)
}

// stale makes a call for key that fails with err, in whose place v comes, so old.
func (r *rig) stale(key string, err error, v int, age time.Duration) {
	r.t.Helper()
	r.ask(key, -1, err, v, cache.Meta{Cached: true, Stale: true, Age: age, Err: err}, nil)
}

// fresh asks for key and must get v without a call.
func (r *rig) fresh(key string, v int, age time.Duration) {
	r.t.Helper()
	got, m, err := cache.Do(context.Background(), r.Cache, key, func(context.Context) (int, error) {
		r.t.Helper()
		r.t.Error("a call is made although there is a fresh answer")
		return 0, nil
	})
	equal(r.t, "answer", got, v)
	equal(r.t, "meta", m, cache.Meta{Cached: true, Age: age})
	equal(r.t, "error", err, nil)
}

func equal[T any](t testing.TB, what string, got, want T) {
	if !reflect.DeepEqual(got, want) {
		t.Helper()
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// scale bounds the work of a long test under -short.
func scale(n, short int) int {
	if testing.Short() {
		return short
	}
	return n
}
