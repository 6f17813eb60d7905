package sgotel_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/backoff"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/fallback"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/ratelimit"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/sgotel"
	"github.com/switchgear-go/switchgear/throttle"
	"github.com/switchgear-go/switchgear/timeout"
)

const off = switchgear.Off

// events runs f with a span and returns the events on it. There is no other span.
func events(t *testing.T, f func(ctx context.Context)) (list []string) {
	t.Helper()
	recorder := tracetest.NewSpanRecorder()
	ctx, span := sdk.NewTracerProvider(sdk.WithSpanProcessor(recorder)).Tracer("test").Start(background, "call")
	f(ctx)
	span.End()
	equal(t, "spans", len(recorder.Ended()), 1)
	for _, e := range recorder.Ended()[0].Events() {
		list = append(list, seriesName(e.Name, e.Attributes))
	}
	return list
}

func sameEvents(t *testing.T, got []string, want ...string) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

func must(t *testing.T, cfg pipeline.Config) *pipeline.Pipeline {
	t.Helper()
	p, err := pipeline.New("stock", cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func steps(n int) *retry.Config {
	return &retry.Config{Attempts: n, Backoff: backoff.Config{Kind: backoff.Constant, Initial: time.Second, Jitter: backoff.None}}
}

func inBubble(t *testing.T, name string, f func(*testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

func TestAttempt(t *testing.T) {
	inBubble(t, "a first attempt adds nothing, a retry does", func(t *testing.T) {
		p := must(t, pipeline.Config{Retry: steps(3)})
		sameEvents(t, events(t, func(ctx context.Context) {
			n := 0
			_, _ = pipeline.Do(ctx, p, sgotel.Attempt(func(context.Context) (int, error) {
				if n++; n < 3 {
					return 0, errDown
				}
				return n, nil
			}))
		}),
			"switchgear.retry{switchgear.attempt=2,switchgear.probe=false}",
			"switchgear.retry{switchgear.attempt=3,switchgear.probe=false}")
	})
	inBubble(t, "so does a hedge", func(t *testing.T) {
		p := must(t, pipeline.Config{Hedge: &hedge.Config{Delay: time.Second, Always: true}, Accept: []pipeline.Check{pipeline.UnbudgetedHedge}})
		sameEvents(t, events(t, func(ctx context.Context) {
			_, _ = pipeline.Do(ctx, p, sgotel.Attempt(func(ctx context.Context) (int, error) {
				if a, _ := switchgear.AttemptOf(ctx); a.Number == 1 {
					<-ctx.Done()
				}
				return 1, ctx.Err()
			}))
			synctest.Wait()
		}), "switchgear.hedge{switchgear.attempt=2,switchgear.probe=false}")
	})
	inBubble(t, "so does a probe", func(t *testing.T) {
		p := must(t, pipeline.Config{Breaker: &breaker.Config{}})
		if err := p.Breaker().Move(breaker.Move{To: breaker.HalfOpen, Reason: "test"}); err != nil {
			t.Fatal(err)
		}
		sameEvents(t, events(t, func(ctx context.Context) {
			_, _ = pipeline.Do(ctx, p, sgotel.Attempt(func(context.Context) (int, error) { return 1, nil }))
		}), "switchgear.probe{switchgear.attempt=1,switchgear.probe=true}")
	})
	t.Run("without a span it does nothing, and what the function returns goes through", func(t *testing.T) {
		ctx := switchgear.WithAttempt(background, switchgear.Attempt{Number: 2})
		v, err := sgotel.Attempt(func(context.Context) (int, error) { return 7, errDown })(ctx)
		equal(t, "value", v, 7)
		equal(t, "error", err, errDown)
	})
}

// ended is the events for an error.
func ended(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		t.Error("there is no error")
	}
	return events(t, func(ctx context.Context) { sgotel.Ended(ctx, err) })
}

func ok(context.Context) error { return nil }

// refused uses up what a policy has and returns the refusal.
func refused(t *testing.T, cfg pipeline.Config) error {
	t.Helper()
	p := must(t, cfg)
	for range 20 {
		err := p.Do(background, func(ctx context.Context) error { return p.Do(ctx, ok) })
		if errors.Is(err, switchgear.ErrRejected) {
			return err
		}
	}
	return nil
}

func TestEnded(t *testing.T) {
	inBubble(t, "a breaker's refusal", func(t *testing.T) {
		b := breaker.Must(breaker.New("ledger", breaker.Config{Open: breaker.OpenConfig{Wait: 10 * time.Second, Jitter: off}}))
		if err := b.Move(breaker.Move{To: breaker.Open, Reason: "test"}); err != nil {
			t.Fatal(err)
		}
		sameEvents(t, ended(t, b.Do(background, ok)),
			"switchgear.rejected{switchgear.name=ledger,switchgear.policy=breaker,switchgear.reason=open,switchgear.retry_after=10}")
	})
	inBubble(t, "a bulkhead's", func(t *testing.T) {
		sameEvents(t, ended(t, refused(t, pipeline.Config{Bulkhead: &bulkhead.Config{MaxConcurrent: 1}})),
			"switchgear.rejected{switchgear.name=stock,switchgear.policy=bulkhead,switchgear.reason=full}")
	})
	inBubble(t, "a rate limiter's", func(t *testing.T) {
		sameEvents(t, ended(t, refused(t, pipeline.Config{RateLimit: &ratelimit.Config{Rate: 1, Burst: 1}})),
			"switchgear.rejected{switchgear.name=stock,switchgear.policy=ratelimit,switchgear.reason=used_up,switchgear.retry_after=1}")
	})
	inBubble(t, "an adaptive limiter's", func(t *testing.T) {
		sameEvents(t, ended(t, refused(t, pipeline.Config{Adaptive: &adaptive.Config{Initial: 1, Min: 1}})),
			"switchgear.rejected{switchgear.name=stock,switchgear.policy=adaptive,switchgear.reason=limit}")
	})
	t.Run("a throttle's", func(t *testing.T) {
		sameEvents(t, ended(t, &throttle.Rejection{Name: "stock"}),
			"switchgear.rejected{switchgear.name=stock,switchgear.policy=throttle}")
	})
	t.Run("a time limit's", func(t *testing.T) {
		sameEvents(t, ended(t, &timeout.Rejection{Name: "stock"}),
			"switchgear.rejected{switchgear.name=stock,switchgear.policy=timeout,switchgear.reason=too_little_time}")
	})
	t.Run("somebody else's", func(t *testing.T) {
		sameEvents(t, ended(t, fmt.Errorf("no: %w", switchgear.ErrRejected)), "switchgear.rejected{switchgear.policy=unknown}")
	})
	inBubble(t, "a limit on time", func(t *testing.T) {
		p := must(t, pipeline.Config{Total: &timeout.Config{Limit: 2 * time.Second}})
		err := p.Do(background, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		sameEvents(t, ended(t, err), "switchgear.timed_out{switchgear.limit=2,switchgear.name=stock,switchgear.policy=timeout}")
	})
	inBubble(t, "a retry whose last attempt was refused", func(t *testing.T) {
		p := must(t, pipeline.Config{
			Retry:   steps(5),
			Breaker: &breaker.Config{ConsecutiveFailures: 2, Open: breaker.OpenConfig{Wait: time.Minute, Jitter: off}},
		})
		sameEvents(t, ended(t, p.Do(background, func(context.Context) error { return errDown })),
			"switchgear.rejected{switchgear.name=stock,switchgear.policy=breaker,switchgear.reason=open,switchgear.retry_after=59}",
			"switchgear.gave_up{switchgear.attempts=3,switchgear.name=stock,switchgear.policy=retry,switchgear.reason=refused}")
	})
	inBubble(t, "a hedge whose attempts failed", func(t *testing.T) {
		p := must(t, pipeline.Config{Hedge: &hedge.Config{Delay: time.Second, Always: true}, Accept: []pipeline.Check{pipeline.UnbudgetedHedge}})
		err := p.Do(background, func(context.Context) error { time.Sleep(2 * time.Second); return errDown })
		sameEvents(t, ended(t, err), "switchgear.failed{switchgear.attempts=2,switchgear.name=stock,switchgear.policy=hedge}")
	})
	t.Run("other errors, and none, add nothing", func(t *testing.T) {
		sameEvents(t, ended(t, errDown))
		sameEvents(t, events(t, func(ctx context.Context) { sgotel.Ended(ctx, nil) }))
	})
	t.Run("without a span, nothing happens", func(t *testing.T) {
		sgotel.Ended(background, switchgear.ErrRejected)
	})
}

func TestFellBack(t *testing.T) {
	f := fallback.Must(fallback.New("items", fallback.Value(7).Named("default")))
	for _, tt := range []struct {
		name string
		err  error
		want []string
	}{
		{"the call itself", nil, nil},
		{"a handler, in place of an error", errDown, []string{"switchgear.fallback{switchgear.fallback=default}"}},
		{"a handler, in place of a refusal", &throttle.Rejection{Name: "stock"}, []string{
			"switchgear.rejected{switchgear.name=stock,switchgear.policy=throttle}",
			"switchgear.fallback{switchgear.fallback=default}",
		}},
		{"nobody", switchgear.MarkSuccess(errDown), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sameEvents(t, events(t, func(ctx context.Context) {
				_, meta, _ := f.DoMeta(ctx, func(context.Context) (int, error) { return 1, tt.err })
				sgotel.FellBack(ctx, meta)
			}), tt.want...)
		})
	}
	t.Run("without a span, nothing happens", func(t *testing.T) {
		sgotel.FellBack(background, fallback.Meta{Fallback: "default", Err: errDown})
	})
}
