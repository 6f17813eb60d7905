package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/ratelimit"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/throttle"
	"github.com/switchgear-go/switchgear/timeout"
)

// What one attempt says is heard by all policies, and in the same way.

func TestOneJudgementForAll(t *testing.T) {
	inBubble(t, "C1.4: a hurried call is ignored by all", func(t *testing.T) {
		cfg := pipeline.Config{Throttle: &throttle.Config{}, Breaker: counting()}
		cfg.Breaker.EnoughTime = time.Second
		p := must(t, cfg)
		ctx, cancel := context.WithTimeout(background, time.Second-1)
		_ = p.Do(ctx, func(ctx context.Context) error { return take(ctx, time.Hour) })
		cancel()
		equal(t, "breaker ignored", p.Breaker().Counters().Ignored, 1)
		equal(t, "throttle ignored", p.Throttle().Counters().Ignored, 1)
	})
	inBubble(t, "the classifier gets what Check returned", func(t *testing.T) {
		var got error
		p := must(t, pipeline.Config{Breaker: counting()}, pipeline.WithClassifier(func(err error) switchgear.Judgement { got = err; return switchgear.Judgement{} }))
		_, _ = pipeline.Run(background, p, pipeline.Call[int]{
			Func:  func(ctx context.Context) (int, error) { return 7, nil },
			Check: func(int) error { return errDown },
		})
		equal(t, "got", got == errDown, true)
	})
	inBubble(t, "K25: a panic is a failure for all policies alike", func(t *testing.T) {
		p := must(t, pipeline.Config{Throttle: &throttle.Config{}, Retry: thrice(), Budget: &budget.Config{Kind: budget.Throttling}, Breaker: counting()})
		func() {
			defer func() { recover() }()
			_ = p.Do(background, func(context.Context) error { panic("boom") })
		}()
		equal(t, "breaker", p.Breaker().Counters().Failed, 1)
		equal(t, "throttle", p.Throttle().Counters().Failed, 1)
		equal(t, "budget: one token less", p.Budget().Snapshot().Available, p.Budget().Snapshot().Capacity-1)
	})
	inBubble(t, "a refused hedge does not hide how the other attempt failed", func(t *testing.T) {
		p := must(t, pipeline.Config{
			Throttle: &throttle.Config{}, Hedge: &hedge.Config{Delay: time.Second}, Budget: &budget.Config{}, Breaker: counting(),
			Bulkhead: &bulkhead.Config{MaxConcurrent: 2, MaxWaiting: 10, MaxWait: 2 * time.Second},
		})
		var calls sync.WaitGroup
		hold := func(after, d time.Duration) {
			calls.Go(func() {
				time.Sleep(after)
				_ = p.Do(background, func(ctx context.Context) error { return take(ctx, d) })
			})
		}
		hold(0, time.Hour)      // one place is taken for good,
		hold(900*ms, time.Hour) // and the other one promised,
		calls.Go(func() {
			err := p.Do(hedge.Safe(background), func(ctx context.Context) error {
				_ = take(ctx, 1500*ms)
				return errDown
			}) // so that the hedge waits for longer than the first attempt takes, and in vain
			matches(t, "error", err, errDown)
			equal(t, "is no refusal", errors.Is(err, switchgear.ErrRejected), false)
			equal(t, "throttle: failed", p.Throttle().Counters().Failed, 1)
		})
		calls.Wait()
	})
}

func TestAnswersOfARace(t *testing.T) {
	inBubble(t, "the last to end is the caller's, also if it says nothing about the dependency", func(t *testing.T) {
		var n atomic.Int64
		errIgnored := switchgear.MarkIgnored(errors.New("x"))
		p := must(t, pipeline.Config{Hedge: &hedge.Config{Delay: time.Second}, Budget: &budget.Config{}})
		v, err := pipeline.Run(hedge.Safe(background), p, pipeline.Call[int]{
			Func: func(ctx context.Context) (int, error) {
				if n.Add(1) == 1 {
					_ = take(ctx, 1500*ms)
					return 0, errDown
				}
				_ = take(ctx, 1500*ms)
				return 7, nil
			},
			Check: func(int) error { return errIgnored },
		})
		equal(t, "v", v, 7)
		equal(t, "err", err, nil)
	})
	inBubble(t, "a winner with an error keeps its answer", func(t *testing.T) {
		var n atomic.Int64
		var discarded atomic.Int64
		p := must(t, pipeline.Config{Hedge: &hedge.Config{Delay: time.Second}, Budget: &budget.Config{}})
		v, err := pipeline.Run(hedge.Safe(background), p, pipeline.Call[int]{
			Func: func(ctx context.Context) (int, error) {
				if n.Add(1) == 1 {
					time.Sleep(2 * time.Second)
					return 1, nil
				}
				time.Sleep(1 * time.Second)
				return 2, nil
			},
			Check: func(v int) error {
				return switchgear.MarkSuccess(errDown)
			},
			Discard: func(int) { discarded.Add(1) },
		})
		synctest.Wait()
		equal(t, "v", v != 0, true)
		equal(t, "err", err, nil)
		equal(t, "discarded", discarded.Load(), 1)
	})
}

func TestNumbersOfAttempts(t *testing.T) {
	inBubble(t, "through retries and hedges", func(t *testing.T) {
		cfg := pipeline.Config{Hedge: &hedge.Config{Delay: time.Second}, Budget: &budget.Config{}, Retry: thrice()}
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
		equal(t, "numbers", fmt.Sprint(numbers), "[1 2 3 4 5 6]")
	})
}

func TestWaitForRateLimit(t *testing.T) {
	inBubble(t, "C3: a wait for our own rate limit is not slow", func(t *testing.T) {
		b := breaker.Must(breaker.New("b", breaker.Config{SlowCall: breaker.SlowCallConfig{Duration: time.Second, Rate: off}}))
		r := ratelimit.Must(ratelimit.New("r", ratelimit.Config{Rate: 0.1, Burst: 1, MaxWait: time.Minute}))
		p := pipeline.Must(pipeline.Compose("stock", []pipeline.Policy{pipeline.Breaker(b), pipeline.RateLimit(r)}))
		_ = p.Do(background, nothing)
		_ = p.Do(background, nothing)
		equal(t, "slow", b.Counters().Slow, 0)
	})
	inBubble(t, "a refusal does not come with the value of an earlier attempt", func(t *testing.T) {
		p := must(t, pipeline.Config{Retry: thrice(), Breaker: &breaker.Config{ConsecutiveFailures: 1}})
		v, err := pipeline.Do(background, p, func(context.Context) (int, error) { return 5, errDown })
		matches(t, "err", err, breaker.ErrRejected)
		equal(t, "v", v, 0)
	})
}

func TestWhatIsReported(t *testing.T) {
	inBubble(t, "a budget that is wrong is no missing budget", func(t *testing.T) {
		_, err := pipeline.New("stock", pipeline.Config{Hedge: &hedge.Config{}, Budget: &budget.Config{Kind: 77}, Retry: &retry.Config{Attempts: off}, Accept: []pipeline.Check{pipeline.TooManyAttempts}})
		equal(t, "problems", strings.Join(problems(t, err), " "), "Budget.Kind")
	})
	t.Run("a total limit inside the retry bounds no loop", func(t *testing.T) {
		total := pipeline.Total(timeout.Must(timeout.New("t", timeout.Config{Limit: time.Minute})))
		again := pipeline.Retry(retry.Must(retry.New("r", retry.Config{Attempts: off})))
		_, err := pipeline.Compose("stock", []pipeline.Policy{again, total}, pipeline.Accept(pipeline.TotalInside))
		equal(t, "problems", strings.Join(problems(t, err), " "), "Retry.Attempts")
	})
	t.Run("a name is reported by its place in the list it was written in", func(t *testing.T) {
		_, err := pipeline.New("stock", pipeline.Config{Retry: thrice(), Breaker: counting(), RetryInsideBreaker: true, Accept: []pipeline.Check{"x"}}, pipeline.Accept(pipeline.RetryInside))
		equal(t, "problems", strings.Join(problems(t, err), " "), "Accept[0]")
	})
	t.Run("warnings are events", func(t *testing.T) {
		var heard []event.Event
		must(t, pipeline.Config{Total: limit(time.Second), Attempt: limit(900 * ms), Retry: thrice()}, pipeline.WithListener(event.Func(func(e event.Event) { heard = append(heard, e) })))
		n := slices.IndexFunc(heard, func(e event.Event) bool { return e.Source == "pipeline" && e.Kind == event.Warning })
		equal(t, "heard", n >= 0, true)
	})
}
