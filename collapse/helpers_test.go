package collapse_test

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"sync"
	"testing"

	"github.com/switchgear-go/switchgear/collapse"
	"github.com/switchgear-go/switchgear/event"
)

var errDown = errors.New("connection refused")

// A rig is a group, and what it told its listener.
type rig struct {
	*collapse.Group[string, int]
	t testing.TB

	mu    sync.Mutex
	heard []event.Event
}

func (r *rig) OnEvent(e event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heard = append(r.heard, e)
}

func (r *rig) warnings() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var reasons []string
	for _, e := range r.heard {
		if e.Kind == event.Warning && e.Source == "collapse" && e.Name == "items" {
			reasons = append(reasons, e.Reason)
		}
	}
	return reasons
}

func newRig(t testing.TB, cfg collapse.Config, opts ...collapse.Option) *rig {
	t.Helper()
	r := &rig{t: t}
	g, err := collapse.New[string, int]("items", cfg, append([]collapse.Option{collapse.WithListener(r)}, opts...)...)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	r.Group = g
	return r
}

// A result is what one caller got.
type result struct {
	v        int
	shared   bool
	err      error
	panicked any
	back     bool // Do has returned or panicked
}

// call calls Do in a goroutine; the result may be read once that is quiet.
func (r *rig) call(ctx context.Context, key string, fn func(context.Context) (int, error)) *result {
	res := &result{}
	go func() {
		defer func() {
			res.panicked = recover()
			res.back = true
		}()
		res.v, res.shared, res.err = r.Do(ctx, key, fn)
	}()
	return res
}

// idle checks that nothing is left over.
func (r *rig) idle() {
	r.t.Helper()
	equal(r.t, "snapshot", r.Snapshot(), collapse.Snapshot{})
}

// unused is the function of a caller that is expected to join.
func unused(t testing.TB) func(context.Context) (int, error) {
	return func(context.Context) (int, error) {
		t.Error("a second execution is started")
		return 0, nil
	}
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

// scale bounds the work of a long test under -short.
func scale(n, short int) int {
	if testing.Short() {
		return short
	}
	return n
}
