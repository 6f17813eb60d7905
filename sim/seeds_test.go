package sim

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// band is what the publication says of one figure over 10,000 seeds.
type band struct{ Mean, SD, Min, Half, P5, P50, P95, Most, Max float64 } // Half is 0.5 %, Most 99.5 %

func bandOf(doc any) band {
	m, _ := doc.(map[string]any)
	f := func(key string) float64 { v, _ := m[key].(float64); return v }
	return band{f("mean"), f("sd"), f("min"), f("p0_5"), f("p5"), f("p50"), f("p95"), f("p99_5"), f("max")}
}

// seedFigures are the published figures of one run, by their published names.
func seedFigures(r *Result) map[string]float64 {
	f := r.Figures(1)
	m := map[string]float64{
		"n": float64(r.Whole.Requests), "nf": float64(f.Requests), "reach": float64(f.Reached), "pct": f.Share(),
		"mean": millis(f.Mean), "trip": f.TripDelay.Seconds(), "lag": f.RecoveryLag.Seconds(),
		"stale": float64(f.Late), "blocked": float64(f.Requests - f.Reached),
	}
	for i, name := range []string{
		"closed_to_open", "open_to_half_open_1", "half_open_to_open_1", "open_to_half_open_2",
		"half_open_to_open_2", "open_to_half_open_3", "half_open_to_closed",
	} {
		if i < len(r.Transitions) {
			m[name] = r.Transitions[i].At.Seconds()
		}
	}
	return m
}

// manySeeds runs the reference over seeds and returns the samples of all figures.
// What holds for each run is checked on the way.
func manySeeds(t *testing.T, g Generator, count int) map[string]sample {
	cfg := ReferenceConfig(true)
	cfg.Generator = g
	samples := map[string]sample{}
	err := Many(context.Background(), cfg, 1000, count, func(r *Result) error {
		for name, v := range seedFigures(r) {
			samples[name] = append(samples[name], v)
		}
		var sequence strings.Builder
		for _, tr := range r.Transitions {
			sequence.WriteByte(tr.To.String()[0])
		}
		if f := r.Figures(1); sequence.String() != "OHOHOHC" || f.FalseTrips != 0 || f.Rounds != 2 {
			return fmt.Errorf("seed %d: transitions %s, %d false trips, %d rounds in the fault", r.Seed, &sequence, f.FalseTrips, f.Rounds)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return samples
}

func publishedBands(t *testing.T) map[string]band {
	doc, err := published()
	if err != nil {
		t.Fatal(err)
	}
	stats, _ := doc["statistics_other_seeds"].(map[string]any)
	all, _ := stats["bands"].(map[string]any)
	bands := map[string]band{}
	for name, v := range all {
		switch name {
		case "half_open_rounds_in_fault", "false_trips_before_fault", "transition_sequences": // see manySeeds
		case "transition_times_given_the_usual_seven":
			times, _ := v.(map[string]any)
			for name, v := range times {
				bands[name] = bandOf(v)
			}
		default:
			bands[name] = bandOf(v)
		}
	}
	equal(t, "published figures", len(bands), 16)
	return bands
}

// Another generator draws other numbers, but the same distributions.
func TestOtherSeedsOfBothGenerators(t *testing.T) {
	count := 1000
	if raceEnabled || testing.Short() {
		count = 100
	}
	bands := publishedBands(t)
	for _, g := range []Generator{PCG, MT19937} {
		t.Run(g.String(), func(t *testing.T) {
			samples := manySeeds(t, g, count)
			for name, b := range bands {
				s := samples[name]
				equal(t, name+": runs", len(s), count)
				// The published mean is itself one of 10,000 runs.
				near(t, name+": mean", s.mean(), b.Mean, s.halfWidth()+3.9*b.SD/100)
				inside := 0
				for _, v := range s {
					if v >= b.Half && v <= b.Most {
						inside++
					}
				}
				if share := float64(inside) / float64(count); share < 0.95 {
					t.Errorf("%s: only %.1f %% of the runs are in the band of 99 %%", name, share*100)
				}
			}
		})
	}
}

// Runs are the same whatever ran before, on whatever goroutine, and in whatever
// company.
func TestRunsRepeat(t *testing.T) {
	for _, g := range []Generator{PCG, MT19937} {
		cfg := ReferenceConfig(true)
		cfg.Generator = g
		alone := map[uint64]string{}
		for seed := uint64(1); seed <= 8; seed++ {
			alone[seed] = inJSON(t, simulate(t, cfg, seed))
		}
		err := Many(context.Background(), cfg, 1, 8, func(r *Result) error {
			if got := inJSON(t, r); got != alone[r.Seed] {
				t.Errorf("%v: seed %d differs from a run of its own", g, r.Seed)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if alone[1] == alone[2] {
			t.Errorf("%v: two seeds give the same run", g)
		}
	}
}
