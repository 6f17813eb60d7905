package retry_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/backoff"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/retry"
)

const (
	ms    = time.Millisecond
	off   = switchgear.Off
	month = 30 * 24 * time.Hour
)

var (
	errDown  = errors.New("connection refused")
	errOther = errors.New("reset by peer")
	errFinal = switchgear.MarkFinal(errors.New("no such item"))

	start = time.Date(2030, time.May, 1, 12, 0, 0, 0, time.UTC)

	again = switchgear.Judgement{Health: switchgear.Failure, Repeat: switchgear.RepeatYes}
	never = switchgear.Judgement{Health: switchgear.Failure, Repeat: switchgear.RepeatNever}
)

func equal[T any](t testing.TB, what string, got, want T) {
	if !reflect.DeepEqual(got, want) {
		t.Helper()
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// matches checks that err matches every one of the targets.
func matches(t testing.TB, err error, targets ...error) {
	t.Helper()
	for _, target := range targets {
		if !errors.Is(err, target) {
			t.Errorf("%v does not match %v", err, target)
		}
	}
}

// gaveUp returns err as an Error, and checks what ended the loop and after how many
// attempts.
func gaveUp(t testing.TB, err error, limit retry.Limit, attempts int) *retry.Error {
	t.Helper()
	e, ok := errors.AsType[*retry.Error](err)
	if !ok {
		t.Fatalf("got error %v, want a *retry.Error", err)
	}
	matches(t, err, retry.ErrExhausted)
	equal(t, "limit", e.Limit, limit)
	equal(t, "attempts", e.Attempts, attempts)
	return e
}

func seeded(t testing.TB) *rand.Rand {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed: %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// plain is a backoff of one second, twice as long each time up to ten, without
// chance.
var plain = backoff.Config{Initial: time.Second, Jitter: backoff.None, Spread: off}

func made(t testing.TB, cfg retry.Config, opts ...retry.Option) *retry.Retry {
	t.Helper()
	r, err := retry.New("stock", cfg, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func budgetOf(t testing.TB, clk clock.Clock, cfg budget.Config) *budget.Budget {
	t.Helper()
	b, err := budget.New("stock", cfg, budget.WithClock(clk))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A rig runs loops in virtual time, by their decisions alone.
type rig struct {
	*retry.Retry
	t     testing.TB
	clk   *clock.Virtual
	began []time.Duration // when the attempts of the last run began
}

func newRig(t testing.TB, cfg retry.Config, opts ...retry.Option) *rig {
	t.Helper()
	clk := clock.NewVirtual(start)
	return &rig{Retry: made(t, cfg, append([]retry.Option{retry.WithClock(clk)}, opts...)...), t: t, clk: clk}
}

// run makes one call. fn is given the number of the attempt and may move the clock.
func (r *rig) run(ctx context.Context, fn func(attempt int) error) error {
	r.t.Helper()
	l := r.Begin()
	r.began = nil
	for {
		r.began = append(r.began, r.clk.Mono())
		err := fn(l.Attempt())
		if err == nil {
			l.Done(switchgear.Success)
			return nil
		}
		delay, ok := l.Next(ctx, err, switchgear.Judge(ctx, err, r.clk.Now, nil))
		if !ok {
			equal(r.t, "delay without another attempt", delay, 0)
			return l.Err(err)
		}
		if delay <= 0 {
			r.t.Fatalf("K31: attempt %d without a wait", l.Attempt())
		}
		r.clk.Advance(delay)
	}
}

// failing fails with err in each of the first n attempts, then succeeds.
func failing(n int, err error) func(int) error {
	return func(attempt int) error {
		if attempt <= n {
			return err
		}
		return nil
	}
}

const ever = 1 << 30

// A virtual deadline is a context whose deadline is on a virtual clock.
type virtualDeadline struct {
	context.Context
	clk *clock.Virtual
	at  time.Time
}

func within(clk *clock.Virtual, d time.Duration) context.Context {
	return virtualDeadline{context.Background(), clk, clk.Now().Add(d)}
}

func (d virtualDeadline) Deadline() (time.Time, bool) { return d.at, true }

func (d virtualDeadline) Err() error {
	if d.clk.Now().Before(d.at) {
		return nil
	}
	return context.DeadlineExceeded
}

// A refusal is what another policy returns.
type refusal struct {
	wait  time.Duration
	known bool
}

func (r *refusal) Error() string                     { return "bulkhead \"stock\" is full" }
func (r *refusal) Is(target error) bool              { return target == switchgear.ErrRejected }
func (r *refusal) RetryAfter() (time.Duration, bool) { return r.wait, r.known }

// plainOf is plain with another first delay.
func plainOf(initial time.Duration) backoff.Config {
	b := plain
	b.Initial = initial
	return b
}
