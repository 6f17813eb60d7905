package adaptive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/event"
)

func TestAdmission(t *testing.T) {
	t.Run("as many as the limit, and no more", func(t *testing.T) {
		r := newRig(t, Config{Initial: 3})
		permits := r.take(3, Critical)
		equal(t, "running", r.Running(), 3)
		rejection := r.refused(Critical)
		equal(t, "facts", *rejection, Rejection{Name: "stock", Limit: 3, Running: 3, Priority: Critical, Share: 100})
		permits[1].Ignore()
		r.take(1, Critical)
		r.refused(Critical)
	})
	t.Run("a limit that falls below what is running lets no more in until enough have ended", func(t *testing.T) {
		r := newRig(t, Config{Algorithm: ByAIMD, Initial: 10, Window: single, AIMD: AIMDConfig{Backoff: 0.5}})
		permits := r.take(10, Critical)
		permits[0].Dropped()
		equal(t, "limit", r.Limit(), 5)
		equal(t, "running", r.Running(), 9)
		equal(t, "refusal", r.refused(Critical).Running, 9)
		for i := 1; i <= 4; i++ {
			permits[i].Ignore()
			r.refused(Critical)
		}
		permits[5].Ignore()
		r.take(1, Critical)
		r.refused(Critical)
	})
	t.Run("the context's priority counts", func(t *testing.T) {
		r := newRig(t, Config{Initial: 10})
		ctx := WithPriority(context.Background(), Background)
		for range 6 {
			if _, err := r.Acquire(ctx); err != nil {
				t.Fatal(err)
			}
		}
		_, err := r.Acquire(ctx)
		equal(t, "refused", errors.Is(err, ErrRejected), true)
		_, err = r.Acquire(context.Background())
		equal(t, "a call without a priority", err, nil)
		_, err = r.Acquire(WithPriority(ctx, Normal))
		equal(t, "the innermost counts", err, nil)
	})
	t.Run("a context that has ended makes no difference", func(t *testing.T) {
		r := newRig(t, Config{Initial: 10})
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err := r.Acquire(ctx)
		equal(t, "error", err, nil)
	})
}

func TestPriorities(t *testing.T) {
	t.Run("the least important are shed first", func(t *testing.T) {
		r := newRig(t, Config{Initial: 20})
		r.take(12, Background)
		r.refused(Background)
		r.take(6, Normal)
		r.refused(Normal)
		r.take(2, Critical)
		r.refused(Critical)
		equal(t, "rejected", r.Counters().RejectedBy, []uint64{1, 1, 1})
	})
	t.Run("what the unimportant leave free is there for the others, not the other way round", func(t *testing.T) {
		r := newRig(t, Config{Initial: 20})
		r.take(20, Critical)
		r.refused(Background)
		r.refused(Normal)
	})
	t.Run("every level may use an idle limiter, however low the limit", func(t *testing.T) {
		r := newRig(t, Config{Initial: 1, Shares: []switchgear.Percent{100, 1}})
		for _, p := range []Priority{Critical, Normal, Background, 255} {
			permit := r.take(1, p)[0]
			r.refused(p)
			permit.Release()
		}
	})
	t.Run("running below a share that is not whole", func(t *testing.T) {
		// 33.33 % of 10 is 3.333: with 3 running there is still room.
		r := newRig(t, Config{Initial: 10, Shares: []switchgear.Percent{100, 33.33}})
		r.take(4, Normal)
		r.refused(Normal)
	})
	t.Run("a priority below the last level counts as the last level", func(t *testing.T) {
		r := newRig(t, Config{Initial: 10, Shares: []switchgear.Percent{100, 50}})
		r.take(5, 200)
		equal(t, "level", r.refused(200).Priority, Normal)
	})
	t.Run("one level only", func(t *testing.T) {
		r := newRig(t, Config{Initial: 10, Shares: []switchgear.Percent{100}})
		r.take(10, Background)
		equal(t, "level", r.refused(Background).Priority, Critical)
	})
	t.Run("texts", func(t *testing.T) {
		for text, want := range map[string]Priority{"critical": Critical, "normal": Normal, "background": Background, "3": 3, "255": 255, "0": 0} {
			var p Priority
			equal(t, "unmarshal "+text, p.UnmarshalText([]byte(text)), nil)
			equal(t, text, p, want)
			again, err := p.MarshalText()
			equal(t, "marshal", err, nil)
			equal(t, "there and back", p.UnmarshalText(again), nil)
			equal(t, "there and back", p, want)
		}
		for _, text := range []string{"", "256", "-1", "urgent", "Normal"} {
			var p Priority
			if err := p.UnmarshalText([]byte(text)); err == nil {
				t.Errorf("%q is taken for a priority", text)
			}
		}
	})
	t.Run("of a context", func(t *testing.T) {
		ctx := context.Background()
		equal(t, "none", PriorityOf(ctx), Critical)
		type key struct{}
		ctx = context.WithValue(WithPriority(ctx, Background), key{}, 1)
		equal(t, "below a value", PriorityOf(ctx), Background)
		equal(t, "other values", WithPriority(ctx, 7).Value(key{}), any(1))
	})
}

func TestRejection(t *testing.T) {
	r := newRig(t, Config{Initial: 10})
	r.take(6, Critical)
	shed := r.refused(Background)
	r.take(4, Critical)
	full := r.refused(Critical)

	equal(t, "text", full.Error(), `adaptive limit "stock" is reached: 10 of 10 calls running`)
	equal(t, "text", shed.Error(), `adaptive limit "stock" sheds background calls: 6 of 10 calls running, and only 60 % are theirs`)
	for _, sentinel := range []error{ErrRejected, switchgear.ErrRejected} {
		equal(t, fmt.Sprint("matches ", sentinel), errors.Is(fmt.Errorf("wrapped: %w", full), sentinel), true)
	}
	equal(t, "matches another", errors.Is(full, errDown), false)
	wait, known := switchgear.RetryAfter(full)
	equal(t, "known", known, false)
	equal(t, "wait", wait, 0)
	if r.refused(Critical) != full {
		t.Error("a second refusal with the same facts is made anew")
	}
	r = newRig(t, Config{Algorithm: ByAIMD, Initial: 10, Window: single, AIMD: AIMDConfig{Backoff: 0.5}})
	permits := r.take(10, Critical)
	permits[0].Dropped()
	equal(t, "running at a refusal", r.refused(Critical).Running, 9)
	permits[1].Ignore()
	equal(t, "running at the next", r.refused(Critical).Running, 8)
	equal(t, "facts of another", r.refused(Normal).Priority, Normal)
}

func TestOutcomes(t *testing.T) {
	cfg := Config{Algorithm: ByAIMD, Initial: 10, Window: single}
	for _, c := range []struct {
		outcome switchgear.Outcome
		limit   int
		want    Counters
	}{
		{switchgear.Success, 11, Counters{Admitted: 10, Succeeded: 1, Released: 9, Steps: 1, Raised: 1}},
		{switchgear.Failure, 9, Counters{Admitted: 10, Dropped: 1, Released: 9, Steps: 1, Lowered: 1}},
		{switchgear.Ignored, 10, Counters{Admitted: 10, Ignored: 1, Released: 9}},
		{switchgear.Undecided, 10, Counters{Admitted: 10, Released: 10}},
		{switchgear.Outcome(9), 10, Counters{Admitted: 10, Released: 10}},
	} {
		t.Run(c.outcome.String(), func(t *testing.T) {
			r := newRig(t, cfg)
			permits := r.take(10, Critical)
			r.clock.Advance(ms)
			permits[9].Done(c.outcome)
			for i := range permits {
				permits[i].Release()
			}
			equal(t, "limit", r.Limit(), c.limit)
			equal(t, "running", r.Running(), 0)
			c.want.RejectedBy = []uint64{0, 0, 0}
			equal(t, "counters", r.Counters(), c.want)
		})
	}
	t.Run("a limit that is not in use is left alone", func(t *testing.T) {
		for a := ByGradient; a <= ByAIMD; a++ {
			r := newRig(t, Config{Algorithm: a, Initial: 10, Window: single})
			for range 100 {
				permits := r.take(4, Critical)
				r.clock.Advance(ms)
				for i := range permits {
					permits[i].Success()
				}
			}
			equal(t, fmt.Sprint(a, ": four of ten in use"), r.Limit(), 10)
			for range 20 {
				permits := r.take(6, Critical)
				r.clock.Advance(ms)
				permits[5].Success()
				for i := range permits {
					permits[i].Ignore()
				}
				if r.Limit() > 10 {
					break
				}
			}
			within(t, fmt.Sprint(a, ": six of ten in use"), r.Limit(), 11, 16)
		}
	})
	t.Run("background calls alone can raise the limit", func(t *testing.T) {
		for a := ByGradient; a <= ByAIMD; a++ {
			r := newRig(t, Config{Algorithm: a, Window: single})
			for r.Limit() < 100 {
				permits := r.take((r.Limit()*6+9)/10, Background)
				r.refused(Background)
				r.clock.Advance(ms)
				for i := range permits {
					permits[len(permits)-1-i].Success()
				}
			}
		}
	})
	t.Run("a call that takes no time is a sample as well", func(t *testing.T) {
		for a := ByGradient; a <= ByAIMD; a++ {
			r := newRig(t, Config{Algorithm: a, Window: single})
			for range 50 {
				r.flight(0, switchgear.Success)
			}
			equal(t, fmt.Sprint(a, ": limit"), r.Limit(), 200)
		}
	})
}

func TestPermits(t *testing.T) {
	t.Run("K39: a second settling does nothing", func(t *testing.T) {
		r := newRig(t, Config{Initial: 2, Window: single})
		p := r.take(1, Critical)[0]
		p.Ignore()
		p.Success()
		p.Dropped()
		p.Done(switchgear.Failure)
		p.Release()
		equal(t, "ends", r.Counters().Ignored, 1)
		equal(t, "steps", r.Counters().Steps, 0)
		r.take(2, Critical)
		r.refused(Critical)
	})
	t.Run("K39: the zero permit is settled", func(t *testing.T) {
		var p Permit
		p.Success()
		p.Release()
	})
	t.Run("K39: a permit settled through two copies never lends a place for good", func(t *testing.T) {
		r := newRig(t, Config{Initial: 2})
		p := r.take(1, Critical)[0]
		again := p
		p.Ignore()
		again.Ignore()
		equal(t, "running", r.Running(), 0)
		r.take(2, Critical)
		r.refused(Critical)
	})
	t.Run("K39: a refusal hands out nothing to give back", func(t *testing.T) {
		r := newRig(t, Config{Initial: 1})
		r.take(1, Critical)
		p, err := r.TryAcquire(Critical)
		equal(t, "refused", errors.Is(err, ErrRejected), true)
		p.Release()
		equal(t, "running", r.Running(), 1)
	})
}

func TestDo(t *testing.T) {
	ctx := context.Background()
	t.Run("results pass through", func(t *testing.T) {
		r := newRig(t, Config{})
		v, err := Do(ctx, r.Limiter, func(context.Context) (int, error) { return 7, errDown })
		equal(t, "value", v, 7)
		equal(t, "error", err, errDown)
	})
	t.Run("a refused call is not run", func(t *testing.T) {
		r := newRig(t, Config{Initial: 1})
		r.take(1, Critical)
		v, err := Do(ctx, r.Limiter, func(context.Context) (int, error) { t.Error("run"); return 7, nil })
		equal(t, "value", v, 0)
		equal(t, "refused", errors.Is(err, switchgear.ErrRejected), true)
	})
	t.Run("errors are judged once, by the common rules", func(t *testing.T) {
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		for _, c := range []struct {
			name string
			ctx  context.Context
			err  error
			want Counters
		}{
			{"success", ctx, nil, Counters{Succeeded: 1}},
			{"failure", ctx, errDown, Counters{Dropped: 1}},
			{"deadline", ctx, context.DeadlineExceeded, Counters{Dropped: 1}},
			{"C1.1: marked", ctx, switchgear.MarkSuccess(errDown), Counters{Succeeded: 1}},
			{"C1.2: a refusal by another policy", ctx, fmt.Errorf("inner: %w", switchgear.ErrRejected), Counters{Ignored: 1}},
			{"C1.3: the caller gave up", cancelled, context.Canceled, Counters{Ignored: 1}},
		} {
			t.Run(c.name, func(t *testing.T) {
				r := newRig(t, Config{})
				err := r.Do(c.ctx, func(context.Context) error { return c.err })
				equal(t, "error", err, c.err)
				c.want.Admitted, c.want.RejectedBy = 1, []uint64{0, 0, 0}
				equal(t, "counters", r.Counters(), c.want)
			})
		}
	})
	t.Run("a classifier decides what the rules leave open", func(t *testing.T) {
		asked := 0
		r := newRig(t, Config{}, WithClassifier(func(error) switchgear.Judgement {
			asked++
			return switchgear.Judgement{Health: switchgear.Ignored}
		}))
		do(r.Limiter, nil)
		do(r.Limiter, errDown)
		equal(t, "asked", asked, 1)
		equal(t, "ignored", r.Counters().Ignored, 1)
	})
	t.Run("a panic releases the permit and goes on", func(t *testing.T) {
		r := newRig(t, Config{})
		func() {
			defer func() { equal(t, "panic", recover(), any("boom")) }()
			_ = r.Do(ctx, func(context.Context) error { panic("boom") })
		}()
		equal(t, "running", r.Running(), 0)
		equal(t, "released", r.Counters().Released, 1)
	})
	t.Run("so does one in the classifier", func(t *testing.T) {
		r := newRig(t, Config{}, WithClassifier(func(error) switchgear.Judgement { panic("boom") }))
		func() {
			defer func() { equal(t, "panic", recover(), any("boom")) }()
			do(r.Limiter, errDown)
		}()
		equal(t, "running", r.Running(), 0)
	})
	t.Run("runtime.Goexit releases the permit", func(t *testing.T) {
		r := newRig(t, Config{})
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = r.Do(ctx, func(context.Context) error { runtime.Goexit(); return nil })
		}()
		<-done
		equal(t, "running", r.Running(), 0)
		equal(t, "released", r.Counters().Released, 1)
	})
}

func TestEvents(t *testing.T) {
	moves := func(r *rig) (all []string) {
		for _, e := range r.heard {
			equal(t, "source and name", e.Source+" "+e.Name, "adaptive stock")
			all = append(all, fmt.Sprintf("%s %s -> %s %s", e.Kind, e.From, e.To, e.Reason))
		}
		return all
	}
	t.Run("doubling, halving and the bounds are told, and nothing in between", func(t *testing.T) {
		r := newRig(t, Config{Algorithm: ByAIMD, Initial: 10, Min: 4, Max: 45, Window: single})
		for r.Limit() < 45 {
			r.flight(2*time.Second, switchgear.Success)
			r.clock.Advance(time.Second)
		}
		for range 100 {
			r.flight(2*time.Second, switchgear.Success)
			r.flight(2*time.Second, switchgear.Failure) // one step each: at Max, below, at Max …
		}
		for r.Limit() > 4 {
			r.flight(2*time.Second, switchgear.Failure)
		}
		got := moves(r)
		equal(t, "first", got[:3], []string{"limit 10 -> 20 doubled", "limit 20 -> 40 doubled", "limit 40 -> 45 at Max"})
		equal(t, "last", strings.HasSuffix(got[len(got)-1], " -> 4 at Min"), true)
		within(t, "events", len(got), 5, 8)
	})
	t.Run("at most one a second, and the last word is not lost", func(t *testing.T) {
		r := newRig(t, Config{Algorithm: ByAIMD, Initial: 3, Min: 3, Max: 4, Window: single})
		for range 10_000 {
			r.flight(ms/2, switchgear.Success)
			r.flight(ms/2, switchgear.Failure)
		}
		within(t, "events in ten seconds", len(r.heard), 1, 11)
		r.clock.Advance(time.Second)
		r.flight(ms, switchgear.Failure)
		last := r.heard[len(r.heard)-1]
		equal(t, "last told", last.To, fmt.Sprint(r.Limit()))
	})
	t.Run("exactly half, and exactly a second later, are enough", func(t *testing.T) {
		r := newRig(t, Config{Algorithm: ByAIMD, Initial: 160, Window: single, AIMD: AIMDConfig{Backoff: 0.5}})
		for _, want := range []int{1, 1, 2, 2, 3} {
			r.flight(time.Second/2, switchgear.Failure)
			equal(t, "events", len(r.heard), want)
		}
		equal(t, "told", moves(r), []string{"limit 160 -> 80 halved", "limit 80 -> 20 halved", "limit 20 -> 5 halved"})
	})
	t.Run("warnings come first", func(t *testing.T) {
		r := newRig(t, Config{Vegas: VegasConfig{Probe: 7}})
		equal(t, "events", len(r.heard), 1)
		equal(t, "kind", r.heard[0].Kind, event.Warning)
		equal(t, "remembered", len(r.Events()), 1)
	})
	t.Run("a listener may use the limiter", func(t *testing.T) {
		var r *rig
		limits := 0
		r = newRig(t, Config{Algorithm: ByAIMD, Initial: 1, Max: 2, Window: single},
			WithListener(event.Func(func(event.Event) {
				limits += r.Limit() + r.Snapshot().Limit
				_ = do(r.Limiter, nil)
			})))
		r.flight(ms, switchgear.Success)
		equal(t, "limits seen", limits, 4)
	})
	t.Run("no memory", func(t *testing.T) {
		r := newRig(t, Config{Vegas: VegasConfig{Probe: 7}}, WithRecent(0))
		equal(t, "remembered", len(r.Events()), 0)
	})
}

func TestSnapshot(t *testing.T) {
	r := newRig(t, Config{Initial: 10})
	permits := r.take(5, Critical)
	r.clock.Advance(10 * ms)
	permits[0].Success()
	permits[1].Dropped()
	equal(t, "in the first window", r.Snapshot(), Snapshot{Name: "stock", Limit: 10, Running: 3, Waiting: 2})

	r = newRig(t, Config{Initial: 10, Window: single})
	r.flight(10*ms, switchgear.Success)
	r.flight(20*ms, switchgear.Success)
	s := r.Snapshot()
	equal(t, "newest", s.RTT, 20*ms)
	within(t, "base in ms", int(s.Base/ms), 10, 20)
	r.flight(30*ms, switchgear.Failure)
	equal(t, "a drop has no duration", r.Snapshot().RTT, 20*ms)

	text, err := json.Marshal(newRig(t, Config{}).Snapshot())
	equal(t, "marshal", err, nil)
	equal(t, "document", string(text), `{"name":"stock","algorithm":"gradient2","limit":20,"running":0,"rtt":0,"base":0,"waiting":0}`)
	text, err = json.Marshal(newRig(t, Config{}).Counters())
	equal(t, "marshal", err, nil)
	equal(t, "document", strings.Contains(string(text), `"rejected_by":[0,0,0]`), true)
}

func TestWiring(t *testing.T) {
	t.Run("nil options leave the defaults", func(t *testing.T) {
		l := Must(New("stock", Config{Algorithm: ByVegas}, nil, WithClock(nil), WithRandom(nil), WithListener(nil), WithClassifier(nil)))
		equal(t, "do", do(l, nil), nil)
		equal(t, "do", do(l, errDown), errDown)
		equal(t, "name", l.Name(), "stock")
		equal(t, "ends", l.Counters().Dropped, 1)
	})
	t.Run("Must panics with the error", func(t *testing.T) {
		defer func() {
			err, _ := recover().(error)
			equal(t, "panic", errors.Is(err, switchgear.ErrConfig), true)
		}()
		Must(New("stock", Config{Min: -1}))
	})
}
