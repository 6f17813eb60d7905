package pipeline_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/timeout"
)

func TestOrderOfHedges(t *testing.T) {
	extra := budget.Must(budget.New("x", budget.Config{}))
	total := pipeline.Total(timeout.Must(timeout.New("t", timeout.Config{Limit: time.Minute})))
	second := pipeline.Hedge(hedge.Must(hedge.New("h", hedge.Config{}, hedge.WithBudget(extra))))
	breakers := pipeline.Breaker(breaker.Must(breaker.New("b", breaker.Config{})))
	attempt := pipeline.Attempt(timeout.Must(timeout.New("a", timeout.Config{Limit: time.Second})))
	for check, list := range map[pipeline.Check][]pipeline.Policy{
		pipeline.RetryInside:    {breakers, second},
		pipeline.TotalInside:    {second, total},
		pipeline.AttemptOutside: {attempt, second},
	} {
		_, err := pipeline.Compose("stock", list)
		equal(t, string(check)+": problems", len(problems(t, err)), 1)
		if !strings.Contains(err.Error(), `accept "`+string(check)+`"`) {
			t.Errorf("%s: got %v", check, err)
		}
		if _, err := pipeline.Compose("stock", list, pipeline.Accept(check)); err != nil {
			t.Errorf("%s, accepted: %v", check, err)
		}
	}
}

func TestComposeReportsEverything(t *testing.T) {
	again := pipeline.Retry(retry.Must(retry.New("r", retry.Config{})))
	breakers := pipeline.Breaker(breaker.Must(breaker.New("b", breaker.Config{})))
	places := pipeline.Bulkhead(bulkhead.Must(bulkhead.New("p", bulkhead.Config{})))
	_, err := pipeline.Compose("stock", []pipeline.Policy{places, breakers, again, again, {}}, pipeline.Accept("order", pipeline.RetryInside, "x"))
	equal(t, "problems", strings.Join(problems(t, err), " "), "policies[3] policies[4] Accept[0] Accept[2] Bulkhead")

	defer func() {
		if _, ok := recover().(*switchgear.ConfigError); !ok {
			t.Error("Must did not panic with the error")
		}
	}()
	pipeline.Must(nil, err)
}

// A policy that two pipelines share may stand in another place in each.
func TestSharedBreakerInTwoOrders(t *testing.T) {
	inBubble(t, "each sees it in its own way", func(t *testing.T) {
		b := breaker.Must(breaker.New("b", *counting()))
		policy, again := pipeline.Breaker(b), pipeline.Retry(retry.Must(retry.New("r", *thrice())))
		outside := pipeline.Must(pipeline.Compose("outside", []pipeline.Policy{again, policy}))
		inside := pipeline.Must(pipeline.Compose("inside", []pipeline.Policy{policy, again}, pipeline.Accept(pipeline.RetryInside)))
		down := func(context.Context) error { return errDown }
		matches(t, "inside", inside.Do(background, down), errDown)
		equal(t, "failed: once for the call", b.Counters().Failed, 1)
		matches(t, "outside", outside.Do(background, down), errDown)
		equal(t, "failed: once for each attempt", b.Counters().Failed, 4)
		equal(t, "state", b.State(), breaker.Open)
	})
}

func TestParts(t *testing.T) {
	none := must(t, pipeline.Config{})
	equal(t, "name", none.Name(), "stock")
	equal(t, "no parts", none.Breaker() == nil && none.Retry() == nil && none.Hedge() == nil && none.Budget() == nil &&
		none.Bulkhead() == nil && none.RateLimit() == nil && none.Adaptive() == nil && none.Throttle() == nil &&
		none.Total() == nil && none.Attempt() == nil && none.Injector() == nil, true)
	none.Close()

	cfg := pipeline.LowLatency()
	p := must(t, cfg)
	equal(t, "total", p.Total().Config().Limit, cfg.Total.Limit)
	equal(t, "attempt", p.Attempt().Config().Limit, cfg.Attempt.Limit)
	equal(t, "one budget for both", p.Retry().Budget() == p.Budget() && p.Hedge().Budget() == p.Budget(), true)
	equal(t, "parts have the name of the whole", p.Breaker().Name()+p.Bulkhead().Name()+p.Hedge().Name(), "stockstockstock")
}

// The configuration is copied: what is done to it afterwards changes nothing, and one can
// be used for several pipelines.
func TestConfigIsNotKept(t *testing.T) {
	cfg := pipeline.Config{Breaker: counting(), Attempt: limit(time.Hour)}
	p := must(t, cfg)
	equal(t, "probe limit in effect", p.Breaker().Config().HalfOpen.ProbeLimit, time.Hour)
	equal(t, "probe limit as given", cfg.Breaker.HalfOpen.ProbeLimit, 0)
	cfg.Attempt.Limit = 1
	equal(t, "limit", p.Attempt().Config().Limit, time.Hour)
	if _, err := pipeline.New("other", cfg); errors.Is(err, switchgear.ErrRejected) {
		t.Error("a bad configuration is no refusal of a call")
	}
}
