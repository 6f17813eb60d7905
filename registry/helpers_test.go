package registry_test

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/registry"
)

const off = switchgear.Off

var (
	start   = time.Date(2020, time.May, 1, 12, 0, 0, 0, time.UTC)
	errDown = errors.New("connection refused")

	// doubtful is worth a warning, which New emits.
	doubtful = breaker.Config{MinimumCalls: 10, Window: breaker.WindowConfig{Calls: 5}}
)

// tripping opens after so many failures, for ten seconds.
func tripping(failures int) breaker.Config {
	return breaker.Config{
		Window: breaker.WindowConfig{Calls: max(failures, 10)}, MinimumCalls: 1, FailureRate: off, FailureCount: failures,
		Open: breaker.OpenConfig{Wait: 10 * time.Second, Jitter: off}, HalfOpen: breaker.HalfOpenConfig{Probes: 1},
	}
}

func equal[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func matches(t testing.TB, what string, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("%s: got error %v, want one that matches %v", what, err, target)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func newRegistry(t testing.TB, cfg registry.Config, opts ...registry.Option) *registry.Registry {
	t.Helper()
	r, err := registry.New(cfg, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A rig is a registry in virtual time.
type rig struct {
	*registry.Registry
	t     testing.TB
	clock *clock.Virtual
}

func newRig(t testing.TB, cfg registry.Config, opts ...registry.Option) *rig {
	t.Helper()
	c := clock.NewVirtual(start)
	return &rig{newRegistry(t, cfg, append([]registry.Option{registry.WithClock(c)}, opts...)...), t, c}
}

// breaker returns the breaker of that name with the default configuration.
func (r *rig) breaker(name string) *breaker.Breaker {
	r.t.Helper()
	b, err := r.Breaker(name, breaker.Config{})
	if err != nil {
		r.t.Fatal(err)
	}
	return b
}

// has checks the names of all entries.
func (r *rig) has(want ...string) {
	r.t.Helper()
	equal(r.t, "names", names(r), want)
}

func names(s registry.Source) (names []string) {
	for e := range s.Entries() {
		names = append(names, e.Name)
	}
	return names
}

func fail(b *breaker.Breaker, n int) {
	for range n {
		_ = b.Do(context.Background(), func(context.Context) error { return errDown })
	}
}

func succeed(b *breaker.Breaker, n int) {
	for range n {
		_ = b.Do(context.Background(), func(context.Context) error { return nil })
	}
}

func move(t testing.TB, b *breaker.Breaker, to breaker.State) {
	t.Helper()
	if err := b.Move(breaker.Move{To: to, Author: "ana", Reason: "test"}); err != nil {
		t.Fatal(err)
	}
}

// rounds is shortened by -short.
func rounds(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// together runs f(0) … f(n-1) on n goroutines that start as one, and waits.
func together(n int, f func(worker int)) {
	var all sync.WaitGroup
	begin := make(chan struct{})
	for w := range n {
		all.Go(func() {
			<-begin
			f(w)
		})
	}
	close(begin)
	all.Wait()
}

// noLeak checks at the end of the test that there are no more goroutines than now. One
// that is past its last statement may take a moment to be gone.
func noLeak(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for begun := time.Now(); runtime.NumGoroutine() > before; runtime.Gosched() {
			if time.Since(begun) > 10*time.Second {
				t.Errorf("goroutines: %d before the test, %d after", before, runtime.NumGoroutine())
				return
			}
		}
	})
}

// A recorder is a listener, and an observer, that keeps what it is told.
type recorder struct {
	mu   sync.Mutex
	told []string
}

func (r *recorder) OnEvent(e event.Event) { r.add(e.Name + " " + string(e.Kind) + " " + e.To) }

func (r *recorder) add(s string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = append(r.told, s)
}

func (r *recorder) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.told...)
}

func (r *recorder) observer() registry.Observer {
	return registry.Observer{
		Added:   func(e registry.Entry) { r.add("+" + e.Name) },
		Removed: func(e registry.Entry) { r.add("-" + e.Name) },
	}
}

// apart runs f on a goroutine of its own, which f may end, and waits for it.
func apart(f func()) {
	var done sync.WaitGroup
	done.Go(f)
	done.Wait()
}

// A ticking clock goes on by one with each look.
type ticking struct {
	clock.Clock
	now atomic.Int64
}

func (c *ticking) Now() time.Time      { return start }
func (c *ticking) Mono() time.Duration { return time.Duration(c.now.Add(1)) }
func (c *ticking) AfterFunc(time.Duration, func()) clock.Timer {
	panic("nobody wants a timer here")
}
