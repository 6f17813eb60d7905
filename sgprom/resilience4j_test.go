package sgprom_test

import (
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear"
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
			`resilience4j_circuitbreaker_calls_seconds_count{kind="failed",name="ledger"} 2`,
			`resilience4j_circuitbreaker_calls_seconds_sum{kind="failed",name="ledger"} NaN`,
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
	t.Run("among the others, durations are unknown", func(t *testing.T) {
		var s source
		s.add("a")
		fail(s.add("b"), 1)
		l := latency(t, sgprom.LatencyConfig{})
		l.Timer("b").Observe(time.Second, switchgear.Failure)
		for _, f := range gather(t, must(t, &s, sgprom.Config{MaxNames: 1}, sgprom.WithResilience4j(l))) {
			if f.GetName() != "resilience4j_circuitbreaker_calls_seconds" {
				continue
			}
			for _, m := range f.Metric {
				if !math.IsNaN(m.Summary.GetSampleSum()) {
					t.Errorf("%v", m)
				}
			}
		}
	})
}
