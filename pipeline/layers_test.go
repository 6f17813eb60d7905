package pipeline_test

import (
	"context"
	"fmt"
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
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/ratelimit"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/throttle"
	"github.com/switchgear-go/switchgear/timeout"
)

// Every policy that refuses says so in its own name, through a retry and all other
// policies around it, and the function does not run.
func TestRefusalsNameWhoRefused(t *testing.T) {
	for _, c := range []struct {
		who     string
		cfg     pipeline.Config
		refused error
		busy    bool // while another call is under way
	}{
		{`ratelimit "stock"`, pipeline.Config{RateLimit: &ratelimit.Config{Rate: 1, Burst: 1}}, ratelimit.ErrRejected, true},
		{`adaptive limit "stock"`, pipeline.Config{Adaptive: &adaptive.Config{Initial: 1, Max: 1}}, adaptive.ErrRejected, true},
		{`bulkhead "stock"`, pipeline.Config{Bulkhead: &bulkhead.Config{MaxConcurrent: 1}}, bulkhead.ErrRejected, true},
		{`timeout "stock"`, pipeline.Config{Attempt: &timeout.Config{Limit: time.Minute, Minimum: time.Second}}, timeout.ErrRejected, false},
	} {
		inBubble(t, c.who, func(t *testing.T) {
			c.cfg.Total, c.cfg.Retry, c.cfg.Breaker = limit(time.Hour), thrice(), counting()
			p := must(t, c.cfg)
			ctx, cancel := context.WithTimeout(background, time.Second-1)
			defer cancel()
			ran := false
			refused := func(context.Context) error {
				err := p.Do(ctx, func(context.Context) error { ran = true; return nil })
				matches(t, "error", err, c.refused)
				matches(t, "error", err, switchgear.ErrRejected)
				if !strings.Contains(strings.ToLower(fmt.Sprint(err)), c.who) {
					t.Errorf("%q does not name %s", err, c.who)
				}
				return nil
			}
			if c.busy {
				equal(t, "other call", p.Do(background, refused), nil)
			} else {
				_ = refused(background)
			}
			equal(t, "ran", ran, false)
			equal(t, "failed", p.Breaker().Counters().Failed, 0)
		})
	}
	inBubble(t, `throttle "stock"`, func(t *testing.T) {
		p := must(t, pipeline.Config{Throttle: &throttle.Config{MinimumRequests: 1}}, pipeline.WithRandom(func() float64 { return 0 }))
		var err error
		for range 100 {
			err = p.Do(background, func(context.Context) error { return errDown })
		}
		matches(t, "error", err, throttle.ErrRejected)
		if !strings.Contains(fmt.Sprint(err), `throttle "stock"`) {
			t.Errorf("%q does not name the throttle", err)
		}
	})
}

func TestAttemptsAreKnown(t *testing.T) {
	inBubble(t, "numbers of a loop, and of one inside another", func(t *testing.T) {
		inner := must(t, pipeline.Config{Retry: thrice()})
		outer := must(t, pipeline.Config{Retry: thrice()})
		var seen []string
		_ = outer.Do(background, func(ctx context.Context) error {
			o, _ := switchgear.AttemptOf(ctx)
			return inner.Do(ctx, func(ctx context.Context) error {
				i, _ := switchgear.AttemptOf(ctx)
				seen = append(seen, fmt.Sprintf("%d.%d", o.Number, i.Number))
				return errDown
			})
		})
		equal(t, "outer and inner", strings.Join(seen, " "), "1.1 1.2 1.3 2.1 2.2 2.3 3.1 3.2 3.3")
	})
}

// A hedge judges the attempts of its race by itself, so there the classifier is asked by
// it as well; what others ask about an attempt is still asked once.
func TestClassifierInARace(t *testing.T) {
	inBubble(t, "by the hedge, and once for the policies inside", func(t *testing.T) {
		var asked atomic.Int64
		p := must(t, pipeline.Config{Hedge: &hedge.Config{Delay: time.Second}, Budget: &budget.Config{}, Breaker: counting()},
			pipeline.WithClassifier(func(error) switchgear.Judgement { asked.Add(1); return switchgear.Judgement{} }))
		_ = p.Do(hedge.Safe(background), func(ctx context.Context) error { _ = take(ctx, 1500*ms); return errDown })
		synctest.Wait()
		equal(t, "asked about two attempts", asked.Load(), 4)
	})
}

func TestOpenInARace(t *testing.T) {
	for _, keep := range []bool{false, true} {
		inBubble(t, fmt.Sprintf("K45: limits kept: %v", keep), func(t *testing.T) {
			p := must(t, pipeline.Config{
				Total: limit(10 * time.Second), Hedge: &hedge.Config{Delay: time.Second}, Budget: &budget.Config{}, Breaker: counting(), Attempt: limit(5 * time.Second),
			})
			var mu sync.Mutex
			var contexts []context.Context
			_, end, err := pipeline.Open(hedge.Safe(background), p, pipeline.Call[int]{
				Func: func(ctx context.Context) (int, error) {
					mu.Lock()
					contexts = append(contexts, ctx)
					n := len(contexts)
					mu.Unlock()
					if n == 1 {
						return 1, take(ctx, time.Hour)
					}
					return 2, take(ctx, time.Second)
				},
			}, keep)
			equal(t, "error", err, nil)
			synctest.Wait()
			equal(t, "the loser's context has ended", contexts[0].Err() != nil, true)
			equal(t, "the winner's", contexts[1].Err(), nil)
			time.Sleep(time.Hour)
			synctest.Wait()
			equal(t, "the winner's, an hour later, has ended", contexts[1].Err() != nil, keep)
			end()
			equal(t, "the winner's after its end", contexts[1].Err() != nil, true)
		})
	}
	inBubble(t, "a caller that goes ends its answer", func(t *testing.T) {
		p := must(t, pipeline.Config{Hedge: &hedge.Config{}, Budget: &budget.Config{}, Attempt: limit(time.Second)})
		ctx, cancel := context.WithCancel(hedge.Safe(background))
		inner, end, err := pipeline.Open(ctx, p, pipeline.Call[context.Context]{
			Func: func(ctx context.Context) (context.Context, error) { return ctx, nil },
		}, false)
		equal(t, "error", err, nil)
		equal(t, "before", inner.Err(), nil)
		cancel()
		synctest.Wait()
		matches(t, "after", inner.Err(), context.Canceled)
		end()
	})
}

// A bad answer from Open is the caller's like a good one: it lives until its end.
func TestOpenOfABadAnswer(t *testing.T) {
	for _, hedged := range []bool{false, true} {
		inBubble(t, fmt.Sprintf("in a race: %v", hedged), func(t *testing.T) {
			cfg := pipeline.Config{Total: limit(time.Minute), Retry: thrice(), Breaker: counting(), Attempt: limit(time.Second)}
			if hedged {
				cfg.Hedge, cfg.Budget = &hedge.Config{Always: true}, &budget.Config{}
			}
			p := must(t, cfg)
			var contexts []context.Context
			inner, end, err := pipeline.Open(background, p, pipeline.Call[context.Context]{
				Func:  func(ctx context.Context) (context.Context, error) { contexts = append(contexts, ctx); return ctx, nil },
				Check: func(context.Context) error { return errDown },
			}, false)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "attempts", len(contexts), 3)
			for i, ctx := range contexts[:2] {
				equal(t, fmt.Sprintf("context %d has ended", i+1), ctx.Err() != nil, true)
			}
			time.Sleep(time.Hour)
			equal(t, "the caller's", inner.Err(), nil)
			end()
			synctest.Wait()
			equal(t, "the caller's after its end", inner.Err() != nil, true)
		})
	}
}

// Answers that come too late are disposed of, wherever they are overtaken, and exactly once.
func TestAnswersAreDisposedOfOnce(t *testing.T) {
	for name, cfg := range map[string]pipeline.Config{
		"after the limit":         {Attempt: limit(time.Second)},
		"after both limits":       {Total: limit(1500 * ms), Attempt: limit(time.Second)},
		"after the limit, behind": {Attempt: &timeout.Config{Limit: time.Second, Abandon: true}},
		"in a retry":              {Retry: thrice(), Breaker: counting(), Attempt: limit(time.Second)},
		"in a race":               {Hedge: &hedge.Config{Delay: time.Second, Always: true}, Budget: &budget.Config{}, Attempt: limit(1500 * ms)},
	} {
		inBubble(t, name, func(t *testing.T) {
			p := must(t, cfg)
			var answers atomic.Int64
			var mu sync.Mutex
			discarded := map[int64]int{}
			_, err := pipeline.Run(background, p, pipeline.Call[int64]{
				Func:    func(context.Context) (int64, error) { time.Sleep(2 * time.Second); return answers.Add(1), nil },
				Discard: func(v int64) { mu.Lock(); discarded[v]++; mu.Unlock() },
			})
			matches(t, "error", err, context.DeadlineExceeded)
			time.Sleep(time.Minute)
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			equal(t, "disposed of", int64(len(discarded)), answers.Load())
			for v, n := range discarded {
				equal(t, fmt.Sprintf("answer %d, times", v), n, 1)
			}
		})
	}
}

// One permit for a whole loop is not started anew by the queue that an attempt waits in.
func TestQueueBeforeARetryThatIsInside(t *testing.T) {
	inBubble(t, "the breaker outside times the whole call", func(t *testing.T) {
		cfg := pipeline.Config{
			Retry: &retry.Config{Attempts: 2}, Breaker: counting(), RetryInsideBreaker: true,
			Bulkhead: &bulkhead.Config{MaxConcurrent: 1, MaxWaiting: 1, MaxWait: time.Minute},
		}
		cfg.Breaker.SlowCall = breaker.SlowCallConfig{Duration: 1500 * ms, Rate: off}
		p := must(t, cfg)
		var calls sync.WaitGroup
		for range 2 {
			calls.Go(func() { _ = p.Do(background, func(ctx context.Context) error { return take(ctx, time.Second) }) })
		}
		calls.Wait()
		c := p.Breaker().Counters()
		equal(t, "successful and slow", [2]uint64{c.Successful, c.Slow}, [2]uint64{2, 1})
	})
}
