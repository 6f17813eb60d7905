//go:build !race

package proof

// raceEnabled is whether the race detector is on, under which everything takes longer.
const raceEnabled = false
