package sgprom_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/sgprom"
)

// What boards made for Resilience4j ask for: series as Micrometer's registry writes them.
func TestResilience4j(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := latency(t, sgprom.LatencyConfig{})
		l.Timer("stock").Observe(1500*time.Millisecond, switchgear.Success)
		text := render(t, gather(t, must(t, everything(t), sgprom.Config{}, sgprom.WithResilience4j(l))))
		for _, line := range []string{
			`# TYPE resilience4j_circuitbreaker_state gauge`,
			`resilience4j_circuitbreaker_state{name="ledger",state="closed"} 0`,
			`resilience4j_circuitbreaker_state{name="ledger",state="open"} 1`,
			`resilience4j_circuitbreaker_state{name="ledger",state="half_open"} 0`,
			`resilience4j_circuitbreaker_state{name="ledger",state="forced_open"} 0`,
			`resilience4j_circuitbreaker_state{name="ledger",state="disabled"} 0`,
			`resilience4j_circuitbreaker_state{name="ledger",state="metrics_only"} 0`,
			`# TYPE resilience4j_circuitbreaker_buffered_calls gauge`,
			`resilience4j_circuitbreaker_buffered_calls{kind="failed",name="ledger"} 2`,
			`resilience4j_circuitbreaker_buffered_calls{kind="successful",name="ledger"} 2`,
			`resilience4j_circuitbreaker_slow_calls{kind="failed",name="ledger"} 1`,
			`resilience4j_circuitbreaker_slow_calls{kind="successful",name="ledger"} 2`,
			`resilience4j_circuitbreaker_failure_rate{name="ledger"} 50`,
			`resilience4j_circuitbreaker_failure_rate{name="stock"} -1`,
			`resilience4j_circuitbreaker_slow_call_rate{name="ledger"} 75`,
			`# TYPE resilience4j_circuitbreaker_calls_seconds summary`,
			`resilience4j_circuitbreaker_calls_seconds_count{kind="failed",name="ledger"} 0`,
			`resilience4j_circuitbreaker_calls_seconds_sum{kind="failed",name="ledger"} 0`,
			`resilience4j_circuitbreaker_calls_seconds_count{kind="ignored",name="ledger"} 0`,
			`resilience4j_circuitbreaker_calls_seconds_count{kind="successful",name="stock"} 1`,
			`resilience4j_circuitbreaker_calls_seconds_sum{kind="successful",name="stock"} 1.5`,
			`resilience4j_circuitbreaker_calls_seconds_sum{kind="failed",name="stock"} 0`,
			`# TYPE resilience4j_circuitbreaker_not_permitted_calls_total counter`,
			`resilience4j_circuitbreaker_not_permitted_calls_total{kind="not_permitted",name="ledger"} 4`,
			`# TYPE resilience4j_retry_calls_total counter`,
			`resilience4j_retry_calls_total{kind="successful_with_retry",name="stock"} 2`,
			`resilience4j_retry_calls_total{kind="failed_with_retry",name="stock"} 2`,
			`resilience4j_retry_calls_total{kind="failed_without_retry",name="stock"} 2`,
			`resilience4j_retry_calls_total{kind="successful_without_retry",name="stock"} 6`,
			`# TYPE resilience4j_bulkhead_available_concurrent_calls gauge`,
			`resilience4j_bulkhead_available_concurrent_calls{name="stock"} 8`,
			`resilience4j_bulkhead_max_allowed_concurrent_calls{name="stock"} 8`,
			`# TYPE resilience4j_ratelimiter_available_permissions gauge`,
			`resilience4j_ratelimiter_available_permissions{name="stock"} 50`,
			`# TYPE resilience4j_timelimiter_calls_total counter`,
			`resilience4j_timelimiter_calls_total{kind="timeout",name="stock"} 0`,
		} {
			if !strings.Contains(text, line+"\n") {
				t.Errorf("missing: %s", line)
			}
		}
	})
	t.Run("only where it is asked for", func(t *testing.T) {
		var s source
		s.add("a")
		if text := render(t, gather(t, must(t, &s, sgprom.Config{}))); strings.Contains(text, "resilience4j") {
			t.Error("it is there all the same")
		}
	})
	// A board asks for the rate of calls. A timer is made at the first call and forgotten
	// when its entry goes: a count that were the breaker's in between would go from 1 to
	// 1,000 and back, and show a thousand calls that nobody made.
	t.Run("the calls of a kind come from one place, whether there is a timer or not", func(t *testing.T) {
		var s source
		fail(s.add("a"), 9)
		l := latency(t, sgprom.LatencyConfig{})
		timed, counted := must(t, &s, sgprom.Config{}, sgprom.WithResilience4j(l)), must(t, &s, sgprom.Config{}, sgprom.WithResilience4j(nil))
		check := func(when string, count uint64, sum float64) {
			t.Helper()
			m := callsSummary(t, timed, "a")
			equal(t, when+": recorded", m.GetSampleCount(), count)
			equal(t, when+": seconds", m.GetSampleSum(), sum)
			m = callsSummary(t, counted, "a")
			equal(t, when+": counted by the breaker", m.GetSampleCount(), 9)
			equal(t, when+": seconds are unknown", math.IsNaN(m.GetSampleSum()), true)
		}
		check("no timer", 0, 0)
		l.Timer("a").Observe(time.Second, switchgear.Failure)
		check("a timer", 1, 1)
		l.Forget("a")
		check("forgotten", 0, 0)
	})
	t.Run("among the others, durations are unknown", func(t *testing.T) {
		var s source
		s.add("a")
		fail(s.add("b"), 1)
		l := latency(t, sgprom.LatencyConfig{})
		l.Timer("b").Observe(time.Second, switchgear.Failure)
		m := callsSummary(t, must(t, &s, sgprom.Config{MaxNames: 1}, sgprom.WithResilience4j(l)), "other")
		equal(t, "counted by the breaker", m.GetSampleCount(), 1)
		equal(t, "seconds are unknown", math.IsNaN(m.GetSampleSum()), true)
	})
}

// Counters of the others are matched by their order, see internal/metrics: it must
// not depend on the state.
func TestCountersAreTheSameInEveryState(t *testing.T) {
	var s source
	b := s.add("a")
	c := must(t, &s, sgprom.Config{}, sgprom.WithResilience4j(nil))
	counters := func() (names []string) {
		for _, f := range gather(t, c) {
			for _, m := range f.Metric {
				if m.Gauge == nil {
					names = append(names, fmt.Sprint(f.GetName(), m.Label))
				}
			}
		}
		return names
	}
	want := counters()
	for _, to := range []breaker.State{breaker.Open, breaker.HalfOpen, breaker.Disabled, breaker.MetricsOnly, breaker.ForcedOpen} {
		if err := b.Move(breaker.Move{To: to, Reason: "test"}); err != nil {
			t.Fatal(err)
		}
		if got := counters(); !slices.Equal(got, want) {
			t.Errorf("%v: got %v, want %v", to, got, want)
		}
	}
}

// callsSummary returns the summary of the failed calls of a name.
func callsSummary(t *testing.T, c *sgprom.Collector, name string) *dto.Summary {
	t.Helper()
	for _, f := range gather(t, c) {
		if f.GetName() != "resilience4j_circuitbreaker_calls_seconds" {
			continue
		}
		for _, m := range f.Metric {
			if m.Label[0].GetValue() == "failed" && m.Label[1].GetValue() == name {
				return m.Summary
			}
		}
	}
	t.Fatalf("there is no summary of %s", name)
	return nil
}
