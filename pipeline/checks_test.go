package pipeline_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/inject"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/ratelimit"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/timeout"
)

func problems(t *testing.T, err error) (paths []string) {
	t.Helper()
	invalid, ok := errors.AsType[*switchgear.ConfigError](err)
	if !ok {
		t.Fatalf("got %v, want a configuration error", err)
	}
	equal(t, "policy", invalid.Policy, "pipeline")
	for _, p := range invalid.Problems {
		paths = append(paths, p.Path)
	}
	return paths
}

func limit(d time.Duration) *timeout.Config { return &timeout.Config{Limit: d} }

// What defeats itself: at the boundary, and one step on its good side.
func TestChecksOfNumbers(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		check     pipeline.Check
		path      string
		bad, good pipeline.Config
	}{
		{
			pipeline.AttemptNotShorter, "Attempt.Limit",
			pipeline.Config{Total: limit(s), Attempt: limit(s)},
			pipeline.Config{Total: limit(s), Attempt: limit(s - 1)},
		},
		{
			pipeline.SlowNotShorter, "Breaker.SlowCall.Duration",
			pipeline.Config{Attempt: limit(s), Breaker: &breaker.Config{SlowCall: breaker.SlowCallConfig{Duration: s}}},
			pipeline.Config{Attempt: limit(s), Breaker: &breaker.Config{SlowCall: breaker.SlowCallConfig{Duration: s - 1}}},
		},
		{
			pipeline.SlowNotShorter, "Breaker.SlowCall.Duration", // where the breaker sees whole calls
			pipeline.Config{Total: limit(2 * s), Attempt: limit(s), Retry: thrice(), RetryInsideBreaker: true, Breaker: &breaker.Config{SlowCall: breaker.SlowCallConfig{Duration: 2 * s}}},
			pipeline.Config{Total: limit(2 * s), Attempt: limit(s), Retry: thrice(), RetryInsideBreaker: true, Breaker: &breaker.Config{SlowCall: breaker.SlowCallConfig{Duration: 2*s - 1}}},
		},
		{
			pipeline.UnboundedRetry, "Retry.Attempts",
			pipeline.Config{Retry: &retry.Config{Attempts: off}},
			pipeline.Config{Retry: &retry.Config{Attempts: off}, Budget: &budget.Config{}},
		},
		{
			pipeline.UnboundedRetry, "Retry.Attempts",
			pipeline.Config{Retry: &retry.Config{Attempts: off}, Attempt: limit(s)},
			pipeline.Config{Retry: &retry.Config{Attempts: off}, Total: limit(time.Hour), Attempt: limit(s)},
		},
		{
			pipeline.UnbudgetedHedge, "Hedge",
			pipeline.Config{Hedge: &hedge.Config{}},
			pipeline.Config{Hedge: &hedge.Config{}, Budget: &budget.Config{}},
		},
		{
			pipeline.HedgeNotShorter, "Hedge.Delay",
			pipeline.Config{Hedge: &hedge.Config{Delay: s}, Budget: &budget.Config{}, Attempt: limit(s)},
			pipeline.Config{Hedge: &hedge.Config{Delay: s - 1}, Budget: &budget.Config{}, Attempt: limit(s)},
		},
		{
			pipeline.TooManyAttempts, "Hedge.MaxExtra",
			pipeline.Config{Retry: &retry.Config{Attempts: 7}, Hedge: &hedge.Config{}, Budget: &budget.Config{}},
			pipeline.Config{Retry: &retry.Config{Attempts: 6}, Hedge: &hedge.Config{}, Budget: &budget.Config{}},
		},
		{
			pipeline.ProbeLimitShorter, "Breaker.HalfOpen.ProbeLimit",
			pipeline.Config{Attempt: limit(s), Breaker: &breaker.Config{HalfOpen: breaker.HalfOpenConfig{ProbeLimit: s - 1}}},
			pipeline.Config{Attempt: limit(s), Breaker: &breaker.Config{HalfOpen: breaker.HalfOpenConfig{ProbeLimit: s}}},
		},
		{
			pipeline.QueueNotShorter, "Bulkhead.MaxWait",
			pipeline.Config{Total: limit(s), Bulkhead: &bulkhead.Config{MaxWaiting: 1, MaxWait: s}},
			pipeline.Config{Total: limit(s), Bulkhead: &bulkhead.Config{MaxWaiting: 1, MaxWait: s - 1}},
		},
		{
			pipeline.QueueNotShorter, "RateLimit.MaxWait",
			pipeline.Config{Total: limit(s), RateLimit: &ratelimit.Config{Rate: 1, MaxWait: s}},
			pipeline.Config{Total: limit(s), RateLimit: &ratelimit.Config{Rate: 1, MaxWait: s - 1}},
		},
	} {
		t.Run(string(c.check), func(t *testing.T) {
			_, err := pipeline.New("stock", c.bad)
			equal(t, "problems", strings.Join(problems(t, err), " "), c.path)
			if hint := `accept "` + string(c.check) + `"`; !strings.Contains(err.Error(), hint) {
				t.Errorf("the error does not say how to have it anyway: %v", err)
			}
			if _, err := pipeline.New("stock", c.good); err != nil {
				t.Errorf("one step further: %v", err)
			}
			accepted := c.bad
			accepted.Accept = []pipeline.Check{c.check}
			if _, err := pipeline.New("stock", accepted); err != nil {
				t.Errorf("accepted in the configuration: %v", err)
			}
			if _, err := pipeline.New("stock", c.bad, pipeline.Accept(c.check)); err != nil {
				t.Errorf("accepted by an option: %v", err)
			}
		})
	}
}

func TestChecksOfOrder(t *testing.T) {
	total := pipeline.Total(timeout.Must(timeout.New("t", timeout.Config{Limit: time.Minute})))
	again := pipeline.Retry(retry.Must(retry.New("r", retry.Config{})))
	breakers := pipeline.Breaker(breaker.Must(breaker.New("b", breaker.Config{})))
	places := pipeline.Bulkhead(bulkhead.Must(bulkhead.New("p", bulkhead.Config{})))
	attempt := pipeline.Attempt(timeout.Must(timeout.New("a", timeout.Config{Limit: time.Second})))
	faults := pipeline.Inject(inject.Must(inject.New("i", inject.Config{})))
	for _, c := range []struct {
		check pipeline.Check
		list  []pipeline.Policy
	}{
		{pipeline.RetryInside, []pipeline.Policy{breakers, again}},
		{pipeline.TotalInside, []pipeline.Policy{again, total}},
		{pipeline.AttemptOutside, []pipeline.Policy{attempt, again}},
		{pipeline.QueueOutside, []pipeline.Policy{places, breakers}},
		{pipeline.QueueCounted, []pipeline.Policy{attempt, places}},
		{pipeline.InjectUnseen, []pipeline.Policy{faults, breakers}},
	} {
		t.Run(string(c.check), func(t *testing.T) {
			_, err := pipeline.Compose("stock", c.list)
			equal(t, "problems", len(problems(t, err)), 1)
			if !strings.Contains(err.Error(), `accept "`+string(c.check)+`"`) {
				t.Errorf("the error does not say how to have it anyway: %v", err)
			}
			if _, err := pipeline.Compose("stock", []pipeline.Policy{c.list[1], c.list[0]}); err != nil {
				t.Errorf("the other way round: %v", err)
			}
			if _, err := pipeline.Compose("stock", c.list, pipeline.Accept(c.check)); err != nil {
				t.Errorf("accepted: %v", err)
			}
		})
	}
	t.Run("the common order is right", func(t *testing.T) {
		p, err := pipeline.Compose("stock", []pipeline.Policy{total, again, breakers, places, attempt, faults})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "order", strings.Join(p.Order(), " "), "Total Retry Breaker Bulkhead Attempt Inject")
	})
	t.Run("what is no policy, or there twice", func(t *testing.T) {
		_, err := pipeline.Compose("stock", []pipeline.Policy{total, {}, pipeline.Breaker(nil), total})
		equal(t, "problems", strings.Join(problems(t, err), " "), "policies[1] policies[2] policies[3]")
	})
}

func TestProblemsOfAllParts(t *testing.T) {
	_, err := pipeline.New("stock", pipeline.Config{
		Total: &timeout.Config{}, RateLimit: &ratelimit.Config{},
		Retry:    &retry.Config{Attempts: -1},
		Breaker:  &breaker.Config{Open: breaker.OpenConfig{Wait: -1}},
		Bulkhead: &bulkhead.Config{MaxConcurrent: -1},
		Accept:   []pipeline.Check{"everything"},
	})
	equal(t, "problems", strings.Join(problems(t, err), " "),
		"Total.Limit RateLimit.Rate Retry.Attempts Breaker.Open.Wait Bulkhead.MaxConcurrent Accept[0]")

	_, err = pipeline.New("stock", pipeline.Config{Budget: &budget.Config{}, RetryInsideBreaker: true})
	equal(t, "what needs something else", strings.Join(problems(t, err), " "), "Budget RetryInsideBreaker")

	p := must(t, pipeline.Config{})
	equal(t, "no policy at all", p.Do(background, nothing), nil)
	p = must(t, pipeline.Config{Total: limit(time.Second), Attempt: limit(900 * ms), Retry: thrice()})
	equal(t, "warnings", len(p.Warnings()), 1)
}

func TestOrderOfConfig(t *testing.T) {
	cfg := pipeline.Config{
		Total: limit(time.Minute), RateLimit: &ratelimit.Config{Rate: 1}, Retry: thrice(), Hedge: &hedge.Config{},
		Budget: &budget.Config{}, Breaker: counting(), Bulkhead: &bulkhead.Config{}, Attempt: limit(time.Second), Inject: &inject.Config{},
	}
	equal(t, "order", strings.Join(must(t, cfg).Order(), " "), "Total RateLimit Retry Hedge Breaker Bulkhead Attempt Inject")
	cfg.RetryInsideBreaker = true
	equal(t, "inside", strings.Join(must(t, cfg).Order(), " "), "Total RateLimit Breaker Retry Hedge Bulkhead Attempt Inject")
}

func TestPresets(t *testing.T) {
	for name, preset := range map[string]func() pipeline.Config{
		"Interactive": pipeline.Interactive, "LowLatency": pipeline.LowLatency, "Write": pipeline.Write,
		"Batch": pipeline.Batch, "Probe": pipeline.Probe,
	} {
		p := must(t, preset())
		equal(t, name+": warnings", len(p.Warnings()), 0)
		equal(t, name+": has a breaker", p.Breaker() != nil, true)
		equal(t, name+": has a limit on attempts", p.Attempt() != nil, true)
		a, b := preset(), preset()
		a.Attempt.Limit++
		equal(t, name+": is made anew", a.Attempt.Limit != b.Attempt.Limit, true)
	}
}
