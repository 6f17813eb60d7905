package sweep

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/switchgear-go/switchgear/sim"
)

// published returns what the reference experiment has published of the runs of
// 10,000 other seeds, and what a row calls it.
func published(t *testing.T) map[string]band {
	t.Helper()
	text, err := os.ReadFile("../testdata/outage-experiment.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Statistics struct {
			Bands struct{ Reach, Pct, Mean, Trip, Lag band } `json:"bands"`
		} `json:"statistics_other_seeds"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	b := doc.Statistics.Bands
	return map[string]band{"reached": b.Reach, "share": b.Pct, "mean in ms": b.Mean, "trip delay": b.Trip, "recovery lag": b.Lag}
}

type band struct{ Mean, SD, P5, P95 float64 }

// measured is a row in the words and units of the publication.
func measured(r *Row) map[string]Spread {
	mean := r.Mean
	mean.Mean, mean.P5, mean.P95 = mean.Mean*1e3, mean.P5*1e3, mean.P95*1e3
	return map[string]Spread{"reached": r.Reached, "share": r.Share, "mean in ms": mean, "trip delay": r.TripDelay, "recovery lag": r.RecoveryLag}
}

// Other random numbers give the same distributions: a mean within four standard
// errors, quantiles within as much as makes one in a hundred thousand miss them.
func TestPublishedSpreadOfOtherSeeds(t *testing.T) {
	seeds := 1000
	if raceEnabled || testing.Short() {
		seeds = 100
	}
	for _, g := range []sim.Generator{sim.PCG, sim.MT19937} {
		cfg := sim.ReferenceConfig(true)
		cfg.Generator = g
		table, err := Run(context.Background(), []Point{{Config: cfg}}, 1000, seeds, nil)
		if err != nil {
			t.Fatal(err)
		}
		row := &table.Rows[0]
		got, n := measured(row), math.Sqrt(float64(seeds))
		for name, want := range published(t) {
			s := got[name]
			equal(t, name, s.N, seeds)
			if math.Abs(s.Mean-want.Mean) > 4.5*want.SD/n {
				t.Errorf("%v: %s: mean %g, want %g", g, name, s.Mean, want.Mean)
			}
			// The standard error of these quantiles of a normal distribution is 2.1
			// deviations over the root of n.
			if math.Abs(s.P5-want.P5) > 9.5*want.SD/n || math.Abs(s.P95-want.P95) > 9.5*want.SD/n {
				t.Errorf("%v: %s: from %g to %g, want %g to %g", g, name, s.P5, s.P95, want.P5, want.P95)
			}
		}
		equal(t, "rounds", row.Rounds, Spread{2, 2, 2, seeds})
		equal(t, "false trips", row.FalseTrips, Spread{0, 0, 0, seeds})
		equal(t, "p99", row.P99, Spread{2, 2, 2, seeds})
	}
}
