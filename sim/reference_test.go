package sim

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// The whole published experiment, with the real breaker: counts exact, times and
// latencies to a microsecond, all sixty rows of both runs.
func TestReference(t *testing.T) {
	c, err := Reference()
	if err != nil {
		t.Fatal(err)
	}
	for _, check := range c.Different() {
		t.Errorf("%s: measured %s, published %s (tolerance %g)", check.What, check.Measured, check.Published, check.Tolerance)
	}
	equal(t, "results as reported", len(c.Reported), 17)
	// 9 columns of 60 rows, 4 summaries of 11 values, 3 of calls in flight; twice.
	per := map[string]int{}
	for _, check := range c.Details {
		switch {
		case strings.Contains(check.What, ".per_second."):
			per["rows"]++
		case strings.Contains(check.What, ".calls_in_flight."):
			per["in flight"]++
		case strings.Contains(check.What, ".summary."):
			per["sums"]++
		case strings.HasPrefix(check.What, "transitions"):
			per["transitions"]++
		case strings.HasPrefix(check.What, "half_open_rounds"):
			per["probes"]++
		}
	}
	equal(t, "values in rows", per["rows"], 2*9*60)
	equal(t, "values of calls in flight", per["in flight"], 2*9)
	equal(t, "values in sums", per["sums"], 2*4*11)
	equal(t, "values of transitions", per["transitions"], 7*5)
	equal(t, "values of probes", per["probes"], 3*(4+3*5))
}

// The seven transitions once more, with every digit that was published.
func TestReferenceTransitions(t *testing.T) {
	want := []string{
		"17.165217273603098", "22.172984222586347", "24.216724399826763", "29.21721370402848",
		"31.23036242256452", "36.25003040326616", "36.37613355498399",
	}
	r := simulate(t, ReferenceConfig(true), ReferenceSeed)
	equal(t, "transitions", len(r.Transitions), len(want))
	for i, tr := range r.Transitions {
		p, _ := number(want[i])
		near(t, fmt.Sprint("transition ", i), tr.At.Seconds(), p, 0.6e-9) // half a nanosecond, and the last bit
	}
}

// A comparison that cannot fail proves nothing: each of these changes is noticed.
func TestReferenceNotices(t *testing.T) {
	doc, err := published()
	if err != nil {
		t.Fatal(err)
	}
	fresh := func() *Comparison {
		c := new(Comparison)
		for _, withBreaker := range []bool{false, true} {
			r := simulate(t, ReferenceConfig(withBreaker), ReferenceSeed)
			if withBreaker {
				c.Breaker = r
			} else {
				c.NoBreaker = r
			}
		}
		return c
	}
	for name, tt := range map[string]struct {
		change func(c *Comparison)
		want   string // the only difference
	}{
		"a count in a row":      {func(c *Comparison) { c.Breaker.Rows[59].Reached++ }, "expected.breaker.per_second.reached[59]"},
		"a mean in a row":       {func(c *Comparison) { c.NoBreaker.Rows[7].Mean += 1100 }, "expected.no_breaker.per_second.mean_ms[7]"},
		"a quantile of a sum":   {func(c *Comparison) { c.Breaker.Whole.P50 += 1100 }, "expected.breaker.summary.whole_run.p50_ms"},
		"the peak in flight":    {func(c *Comparison) { c.NoBreaker.Windows[1].Peak-- }, "expected.no_breaker.summary.calls_in_flight.fault_window.peak"},
		"a probe's latency":     {func(c *Comparison) { c.Breaker.Rounds[2].Probes[4].Took += 1100 }, "half_open_rounds[2].latency_ms[4]"},
		"a probe's outcome":     {func(c *Comparison) { c.Breaker.Rounds[0].Probes[0].Outcome = Failed }, "half_open_rounds[0].outcomes[0]"},
		"late results":          {func(c *Comparison) { c.Breaker.Breakers[0].Late++ }, "breaker_detail.results_dropped_as_stale"},
		"a transition's time":   {func(c *Comparison) { c.Breaker.Transitions[1].At += 2 * time.Microsecond }, "transitions[1].t_full"},
		"a row that is missing": {func(c *Comparison) { c.Breaker.Rows = c.Breaker.Rows[:59] }, ""},
		"random numbers drawn":  {func(c *Comparison) { c.Breaker.Draws.Latency++ }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := fresh()
			tt.change(c)
			measured, err := c.document()
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range []string{"rng_vectors", "transitions", "half_open_rounds", "breaker_detail", "expected"} {
				c.Details = append(c.Details, compare(part, doc[part], measured[part])...)
			}
			different := c.Different()
			switch {
			case len(different) == 0:
				t.Error("not noticed")
			case tt.want != "" && (len(different) != 1 || different[0].What != tt.want):
				t.Errorf("got %v, want %s", different, tt.want)
			}
		})
	}
	t.Run("another seed", func(t *testing.T) {
		c := fresh()
		c.Breaker = simulate(t, ReferenceConfig(true), ReferenceSeed+1)
		equal(t, "trip", c.reported()["breaker CLOSED -> OPEN"] != "17.17", true)
	})
	t.Run("a run in which nothing happened", func(t *testing.T) {
		c := fresh()
		c.Breaker = simulate(t, ReferenceConfig(false), ReferenceSeed)
		equal(t, "trip", c.reported()["breaker CLOSED -> OPEN"], "no such transition")
		if _, err := c.document(); err != nil {
			t.Fatal(err)
		}
	})
}
