package observe

import (
	"fmt"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
)

// hurried are the rules with minutes made into seconds. A duration that is not listed is
// an error: whoever writes a rule with another one says here what it becomes.
func hurried(t *testing.T, rules string) string {
	t.Helper()
	waits := map[string]string{"5m": "3s", "1h": "3s"}
	ranges := map[string]string{"5m": "4s", "30m": "12s", "1h": "15s"}
	replace := func(pattern string, shorter map[string]string) {
		rules = regexp.MustCompile(pattern).ReplaceAllStringFunc(rules, func(s string) string {
			long := regexp.MustCompile(`\d+[smhd]`).FindString(s)
			short, ok := shorter[long]
			if !ok {
				t.Fatalf("%q has no shorter form", s)
			}
			return regexp.MustCompile(`\d+[smhd]`).ReplaceAllString(s, short)
		})
	}
	replace(`\bfor: \d+[smhd]`, waits)
	replace(`\[\d+[smhd]\]`, ranges)
	return rules
}

// A real Prometheus scrapes a real program through an outage.
func TestOutage(t *testing.T) {
	p := newPlant(t)
	target := p.serve(t)
	address := startPrometheus(t, target, hurried(t, read(t, rulesPath)), "--query.lookback-delta=3s")
	native := startPrometheus(t, target, "", "--query.lookback-delta=3s", "--enable-feature=native-histograms")
	p.run(t)

	until(t, "the program is scraped", 10*time.Second, func() (bool, any) {
		r := query(t, address, `switchgear_breaker_state{name="down", state="closed"} == 1`)
		return len(r) == 1, r
	})
	usual := []string{"SwitchgearNamesBeyondBound other"} // there is one too many from the beginning
	until(t, "all is well", 15*time.Second, func() (bool, any) {
		now := firing(t, address)
		return slices.Equal(now, usual), now
	})

	p.downIsOut.Store(true)
	p.retryingFail.Store(true)
	if err := p.held.Move(breaker.Move{To: breaker.ForcedOpen, Author: "ana", Reason: "maintenance"}); err != nil {
		t.Fatal(err)
	}
	p.flap(t)

	trouble := []string{
		"SwitchgearBreakerFlaps flapping",
		"SwitchgearBreakerForcedOpen held",
		"SwitchgearBreakerOpen down",
		"SwitchgearBreakerRecoveryFails down",
		"SwitchgearBreakerTripsOften down",
		"SwitchgearBudgetExhausted and again",
		"SwitchgearCallsRejected down",
		"SwitchgearNamesBeyondBound other",
	}
	if len(trouble) != len(alerts(t)) {
		t.Errorf("%d alerts are expected, there are %d", len(trouble), len(alerts(t)))
	}
	only := func() []string { // what fires, which is nothing else
		t.Helper()
		now := firing(t, address)
		for _, a := range now {
			if !slices.Contains(trouble, a) {
				t.Errorf("%s fires", a)
			}
		}
		return now
	}
	until(t, "the alerts fire that should", 15*time.Second, func() (bool, any) {
		now := only()
		return slices.Equal(now, trouble), now
	})
	board(t, address)
	// A Prometheus that scrapes native histograms has no series for their buckets, sums and
	// counts, and a query for these finds nothing there.
	if r := query(t, native, `switchgear_call_duration_seconds_bucket`); len(r) != 0 {
		t.Errorf("the classic histogram is scraped as well: %v", r)
	}
	board(t, native)

	p.downIsOut.Store(false)
	p.retryingFail.Store(false)
	if err := p.held.Reset("ana", "maintenance is over"); err != nil {
		t.Fatal(err)
	}
	p.registry.Remove("one too many")
	until(t, "the alerts are over", 30*time.Second, func() (bool, any) {
		now := only()
		return len(now) == 0, now
	})
}

// board asks everything that the board asks, in the middle of the outage.
func board(t *testing.T, address string) {
	t.Helper()
	for _, q := range queries(t) {
		if r := query(t, address, q.expr); len(r) == 0 {
			t.Errorf("%s: no data for %s", q.panel, q.expr)
		} else if q.panel == "State A" {
			got := make(map[string]string)
			for _, s := range r {
				got[s.Metric["name"]] = fmt.Sprint(s.Value[1])
			}
			if len(got) != 4 || got["held"] != "3" || got["all policies"] != "0" || got["down"] != "2" && got["down"] != "1" {
				t.Errorf("the states are %v", got)
			}
		}
	}
}
