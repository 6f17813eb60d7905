// Package sgprom publishes what breakers and pipelines count as Prometheus metrics.
//
// # Model
//
// A [Collector] stands over a [registry.Source]. Each scrape asks every policy for its
// numbers; between scrapes nothing happens, and a call never touches this package. The
// names are listed, with types, labels and meaning, in docs/metrics.md.
//
//	breakers := registry.Must(registry.New(registry.Config{}))
//	prometheus.MustRegister(sgprom.Must(sgprom.New(breakers, sgprom.Config{})))
//
// How long calls take is not among the numbers that policies keep. A [Latency] records
// it, as classic and as native histograms. It costs something on each call, and so it
// is where somebody puts it: [Time] wraps the function that makes the call. Inside a
// breaker or a pipeline it sees each attempt and none that was refused; around
// [pipeline.Do] it sees whole calls, with their waits and refusals.
//
//	charge := sgprom.Time(latency.Timer("payments"), charge)
//	receipt, err := pipeline.Do(ctx, payments, charge)
//
// # Contract
//
//   - The number of series is bounded, whatever names there are: see [Config.MaxNames].
//     Entries beyond it are added up under the name other, whose counters never fall.
//   - The series of an entry that is gone are gone with the next scrape.
//   - Names may hold anything. Bytes that are not UTF-8 are replaced, names beyond 260
//     bytes are cut, and an entry that cannot have its name to itself is among the
//     others. A scrape does not fail for a name.
//   - Everything is safe for concurrent use.
//
// # Boards made for Resilience4j
//
// With [WithResilience4j] the collector also publishes the names of the Micrometer
// binder of Resilience4j, so that boards and alerts made for it go on working.
//
// # What it does not do
//
// Nothing is registered by itself, and there is no HTTP handler: promhttp has one. The
// labels of instances and jobs are the scraper's. What only events tell, such as who
// moved a breaker, is in logs and not here.
package sgprom
