package breaker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/event"
)

func TestEvents(t *testing.T) {
	t.Run("W3: warnings are the first events", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.MinimumCalls = 11 }))
		r.move(breaker.Disabled)
		equal(t, "events", len(r.heard), 2)
		e := r.heard[0]
		equal(t, "kind", e.Kind, event.Warning)
		equal(t, "reason", e.Reason, r.Warnings()[0].String())
		equal(t, "seq, period", [2]uint64{e.Seq, e.Period}, [2]uint64{1, 1})
		equal(t, "time", e.Time, start)
	})
	t.Run("S7: an event tells how long the period was and how many calls it refused", func(t *testing.T) {
		r := newRig(t, plain())
		r.clock.Advance(3 * time.Second)
		r.trip()
		_, change := r.last()
		equal(t, "closed lasted", change.Lasted, 3*time.Second)
		for range 5 {
			r.refused()
		}
		r.clock.Advance(time.Minute)
		r.succeed(1)
		e, change := r.last()
		equal(t, "to", e.To, "HALF_OPEN")
		equal(t, "open lasted", change.Lasted, time.Minute)
		equal(t, "open in all", r.Snapshot().OpenTime, time.Minute)
		equal(t, "refused", change.Refused, 5)
		equal(t, "no trip", change.Trip, nil)
		equal(t, "version of the configuration", change.ConfigVersion, 1)
		cfg := r.Config()
		cfg.MinimumCalls--
		if err := r.Reconfigure(cfg); err != nil {
			t.Fatal(err)
		}
		r.succeed(1)
		_, change = r.last()
		equal(t, "refused in half-open", change.Refused, 0)
		equal(t, "version of the next one", change.ConfigVersion, 2)
		equal(t, "time of the event", r.heard[1].Time, start.Add(63*time.Second))
	})
	t.Run("S7: a panic in a listener is recovered and counted, and hurts nobody", func(t *testing.T) {
		r := newRig(t, plain(), breaker.WithListener(event.Func(func(event.Event) { panic("listener") })))
		r.trip()
		r.clock.Advance(10 * time.Second)
		r.succeed(2)
		r.path(breaker.Open, breaker.HalfOpen, breaker.Closed)
		equal(t, "panics", r.Snapshot().ListenerPanics, 3)
		r.succeed(1)
	})
	t.Run("S7: a listener may change the breaker; the event comes after its own", func(t *testing.T) {
		var b *breaker.Breaker
		var heard []string
		b = breaker.Must(breaker.New("stock", plain(), breaker.WithListener(event.Func(func(e event.Event) {
			heard = append(heard, "begin "+e.To)
			if e.To == "OPEN" {
				if err := b.Move(breaker.Move{To: breaker.MetricsOnly, Reason: "we know better"}); err != nil {
					t.Error(err)
				}
			}
			heard = append(heard, "end "+e.To)
		}))))
		for range 4 {
			_ = b.Do(context.Background(), func(context.Context) error { return errDown })
		}
		equal(t, "heard", heard, []string{"begin OPEN", "end OPEN", "begin METRICS_ONLY", "end METRICS_ONLY"})
		equal(t, "state", b.State(), breaker.MetricsOnly)
	})
	t.Run("S7: an event is delivered before the call that made it goes on", func(t *testing.T) {
		r := newRig(t, plain())
		r.fail(3)
		equal(t, "events before", len(r.heard), 0)
		r.fail(1)
		equal(t, "events after", len(r.heard), 1)
	})
	t.Run("S7: several listeners get every event", func(t *testing.T) {
		n := 0
		r := newRig(t, plain(), breaker.WithListener(event.Func(func(event.Event) { n++ })), breaker.WithListener(nil))
		r.trip()
		equal(t, "heard by both", [2]int{len(r.heard), n}, [2]int{1, 1})
	})
	t.Run("S7: the ring holds as many as asked for", func(t *testing.T) {
		for n, want := range map[int]int{-1: 0, 0: 0, 1: 1, 3: 3, 100: 50} {
			r := newRig(t, plain(), breaker.WithRecent(n))
			for range 50 {
				r.move(breaker.Closed)
			}
			events := r.Events()
			equal(t, "remembered", len(events), want)
			if want > 0 {
				equal(t, "newest", events[want-1].Seq, 50)
			}
		}
		r := newRig(t, plain())
		for range 50 {
			r.move(breaker.Closed)
		}
		equal(t, "by default", len(r.Events()), 32)
	})
	t.Run("S7: what a blocked listener loses is counted", func(t *testing.T) {
		var r *rig
		heard := 0
		r = newRig(t, plain(), breaker.WithListener(event.Func(func(event.Event) {
			if heard++; heard == 1 {
				for range event.MaxWaiting + 100 {
					r.move(breaker.Closed) // nothing can be delivered before this returns
				}
			}
		})))
		r.move(breaker.Closed)
		equal(t, "dropped", r.Snapshot().EventsDropped, 100)
		equal(t, "heard by both", [2]int{heard, len(r.heard)}, [2]int{1 + event.MaxWaiting, 1 + event.MaxWaiting})
	})
	t.Run("S7: timers deliver their events too", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.Open.Automatic = true }))
		r.trip()
		r.clock.Advance(10 * time.Second)
		r.path(breaker.Open, breaker.HalfOpen)
	})
	t.Run("S7: events read well", func(t *testing.T) {
		r := newRig(t, plain())
		r.succeed(1)
		r.fail(3)
		equal(t, "as a line", r.heard[0].String(),
			`2020-05-01T12:00:00.000Z breaker "stock" #1 transition CLOSED -> OPEN (`+
				`"3 of 4 calls failed (75 % ≥ 50 %), mostly error: connection refused; next probe in 10s")`)
		r.clock.Advance(10 * time.Second)
		r.succeed(2)
		for _, e := range r.heard {
			if strings.Contains(e.String(), `("")`) {
				t.Errorf("nothing in brackets: %v", e)
			}
			if _, err := json.Marshal(e); err != nil {
				t.Errorf("%v: %v", e, err)
			}
		}
	})
}

type codeError struct{ code int }

func (e codeError) Error() string { return "no stock" }
func (e codeError) Code() int     { return e.code }

type badError struct{ where string }

func (e badError) Error() string {
	if e.where == "Error" {
		panic("in Error")
	}
	return "bad"
}

func TestTripErrors(t *testing.T) {
	groups := func(t *testing.T, opts []breaker.Option, errs ...error) []breaker.ErrorGroup {
		t.Helper()
		cfg := with(func(c *breaker.Config) { c.FailureRate, c.ConsecutiveFailures = off, len(errs) })
		r := newRig(t, cfg, opts...)
		for _, err := range errs {
			p := r.admitted()
			p.Failure(err)
		}
		r.in(breaker.Open)
		_, change := r.last()
		equal(t, "the listener and the snapshot see the same", change.Trip.Errors, r.Snapshot().LastTrip.Errors)
		equal(t, "the ring and the listener see the same", r.Events(), r.heard)
		return change.Trip.Errors
	}
	many := func(n int, err error) (errs []error) {
		for range n {
			errs = append(errs, err)
		}
		return errs
	}

	t.Run("T5: errors are grouped by kind, with counts and the newest as sample", func(t *testing.T) {
		dial := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("refused")}
		got := groups(t, nil, statusError(503), dial, statusError(503), codeError{14}, statusError(500), dial, dial)
		equal(t, "groups", got, []breaker.ErrorGroup{
			{Kind: "*net.OpError", Count: 3, Sample: dial.Error()},
			{Kind: "status 503", Count: 2, Sample: "answered 503"},
			{Kind: "status 500", Count: 1, Sample: "answered 500"},
			{Kind: "code 14", Count: 1, Sample: "no stock"},
		})
	})
	t.Run("T5: at most the last eight are held", func(t *testing.T) {
		got := groups(t, nil, append(many(20, statusError(500)), many(3, statusError(503))...)...)
		equal(t, "counts", [2]int{got[0].Count, got[1].Count}, [2]int{5, 3})
	})
	t.Run("T5: a failure without an error is none", func(t *testing.T) {
		equal(t, "groups", groups(t, nil, nil, nil, nil), nil)
	})
	t.Run("T5: the kind can be refined", func(t *testing.T) {
		kind := breaker.WithErrorKind(func(err error) string {
			if s, ok := errors.AsType[statusError](err); ok {
				return fmt.Sprintf("%dxx", int(s)/100)
			}
			return breaker.ErrorKind(err)
		})
		got := groups(t, []breaker.Option{kind}, statusError(500), statusError(503), errDown)
		equal(t, "groups", got, []breaker.ErrorGroup{
			{Kind: "5xx", Count: 2, Sample: "answered 503"}, {Kind: "error", Count: 1, Sample: "connection refused"},
		})
	})
	t.Run("T5: panics in the user's texts do not take the record away", func(t *testing.T) {
		kind := breaker.WithErrorKind(func(err error) string {
			if b, ok := err.(badError); ok && b.where == "kind" {
				panic("in kind")
			}
			return breaker.ErrorKind(err)
		})
		got := groups(t, []breaker.Option{kind}, badError{"Error"}, badError{"kind"}, errDown)
		equal(t, "groups", got, []breaker.ErrorGroup{
			{Kind: "error", Count: 1, Sample: "connection refused"},
			{Kind: "panic while describing the error", Count: 1, Sample: "bad"},
			{Kind: "breaker_test.badError", Count: 1, Sample: "panic while describing the error"},
		})
	})
	t.Run("T5: Goexit in the user's texts does not hold events back", func(t *testing.T) {
		r := newRig(t, plain(), breaker.WithErrorKind(func(error) string { runtime.Goexit(); return "" }))
		var group sync.WaitGroup
		group.Go(r.trip)
		group.Wait()
		r.path(breaker.Open)
		r.move(breaker.Closed)
		r.path(breaker.Open, breaker.Closed)
	})
	t.Run("T5: samples are short, and whole text", func(t *testing.T) {
		got := groups(t, nil, errors.New("-"+strings.Repeat("äöü", 1000)))
		sample := got[0].Sample
		if len(sample) > 256 || len(sample) < 200 {
			t.Errorf("a sample of %d bytes", len(sample))
		}
		equal(t, "valid", utf8.ValidString(sample), true)
	})
	t.Run("T5: the user's texts are made outside the lock", func(t *testing.T) {
		var b *breaker.Breaker
		b = breaker.Must(breaker.New("stock", plain(), breaker.WithErrorKind(func(error) string {
			return fmt.Sprint(b.Snapshot().State, b.Counters().Failed)
		})))
		for range 4 {
			p, _ := b.Acquire(context.Background())
			p.Failure(errDown)
		}
		equal(t, "kind", b.Snapshot().LastTrip.Errors[0].Kind, "OPEN 4")
	})
	t.Run("T5: a panic is described at once, not when its value may have changed", func(t *testing.T) {
		r := newRig(t, plain())
		value := &struct{ n int }{1}
		for range 4 {
			func() {
				defer func() { _ = recover() }()
				_ = r.Do(context.Background(), func(context.Context) error { panic(value) })
			}()
			value.n++
		}
		equal(t, "sample", r.Snapshot().LastTrip.Errors[0].Sample, "&{4}")
	})
	t.Run("T5: panics are errors of a kind of their own", func(t *testing.T) {
		r := newRig(t, plain())
		for range 4 {
			func() {
				defer func() { _ = recover() }()
				_ = r.Do(context.Background(), func(context.Context) error { panic("boom") })
			}()
		}
		equal(t, "groups", r.Snapshot().LastTrip.Errors, []breaker.ErrorGroup{
			{Kind: "panic", Count: 4, Sample: "boom"},
		})
	})
	t.Run("T5: held errors are dropped on entering CLOSED", func(t *testing.T) {
		r := newRig(t, plain())
		collected := make(chan struct{})
		func() {
			err := &bigError{data: make([]byte, 1<<20)}
			runtime.AddCleanup(err, func(c chan struct{}) { close(c) }, collected)
			p := r.admitted()
			p.Failure(err)
		}()
		r.move(breaker.Closed)
		for range 100 {
			runtime.GC()
			select {
			case <-collected:
				return
			default:
				runtime.Gosched()
			}
		}
		t.Error("the error is still held")
		runtime.KeepAlive(r)
	})
	t.Run("T5: a trip record of the probes has the probes' errors only", func(t *testing.T) {
		r := newRig(t, plain())
		p := r.probing()
		p.Failure(statusError(503))
		q := r.admitted()
		q.Failure(statusError(503))
		equal(t, "groups", r.Snapshot().LastTrip.Errors, []breaker.ErrorGroup{{Kind: "status 503", Count: 2, Sample: "answered 503"}})
	})
}

type bigError struct{ data []byte }

func (e *bigError) Error() string { return "big" }

func TestErrorKind(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	for _, c := range []struct {
		err  error
		want string
	}{
		{errDown, "error"},
		{fmt.Errorf("fetching: %w", errDown), "error"},
		{statusError(503), "status 503"},
		{fmt.Errorf("fetching: %w", statusError(503)), "status 503"},
		{codeError{7}, "code 7"},
		{&net.OpError{Op: "dial", Err: errDown}, "*net.OpError"},
		{fmt.Errorf("fetching: %w", &net.OpError{Op: "dial", Err: errDown}), "*net.OpError"},
		{refused, "syscall.Errno"},
		{context.DeadlineExceeded, "context.deadlineExceededError"},
		{switchgear.MarkFailure(statusError(404)), "status 404"},
		{switchgear.MarkFailure(badError{}), "breaker_test.badError"},
		{switchgear.WithRetryAfter(badError{}, time.Second), "breaker_test.badError"},
		{errors.Join(badError{}, errDown), "error"},
	} {
		if got := breaker.ErrorKind(c.err); got != c.want {
			t.Errorf("%v: got %s, want %s", c.err, got, c.want)
		}
	}
}

// New never panics: whoever gives nothing for a part of the wiring gets the default.
func TestWiring(t *testing.T) {
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("New or a call panics: %v", p)
		}
	}()
	b, err := breaker.New("stock", breaker.Config{MinimumCalls: 1},
		breaker.WithClock(nil), breaker.WithRandom(nil), breaker.WithClassifier(nil),
		breaker.WithErrorKind(nil), breaker.WithListener(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := b.Acquire(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	p.Done(errDown)
	equal(t, "state", b.State(), breaker.Open)
	equal(t, "kind", b.Snapshot().LastTrip.Errors[0].Kind, "error")
}
