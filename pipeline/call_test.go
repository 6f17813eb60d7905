package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/inject"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/throttle"
	"github.com/switchgear-go/switchgear/timeout"
)

func TestRetryAndBreaker(t *testing.T) {
	inBubble(t, "K33: a breaker that opens ends the loop in the middle, without a wait", func(t *testing.T) {
		p := must(t, pipeline.Config{Retry: thrice(), Breaker: counting()})
		attempts := 0
		fail := func(context.Context) error { attempts++; return errDown }
		matches(t, "first call", p.Do(background, fail), retry.ErrExhausted)
		equal(t, "attempts", attempts, 3)

		began := time.Now()
		err := p.Do(background, fail)
		matches(t, "second call", err, breaker.ErrRejected)
		matches(t, "second call", err, errDown)
		equal(t, "attempts in all", attempts, 4)
		equal(t, "time: one wait, and none after the refusal", time.Since(began), time.Second)

		began = time.Now()
		err = p.Do(background, fail)
		matches(t, "third call", err, breaker.ErrRejected)
		equal(t, "attempts in all", attempts, 4)
		equal(t, "time", time.Since(began), 0)
		if !strings.Contains(err.Error(), `breaker "stock" is OPEN`) {
			t.Errorf("the refusal does not say who refused: %v", err)
		}
		equal(t, "the breaker saw every attempt", p.Breaker().Counters().Failed, 4)
	})
	inBubble(t, "K33: unless it is told to wait", func(t *testing.T) {
		cfg := pipeline.Config{Retry: thrice(), Breaker: counting()}
		cfg.Retry.WaitRejected, cfg.Retry.Attempts = true, 6
		cfg.Retry.Backoff.Spread = off
		p := must(t, cfg)
		attempts := 0
		began := time.Now()
		err := p.Do(background, func(context.Context) error {
			if attempts++; attempts <= 4 {
				return errDown
			}
			return nil
		})
		equal(t, "error", err, nil)
		equal(t, "time: three waits and the open interval", time.Since(began), 13*time.Second)
	})
	inBubble(t, "inside the breaker there is one outcome for each call", func(t *testing.T) {
		p := must(t, pipeline.Config{Retry: thrice(), Breaker: counting(), RetryInsideBreaker: true})
		attempts := 0
		for range 4 {
			equal(t, "state", p.Breaker().State(), breaker.Closed)
			_ = p.Do(background, func(context.Context) error { attempts++; return errDown })
		}
		equal(t, "attempts", attempts, 12)
		equal(t, "failed", p.Breaker().Counters().Failed, 4)
		equal(t, "state", p.Breaker().State(), breaker.Open)

		time.Sleep(10 * time.Second)
		attempts = 0
		matches(t, "probe", p.Do(background, func(ctx context.Context) error {
			a, _ := switchgear.AttemptOf(ctx)
			equal(t, "probe", a.Probe, true)
			attempts++
			return errDown
		}), errDown)
		equal(t, "a probe makes one attempt", attempts, 1)
	})
	inBubble(t, "inside the breaker a loop whose period has ended stops", func(t *testing.T) {
		p := must(t, pipeline.Config{Retry: thrice(), Breaker: counting(), RetryInsideBreaker: true})
		attempts := 0
		err := p.Do(background, func(context.Context) error {
			attempts++
			return errors.Join(errDown, p.Breaker().Move(breaker.Move{To: breaker.ForcedOpen, Reason: "test"}))
		})
		matches(t, "error", err, errDown)
		equal(t, "attempts", attempts, 1)
	})
	inBubble(t, "a probe is one request", func(t *testing.T) {
		p := must(t, pipeline.Config{Retry: thrice(), Breaker: counting()})
		_ = p.Breaker().Move(breaker.Move{To: breaker.Open, Reason: "test"})
		time.Sleep(10 * time.Second)
		var probes []bool
		err := p.Do(background, func(ctx context.Context) error {
			a, _ := switchgear.AttemptOf(ctx)
			probes = append(probes, a.Probe)
			if len(probes) == 1 {
				return errDown
			}
			return nil
		})
		equal(t, "error", err, nil)
		equal(t, "probes", fmt.Sprint(probes), "[true true]")
	})
}

func TestOneJudgement(t *testing.T) {
	errConflict := errors.New("conflict")
	inBubble(t, "once for each attempt, for all policies", func(t *testing.T) {
		asked := 0
		classify := func(err error) switchgear.Judgement {
			asked++
			if errors.Is(err, errConflict) { // healthy, and worth repeating
				return switchgear.Judgement{Health: switchgear.Success, Repeat: switchgear.RepeatYes}
			}
			return switchgear.Judgement{}
		}
		p := must(t, pipeline.Config{
			Adaptive: &adaptive.Config{}, Throttle: &throttle.Config{}, Retry: thrice(), Breaker: counting(), Bulkhead: &bulkhead.Config{},
		}, pipeline.WithClassifier(classify))
		attempts := 0
		err := p.Do(background, func(context.Context) error {
			if attempts++; attempts < 3 {
				return errConflict
			}
			return errDown
		})
		matches(t, "error", err, errDown)
		equal(t, "asked", asked, 3)
		c := p.Breaker().Counters()
		equal(t, "successful and failed", [2]uint64{c.Successful, c.Failed}, [2]uint64{2, 1})
		equal(t, "failed for the throttle", p.Throttle().Counters().Failed, 1)
		equal(t, "dropped for the adaptive limit", p.Adaptive().Counters().Dropped, 1)
	})
	inBubble(t, "K21: a caller that gave up is no failure", func(t *testing.T) {
		p := must(t, pipeline.Config{Retry: thrice(), Breaker: counting(), Attempt: limit(time.Minute)})
		for range 20 {
			ctx, cancel := context.WithCancel(background)
			time.AfterFunc(time.Second, cancel)
			matches(t, "error", p.Do(ctx, func(ctx context.Context) error { return take(ctx, time.Hour) }), context.Canceled)
		}
		c := p.Breaker().Counters()
		equal(t, "ignored and failed", [2]uint64{c.Ignored, c.Failed}, [2]uint64{20, 0})
	})
	inBubble(t, "C1.4: a deadline that left too little time is not held against the dependency", func(t *testing.T) {
		cfg := pipeline.Config{Breaker: counting()}
		cfg.Breaker.EnoughTime = time.Second
		p := must(t, cfg)
		for _, left := range []time.Duration{time.Second - 1, time.Second} {
			ctx, cancel := context.WithTimeout(background, left)
			_ = p.Do(ctx, func(ctx context.Context) error { return take(ctx, time.Hour) })
			cancel()
		}
		c := p.Breaker().Counters()
		equal(t, "ignored and failed", [2]uint64{c.Ignored, c.Failed}, [2]uint64{1, 1})
	})
	inBubble(t, "K24: refusals are in nobody's statistics", func(t *testing.T) {
		p := must(t, pipeline.Config{Throttle: &throttle.Config{}, Breaker: counting(), Bulkhead: &bulkhead.Config{MaxConcurrent: 1}})
		err := p.Do(background, func(ctx context.Context) error {
			err := p.Do(ctx, nothing) // no room
			matches(t, "inner", err, bulkhead.ErrRejected)
			return nil
		})
		equal(t, "error", err, nil)
		c := p.Breaker().Counters()
		equal(t, "successful, failed, ignored", [3]uint64{c.Successful, c.Failed, c.Ignored}, [3]uint64{1, 0, 1})
		equal(t, "throttle: failed", p.Throttle().Counters().Failed, 0)
	})
}

func TestTimeLimits(t *testing.T) {
	inBubble(t, "an attempt that takes too long is a failure, and repeated", func(t *testing.T) {
		p := must(t, pipeline.Config{Total: limit(time.Minute), Retry: thrice(), Breaker: counting(), Attempt: limit(time.Second)})
		began := time.Now()
		err := p.Do(background, func(ctx context.Context) error { return take(ctx, time.Hour) })
		matches(t, "error", err, timeout.ErrTimeout)
		matches(t, "error", err, retry.ErrExhausted)
		equal(t, "time", time.Since(began), 5*time.Second)
		equal(t, "failed", p.Breaker().Counters().Failed, 3)
	})
	inBubble(t, "the total ends everything, also a wait", func(t *testing.T) {
		cfg := pipeline.Config{Total: limit(2500 * ms), Retry: thrice(), Breaker: counting(), Attempt: limit(time.Second)}
		p := must(t, cfg)
		began := time.Now()
		err := p.Do(background, func(ctx context.Context) error { return take(ctx, time.Hour) })
		matches(t, "error", err, context.DeadlineExceeded)
		equal(t, "time", time.Since(began), 2500*ms)
		equal(t, "attempts that failed", p.Breaker().Counters().Failed, 2)
	})
	inBubble(t, "K37: one verdict: an answer at the limit is too late for all", func(t *testing.T) {
		p := must(t, pipeline.Config{Breaker: counting(), Attempt: limit(time.Second)})
		for d, want := range map[time.Duration]error{time.Second - 1: nil, time.Second: timeout.ErrTimeout} {
			err := p.Do(background, func(context.Context) error { time.Sleep(d); return nil })
			matches(t, d.String(), err, want)
		}
		c := p.Breaker().Counters()
		equal(t, "successful and failed", [2]uint64{c.Successful, c.Failed}, [2]uint64{1, 1})
	})
	inBubble(t, "C3: waiting in our own queue makes no call slow", func(t *testing.T) {
		cfg := pipeline.Config{Breaker: counting(), Bulkhead: &bulkhead.Config{MaxConcurrent: 1, MaxWaiting: 5, MaxWait: time.Minute}}
		cfg.Breaker.SlowCall = breaker.SlowCallConfig{Duration: time.Second, Rate: off}
		p := must(t, cfg)
		var calls sync.WaitGroup
		for range 4 {
			calls.Go(func() {
				equal(t, "error", p.Do(background, func(ctx context.Context) error { return take(ctx, time.Second) }), nil)
			})
		}
		calls.Wait()
		equal(t, "slow", p.Breaker().Counters().Slow, 0)
	})
	inBubble(t, "K36: a function that ignores its context is left behind", func(t *testing.T) {
		p := must(t, pipeline.Config{Breaker: counting(), Attempt: &timeout.Config{Limit: time.Second, Abandon: true}})
		var discarded atomic.Int64
		v, err := pipeline.Run(background, p, pipeline.Call[int]{
			Func:    func(context.Context) (int, error) { time.Sleep(time.Minute); return 7, nil },
			Discard: func(int) { discarded.Add(1) },
		})
		equal(t, "value", v, 0)
		matches(t, "error", err, timeout.ErrTimeout)
		equal(t, "running", p.Attempt().Snapshot().Running, 1)
		time.Sleep(time.Hour)
		equal(t, "running, later", p.Attempt().Snapshot().Running, 0)
		equal(t, "discarded", discarded.Load(), 1)
		c := p.Breaker().Counters()
		equal(t, "successful and failed", [2]uint64{c.Successful, c.Failed}, [2]uint64{0, 1})

		v, err = pipeline.Do(background, p, func(context.Context) (int, error) { return 7, nil })
		equal(t, "in time", v, 7)
		equal(t, "error", err, nil)
	})
}

func TestHedging(t *testing.T) {
	hedged := func() pipeline.Config {
		cfg := pipeline.Config{
			Hedge: &hedge.Config{Delay: time.Second}, Budget: &budget.Config{}, Breaker: counting(), Bulkhead: &bulkhead.Config{},
		}
		cfg.Breaker.SlowCall = breaker.SlowCallConfig{Duration: 5 * time.Second, Rate: off}
		return cfg
	}
	race := func(p *pipeline.Pipeline, second time.Duration) error {
		var attempts atomic.Int64
		return p.Do(hedge.Safe(background), func(ctx context.Context) error {
			if attempts.Add(1) == 1 {
				return take(ctx, time.Hour)
			}
			return take(ctx, second)
		})
	}
	inBubble(t, "a loser that had been slow is a slow success", func(t *testing.T) {
		p := must(t, hedged())
		equal(t, "error", race(p, 6*time.Second), nil)
		synctest.Wait()
		c := p.Breaker().Counters()
		equal(t, "successful, slow, ignored", [3]uint64{c.Successful, c.Slow, c.Ignored}, [3]uint64{2, 2, 0})
		equal(t, "bulkhead", p.Bulkhead().Snapshot().Running, 0)
	})
	inBubble(t, "one that had not is ignored", func(t *testing.T) {
		p := must(t, hedged())
		equal(t, "error", race(p, time.Second), nil)
		synctest.Wait()
		c := p.Breaker().Counters()
		equal(t, "successful, slow, ignored", [3]uint64{c.Successful, c.Slow, c.Ignored}, [3]uint64{1, 0, 1})
	})
	inBubble(t, "a probe is never hedged", func(t *testing.T) {
		p := must(t, hedged())
		_ = p.Breaker().Move(breaker.Move{To: breaker.Open, Reason: "test"})
		time.Sleep(10 * time.Second)
		attempts := 0
		err := p.Do(hedge.Safe(background), func(ctx context.Context) error { attempts++; return take(ctx, 3*time.Second) })
		equal(t, "error", err, nil)
		equal(t, "attempts", attempts, 1)
	})
	inBubble(t, "K47: bad answers of all attempts: the caller gets one of them, the others are disposed of", func(t *testing.T) {
		p := must(t, hedged())
		var mu sync.Mutex
		var discarded []int
		n := 0
		v, err := pipeline.Run(hedge.Safe(background), p, pipeline.Call[int]{
			Func: func(ctx context.Context) (int, error) {
				mu.Lock()
				n++
				me := n
				mu.Unlock()
				return me, take(ctx, 2*time.Second)
			},
			Check:   func(int) error { return errDown },
			Discard: func(v int) { mu.Lock(); discarded = append(discarded, v); mu.Unlock() },
		})
		synctest.Wait()
		equal(t, "error", err, nil)
		equal(t, "attempts", n, 2)
		all := append(slices.Clone(discarded), v)
		slices.Sort(all)
		equal(t, "each once", fmt.Sprint(all), "[1 2]")
	})
	inBubble(t, "K35: retries and hedges draw on one budget", func(t *testing.T) {
		cfg := hedged()
		cfg.Retry = thrice()
		cfg.Budget.Ratio = budget.RatioConfig{Percent: 20, MinPerSecond: off}
		p := must(t, cfg)
		var calls sync.WaitGroup
		var attempts atomic.Int64
		for range 5 {
			calls.Go(func() {
				_ = p.Do(hedge.Safe(background), func(ctx context.Context) error {
					attempts.Add(1)
					_ = take(ctx, 1500*ms)
					return errDown
				})
			})
		}
		calls.Wait()
		equal(t, "attempts: five, and a fifth of that", attempts.Load(), 6)
	})
	inBubble(t, "attempts are numbered through", func(t *testing.T) {
		cfg := hedged()
		cfg.Retry, cfg.Breaker = thrice(), nil
		cfg.Retry.Attempts = 2
		p := must(t, cfg)
		var mu sync.Mutex
		var numbers []int
		_ = p.Do(hedge.Safe(background), func(ctx context.Context) error {
			a, _ := switchgear.AttemptOf(ctx)
			mu.Lock()
			numbers = append(numbers, a.Number)
			mu.Unlock()
			_ = take(ctx, 1500*ms)
			return errDown
		})
		equal(t, "numbers", fmt.Sprint(numbers[:2]), "[1 2]")
	})
}

func TestBadAnswers(t *testing.T) {
	inBubble(t, "are repeated, disposed of once, and the last one is the caller's", func(t *testing.T) {
		p := must(t, pipeline.Config{Retry: thrice(), Breaker: counting()})
		var discarded []int
		n := 0
		v, err := pipeline.Run(background, p, pipeline.Call[int]{
			Func:    func(context.Context) (int, error) { n++; return n, nil },
			Check:   func(int) error { return errDown },
			Discard: func(v int) { discarded = append(discarded, v) },
		})
		equal(t, "value", v, 3)
		equal(t, "error", err, nil)
		equal(t, "discarded", fmt.Sprint(discarded), "[1 2]")
		_ = p.Do(background, func(context.Context) error { return errDown })
		trip := p.Breaker().Snapshot().LastTrip
		if trip == nil || trip.Errors[0].Sample != errDown.Error() || strings.Contains(trip.Errors[0].Kind, "badAnswer") {
			t.Errorf("trip: %+v, want the error of Check", trip)
		}
	})
	inBubble(t, "a caller that goes while waiting for a better one gets none", func(t *testing.T) {
		p := must(t, pipeline.Config{Retry: thrice()})
		discarded := 0
		ctx, cancel := context.WithTimeout(background, time.Hour)
		time.AfterFunc(500*ms, cancel)
		v, err := pipeline.Run(ctx, p, pipeline.Call[int]{
			Func:    func(context.Context) (int, error) { return 7, nil },
			Check:   func(int) error { return errDown },
			Discard: func(int) { discarded++ },
		})
		matches(t, "K29", err, context.Canceled)
		matches(t, "K29", err, errDown)
		equal(t, "value", v, 0)
		equal(t, "discarded", discarded, 1)
	})
}

func TestOpen(t *testing.T) {
	for _, keep := range []bool{false, true} {
		inBubble(t, fmt.Sprintf("an answer keeps its context, limits kept: %v", keep), func(t *testing.T) {
			p := must(t, pipeline.Config{Total: limit(10 * time.Second), Retry: thrice(), Attempt: limit(2 * time.Second)})
			var contexts []context.Context
			v, end, err := pipeline.Open(background, p, pipeline.Call[int]{
				Func: func(ctx context.Context) (int, error) { contexts = append(contexts, ctx); return len(contexts), nil },
				Check: func(v int) error {
					if v == 1 {
						return errDown
					}
					return nil
				},
			}, keep)
			equal(t, "value", v, 2)
			equal(t, "error", err, nil)
			equal(t, "the first attempt's has ended", contexts[0].Err() != nil, true)
			equal(t, "the winner's", contexts[1].Err(), nil)
			time.Sleep(time.Hour)
			equal(t, "an hour later", contexts[1].Err() != nil, keep)
			end()
			equal(t, "ended", contexts[1].Err() != nil, true)
		})
	}
	inBubble(t, "without an answer nothing is left", func(t *testing.T) {
		p := must(t, pipeline.Config{Total: limit(10 * time.Second), Attempt: limit(2 * time.Second)})
		var inner context.Context
		_, end, err := pipeline.Open(background, p, pipeline.Call[int]{
			Func: func(ctx context.Context) (int, error) { inner = ctx; return 0, errDown },
		}, false)
		matches(t, "error", err, errDown)
		equal(t, "no end", end == nil, true)
		equal(t, "context", inner.Err() != nil, true)
	})
}

func TestWaysOut(t *testing.T) {
	whole := func() pipeline.Config {
		return pipeline.Config{
			Total: limit(time.Minute), Adaptive: &adaptive.Config{}, Throttle: &throttle.Config{}, Retry: thrice(), Budget: &budget.Config{},
			Breaker: counting(), Bulkhead: &bulkhead.Config{}, Attempt: limit(time.Second), Inject: &inject.Config{},
		}
	}
	for name, call := range map[string]func(p *pipeline.Pipeline){
		"K25: a panic of the function": func(p *pipeline.Pipeline) {
			_ = p.Do(background, func(context.Context) error { panic("boom") })
		},
		"a panic of Check": func(p *pipeline.Pipeline) {
			_, _ = pipeline.Run(background, p, pipeline.Call[int]{
				Func:  func(context.Context) (int, error) { return 0, nil },
				Check: func(int) error { panic("boom") },
			})
		},
		"a panic of the classifier": func(p *pipeline.Pipeline) {
			_ = p.Do(background, func(context.Context) error { return errDown })
		},
		"K25: runtime.Goexit": func(p *pipeline.Pipeline) {
			_ = p.Do(background, func(context.Context) error { runtime.Goexit(); return nil })
		},
	} {
		inBubble(t, name, func(t *testing.T) {
			classify := func(error) switchgear.Judgement { panic("boom") }
			p := must(t, whole(), pipeline.WithClassifier(classify))
			var caught any
			var done sync.WaitGroup
			done.Go(func() {
				defer func() { caught = recover() }()
				call(p)
			})
			done.Wait()
			if !strings.Contains(name, "Goexit") {
				equal(t, "goes on", caught, any("boom"))
			}
			equal(t, "bulkhead", p.Bulkhead().Snapshot().Running, 0)
			equal(t, "adaptive", p.Adaptive().Snapshot().Running, 0)
			c := p.Breaker().Counters()
			equal(t, "breaker", c.Failed+c.Released, 1)
			equal(t, "ready", p.Breaker().Ready(), true)
		})
	}
	inBubble(t, "K38, K75: of a thousand only as many run as there is room for", func(t *testing.T) {
		p := must(t, pipeline.Config{Breaker: &breaker.Config{}, Bulkhead: &bulkhead.Config{MaxConcurrent: 50}})
		var reached, refused atomic.Int64
		var calls sync.WaitGroup
		for range 1000 {
			calls.Go(func() {
				err := p.Do(background, func(ctx context.Context) error { reached.Add(1); return take(ctx, time.Second) })
				if errors.Is(err, switchgear.ErrRejected) {
					refused.Add(1)
				}
			})
		}
		calls.Wait()
		equal(t, "reached", reached.Load(), 50)
		equal(t, "refused", refused.Load(), 950)
		equal(t, "available", p.Bulkhead().Snapshot().Available, 50)
	})
	inBubble(t, "K20: calls do not wait for each other", func(t *testing.T) {
		p := must(t, whole())
		began := time.Now()
		var calls sync.WaitGroup
		for range 10 {
			calls.Go(func() {
				equal(t, "error", p.Do(background, func(ctx context.Context) error { return take(ctx, 100*ms) }), nil)
			})
		}
		calls.Wait()
		equal(t, "time", time.Since(began), 100*ms)
	})
	inBubble(t, "injected faults are seen by the breaker", func(t *testing.T) {
		cfg := whole()
		cfg.Retry = nil
		cfg.Budget = nil
		cfg.Inject = &inject.Config{Faults: []inject.Fault{{Kind: inject.Failure, Probability: 100}}}
		p := must(t, cfg)
		equal(t, "off", p.Do(background, nothing), nil)
		equal(t, "enabled", p.Injector().Enable("ana", "game day", time.Minute), nil)
		matches(t, "on", p.Do(background, nothing), inject.ErrInjected)
		equal(t, "failed", p.Breaker().Counters().Failed, 1)
		p.Close()
	})
	t.Run("calls of several types share a pipeline", func(t *testing.T) {
		p := must(t, pipeline.Config{Breaker: counting()})
		for i := range 10 {
			n, err := pipeline.Do(background, p, func(context.Context) (int, error) { return i, nil })
			equal(t, "int", n, i)
			equal(t, "error", err, nil)
			s, err := pipeline.Do(background, p, func(context.Context) (string, error) { return fmt.Sprint(i), nil })
			equal(t, "string", s, fmt.Sprint(i))
			equal(t, "error", err, nil)
		}
	})
}

// TestReuse holds that a call begins as if its place had never been used: calls hand
// theirs on to each other, and nothing of one may be seen in the next.
func TestReuse(t *testing.T) {
	p := pipeline.Must(pipeline.New("stock", pipeline.Config{Retry: &retry.Config{}, Breaker: &breaker.Config{}}))
	for range 100 { // a pool forgets now and then
		v, err := pipeline.Run(background, p, pipeline.Call[int]{
			Func:    func(context.Context) (int, error) { return 7, nil },
			Check:   func(int) error { return switchgear.MarkFinal(errDown) },
			Discard: func(int) { t.Error("the caller's answer was disposed of") },
		})
		equal(t, "a bad answer", v, 7)
		equal(t, "its error", err, nil)

		v, err = pipeline.Do(background, p, func(ctx context.Context) (int, error) {
			a, ok := switchgear.AttemptOf(ctx)
			equal(t, "attempt", a.Number, 1)
			equal(t, "is marked", ok, false)
			return 0, switchgear.MarkFinal(errDown)
		})
		equal(t, "an answer of the call before", v, 0)
		matches(t, "the error of this one", err, errDown)
		if err := p.Breaker().Reset("", "test"); err != nil {
			t.Fatal(err)
		}
	}
}
