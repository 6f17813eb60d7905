package sweep

import (
	"math"
	"slices"
	"time"

	"github.com/switchgear-go/switchgear/sim"
)

// The figures of a run, as columns. A figure that does not exist is NaN.
const (
	tripDelay = iota
	reached
	share
	mean
	p99
	rounds
	recoveryLag
	falseTrips
	goodRefused
	columns
)

// noFault stands for the window of the fault where there is none.
const noFault = -1

// figures returns the columns of one run.
func figures(r *sim.Result, window int) (c [columns]float64) {
	if window == noFault {
		return figuresOfAll(r)
	}
	f := r.Figures(window)
	c[tripDelay], c[recoveryLag] = seconds(f.TripDelay), seconds(f.RecoveryLag)
	c[reached], c[share] = float64(f.Reached), f.Share()
	c[mean], c[p99] = f.Mean.Seconds(), f.P99.Seconds()
	if f.Requests == 0 {
		c[share], c[mean], c[p99] = math.NaN(), math.NaN(), math.NaN()
	}
	c[rounds], c[falseTrips], c[goodRefused] = float64(f.Rounds), float64(f.FalseTrips), float64(f.GoodRefused)
	return c
}

// figuresOfAll is for a run without a fault. It takes the whole run for a window, in
// which nothing is wrong.
func figuresOfAll(r *sim.Result) [columns]float64 {
	whole := *r
	whole.Windows = []sim.WindowResult{
		{Window: sim.Window{To: max(r.Ended, 1) + 1}, Summary: r.Whole},
		{},
	}
	c, outside := figures(&whole, 0), whole.Figures(1)
	c[tripDelay], c[recoveryLag] = math.NaN(), math.NaN()
	c[falseTrips], c[goodRefused] = float64(outside.FalseTrips), float64(outside.GoodRefused)
	return c
}

// seconds is NaN for a duration that does not exist.
func seconds(d time.Duration) float64 {
	if d < 0 {
		return math.NaN()
	}
	return d.Seconds()
}

// newRow sums up the columns of runs. It sorts them.
func newRow(settings []Setting, values *[columns][]float64) Row {
	return Row{
		Settings: settings, Runs: len(values[0]),
		TripDelay: newSpread(values[tripDelay]), Reached: newSpread(values[reached]), Share: newSpread(values[share]),
		Mean: newSpread(values[mean]), P99: newSpread(values[p99]), Rounds: newSpread(values[rounds]),
		RecoveryLag: newSpread(values[recoveryLag]), FalseTrips: newSpread(values[falseTrips]), GoodRefused: newSpread(values[goodRefused]),
	}
}

// newSpread sums values up, NaN left out. It changes them.
func newSpread(values []float64) Spread {
	values = slices.DeleteFunc(values, math.IsNaN)
	n := len(values)
	if n == 0 {
		return Spread{}
	}
	slices.Sort(values)
	var sum float64 // in order of size, and so the same however the runs were divided
	for _, v := range values {
		sum += v
	}
	rank := func(percent int) float64 { return values[max((n*percent+99)/100, 1)-1] }
	return Spread{Mean: sum / float64(n), P5: rank(5), P95: rank(95), N: n}
}
