// Package sgotel tells OpenTelemetry what breakers and pipelines count, and notes on
// spans what policies did to a call.
//
// # Metrics
//
// [Register] makes observable instruments over a [registry.Source]. Each collection asks
// every policy for its numbers; between collections nothing happens, and a call never
// touches them. There is one instrument for each metric in docs/metrics.md: its name has
// dots there instead of underscores, and its unit apart, so that switchgear_breaker_calls_total
// is the counter switchgear.breaker.calls here. The attributes are the labels. A
// Prometheus exporter makes the same series of them as package sgprom, and the same rules
// and boards fit.
//
// The number of names is bounded in the same way: see [Config.MaxNames]. The series of an
// entry that is gone are gone with the next collection.
//
// # Spans
//
// Nothing makes a span: the span that a caller has is where people look for what became
// of its call. Three functions add events to it, each at a place that knows something.
//
//   - [Attempt] wraps the function that makes the call, and notes each attempt that is a
//     retry, a hedge or a probe as it begins.
//   - [Ended] looks at the error that a caller got, and notes the refusals and limits in it.
//   - [FellBack] notes that a fallback answered, and what it hides.
//
// In the same order:
//
//	fetch = sgotel.Attempt(fetch)
//	item, meta, err := stock.DoMeta(ctx, func(ctx context.Context) (Item, error) {
//		return pipeline.Do(ctx, p, fetch)
//	})
//	sgotel.FellBack(ctx, meta)
//	sgotel.Ended(ctx, err)
//
// If the context has no span, or one that does not record, they cost a look into the
// context.
//
// # What it does not do
//
// A span learns nothing of refusals that another attempt or a hedge made good, since the
// caller gets no error then; of the errors of attempts that were repeated; and of how
// long a call waited in a queue or for its next attempt. A first attempt that a breaker
// admits as usual has no event. The status of the span is the caller's to set. There are
// no spans for attempts: who wants them makes them in the function that [Attempt] wraps.
//
// Only the interfaces of OpenTelemetry are required. Without an SDK everything here does
// nothing.
package sgotel
