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
// The number of entries is bounded. When a new one finds no room, idle ones go: see
// below.
//
// The registry is also a hub of events: what it makes reports to it, and [Registry.Recent]
// tells of what has been. There are four ways to listen:
//
//   - [Registry.Listen] is for most: it may be slow, come later, and leave.
//   - [WithListener] is for what is quick and must hear everything, from the start.
//   - [Registry.Listener] is the hub: give it to policies, adapters and registries made
//     elsewhere, so that their events come here too.
//   - breaker.WithListener, given to [WithBreaker], is the one to avoid: it can hang.
//
// # What goes when room is needed
//
// An entry goes if all of this holds, and stays otherwise:
//
//	made here      not added
//	idle           neither looked up nor used for IdleAfter; see Config.IdleAfter
//	no call in it  that runs in a bulkhead, an adaptive limit, a hedge, or a timeout with
//	               Abandon; waits for one of them, or for a retry; or has drawn on a budget
//	CLOSED         its breaker, if there is one
//	at rest        its rate limit and its budget are full, its throttle's window is empty
//	not operated   its injector is off; breaker, bulkhead, and throttle have the
//	               configuration they were made with
//
// So no refusal, no running call's place and no decision of an operator is lost with it.
// What its policies have learned is: a CLOSED breaker's window and what is left of the
// growth of its open interval, an adaptive limit, the latencies of a hedge.
//
// A breaker that is OPEN and never called again stays, since only probes or an operator
// close it. If names die for good, [Registry.Remove] their entries.
//
// A CLOSED breaker, a throttle, a rate limit, a timeout without Abandon and an injector do
// not know which calls are running. An entry of nothing else goes if nobody has looked it
// up and no call has ended in it for IdleAfter, even if one is running; how that ends is
// then counted by a policy that later callers do not get. Let IdleAfter be longer than the
// longest call.
//
// # Contract
//
// All methods are safe for concurrent use. User code (listeners, observers, the body of
// a loop over entries) runs outside every lock and may call the registry: a policy that
// is being made is not there yet, so listeners hear of it only when it is. Options of
// policies, given with [WithBreaker] and [WithPipeline], must not ask for the policy that
// they are making: the registry would wait for itself. Sources and clocks are wiring: they
// must not call the registry back.
//
// [Registry.Lookup] of a registry's own entry takes no lock and does not allocate.
//
// A listener given to Listen has a queue and a goroutine of its own. If it is stuck,
// its oldest events are dropped, and counted; if it panics, that is counted. Neither
// slows a call, or another listener. The registry has no other goroutines, and no
// timers.
//
// A new name in a full registry costs a look at the entries that may be idle by now, not
// at all: each at most once per IdleAfter, or 64 times if it is idle and has to stay.
// Callers who want room at the same time share that work, and do not wait for each other.
//
// Every name is valid UTF-8 and at most [MaxName] bytes long. It may hold anything
// else, markup and control characters included: whoever shows it must escape it.
//
// # What it does not do
//
// There is no global registry. It knows nothing of configuration files, metrics or
// HTTP; packages that do stand on top of it.
package registry
