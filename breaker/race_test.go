//go:build race

package breaker_test

const raceDetector = true
