package stats_test

import (
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear/sim/internal/stats"
)

func ExampleSeries() {
	var s stats.Series
	for i := range time.Duration(100) {
		s.Add((i + 1) * time.Millisecond)
	}
	s.Sort(new(stats.Sorter))
	fmt.Println(s.Mean(), s.At(0.99), s.Linear(0.99), s.Max())
	// Output: 50.5ms 99ms 99.01ms 100ms
}

// How many calls were in progress, at most and on average?
func ExampleLevel() {
	l := stats.NewLevel([]time.Duration{10 * time.Second})
	l.Add(0, 1)
	l.Add(2*time.Second, 1)
	l.Add(4*time.Second, -2)
	l.Add(10*time.Second, 0)
	fmt.Println(l.Between(0, 10*time.Second))
	// Output: 2 2s 0.6
}
