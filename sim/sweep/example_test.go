package sweep_test

import (
	"context"
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear/sim"
	"github.com/switchgear-go/switchgear/sim/sweep"
)

// How long should the breaker wait? A short wait finds out sooner that the outage
// is over, and sends more probes into it.
func Example() {
	var points []sweep.Point
	for _, wait := range []time.Duration{time.Second, 5 * time.Second} {
		cfg := sim.ReferenceConfig(true)
		cfg.Client.Call.Breaker.Open.Wait = wait
		points = append(points, sweep.Point{
			Settings: []sweep.Setting{{Key: "wait", Value: wait.String()}},
			Config:   cfg,
		})
	}
	table, err := sweep.Run(context.Background(), points, 1, 50, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range table.Rows {
		fmt.Printf("%s=%s: %.1f rounds, back after %.2f s (%.2f to %.2f)\n", table.Keys[0], row.Settings[0].Value,
			row.Rounds.Mean, row.RecoveryLag.Mean, row.RecoveryLag.P5, row.RecoveryLag.P95)
	}
	// Output:
	// wait=1s: 6.0 rounds, back after 1.94 s (1.74 to 2.13)
	// wait=5s: 2.0 rounds, back after 1.54 s (1.36 to 1.73)
}
