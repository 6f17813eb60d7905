package metrics

import "slices"

// List returns all metrics, in the order in which they are documented. The caller may
// change the slice.
func List() []Metric {
	return slices.Concat(ofSource, ofBreaker, ofRetry, ofBudget, ofHedge, ofBulkhead,
		ofRateLimit, ofAdaptive, ofThrottle, ofTimeout, ofInjector)
}

// EntriesName is the name of the one metric about the source itself. The gatherer makes
// its values.
const EntriesName = "entries"

var ofSource = []Metric{{
	Name: EntriesName, Unit: "{entry}", Label: "place", Nameless: true,
	Help: "Entries of the source: named with series of their own, and others added up under the name other",
}}

// part makes the Read of a metric that concerns one part of a reading.
func part[T any](of func(*Reading) *T, read func(t *T, yield func(string, float64))) func(*Reading, func(string, float64)) {
	return func(r *Reading, yield func(string, float64)) {
		if t := of(r); t != nil {
			read(t, yield)
		}
	}
}

// one is part for a metric with a single value.
func one[T any](of func(*Reading) *T, value func(t *T) float64) func(*Reading, func(string, float64)) {
	return part(of, func(t *T, yield func(string, float64)) { yield("", value(t)) })
}

// count is one for a counter.
func count[T any](of func(*Reading) *T, value func(t *T) uint64) func(*Reading, func(string, float64)) {
	return one(of, func(t *T) float64 { return float64(value(t)) })
}

func oneIf(on bool) float64 {
	if on {
		return 1
	}
	return 0
}
