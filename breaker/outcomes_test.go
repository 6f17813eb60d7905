package breaker_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
)

// judgement makes one call that ends with err and tells how it was counted.
func judgement(t *testing.T, r *rig, ctx context.Context, err error) switchgear.Outcome {
	t.Helper()
	before := r.Counters()
	if got := r.Do(ctx, func(context.Context) error { return err }); got != err {
		t.Errorf("Do returns %v, want %v as it was", got, err)
	}
	after := r.Counters()
	switch {
	case after.Successful > before.Successful:
		return switchgear.Success
	case after.Failed > before.Failed:
		return switchgear.Failure
	case after.Ignored > before.Ignored:
		return switchgear.Ignored
	}
	return switchgear.Undecided
}

// cancelled returns a context that its owner has cancelled, and expired one whose
// deadline has passed.
func cancelled(cause error) context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	return ctx
}

func expired() context.Context {
	ctx, cancel := context.WithDeadline(context.Background(), start.Add(-time.Second))
	defer cancel()
	return ctx
}

func TestClassification(t *testing.T) {
	background := context.Background()
	errGaveUp := errors.New("user closed the page")
	wrap := func(err error) error { return fmt.Errorf("fetching: %w", err) }
	refusal := func() error { r := newRig(t, plain()); r.trip(); return r.refused() }()

	opinion := func(o switchgear.Outcome) breaker.Option {
		return breaker.WithClassifier(func(error) switchgear.Outcome { return o })
	}
	for _, c := range []struct {
		name     string
		ctx      context.Context
		err      error
		want     switchgear.Outcome
		classify breaker.Option
	}{
		{"C1.1: a success mark beats everything", expired(), switchgear.MarkSuccess(wrap(refusal)), switchgear.Success, opinion(switchgear.Failure)},
		{"C1.1: a failure mark beats a refusal and a cancellation", cancelled(nil), switchgear.MarkFailure(errors.Join(refusal, context.Canceled)), switchgear.Failure, nil},
		{"C1.1: an ignore mark beats a deadline", expired(), switchgear.MarkIgnored(errDown), switchgear.Ignored, opinion(switchgear.Failure)},
		{"C1.1: a mark is found below other errors", background, wrap(wrap(switchgear.MarkIgnored(errDown))), switchgear.Ignored, nil},
		{"C1.1: the outermost mark counts", background, switchgear.MarkSuccess(wrap(switchgear.MarkFailure(errDown))), switchgear.Success, nil},

		{"C1.2: a refusal is ignored", background, wrap(refusal), switchgear.Ignored, opinion(switchgear.Failure)},
		{"C1.2: anything that matches the root sentinel is ignored", background, wrap(switchgear.ErrRejected), switchgear.Ignored, nil},
		{"C1.2: also when its cause is a context error", expired(), errors.Join(switchgear.ErrRejected, context.DeadlineExceeded), switchgear.Ignored, nil},

		{"C1.3: the caller cancelled", cancelled(nil), wrap(context.Canceled), switchgear.Ignored, opinion(switchgear.Failure)},
		{"C1.3: the caller cancelled with a cause, and gets the cause", cancelled(errGaveUp), wrap(errGaveUp), switchgear.Ignored, opinion(switchgear.Failure)},
		{"C1.3: the caller cancelled, but the error is another one", cancelled(nil), errDown, switchgear.Failure, nil},
		{"C1.3: a cancellation that is not the caller's", background, context.Canceled, switchgear.Failure, nil},
		{"C1.3: another's cause is nothing to this caller", cancelled(errDown), wrap(errGaveUp), switchgear.Failure, nil},

		{"C1.4: the caller's deadline has passed", expired(), wrap(context.DeadlineExceeded), switchgear.Failure, opinion(switchgear.Ignored)},
		{"C1.4: whatever the error is", expired(), errDown, switchgear.Failure, opinion(switchgear.Success)},
		{"C1.4: an answer is an answer, however late", expired(), nil, switchgear.Success, nil},

		{"C1.5: the classifier says success", background, errDown, switchgear.Success, opinion(switchgear.Success)},
		{"C1.5: the classifier says failure, without an error", background, nil, switchgear.Failure, opinion(switchgear.Failure)},
		{"C1.5: the classifier says ignored", background, errDown, switchgear.Ignored, opinion(switchgear.Ignored)},
		{"C1.5: the classifier sees a cancellation that C1.3 passes on", cancelled(nil), errDown, switchgear.Ignored, opinion(switchgear.Ignored)},

		{"C1.6: nil is a success", background, nil, switchgear.Success, nil},
		{"C1.6: any other error is a failure", background, errDown, switchgear.Failure, nil},
		{"C1.6: also where the classifier has no opinion", background, errDown, switchgear.Failure, opinion(switchgear.Undecided)},
		{"C1.6: nil where the classifier has no opinion", background, nil, switchgear.Success, opinion(switchgear.Undecided)},
		{"C1.6: an opinion that is none of the outcomes is none", background, errDown, switchgear.Failure, opinion(99)},
		{"C1.6: the dependency's own timeout", background, wrap(context.DeadlineExceeded), switchgear.Failure, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var opts []breaker.Option
			if c.classify != nil {
				opts = append(opts, c.classify)
			}
			r := newRig(t, plain(), opts...)
			equal(t, "outcome by Do", judgement(t, r, c.ctx, c.err), c.want)

			before := r.Counters()
			p, err := r.Acquire(c.ctx)
			if err != nil {
				t.Fatal(err)
			}
			p.Done(c.err)
			after := r.Counters()
			equal(t, "outcome by Done", switchgear.Outcome(0)+
				switchgear.Success*switchgear.Outcome(after.Successful-before.Successful)+
				switchgear.Failure*switchgear.Outcome(after.Failed-before.Failed)+
				switchgear.Ignored*switchgear.Outcome(after.Ignored-before.Ignored), c.want)
		})
	}

	t.Run("C1: no context is no caller's context", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.EnoughTime = time.Second }))
		//lint:ignore SA1012 that is the case to test
		p, err := r.Acquire(nil)
		equal(t, "error", err, nil)
		p.Done(context.Canceled)
		equal(t, "failed", r.Counters().Failed, 1)
	})
}

func TestEnoughTime(t *testing.T) {
	cfg := with(func(c *breaker.Config) { c.EnoughTime = time.Second })
	call := func(t *testing.T, cfg breaker.Config, left time.Duration, err error) switchgear.Outcome {
		r := newRig(t, cfg)
		// Real timers know nothing of virtual time, so the deadline is in the past
		// of the machine and the context has ended; the breaker's clock says by how
		// much it was missed, and how much was left.
		ctx, cancel := context.WithDeadline(context.Background(), start.Add(left))
		defer cancel()
		return judgement(t, r, ctx, err)
	}
	t.Run("C1.4: a deadline missed by a call that had too little time is ignored", func(t *testing.T) {
		equal(t, "outcome", call(t, cfg, time.Second-ns, context.DeadlineExceeded), switchgear.Ignored)
	})
	t.Run("C1.4: with enough time left it is a failure", func(t *testing.T) {
		equal(t, "outcome", call(t, cfg, time.Second, context.DeadlineExceeded), switchgear.Failure)
	})
	t.Run("C1.4: by default any time is enough", func(t *testing.T) {
		equal(t, "outcome", call(t, plain(), ns, context.DeadlineExceeded), switchgear.Failure)
	})
	t.Run("C1.4: a hurried call that gets its answer is a success", func(t *testing.T) {
		equal(t, "outcome", call(t, cfg, ns, nil), switchgear.Success)
	})
	t.Run("C1.4: a caller without a deadline has all the time", func(t *testing.T) {
		equal(t, "outcome", judgement(t, newRig(t, cfg), context.Background(), errDown), switchgear.Failure)
	})
	t.Run("C1.4: a connection may notice the deadline before the context does", func(t *testing.T) {
		r := newRig(t, plain(), breaker.WithClassifier(func(error) switchgear.Outcome { return switchgear.Ignored }))
		ctx := deadlineOnly{Context: context.Background(), deadline: start.Add(time.Second)}
		equal(t, "before the deadline the classifier decides", judgement(t, r, ctx, errDown), switchgear.Ignored)
		r.clock.Advance(time.Second)
		equal(t, "at the deadline it is a failure", judgement(t, r, ctx, errDown), switchgear.Failure)
	})
}

// deadlineOnly is a context whose deadline is past before it says so.
type deadlineOnly struct {
	context.Context
	deadline time.Time
}

func (c deadlineOnly) Deadline() (time.Time, bool) { return c.deadline, true }

func TestClassificationOverHTTP(t *testing.T) {
	t.Run("C1.3: net/http returns the cause of the cancellation", func(t *testing.T) {
		arrived := make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
			close(arrived)
			<-req.Context().Done()
		}))
		defer server.Close()
		r := newRig(t, plain())
		errGaveUp := errors.New("user closed the page")
		ctx, cancel := context.WithCancelCause(context.Background())
		err := r.Do(ctx, func(ctx context.Context) error {
			go func() { <-arrived; cancel(errGaveUp) }()
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
			if err != nil {
				return err
			}
			resp, err := server.Client().Do(req)
			if err != nil {
				return err
			}
			return resp.Body.Close()
		})
		equal(t, "the error is the cause", errors.Is(err, errGaveUp), true)
		equal(t, "ignored", r.Counters().Ignored, 1)
	})
}

func TestJudgedResults(t *testing.T) {
	type answer struct{ status int }
	judge := func(a answer, err error) switchgear.Outcome {
		switch {
		case err == nil && a.status >= 500:
			return switchgear.Failure
		case err == nil && a.status == 0:
			return switchgear.Ignored
		case errors.Is(err, io.EOF):
			return switchgear.Success
		}
		return switchgear.Undecided
	}
	// The breaker's own classifier must not be asked.
	never := breaker.WithClassifier(func(error) switchgear.Outcome { t.Error("the breaker's classifier was asked"); return 0 })
	for _, c := range []struct {
		name string
		ctx  context.Context
		a    answer
		err  error
		want switchgear.Outcome
	}{
		{"C1.5: a classifier of one call sees the result", context.Background(), answer{503}, nil, switchgear.Failure},
		{"C1.5: and may ignore it", context.Background(), answer{}, nil, switchgear.Ignored},
		{"C1.5: and sees the error", context.Background(), answer{}, io.EOF, switchgear.Success},
		{"C1.6: without an opinion nil is a success", context.Background(), answer{200}, nil, switchgear.Success},
		{"C1.6: without an opinion an error is a failure", context.Background(), answer{200}, errDown, switchgear.Failure},
		{"C1.1: marks come first", context.Background(), answer{}, switchgear.MarkFailure(io.EOF), switchgear.Failure},
		{"C1.2: refusals come first", context.Background(), answer{503}, switchgear.ErrRejected, switchgear.Ignored},
		{"C1.3: the caller's cancellation comes first", cancelled(nil), answer{503}, context.Canceled, switchgear.Ignored},
		{"C1.4: a missed deadline comes first", expired(), answer{}, io.EOF, switchgear.Failure},
		{"C1.5: a late answer without an error is judged by its result", expired(), answer{503}, nil, switchgear.Failure},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, plain(), never)
			v, err := breaker.DoJudged(c.ctx, r.Breaker, judge, func(context.Context) (answer, error) { return c.a, c.err })
			equal(t, "result", v, c.a)
			equal(t, "error", err, c.err)
			n := r.Counters()
			equal(t, "successful, failed, ignored", [3]uint64{n.Successful, n.Failed, n.Ignored}, [3]uint64{
				b2u(c.want == switchgear.Success), b2u(c.want == switchgear.Failure), b2u(c.want == switchgear.Ignored),
			})
		})
	}
	t.Run("P1: a refused call returns a zero value and does not run", func(t *testing.T) {
		r := newRig(t, plain())
		r.move(breaker.ForcedOpen)
		v, err := breaker.DoJudged(context.Background(), r.Breaker, judge, func(context.Context) (answer, error) {
			t.Error("the function ran")
			return answer{1}, nil
		})
		equal(t, "result", v, answer{})
		equal(t, "rejected", errors.Is(err, breaker.ErrRejected), true)
	})
	t.Run("P1: so does Do", func(t *testing.T) {
		r := newRig(t, plain())
		r.move(breaker.ForcedOpen)
		v, err := breaker.Do(context.Background(), r.Breaker, func(context.Context) (*answer, error) {
			t.Error("the function ran")
			return &answer{1}, nil
		})
		equal(t, "result", v, nil)
		equal(t, "rejected", errors.Is(err, breaker.ErrRejected), true)
	})
	t.Run("P1: the function gets the caller's context", func(t *testing.T) {
		type key struct{}
		ctx := context.WithValue(context.Background(), key{}, 7)
		v, err := breaker.Do(ctx, newRig(t, plain()).Breaker, func(ctx context.Context) (any, error) { return ctx.Value(key{}), nil })
		equal[any](t, "value", v, 7)
		equal(t, "error", err, nil)
	})
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func TestIgnored(t *testing.T) {
	t.Run("C2: an ignored outcome counts nothing in the window", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.SlowCall.Duration = time.Second }))
		r.succeed(2)
		for range 100 {
			p := r.admitted()
			r.clock.Advance(time.Minute)
			p.Ignore()
			q := r.admitted()
			r.clock.Advance(time.Minute)
			q.Release()
		}
		r.window(2)
		c := r.Counters()
		equal(t, "ignored, released, slow", [3]uint64{c.Ignored, c.Released, c.Slow}, [3]uint64{100, 100, 0})
	})
	t.Run("C2: an ignored outcome does not bring the window to its minimum", func(t *testing.T) {
		r := newRig(t, plain())
		r.fail(3)
		r.ignore(5)
		r.in(breaker.Closed)
		r.fail(1)
		r.in(breaker.Open)
	})
	t.Run("C2: an ignored outcome frees its half-open slot", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.HalfOpen.Probes = 1 }))
		p := r.probing()
		r.refused()
		p.Ignore()
		p = r.admitted()
		p.Release()
		p = r.admitted()
		p.Success()
		r.in(breaker.Closed)
	})
}

func TestSlowCalls(t *testing.T) {
	cfg := with(func(c *breaker.Config) { c.SlowCall = breaker.SlowCallConfig{Duration: time.Second, Rate: off} })

	t.Run("C3: longer than the slow-call duration is slow, exactly that is not", func(t *testing.T) {
		r := newRig(t, cfg)
		r.take(time.Second - ns)
		r.take(time.Second)
		r.window(2, 0, 0)
		r.take(time.Second + ns)
		r.window(3, 0, 1)
	})
	t.Run("C3: a slow failure counts as both", func(t *testing.T) {
		r := newRig(t, cfg)
		p := r.admitted()
		r.clock.Advance(time.Minute)
		p.Failure(errDown)
		r.window(1, 1, 1, 1)
		c := r.Counters()
		equal(t, "successful, failed, slow", [3]uint64{c.Successful, c.Failed, c.Slow}, [3]uint64{0, 1, 1})
	})
	t.Run("C3: the duration runs from Start where that is called", func(t *testing.T) {
		r := newRig(t, cfg)
		p := r.admitted()
		r.clock.Advance(time.Minute) // a queue of our own
		p.Start()
		r.clock.Advance(time.Second)
		p.Success()
		r.window(1, 0, 0)
		p = r.admitted()
		p.Start()
		r.clock.Advance(time.Second + ns)
		p.Success()
		r.window(2, 0, 1)
	})
	t.Run("C3: a probe is timed too", func(t *testing.T) {
		r := newRig(t, cfg)
		p := r.probing()
		r.clock.Advance(2 * time.Second)
		p.Success()
		r.window(1, 0, 1)
	})
	t.Run("C3: without a slow-call duration nothing is slow", func(t *testing.T) {
		r := newRig(t, plain())
		r.take(time.Hour)
		r.window(1, 0, 0)
		equal(t, "slow", r.Counters().Slow, 0)
	})
	t.Run("C3: Do times the function", func(t *testing.T) {
		r := newRig(t, cfg)
		_ = r.Do(context.Background(), func(context.Context) error { r.clock.Advance(2 * time.Second); return errDown })
		r.window(1, 1, 1, 1)
	})
	t.Run("C5: a jump of the wall clock makes no call slow or quick", func(t *testing.T) {
		r := newRig(t, cfg)
		p := r.admitted()
		r.clock.JumpWall(time.Hour)
		r.clock.Advance(time.Second)
		p.Success()
		r.window(1, 0, 0)
		p = r.admitted()
		r.clock.JumpWall(-24 * time.Hour)
		r.clock.Advance(time.Second + ns)
		p.Success()
		r.window(2, 0, 1)
	})
	t.Run("C5: a jump of the wall clock changes neither window nor interval", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.Window = breaker.WindowConfig{Length: time.Minute} }))
		r.fail(3)
		r.clock.JumpWall(24 * time.Hour)
		r.window(3, 3)
		r.fail(1)
		r.in(breaker.Open)
		for _, jump := range []time.Duration{time.Hour, -48 * time.Hour} {
			r.clock.JumpWall(jump)
			r.retryAfter(10 * time.Second)
			equal(t, "ready", r.Ready(), false)
		}
	})
}
