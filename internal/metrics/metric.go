package metrics

import "strings"

// Kind is how the values of a metric behave.
type Kind uint8

const (
	// Gauge is a value that goes up and down.
	Gauge Kind = iota
	// Counter only grows, as long as the entry exists.
	Counter
)

// Units, as UCUM writes them. Things that are counted have their name in braces.
const (
	Seconds = "s"
	Ratio   = "1"
)

// Metric is one thing that is measured of each entry.
type Metric struct {
	// Name is the name without prefix and unit, its parts separated by dots, such as
	// "breaker.slow_calls".
	Name string
	// Kind is how the values behave.
	Kind Kind
	// Unit is [Seconds], [Ratio], or the things that are counted, such as "{call}".
	Unit string
	// Label is the name of a second label beside the entry's name; empty for none.
	Label string
	// Help says what the values mean, in one sentence without a full stop.
	Help string
	// Apart is whether values of several entries mean nothing together, as ratios and
	// instants do.
	Apart bool
	// Nameless is whether the metric is about the source, and has no name of an entry.
	Nameless bool
	// Read calls yield for each value that r holds; label is the value of Label. Of a
	// counter, which values there are and their order depend on nothing but which parts r
	// has: from one reading of an entry to the next, values are matched by their place.
	Read func(r *Reading, yield func(label string, value float64))
}

const prefix = "switchgear"

// NameLabel is the label that holds the entry's name.
const NameLabel = "name"

// Dotted returns the name in the manner of OpenTelemetry, such as
// "switchgear.breaker.slow_calls".
func (m *Metric) Dotted() string { return prefix + "." + m.Name }

// Underscored returns the name in the manner of Prometheus, with unit and the mark of a
// counter, such as "switchgear_breaker_slow_calls_total". It is what the Prometheus
// exporters of OpenTelemetry make of [Metric.Dotted] and the unit.
func (m *Metric) Underscored() string {
	name := prefix + "_" + strings.ReplaceAll(m.Name, ".", "_")
	switch m.Unit {
	case Seconds:
		name += "_seconds"
	case Ratio:
		name += "_ratio"
	}
	if m.Kind == Counter {
		name += "_total"
	}
	return name
}
