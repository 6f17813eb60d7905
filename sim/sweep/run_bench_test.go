package sweep

import (
	"context"
	"fmt"
	"testing"

	"github.com/switchgear-go/switchgear/sim"
)

// One operation is a row of the reference experiment over 2,000 seeds.
func BenchmarkRow(b *testing.B) {
	for _, g := range []sim.Generator{sim.PCG, sim.MT19937} {
		b.Run(fmt.Sprint(g), func(b *testing.B) {
			cfg := sim.ReferenceConfig(true)
			cfg.Generator = g
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Run(context.Background(), []Point{{Config: cfg}}, 1, 2000, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(b.N*2000), "µs/run")
		})
	}
}
