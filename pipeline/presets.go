package pipeline

import (
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/backoff"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/throttle"
	"github.com/switchgear-go/switchgear/timeout"
)

// Interactive is for calls that somebody waits for and that may be made again: reads,
// in the main. Three seconds in all and one for an attempt; up to three attempts, quickly
// after each other, as long as no more than a fifth of the calls need that; slow calls
// (above half a second) trip the breaker when most calls are slow.
//
// Each preset returns a new value, to be changed at will.
func Interactive() Config {
	return Config{
		Total: &timeout.Config{Limit: 3 * time.Second},
		Retry: &retry.Config{
			Attempts: 3,
			Backoff:  backoff.Config{Initial: 50 * time.Millisecond, Max: 500 * time.Millisecond},
		},
		Budget: &budget.Config{},
		Breaker: &breaker.Config{
			SlowCall: breaker.SlowCallConfig{Duration: 500 * time.Millisecond, Rate: 80},
			Open:     breaker.OpenConfig{Wait: 10 * time.Second, Factor: 2, MaxWait: time.Minute},
		},
		Bulkhead: &bulkhead.Config{MaxConcurrent: 64},
		Attempt:  &timeout.Config{Limit: time.Second},
	}
}

// LowLatency is [Interactive] for reads whose tail matters more than a little extra
// load: calls marked safe are made a second time beside the first when that is slower
// than nineteen in twenty.
func LowLatency() Config {
	cfg := Interactive()
	cfg.Retry.Attempts = 2
	cfg.Hedge = &hedge.Config{Percentile: 95, Delay: 100 * time.Millisecond}
	cfg.Budget = &budget.Config{Ratio: budget.RatioConfig{Percent: 10}}
	return cfg
}

// Write is for calls that must not be made twice, such as an order: one attempt and
// more time for it. What is known not to have reached the dependency is refused at once,
// and can be made again by whoever sees the refusal.
func Write() Config {
	return Config{
		Breaker: &breaker.Config{
			SlowCall: breaker.SlowCallConfig{Duration: 3 * time.Second, Rate: 80},
			Open:     breaker.OpenConfig{Wait: 10 * time.Second, Factor: 2, MaxWait: time.Minute},
		},
		Bulkhead: &bulkhead.Config{MaxConcurrent: 64},
		Attempt:  &timeout.Config{Limit: 10 * time.Second},
	}
}

// Batch is for work in the background that nobody waits for, and that must give way: it
// queues for one of eight places, tries up to ten times over a quarter of an hour, waits
// for an open breaker instead of failing, and holds back when the dependency refuses
// much.
func Batch() Config {
	return Config{
		Total:    &timeout.Config{Limit: 15 * time.Minute},
		Throttle: &throttle.Config{K: 1.5},
		Retry: &retry.Config{
			Attempts: 10, WaitRejected: true, MaxHint: 5 * time.Minute,
			Backoff: backoff.Config{Initial: time.Second, Max: time.Minute},
		},
		Budget: &budget.Config{Ratio: budget.RatioConfig{Percent: 50, MinPerSecond: 1}},
		Breaker: &breaker.Config{
			Open: breaker.OpenConfig{Wait: 30 * time.Second, Factor: 2, MaxWait: 5 * time.Minute, Jitter: 20},
		},
		Bulkhead: &bulkhead.Config{MaxConcurrent: 8, MaxWaiting: 1_000, MaxWait: time.Minute},
		Attempt:  &timeout.Config{Limit: 30 * time.Second},
	}
}

// Probe is for health checks and other calls that only want to know: one short attempt,
// under a breaker that decides by a few of them.
func Probe() Config {
	return Config{
		Breaker: &breaker.Config{
			Window: breaker.WindowConfig{Calls: 10}, FailureRate: switchgear.Off, ConsecutiveFailures: 3,
			Open: breaker.OpenConfig{Wait: 5 * time.Second},
		},
		Attempt: &timeout.Config{Limit: 2 * time.Second},
	}
}
