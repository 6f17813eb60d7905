package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
)

// ReferenceSeed is the seed of the reference experiment.
const ReferenceSeed = 42

// ReferenceConfig returns the scenario of the reference experiment, a published
// simulation of a client without and with a circuit breaker whose dependency is
// down from second 15 to second 35 of 60.
func ReferenceConfig(withBreaker bool) Config {
	cfg := Config{
		Name:      "reference",
		Duration:  time.Minute,
		Generator: MT19937,
		Load:      Load{Kind: Poisson, Rate: 50},
		Client:    Client{Call: Call{Timeout: 2 * time.Second, Refused: 500 * time.Microsecond}},
		Services: []Service{{
			Name:    "dependency",
			Latency: Distribution{Kind: Exponential, Mean: 20 * time.Millisecond},
			Faults:  []Fault{{Kind: Outage, From: 15 * time.Second, To: 35 * time.Second}},
		}},
		Windows: []Window{
			{"before_fault", 0, 15 * time.Second},
			{"fault_window", 15 * time.Second, 35 * time.Second},
			{"after_fault", 35 * time.Second, time.Minute},
			{"fault_steady_17_to_35", 17 * time.Second, 35 * time.Second},
		},
	}
	if withBreaker {
		cfg.Client.Call.Breaker = &breaker.Config{
			Window:       breaker.WindowConfig{Calls: 20},
			MinimumCalls: 20,
			FailureRate:  50,
			Open:         breaker.OpenConfig{Wait: 5 * time.Second, Jitter: off},
			HalfOpen:     breaker.HalfOpenConfig{Probes: 5, ProbeLimit: off},
		}
	}
	return cfg
}

// A Comparison has the published results of the reference experiment beside those
// measured here.
type Comparison struct {
	// NoBreaker and Breaker are the two runs.
	NoBreaker *Result `json:"no_breaker"`
	Breaker   *Result `json:"breaker"`
	// Reported are the results as the publication states them, in its own words.
	Reported []Check `json:"reported"`
	// Details is everything else that is known of the two runs: the random
	// numbers, the transitions, the probes, all sums, and the 60 rows of each.
	Details []Check `json:"details"`
}

// A Check is one published value beside the one measured.
type Check struct {
	// What is the name of the value: of a detail, the path in the document.
	What      string `json:"what"`
	Unit      string `json:"unit,omitempty"`
	Published string `json:"published"`
	Measured  string `json:"measured"`
	// Tolerance is how far the two may be apart; 0 means that they must be equal
	// as they stand.
	Tolerance float64 `json:"tolerance,omitzero"`
	OK        bool    `json:"ok"`
}

// Different returns the checks that failed.
func (c *Comparison) Different() (failed []Check) {
	for _, list := range [][]Check{c.Reported, c.Details} {
		for _, check := range list {
			if !check.OK {
				failed = append(failed, check)
			}
		}
	}
	return failed
}

// Reference makes both runs of the reference experiment, with the real breaker, and
// compares them with what was published: counts exactly, times to a microsecond,
// latencies to a microsecond as well.
func Reference() (*Comparison, error) {
	doc, err := published()
	if err != nil {
		return nil, err
	}
	c := new(Comparison)
	if c.NoBreaker, err = referenceRun(false); err != nil {
		return nil, err
	}
	if c.Breaker, err = referenceRun(true); err != nil {
		return nil, err
	}
	measured, err := c.document()
	if err != nil {
		return nil, err
	}
	reported := c.reported()
	entries, _ := doc["reported"].([]any)
	for _, entry := range entries {
		e, _ := entry.(map[string]any)
		check := Check{What: text(e["what"]), Unit: text(e["unit"]), Published: text(e["value"])}
		check.Measured = reported[check.What]
		check.OK = check.Published == check.Measured
		c.Reported = append(c.Reported, check)
	}
	for _, part := range []string{"rng_vectors", "transitions", "half_open_rounds", "breaker_detail", "expected"} {
		c.Details = append(c.Details, compare(part, doc[part], measured[part])...)
	}
	return c, nil
}

func referenceRun(withBreaker bool) (*Result, error) {
	s, err := New(ReferenceConfig(withBreaker))
	if err != nil {
		return nil, err
	}
	return s.Run(context.Background(), ReferenceSeed)
}

// reported puts the results into the words and decimals of the publication.
func (c *Comparison) reported() map[string]string {
	const before, fault = 0, 1
	at := func(i int) string {
		if i >= len(c.Breaker.Transitions) {
			return "no such transition"
		}
		return fmt.Sprintf("%.2f", c.Breaker.Transitions[i].At.Seconds())
	}
	trip, closed := never, never
	if t := c.Breaker.Transitions; len(t) > 0 {
		trip, closed = t[0].At, t[len(t)-1].At
	}
	from, to := c.Breaker.Windows[fault].From, c.Breaker.Windows[fault].To
	naive, guarded := &c.NoBreaker.Windows[fault].Summary, &c.Breaker.Windows[fault].Summary
	inMillis := func(d time.Duration) string { return fmt.Sprintf("%.2f", millis(d)) }
	reached := func(s *Summary) string { return fmt.Sprintf("%d (%.2f%%)", s.Reached, s.Share()) }
	return map[string]string{
		"breaker CLOSED -> OPEN":                   at(0),
		"trip delay after fault start":             fmt.Sprintf("%.2f", (trip - from).Seconds()),
		"OPEN -> HALF_OPEN (1)":                    at(1),
		"HALF_OPEN -> OPEN (1)":                    at(2),
		"OPEN -> HALF_OPEN (2)":                    at(3),
		"HALF_OPEN -> OPEN (2)":                    at(4),
		"OPEN -> HALF_OPEN (3)":                    at(5),
		"HALF_OPEN -> CLOSED":                      at(6),
		"recovery lag after fault end":             fmt.Sprintf("%.2f", (closed - to).Seconds()),
		"requests arriving in fault window":        fmt.Sprint(guarded.Requests),
		"reached dependency, no breaker":           reached(naive),
		"reached dependency, breaker":              reached(guarded),
		"blocked by breaker":                       fmt.Sprint(guarded.Rejected),
		"mean latency while OPEN":                  "about " + text(millis(c.refused())),
		"mean latency in fault window, no breaker": inMillis(naive.Mean),
		"mean latency in fault window, breaker":    inMillis(guarded.Mean),
		"p99 latency in fault window, both":        inMillis(max(naive.P99, guarded.P99)),
	}
}

// refused is the mean latency of the rows in which every call was refused.
func (c *Comparison) refused() time.Duration {
	var sum, n time.Duration
	for _, r := range c.Breaker.Rows {
		if r.Requests > 0 && r.Rejected == r.Requests {
			sum, n = sum+r.Mean, n+1
		}
	}
	return sum / max(n, 1)
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// document is what was measured in the shape of the published document.
func (c *Comparison) document() (doc map[string]any, err error) {
	numbers, err := measuredNumbers(c)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(map[string]any{
		"rng_vectors":      numbers.vectors(c),
		"transitions":      measuredTransitions(c.Breaker),
		"half_open_rounds": measuredRounds(c.Breaker),
		"breaker_detail":   measuredDetail(c.Breaker, numbers),
		"expected":         map[string]any{"no_breaker": measuredRun(c.NoBreaker), "breaker": measuredRun(c.Breaker)},
	})
	if err == nil {
		err = json.Unmarshal(body, &doc)
	}
	return doc, err
}
