package main

import (
	"context"
	"net/http"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	failsafetimeout "github.com/failsafe-go/failsafe-go/timeout"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/inject"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/sghttp"
	"github.com/switchgear-go/switchgear/timeout"
)

const (
	untimed = "pipeline without a timer"
	timed1  = "pipeline with a limit on the attempt"

	overHTTP = "HTTP request over a transport that does nothing"

	bareTimeout = "a bare context.WithTimeout"
	bareHTTP    = "two bare context.WithTimeout and Request.WithContext"

	// Where somebody waits for the context to end, a limit needs a timer.
	waited     = ", waited for"
	bareWaited = bareTimeout + waited
	twoWaited  = bareHTTP + waited
)

// companions lists the policies beside the breaker, and pipelines of them.
func companions() []subject {
	last100 := &breaker.Config{Window: breaker.WindowConfig{Calls: 100}}
	three := pipeline.Config{Retry: &retry.Config{}, Breaker: last100, Attempt: &timeout.Config{Limit: time.Second}}
	four := pipeline.Config{
		Retry: &retry.Config{}, Budget: &budget.Config{Kind: budget.Quota}, Breaker: last100,
		Bulkhead: &bulkhead.Config{MaxConcurrent: 1_000}, Inject: &inject.Config{},
	}
	return []subject{
		{untimed, "bulkhead, acquire and release", bulkheadPair, 3, 0, ""},
		{untimed, "retry, breaker, bulkhead, faults that are off", through(four, look), 12, 0, ""},

		{timed1, bareTimeout, withTimeout(look), 0, 0, bareTimeout},
		{timed1, "retry, breaker, attempt limit", through(three, look), 1.25, 0, bareTimeout},
		{timed1, "failsafe-go, the same three", failsafeThree, 0, 0, bareTimeout},
		{timed1, bareWaited, withTimeout(wait), 0, 0, bareWaited},
		{timed1, "retry, breaker, attempt limit" + waited, through(three, wait), 0, 0, bareWaited},

		{overHTTP, bareHTTP, twoTimeouts(look), 0, 0, bareHTTP},
		{overHTTP, "sghttp, pipeline.Interactive", client(pipeline.Interactive(), look), 1.3, 0, bareHTTP},
		{overHTTP, twoWaited, twoTimeouts(wait), 0, 0, twoWaited},
		{overHTTP, "sghttp, pipeline.Interactive" + waited, client(pipeline.Interactive(), wait), 0, 0, twoWaited},
	}
}

func bulkheadPair() loop {
	b := bulkhead.Must(bulkhead.New("bench", bulkhead.Config{MaxConcurrent: 1_000}))
	ctx := context.Background()
	return func(n int) {
		for range n {
			permit, err := b.Acquire(ctx)
			if err != nil {
				panic(err)
			}
			permit.Release()
		}
	}
}

// A heeding is how code heeds its context: it looks, or it waits for its end or for
// something else, here for what is there at once.
type heeding func(context.Context) error

func look(ctx context.Context) error { return ctx.Err() }

var ready = func() <-chan struct{} { c := make(chan struct{}); close(c); return c }()

func wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-ready:
		return nil
	}
}

// through makes calls through a pipeline, with a closure that captures.
func through(cfg pipeline.Config, heed heeding) func() loop {
	return func() loop {
		p := pipeline.Must(pipeline.New("bench", cfg))
		ctx := context.Background()
		return func(n int) {
			sum := 0
			fn := func(ctx context.Context) (int, error) { return sum, heed(ctx) }
			for i := range n {
				v, err := pipeline.Do(ctx, p, fn)
				if err != nil {
					panic(err)
				}
				sum = v&1 + i&1
			}
		}
	}
}

func withTimeout(heed heeding) func() loop {
	return func() loop {
		background := context.Background()
		return func(n int) {
			sum := 0
			fn := func(ctx context.Context) (int, error) { return sum, heed(ctx) }
			for i := range n {
				ctx, cancel := context.WithTimeout(background, time.Second)
				v, _ := call(ctx, fn)
				cancel()
				sum = v&1 + i&1
			}
		}
	}
}

func failsafeThree() loop {
	e := failsafe.With(
		retrypolicy.NewBuilder[int]().WithMaxRetries(2).WithBackoff(100*time.Millisecond, 10*time.Second).Build(),
		circuitbreaker.NewBuilder[int]().WithFailureThresholdRatio(50, 100).Build(),
		failsafetimeout.New[int](time.Second),
	)
	return func(n int) {
		sum := 0
		fn := func(e failsafe.Execution[int]) (int, error) { return sum, e.Context().Err() }
		for i := range n {
			v, err := e.GetWithExecution(fn)
			if err != nil {
				panic(err)
			}
			sum = v&1 + i&1
		}
	}
}

// A nullTransport answers at once, without a body.
type nullTransport struct{ heed heeding }

func (t nullTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := t.heed(req.Context()); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: req}, nil
}

func newRequest() *http.Request {
	req, err := http.NewRequest(http.MethodGet, "http://api.example/items", nil)
	if err != nil {
		panic(err)
	}
	return req
}

// twoTimeouts is what a careful client does by hand: a limit on the whole, and one on the
// attempt.
func twoTimeouts(heed heeding) func() loop {
	return func() loop {
		req, next := newRequest(), nullTransport{heed}
		return func(n int) {
			for range n {
				whole, endWhole := context.WithTimeout(req.Context(), 3*time.Second)
				attempt, endAttempt := context.WithTimeout(whole, time.Second)
				resp, _ := next.RoundTrip(req.WithContext(attempt))
				resp.Body.Close()
				endAttempt()
				endWhole()
			}
		}
	}
}

func client(cfg pipeline.Config, heed heeding) func() loop {
	return func() loop {
		cfg.Bulkhead.MaxConcurrent = 1_000 // more than run in parallel here
		rt, err := sghttp.NewTransport(nullTransport{heed}, sghttp.Config{Pipeline: &cfg})
		if err != nil {
			panic(err)
		}
		req := newRequest()
		return func(n int) {
			for range n {
				resp, err := rt.RoundTrip(req)
				if err != nil {
					panic(err)
				}
				resp.Body.Close()
			}
		}
	}
}
