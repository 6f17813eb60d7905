package random_test

import (
	"fmt"

	"github.com/switchgear-go/switchgear/sim/internal/random"
)

// Two purposes under one seed do not disturb each other.
func ExampleNewStream() {
	const seed, arrivals, errors = 1, 0, 1
	a, b := random.NewStream(random.PCG, seed, arrivals, 0), random.NewStream(random.PCG, seed, arrivals, 0)
	e := random.NewStream(random.PCG, seed, errors, 0)
	for range 3 {
		e.Float64() // whatever the errors draw
		fmt.Println(a.Exponential(50) == b.Exponential(50))
	}
	// Output:
	// true
	// true
	// true
}

// The numbers of CPython's random.Random(42).
func ExampleTwister() {
	t := random.NewTwister(42)
	fmt.Println(t.Float64())
	fmt.Println(t.Float64())
	// Output:
	// 0.6394267984578837
	// 0.025010755222666936
}
