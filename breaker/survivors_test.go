package breaker_test

import (
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
)

// Tests for mutants that survived all others.

func TestTheLargestDrawIsADraw(t *testing.T) {
	t.Run("R6, O2: an interval with the most jitter is moved like any other", func(t *testing.T) {
		cfg := with(func(c *breaker.Config) { c.Open.Jitter = 10 })
		r := newRig(t, cfg, breaker.WithRandom(func() float64 { return 1 }))
		r.trip()
		equal(t, "wait", r.Snapshot().RetryAfter, 11*time.Second)
		cfg.Open.Wait = 20 * time.Second
		equal(t, "error", r.Reconfigure(cfg), nil)
		equal(t, "longer wait", r.Snapshot().RetryAfter, 22*time.Second)
	})
}

func TestChangeText(t *testing.T) {
	trip := &breaker.Trip{Rule: breaker.RuleOperator}
	text := trip.Text()
	equal(t, "a trip without a wait", (&breaker.Change{Trip: trip}).String(), text)
	trip.Wait = time.Nanosecond
	equal(t, "the shortest wait", (&breaker.Change{Trip: trip}).String(), text+"; next probe in 0s")
}
