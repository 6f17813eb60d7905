package timeout_test

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/timeout"
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

// matches checks which of the errors that matter err is.
func matches(t testing.TB, err error, want ...error) {
	t.Helper()
	wanted := map[error]bool{}
	for _, w := range want {
		wanted[w] = true
	}
	for _, target := range []error{
		timeout.ErrTimeout, timeout.ErrRejected, switchgear.ErrRejected, context.DeadlineExceeded, context.Canceled, errDown,
	} {
		if got := errors.Is(err, target); got != wanted[target] {
			t.Errorf("%v matches %v: got %v, want %v", err, target, got, !got)
		}
	}
}

// timedOut checks that err is a timeout and returns it.
func timedOut(t testing.TB, err error) *timeout.Error {
	t.Helper()
	e, ok := errors.AsType[*timeout.Error](err)
	if !ok {
		t.Fatalf("got error %v, want a timeout", err)
	}
	return e
}

// A world is a clock with everything that lives on it. Time passes in it only
// when all goroutines wait, so that what happens at one instant has happened
// before the next.
type world struct {
	clock.Clock
	t       testing.TB
	virtual *clock.Virtual // nil on the machine's clock
	heard   []event.Event
}

// OnEvent implements event.Listener.
func (w *world) OnEvent(e event.Event) { w.heard = append(w.heard, e) }

// worlds runs a test on the machine's clock and on a virtual one.
func worlds(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	t.Run("machine's clock", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { test(t, &world{Clock: clock.Real(), t: t}) })
	})
	t.Run("virtual clock", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			v := clock.NewVirtual(time.Date(2020, time.May, 1, 12, 0, 0, 0, time.UTC))
			test(t, &world{Clock: v, virtual: v, t: t})
			synctest.Wait()
			equal(t, "timers left", v.Pending(), 0)
		})
	})
}

// modes runs a test without and with Abandon. There are no subtests in a bubble.
func modes(t *testing.T, test func(t *testing.T, abandon bool)) {
	t.Helper()
	for _, abandon := range []bool{false, true} {
		failed := t.Failed()
		test(t, abandon)
		if t.Failed() && !failed {
			t.Logf("that was with Abandon = %v", abandon)
		}
	}
}

// new makes a timeout that lives in the world.
func (w *world) new(cfg timeout.Config) *timeout.Timeout {
	w.t.Helper()
	to, err := timeout.New("stock", cfg, timeout.WithClock(w.Clock), timeout.WithListener(w))
	if err != nil {
		w.t.Fatalf("New: %v", err)
	}
	return to
}

// caller returns a context whose deadline is at in so long.
func (w *world) caller(d time.Duration) (context.Context, func()) {
	if w.virtual == nil {
		return context.WithTimeout(context.Background(), d)
	}
	// On another clock only a timeout makes contexts with a deadline.
	h, err := timeout.Must(timeout.New("caller", timeout.Config{Limit: d}, timeout.WithClock(w.Clock))).Context(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	return h.Ctx, h.Release
}

// sleep lets d pass, or less if ctx is done before.
func (w *world) sleep(ctx context.Context, d time.Duration) error {
	up := make(chan struct{})
	timer := w.AfterFunc(d, func() { close(up) })
	defer timer.Stop()
	select {
	case <-up:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run calls f, lets time pass until f has returned, and returns how long it took.
func (w *world) run(f func()) time.Duration {
	w.t.Helper()
	begin := w.Mono()
	if w.virtual == nil {
		f()
		return w.Mono() - begin
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	for {
		synctest.Wait()
		select {
		case <-done:
			return w.Mono() - begin
		default:
		}
		if !w.virtual.Step() {
			w.t.Fatal("all wait for something that no timer brings")
		}
	}
}

// pass lets d pass.
func (w *world) pass(d time.Duration) {
	w.t.Helper()
	w.run(func() { _ = w.sleep(context.Background(), d) })
	synctest.Wait()
}

// settled checks that there are no more goroutines than there were before. One that
// is past its last statement may take a moment to be gone, so the check yields to
// it; it fails only if a goroutine stays.
func settled(t testing.TB, before int) {
	t.Helper()
	for range 1_000_000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("goroutines: %d before, %d after", before, runtime.NumGoroutine())
}
