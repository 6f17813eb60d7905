package sim

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/sim/internal/random"
)

// This file puts what the reference experiment measures into the shape of the
// document it was published in.

type fields = map[string]any

func measuredRun(r *Result) fields {
	windows, inFlight := fields{"whole_run": measuredSummary(&r.Whole)}, fields{}
	for i := range r.Windows {
		w := &r.Windows[i]
		windows[w.Name] = measuredSummary(&w.Summary)
		inFlight[w.Name] = fields{"peak": w.Peak, "peak_at_s": w.PeakAt.Seconds(), "time_average": w.InFlight}
	}
	windows["calls_in_flight"] = inFlight
	return fields{"summary": windows, "per_second": measuredRows(r.Rows)}
}

func measuredSummary(s *Summary) fields {
	return fields{
		"requests": s.Requests, "reached": s.Reached, "reached_pct": s.Share(), "rejected": s.Rejected,
		"succeeded": s.Succeeded, "timed_out": s.TimedOut,
		"mean_ms": millis(s.Mean), "p50_ms": millis(s.P50), "p99_ms": millis(s.P99),
		"p99_linear_ms": millis(s.P99Linear), "max_ms": millis(s.Max),
	}
}

func measuredRows(rows []Row) fields {
	columns := map[string][]any{}
	add := func(name string, v any) { columns[name] = append(columns[name], v) }
	for _, r := range rows {
		add("second", r.At/time.Second)
		add("requests", r.Requests)
		add("reached", r.Reached)
		add("rejected", r.Rejected)
		add("succeeded", r.Succeeded)
		add("timed_out", r.TimedOut)
		add("mean_ms", millis(r.Mean))
		add("p99_ms", millis(r.P99))
		add("p99_linear_ms", millis(r.P99Linear))
	}
	f := fields{}
	for name, column := range columns {
		f[name] = column
	}
	return f
}

func measuredTransitions(r *Result) []any {
	list := []any{}
	for _, t := range r.Transitions {
		seconds := t.At.Seconds()
		list = append(list, fields{
			"t": seconds, "t_full": full(seconds), "t_2dp": fmt.Sprintf("%.2f", seconds),
			"from": t.From.String(), "to": t.To.String(),
		})
	}
	return list
}

func measuredRounds(r *Result) []any {
	list := []any{}
	for _, round := range r.Rounds {
		var arrivals, outcomes, latencies []any
		for _, p := range round.Probes {
			arrivals = append(arrivals, p.At.Seconds())
			outcomes = append(outcomes, p.Outcome)
			latencies = append(latencies, millis(p.Took))
		}
		list = append(list, fields{
			"half_open_at": round.From.Seconds(), "decided_at": round.To.Seconds(), "decision": round.Decision.String(),
			"arrivals": arrivals, "outcomes": outcomes, "latency_ms": latencies,
			"rejected_while_half_open": round.Refused,
		})
	}
	return list
}

func measuredDetail(r *Result, n *numbers) fields {
	fault, after := r.Windows[1], r.Windows[2]
	probes := uint64(0)
	for _, round := range r.Rounds {
		for _, p := range round.Probes {
			if p.At >= fault.From && p.At < fault.To {
				probes++
			}
		}
	}
	f := fields{
		"index_of_first_fault_arrival": n.firstInFault,
		"tenth_fault_arrival_s":        n.arrivals[n.firstInFault+9].Seconds(),
		"reached_in_fault_before_trip": fault.Reached - probes,
		"reached_in_fault_by_probes":   probes,
		"rejected_in_fault":            fault.Rejected,
		"rejected_after_fault":         after.Rejected,
		"results_dropped_as_stale":     r.Breakers[0].Late,
	}
	if t := r.Transitions; len(t) > 0 && t[len(t)-1].To == breaker.Closed {
		f["trip_delay_s"] = (t[0].At - fault.From).Seconds()
		f["recovery_lag_s"] = (t[len(t)-1].At - fault.To).Seconds()
	}
	return f
}

// numbers are the random numbers of the experiment, drawn once more.
type numbers struct {
	arrivals     []time.Duration
	draws        uint64
	firstInFault int
	latencies    []time.Duration
}

func measuredNumbers(c *Comparison) (*numbers, error) {
	cfg, _, err := settle(ReferenceConfig(false))
	if err != nil {
		return nil, err
	}
	n := new(numbers)
	a := newArrivals(&cfg)
	a.start(cfg.Generator, ReferenceSeed)
	for at := a.next(); at != never; at = a.next() {
		if at < cfg.Services[0].Faults[0].From {
			n.firstInFault++
		}
		n.arrivals = append(n.arrivals, at)
	}
	n.draws = a.draws
	latency := newSampler(cfg.Services[0].Latency)
	latency.stream = &a.stream
	for range max(c.NoBreaker.Draws.Latency, c.Breaker.Draws.Latency) {
		n.latencies = append(n.latencies, latency.draw())
	}
	if len(n.arrivals) < n.firstInFault+10 || len(n.latencies) < 5 {
		return nil, fmt.Errorf("sim: the reference experiment has drawn %d arrivals and %d latencies only", len(n.arrivals), len(n.latencies))
	}
	return n, nil
}

func (n *numbers) vectors(c *Comparison) fields {
	last := len(n.arrivals) - 1
	draw := func(r *Result) fields {
		return fields{
			"arrival": full(n.arrivals[last].Seconds()),
			"latency": full(n.latencies[max(r.Draws.Latency, 1)-1].Seconds()),
		}
	}
	var words []uint32
	var uniforms []string
	for t := random.NewTwister(ReferenceSeed); len(words) < 6; {
		words = append(words, t.Uint32())
	}
	for t := random.NewTwister(ReferenceSeed); len(uniforms) < 5; {
		uniforms = append(uniforms, full(t.Float64()))
	}
	return fields{
		"first_32bit_outputs":          words,
		"first_random_doubles":         uniforms,
		"first_arrivals":               fullSeconds(n.arrivals[:5]),
		"last_arrival":                 full(n.arrivals[last].Seconds()),
		"arrivals":                     len(n.arrivals),
		"doubles_consumed_by_arrivals": n.draws,
		"first_latencies_s":            fullSeconds(n.latencies[:5]),
		"doubles_consumed_total": fields{
			"no_breaker": c.NoBreaker.Draws.Arrivals + c.NoBreaker.Draws.Latency,
			"breaker":    c.Breaker.Draws.Arrivals + c.Breaker.Draws.Latency,
		},
		"latency_draws":     fields{"no_breaker": c.NoBreaker.Draws.Latency, "breaker": c.Breaker.Draws.Latency},
		"last_latency_draw": fields{"no_breaker": draw(c.NoBreaker), "breaker": draw(c.Breaker)},
	}
}

// full writes a number with all its digits, as the document does.
func full(f float64) string {
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

func fullSeconds(list []time.Duration) (s []string) {
	for _, d := range list {
		s = append(s, full(d.Seconds()))
	}
	return s
}
