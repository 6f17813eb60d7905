package main

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"time"
)

// A loop makes n calls. It may run in many goroutines at once.
type loop func(n int)

// A subject is one thing to measure.
type subject struct {
	Group string
	Name  string
	// setup makes what the calls share, and returns the loop.
	setup func() loop
	// Target is the multiple to reach, serial and parallel; 0 where there is none.
	Target, ParallelTarget float64
	// Of names the subject that it is a multiple of; empty for an atomic addition.
	Of string
}

// A figure is what was measured of one subject.
type figure struct {
	Group          string  `json:"group"`
	Name           string  `json:"name"`
	Serial         float64 `json:"serial_ns"`
	Parallel       float64 `json:"parallel_ns"`
	SerialTimes    float64 `json:"serial_multiple"`
	ParallelTimes  float64 `json:"parallel_multiple"`
	Target         float64 `json:"serial_target,omitzero"`
	ParallelTarget float64 `json:"parallel_target,omitzero"`
	Of             string  `json:"multiple_of,omitempty"`
	Allocs         float64 `json:"allocs"`
}

// goroutines is how many callers the parallel figures have.
const goroutines = 64

// measure runs all subjects for the given number of rounds. progress is called
// after each round.
func measure(subjects []subject, rounds int, slice time.Duration, progress func(round int)) []figure {
	type state struct {
		loop             loop
		serialN          int
		serial, parallel []float64
	}
	states := make([]state, len(subjects))
	figures := make([]figure, len(subjects))
	for i, s := range subjects {
		l := s.setup()
		states[i] = state{loop: l, serialN: calibrate(l, slice)}
		figures[i] = figure{
			Group: s.Group, Name: s.Name, Target: s.Target, ParallelTarget: s.ParallelTarget, Of: s.Of,
			Allocs: allocs(l),
		}
	}
	for round := range rounds {
		for i := range states {
			s := &states[i]
			s.serial = append(s.serial, timed(s.serialN, func() { s.loop(s.serialN) }))
		}
		for i := range states {
			s := &states[i]
			each := max(s.serialN/goroutines, 1)
			s.parallel = append(s.parallel, timed(each*goroutines, func() { inParallel(s.loop, each) }))
		}
		progress(round + 1)
	}
	for i := range figures {
		figures[i].Serial = median(states[i].serial)
		figures[i].Parallel = median(states[i].parallel)
	}
	for i := range figures {
		serial, parallel := unit(figures, figures[i].Of)
		figures[i].SerialTimes = figures[i].Serial / serial
		figures[i].ParallelTimes = figures[i].Parallel / parallel
	}
	return figures
}

// unit returns what the multiples are of: the cost of the named subject or else, also
// for what runs in parallel, that of the first one run alone, the atomic addition.
func unit(figures []figure, of string) (serial, parallel float64) {
	for _, f := range figures {
		if of != "" && f.Name == of {
			return f.Serial, f.Parallel
		}
	}
	return figures[0].Serial, figures[0].Serial
}

// calibrate returns how many calls fill a slice of time. It also warms up.
func calibrate(l loop, slice time.Duration) int {
	for n := 1_000; ; n *= 2 {
		start := time.Now()
		l(n)
		if d := time.Since(start); d >= slice/4 || n > 1<<28 {
			return max(int(float64(n)*float64(slice)/float64(max(d, 1))), 1)
		}
	}
}

// timed returns the wall time of f in nanoseconds, divided by n calls.
func timed(n int, f func()) float64 {
	start := time.Now()
	f()
	return float64(time.Since(start).Nanoseconds()) / float64(n)
}

func inParallel(l loop, each int) {
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() { l(each) })
	}
	wg.Wait()
}

// allocs returns allocations per call.
func allocs(l loop) float64 {
	const n = 10_000
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	l(n)
	runtime.ReadMemStats(&after)
	return float64((after.Mallocs-before.Mallocs)/(n/10)) / 10
}

func median(v []float64) float64 {
	slices.SortFunc(v, cmp.Compare)
	return v[len(v)/2]
}
