package sim

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/backoff"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/ratelimit"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/throttle"
)

func TestDefaultsOfPolicies(t *testing.T) {
	given := Config{Client: Client{Call: fullCall()}}
	before := inJSON(t, given)
	once, _, err := settle(given)
	if err != nil {
		t.Fatal(err)
	}
	call := once.Client.Call
	equal(t, "Retry.Attempts", call.Retry.Attempts, 3)
	equal(t, "Retry.Backoff.Initial", call.Retry.Backoff.Initial, 100*ms)
	equal(t, "Hedge.Percentile", call.Hedge.Percentile, 95)
	equal(t, "Budget.Ratio.Percent", call.Budget.Ratio.Percent, 20)
	equal(t, "Throttle.K", call.Throttle.K, 2)
	equal(t, "Adaptive.Initial", call.Adaptive.Initial, 20)
	equal(t, "RateLimit.Burst", call.RateLimit.Burst, 2000)
	equal(t, "Total without", Call{}.Total, 0)
	equal(t, "the caller's configuration", inJSON(t, given), before)

	twice, _, err := settle(once)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(once, twice) {
		t.Errorf("changed from\n%+v to\n%+v", once, twice)
	}
	none, _, _ := settle(Config{})
	equal(t, "Total", none.Client.Call.Total, off)
	equal(t, "policed", none.Client.Call.policed(), false)
}

// The problems of each policy are found by its own New, and told under its path.
func TestProblemsOfPolicies(t *testing.T) {
	for name, tt := range map[string]struct {
		cfg  Config
		want []string
	}{
		"each policy's own": {
			Config{Client: Client{Call: Call{
				Total:     -5,
				RateLimit: &ratelimit.Config{Burst: -1},
				Adaptive:  &adaptive.Config{Min: -1},
				Throttle:  &throttle.Config{K: 0.5},
				Retry:     &retry.Config{Attempts: -7, Backoff: backoff.Config{Initial: 1}},
				Hedge:     &hedge.Config{MaxExtra: 11},
				Budget:    &budget.Config{Kind: 9},
				Bulkhead:  &bulkhead.Config{MaxConcurrent: -1},
			}}},
			[]string{
				"Client.Call.Total", "Client.Call.RateLimit.Rate", "Client.Call.RateLimit.Burst", "Client.Call.Adaptive.Min",
				"Client.Call.Throttle.K", "Client.Call.Budget.Kind", "Client.Call.Retry.Attempts",
				"Client.Call.Retry.Backoff.Initial", "Client.Call.Hedge.MaxExtra", "Client.Call.Bulkhead.MaxConcurrent",
			},
		},
		"those of a service": {
			Config{Services: []Service{{Call: Call{Retry: &retry.Config{Attempts: -7}}}, {}}},
			[]string{"Services[0].Call.Retry.Attempts"},
		},
		"what needs another": {
			Config{Client: Client{Call: Call{Budget: &budget.Config{}, RetryInsideBreaker: true}}},
			[]string{"Client.Call.Budget", "Client.Call.RetryInsideBreaker"},
		},
		"a loop without an end": {
			Config{Client: Client{Call: Call{Retry: &retry.Config{Attempts: off}, Budget: &budget.Config{}}}},
			[]string{"Client.Call.Retry.Attempts"},
		},
		"a loop with an end": {
			Config{Client: Client{Call: Call{Retry: &retry.Config{Attempts: off}, Total: time.Second}}}, nil,
		},
		"an outage that the total time ends": {
			Config{Client: Client{Call: Call{Total: time.Second}}, Services: []Service{{Faults: []Fault{{}}}}}, nil,
		},
		"more memory than a fleet may have": {
			Config{Client: Client{Instances: 1001, Call: Call{
				Hedge: &hedge.Config{}, Throttle: &throttle.Config{Buckets: 1000},
				RateLimit: &ratelimit.Config{Kind: ratelimit.SlidingWindow, Rate: 10_000},
			}}},
			[]string{"Client.Call.Hedge.Percentile", "Client.Call.Throttle.Buckets", "Client.Call.RateLimit.Burst"},
		},
		"as much memory as a fleet may have": {
			Config{Client: Client{Instances: 1000, Call: Call{
				Hedge: &hedge.Config{}, Throttle: &throttle.Config{Buckets: 1000},
				RateLimit: &ratelimit.Config{Kind: ratelimit.SlidingWindow, Rate: 10_000},
			}}}, nil,
		},
		"nothing can be divided by no instances": {
			Config{Client: Client{Instances: -1, Call: Call{Throttle: &throttle.Config{Buckets: 2_000_000}}}},
			[]string{"Client.Instances", "Client.Call.Throttle.Buckets", "Client.Call.Throttle.Buckets"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := paths(tt.cfg); !slices.Equal(got, tt.want) {
				t.Errorf("got\n\t%q\nwant\n\t%q", got, tt.want)
			}
		})
	}
}
