package breaker_test

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
)

func TestPermits(t *testing.T) {
	settlings := map[string]func(*breaker.Permit){
		"Success": (*breaker.Permit).Success,
		"Failure": func(p *breaker.Permit) { p.Failure(errDown) },
		"Ignore":  (*breaker.Permit).Ignore,
		"Release": (*breaker.Permit).Release,
		"Done":    func(p *breaker.Permit) { p.Done(nil) },
	}

	t.Run("P2: settling the same variable again does nothing", func(t *testing.T) {
		for first, settle := range settlings {
			for _, again := range settlings {
				for _, probe := range []bool{false, true} {
					r := newRig(t, plain())
					p := r.admitted()
					if probe {
						p.Release()
						p = r.probing()
					}
					settle(&p)
					before := r.Snapshot()
					again(&p)
					p.Start()
					equal(t, first+" twice", r.Snapshot(), before)
					equal(t, "a settled permit is no probe", p.Probe(), false)
				}
			}
		}
	})

	t.Run("P2: the zero permit is settled", func(t *testing.T) {
		for _, settle := range settlings {
			var p breaker.Permit
			settle(&p)
			p.Start()
			equal(t, "probe", p.Probe(), false)
		}
	})

	t.Run("P2: defer Release is harmless after the outcome", func(t *testing.T) {
		r := newRig(t, plain())
		func() {
			p := r.admitted()
			defer p.Release()
			p.Success()
		}()
		c := r.Counters()
		equal(t, "successful and released", [2]uint64{c.Successful, c.Released}, [2]uint64{1, 0})
	})

	t.Run("P2: a permit may be moved", func(t *testing.T) {
		r := newRig(t, plain())
		body := struct{ permit breaker.Permit }{r.admitted()}
		body.permit.Success()
		r.window(1, 0)
	})

	t.Run("P2: copies of a probe's permit are caught", func(t *testing.T) {
		for first, settle := range settlings {
			for second, again := range settlings {
				r := newRig(t, with(func(c *breaker.Config) { c.HalfOpen.Probes = 3 }))
				p := r.probing()
				other := r.admitted()
				c := p
				settle(&p)
				before := r.Snapshot()
				again(&c)
				equal(t, first+", and "+second+" by a copy", r.Snapshot(), before)
				other.Release()
			}
		}
	})

	t.Run("P2: a copy settled in a later period is not even late", func(t *testing.T) {
		r := newRig(t, with(func(c *breaker.Config) { c.HalfOpen.Probes = 1 }))
		p := r.probing()
		c := p
		p.Success()
		r.in(breaker.Closed)
		before := r.Snapshot()
		c.Failure(errDown)
		equal(t, "after the copy", r.Snapshot(), before)
	})

	t.Run("P3: forgotten permits of a closed breaker do no harm", func(t *testing.T) {
		r := newRig(t, plain())
		for range 1000 {
			r.admitted()
		}
		r.succeed(10)
		r.window(10, 0)
		r.trip()
	})

	t.Run("P3: forgotten probes do not block the breaker for good", func(t *testing.T) {
		r := newRig(t, plain())
		r.probing()
		r.admitted()
		for range 3 { // settled as failures, opened again, and so on: but always moving
			r.clock.Advance(10 * time.Second)
			r.refused()
			r.in(breaker.Open)
			r.clock.Advance(10 * time.Second)
			r.admitted()
			r.admitted()
		}
	})
}

// A helper is one of the ways to run a function through a breaker.
type helper struct {
	name string
	call func(b *breaker.Breaker, fn func(context.Context) error) error
}

var helpers = []helper{
	{"Breaker.Do", func(b *breaker.Breaker, fn func(context.Context) error) error {
		return b.Do(context.Background(), fn)
	}},
	{"Do", func(b *breaker.Breaker, fn func(context.Context) error) error {
		_, err := breaker.Do(context.Background(), b, func(ctx context.Context) (int, error) { return 1, fn(ctx) })
		return err
	}},
	{"DoJudged", func(b *breaker.Breaker, fn func(context.Context) error) error {
		_, err := breaker.DoJudged(context.Background(), b,
			func(int, error) switchgear.Outcome { return switchgear.Undecided },
			func(ctx context.Context) (int, error) { return 1, fn(ctx) })
		return err
	}},
}

//go:noinline
func dependencyThatPanics(value any) error { panic(value) }

func TestWaysOut(t *testing.T) {
	for _, h := range helpers {
		for _, slow := range []time.Duration{0, time.Second} {
			t.Run(h.name, func(t *testing.T) { waysOut(t, h, slow) })
		}
	}
}

func waysOut(t *testing.T, h helper, slow time.Duration) {
	// Both as an ordinary call and as a probe, whose slot must come back.
	both := func(t *testing.T, test func(*testing.T, *rig)) {
		cfg := with(func(c *breaker.Config) { c.SlowCall.Duration = slow })
		test(t, newRig(t, cfg))
		r := newRig(t, cfg)
		r.trip()
		r.clock.Advance(10 * time.Second)
		test(t, r)
		equal(t, "probes out", r.Snapshot().ProbesOut, 0)
	}
	delta := func(r *rig, do func()) [4]uint64 {
		a := r.Counters()
		do()
		b := r.Counters()
		return [4]uint64{b.Successful - a.Successful, b.Failed - a.Failed, b.Ignored - a.Ignored, b.Released - a.Released}
	}

	t.Run("P4: a return without an error is a success", func(t *testing.T) {
		both(t, func(t *testing.T, r *rig) {
			got := delta(r, func() { equal(t, "error", h.call(r.Breaker, func(context.Context) error { return nil }), nil) })
			equal(t, "counted", got, [4]uint64{1, 0, 0, 0})
		})
	})
	t.Run("P4: an error is returned as it is, and a failure", func(t *testing.T) {
		both(t, func(t *testing.T, r *rig) {
			got := delta(r, func() { equal(t, "error", h.call(r.Breaker, func(context.Context) error { return errDown }), errDown) })
			equal(t, "counted", got, [4]uint64{0, 1, 0, 0})
		})
	})
	t.Run("P4: a panic is a failure and goes on, its stack intact", func(t *testing.T) {
		both(t, func(t *testing.T, r *rig) {
			value := &struct{ name string }{"boom"}
			got := delta(r, func() {
				defer func() {
					stack := string(debug.Stack())
					equal[any](t, "panic", recover(), value)
					if !strings.Contains(stack, "dependencyThatPanics") {
						t.Errorf("the stack does not show where the panic began:\n%s", stack)
					}
				}()
				_ = h.call(r.Breaker, func(context.Context) error { return dependencyThatPanics(value) })
				t.Error("the panic was swallowed")
			})
			equal(t, "counted", got, [4]uint64{0, 1, 0, 0})
		})
	})
	t.Run("P4: a runtime error stays one", func(t *testing.T) {
		both(t, func(t *testing.T, r *rig) {
			defer func() {
				if _, ok := recover().(runtime.Error); !ok {
					t.Error("the panic is no runtime error any more")
				}
			}()
			var none map[string]int
			_ = h.call(r.Breaker, func(context.Context) error { none["x"] = 1; return nil })
		})
	})
	t.Run("P4: panic(nil) is a failure too", func(t *testing.T) {
		both(t, func(t *testing.T, r *rig) {
			got := delta(r, func() {
				defer func() {
					if _, ok := recover().(*runtime.PanicNilError); !ok {
						t.Error("the panic did not come through")
					}
				}()
				_ = h.call(r.Breaker, func(context.Context) error { return dependencyThatPanics(nil) })
			})
			equal(t, "counted", got, [4]uint64{0, 1, 0, 0})
		})
	})
	t.Run("P4: runtime.Goexit releases the permit and ends the goroutine", func(t *testing.T) {
		both(t, func(t *testing.T, r *rig) {
			got := delta(r, func() {
				var group sync.WaitGroup
				group.Go(func() {
					_ = h.call(r.Breaker, func(context.Context) error { runtime.Goexit(); return nil })
					t.Error("the goroutine went on")
				})
				group.Wait()
			})
			equal(t, "counted", got, [4]uint64{0, 0, 0, 1})
		})
	})
	t.Run("P4: the function runs in the calling goroutine, to its end", func(t *testing.T) {
		r := newRig(t, plain())
		ended := false
		_ = h.call(r.Breaker, func(context.Context) error {
			defer func() { ended = true }()
			return nil
		})
		equal(t, "ended", ended, true)
	})
	t.Run("P5: the function runs outside every lock", func(t *testing.T) {
		both(t, func(t *testing.T, r *rig) {
			err := h.call(r.Breaker, func(context.Context) error {
				r.Snapshot()
				r.Counters()
				_, err := r.Acquire(context.Background())
				if err != nil && !errors.Is(err, breaker.ErrRejected) {
					return err
				}
				r.move(breaker.Disabled)
				return h.call(r.Breaker, func(context.Context) error { return nil })
			})
			equal(t, "error", err, nil)
		})
	})
}

// curious is an error whose methods look at the breaker.
type curious struct{ *rig }

func (c curious) Error() string                     { return c.Snapshot().State.String() }
func (c curious) Is(error) bool                     { c.Counters(); return false }
func (c curious) As(any) bool                       { c.Events(); return false }
func (c curious) RetryAfter() (time.Duration, bool) { c.Ready(); return 0, c.Snapshot().Grace }

func TestUserCode(t *testing.T) {
	t.Run("P5: classifiers and the methods of errors run outside every lock", func(t *testing.T) {
		var r *rig
		r = newRig(t, plain(), breaker.WithClassifier(func(error) switchgear.Outcome {
			r.Snapshot()
			p, err := r.Acquire(context.Background())
			if err == nil {
				p.Release()
			}
			return switchgear.Undecided
		}))
		for range 4 {
			_ = r.Do(context.Background(), func(context.Context) error { return curious{r} })
		}
		r.in(breaker.Open)
		equal(t, "the sample was made after the transition", r.Snapshot().LastTrip.Errors[0].Sample, "OPEN")
		r.clock.Advance(10 * time.Second)
		for range 2 {
			p := r.admitted()
			p.Done(curious{r})
		}
		r.in(breaker.Open)
	})
}

func TestClassifierWaysOut(t *testing.T) {
	panicking := func(error) switchgear.Outcome { panic("classifier") }
	exiting := func(error) switchgear.Outcome { runtime.Goexit(); return 0 }
	run := func(do func()) (panicked any) {
		var group sync.WaitGroup
		group.Go(func() {
			defer func() { panicked = recover() }()
			do()
		})
		group.Wait()
		return panicked
	}
	judged := func(classify func(error) switchgear.Outcome) func(r *rig) {
		return func(r *rig) {
			_, _ = breaker.DoJudged(context.Background(), r.Breaker,
				func(_ int, err error) switchgear.Outcome { return classify(err) },
				func(context.Context) (int, error) { return 0, nil })
		}
	}
	for _, c := range []struct {
		name             string
		classify         func(error) switchgear.Outcome
		call             func(*rig)
		panicked         any
		failed, released uint64
	}{
		{"P4: a panic in the classifier, from Do", panicking, func(r *rig) {
			_ = r.Do(context.Background(), func(context.Context) error { return nil })
		}, "classifier", 1, 0},
		{"P4: a panic in the classifier, from Done", panicking, func(r *rig) {
			p := r.admitted()
			p.Done(nil)
		}, "classifier", 1, 0},
		{"P4: a panic in the classifier of one call", nil, judged(panicking), "classifier", 1, 0},
		{"P4: Goexit in the classifier, from Do", exiting, func(r *rig) {
			_ = r.Do(context.Background(), func(context.Context) error { return nil })
		}, nil, 0, 1},
		{"P4: Goexit in the classifier of one call", nil, judged(exiting), nil, 0, 1},
		{"P4: Goexit in the classifier, from Done", exiting, func(r *rig) {
			p := r.admitted()
			p.Done(nil)
		}, nil, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, plain(), breaker.WithClassifier(c.classify))
			equal(t, "panic", run(func() { c.call(r) }), c.panicked)
			n := r.Counters()
			equal(t, "failed and released", [2]uint64{n.Failed, n.Released}, [2]uint64{c.failed, c.released})
		})
	}
}
