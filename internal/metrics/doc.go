// Package metrics says what is measured of breakers and pipelines, once, for all
// systems that want to know: the adapters for Prometheus and OpenTelemetry publish
// what [List] names, with the same words.
//
// # Model
//
// A [Metric] is one thing that is measured. A [Reading] is what the policies of one
// entry of a registry had to tell at one moment. A [Gatherer] reads all entries of a
// source and turns the readings into [Point] values, one for each line of a scrape.
//
// Nothing is measured here while calls run. The policies count anyway, and they are
// asked when somebody gathers.
//
// # Names
//
// The name of an entry becomes a label, so the number of names is bounded. As many
// entries as the bound allows have points of their own; the rest are added up under
// the name [Other]. Who is in stays in as long as the entry exists. Room is given to
// newcomers in the order of their names. An entry that cannot have its name to itself
// is among the others: one named [Other], and the second of two with the same name.
//
// Points of [Other] that count go on growing when an entry leaves the others, since a
// falling counter would read as a restart. An entry that is seen for the first time adds
// all that it has counted. One that comes back, as when a registry is detached and
// attached again, adds what it has counted since it was seen last, under whichever name:
// else the counters would jump without a call. For this its last reading is kept as long
// as the program has the breaker or the pipeline, of at most 10,000 that are away. What
// cannot be added up, such as a ratio or an instant, is left out there.
//
// # What it does not do
//
// It keeps no history and computes no rates: that is the work of who stores the
// points. What only events tell, such as who moved a breaker, is not measured.
package metrics
