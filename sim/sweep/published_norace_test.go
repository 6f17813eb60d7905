//go:build !race

package sweep

import (
	"context"
	"math"
	"testing"

	"github.com/switchgear-go/switchgear/sim"
)

const raceEnabled = false

// The same generator and the same 10,000 seeds: every published digit of the means. The
// published quantiles are interpolated between two runs next to each other.
func TestPublishedSpreadExactly(t *testing.T) {
	table, err := Run(context.Background(), []Point{{Config: sim.ReferenceConfig(true)}}, 1000, 10_000, nil)
	if err != nil {
		t.Fatal(err)
	}
	const decimals = 5e-5 + 1e-6 // there are four
	got := measured(&table.Rows[0])
	for name, want := range published(t) {
		s := got[name]
		if math.Abs(s.Mean-want.Mean) > decimals {
			t.Errorf("%s: mean %g, want %g", name, s.Mean, want.Mean)
		}
		if next := want.SD / 200; math.Abs(s.P5-want.P5) > decimals+next || math.Abs(s.P95-want.P95) > decimals+next {
			t.Errorf("%s: from %g to %g, want %g to %g", name, s.P5, s.P95, want.P5, want.P95)
		}
	}
}
