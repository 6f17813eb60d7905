// Package registry keeps the breakers and pipelines of a program under their names:
// it makes each of them once, lists them for metrics and operators, and hears their
// events.
//
// # Model
//
// A [Registry] holds entries. An [Entry] is a name and what stands under it: a
// breaker, or a pipeline with the breaker in it. There are three ways in:
//
//   - [Registry.Breaker] and [Registry.Pipeline] make what is not there yet. Of many
//     callers that ask for one name at once, one makes it and the others get the same.
//   - [Registry.AddBreaker] and [Registry.AddPipeline] take what was made elsewhere.
//   - [Registry.Attach] shows the entries of another [Source], such as an
//     sghttp.Transport, which goes on making and dropping them as it likes.
//
// The number of entries is bounded. When a new one finds no room, entries go that were
// made here, have not been looked up or used for [Config.IdleAfter], and whose breaker
// would admit a call: those that are CLOSED, and those past their open interval. What
// an operator has put into another state or reconfigured stays.
//
// The registry is also a hub of events. What it makes reports to it; what is made
// elsewhere does so if it is given [Registry.Listener]. [Registry.Listen] hears
// everything from then on, [Registry.Recent] tells of what has been.
//
// # Contract
//
// All methods are safe for concurrent use. User code (options of policies, listeners,
// observers, sources, the body of a loop over entries) runs outside every lock and may
// call the registry; a policy that is being made is not there yet, so its own
// listeners hear of it only when it is. Sources and clocks are wiring: they must not
// call the registry back.
//
// [Registry.Lookup] of a registry's own entry takes no lock and does not allocate.
//
// A listener given to Listen has a queue and a goroutine of its own. If it is stuck,
// its oldest events are dropped, and counted; if it panics, that is counted. Neither
// slows a call, or another listener. The registry has no other goroutines, and no
// timers.
//
// Every name is valid UTF-8 and at most [MaxName] bytes long. It may hold anything
// else, markup and control characters included: whoever shows it must escape it.
//
// # What it does not do
//
// There is no global registry. It knows nothing of configuration files, metrics or
// HTTP; packages that do stand on top of it.
package registry
