// Package inject disturbs calls on purpose: it makes some fail, wait, hang or
// panic, so that tests and game days show whether a program stands when its
// dependency falls over.
//
// # Model
//
// An [Injector] stands in the place of the dependency, innermost in a pipeline, and
// holds a list of faults. It is off until somebody calls [Injector.Enable], with a
// name, a reason and a time after which it is off again by itself. While it is on,
// each call goes through the faults in order. A fault strikes the calls with its keys
// with its probability. Waits add up; the first fault that is an error, a hang or a
// panic ends the call, and then the function behind the injector does not run.
//
// Which calls are struck is decided by the number of the call since Enable and by a
// seed, so that the same calls in the same order are struck again on the next run,
// and on another machine. Where calls are made at the same time, the same numbers are
// struck, though other calls may get them.
//
// An injected error is an [*Error] and matches [ErrInjected]. To all other policies
// it is a failure of the dependency like any other, which is the point of it. It does
// not match [switchgear.ErrRejected].
//
// # Use
//
//	var faults = inject.Must(inject.New("stock", inject.Config{Faults: []inject.Fault{
//		{Kind: inject.Latency, Probability: 100, Delay: 200 * time.Millisecond},
//		{Kind: inject.Failure, Probability: 30, Keys: []string{"berlin"}},
//	}}))
//
//	err := faults.Enable("ana", "game day", 10*time.Minute)
//	…
//	item, err := inject.Do(ctx, faults, func(ctx context.Context) (Item, error) { … })
//
// [Do] waits, hangs and panics by itself. Code that does not block, such as a
// simulator, takes the decision with [Injector.Draw] and carries it out.
//
// # Contract
//
// All methods of an [Injector] are safe for concurrent use. Being switched on and
// off, by whom, why, and what was done meanwhile are events; single calls are not.
// User code never runs under a lock. While it is off, a call costs one atomic load
// and allocates nothing, so an injector may stay in a program that is in use. While
// it is on there is one timer, for its end.
//
// # What it does not do
//
// It disturbs calls, not connections: it cannot cut a response in the middle. It does
// not decide who may switch it on.
package inject
