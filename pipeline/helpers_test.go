package pipeline_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/backoff"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/retry"
)

const (
	off = switchgear.Off
	ms  = time.Millisecond
)

var (
	errDown    = errors.New("connection refused")
	background = context.Background()
)

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func matches(t *testing.T, what string, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("%s: got %v, want %v", what, err, target)
	}
}

func must(t *testing.T, cfg pipeline.Config, opts ...pipeline.Option) *pipeline.Pipeline {
	t.Helper()
	p, err := pipeline.New("stock", cfg, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// inBubble runs a test in virtual time.
func inBubble(t *testing.T, name string, f func(*testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

// thrice is three attempts, a second apart.
func thrice() *retry.Config {
	return &retry.Config{Attempts: 3, Backoff: backoff.Config{Kind: backoff.Constant, Initial: time.Second, Jitter: backoff.None}}
}

// counting is a breaker that is easy to count: the last ten outcomes, at least four.
func counting() *breaker.Config {
	return &breaker.Config{
		Window: breaker.WindowConfig{Calls: 10}, MinimumCalls: 4,
		Open:     breaker.OpenConfig{Wait: 10 * time.Second, Jitter: off},
		HalfOpen: breaker.HalfOpenConfig{Probes: 2},
	}
}

// take makes a call that takes d, heeding its context.
func take(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func nothing(context.Context) error { return nil }
