package proof

import (
	"testing"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
)

// Histories that random ones seldom contain, or that once ended in a disagreement.
// Each goes through breaker and model like a random one.
func TestHistories(t *testing.T) {
	grace := setup{Draws: []float64{0.5}, Config: breaker.Config{
		Window: breaker.WindowConfig{Calls: 4}, MinimumCalls: 3, FailureRate: switchgear.Off, ConsecutiveFailures: 2, Grace: 5 * sec,
	}}
	byRate := setup{Draws: []float64{0.5}, Config: breaker.Config{
		Window: breaker.WindowConfig{Calls: 4}, MinimumCalls: 3, ConsecutiveFailures: 1,
		HalfOpen: breaker.HalfOpenConfig{Probes: 3, ProbeLimit: sec},
	}}
	toHalfOpen := op{Do: "move", Move: breaker.Move{To: breaker.HalfOpen, Reason: "try it"}}
	for _, h := range []struct {
		name  string
		setup setup
		ops   []op
	}{
		// The window was emptied by the next outcome only, or by a snapshot; whoever
		// moved the breaker before found outcomes of the grace in the event.
		{"T7: an operator who comes first after the grace finds the window empty", grace, []op{
			{Do: "calls", N: 1, How: "success"}, {Do: "wait", D: 5 * sec},
			{Do: "move", Move: breaker.Move{To: breaker.Open, Reason: "stop"}},
		}},
		{"T7: a reset that comes first after the grace finds the window empty", grace, []op{
			{Do: "calls", N: 1, How: "failure"}, {Do: "wait", D: 5 * sec}, {Do: "reset"},
		}},
		{"T7: an expiry that comes first after the grace finds the window empty", grace, []op{
			{Do: "move", Move: breaker.Move{To: breaker.MetricsOnly, For: 6 * sec, Reason: "look"}},
			{Do: "calls", N: 1, How: "failure"}, {Do: "wait", D: 10 * sec},
		}},
		{"T7: METRICS_ONLY is emptied too", grace, []op{
			{Do: "move", Move: breaker.Move{To: breaker.MetricsOnly, Reason: "look"}},
			{Do: "calls", N: 3, How: "failure"}, {Do: "observe"}, {Do: "wait", D: 5 * sec}, {Do: "observe"},
		}},
		// A snapshot that came after the end of the grace emptied it: a reader changed
		// what the next event said (S6).
		{"T7, W5: OPEN goes on showing what it was entered with when the grace ends", grace, []op{
			{Do: "calls", N: 3, How: "failure"}, {Do: "move", Move: breaker.Move{To: breaker.Open, Reason: "stop"}},
			{Do: "observe"}, {Do: "wait", D: 5 * sec}, {Do: "observe"}, {Do: "wait", D: 25 * sec}, {Do: "acquire"}, {Do: "observe"},
		}},
		{"T7: nothing trips one instant before the end, and then it counts from nothing", grace, []op{
			{Do: "calls", N: 3, How: "failure"}, {Do: "wait", D: 5*sec - 1}, {Do: "calls", N: 1, How: "failure"}, {Do: "observe"},
			{Do: "wait", D: 1}, {Do: "calls", N: 1, How: "failure"}, {Do: "observe"}, {Do: "calls", N: 1, How: "failure"}, {Do: "observe"},
		}},
		{"H8: an overdue probe can be the last outcome that closes", byRate, []op{
			toHalfOpen, {Do: "acquire"}, {Do: "calls", N: 2, How: "success"}, {Do: "wait", D: sec}, {Do: "acquire"}, {Do: "observe"},
			{Do: "settle", How: "success"}, {Do: "observe"},
		}},
		{"H8: of two overdue probes the first decides, and both are late", byRate, []op{
			toHalfOpen, {Do: "acquire"}, {Do: "acquire"}, {Do: "calls", N: 1, How: "failure"}, {Do: "observe"},
			{Do: "acquire"}, {Do: "wait", D: sec}, {Do: "acquire"}, {Do: "observe"},
			{Do: "settle", How: "success"}, {Do: "settle", How: "success"}, {Do: "observe"},
		}},
	} {
		t.Run(h.name, func(t *testing.T) {
			d := newDriver(t, &h.setup)
			for _, o := range h.ops {
				d.run(o)
			}
			d.observe()
		})
	}
}
