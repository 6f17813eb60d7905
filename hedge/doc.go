// Package hedge cuts off the slow tail of calls: if an attempt has not answered
// after a while, a second one is sent, and the first good answer wins. The idea is
// the "hedged request" of Dean and Barroso, "The Tail at Scale" (Communications of
// the ACM 56, 2, 2013).
//
// # Model
//
// A call is a race. It begins with one attempt. When the delay has passed without
// an answer an extra attempt, the hedge, starts beside it, and further ones after a
// further delay each, up to [Config.MaxExtra]. The delay is fixed, or a percentile
// of the recent latencies ([Config.Percentile]): with the 95th, about one call in
// twenty is hedged, however fast the dependency is at the moment.
//
// The first good answer decides the race. Good is what [switchgear.Judge] calls a
// success of the dependency: an answer without an error, or with an error that
// proves it healthy, such as one marked with [switchgear.MarkSuccess]. An attempt
// that fails decides nothing while others run. When all have failed the call fails,
// at once; to try again after a failure is a retry's job, not a hedge's. Once an
// attempt has failed in a way that makes repeating pointless (it was refused by
// another policy, or its error is final) no extra attempt starts; and if the
// dependency asked for time, none starts before that time is over. After the
// decision, or when the caller's context has ended, nothing starts any more.
//
// When there is a winner the contexts of the losers are cancelled, with [ErrLost]
// as the cause. The winner's own context lives on for as long as its result needs
// it: until [Do] returns, or until [Held.Release].
//
// Only calls that may be made twice can be hedged. The program must say so, with
// [Safe] for a call or [Config.Always] for all of them. Any other call is made once,
// plainly, on the caller's goroutine. A probe, by which a breaker decides whether to
// close, is never hedged: see [NoMore] and [WithProbing].
//
// # Use
//
//	var stock = hedge.Must(hedge.New("stock", hedge.Config{}, hedge.WithBudget(extra)))
//
//	item, err := hedge.Do(hedge.Safe(ctx), stock, func(ctx context.Context) (Item, error) { … })
//
// [Do] is for results that are complete when the function returns. [DoWith] also
// disposes of the results nobody wants. [Hold] is for a result that is read later,
// such as the body of a response: it keeps the winner's context alive. What decides,
// without waiting or starting anything, is a [Race].
//
// # Contract
//
// All methods of a [Hedge] are safe for concurrent use; a [Race] belongs to one
// goroutine at a time. The function, the classifier, listeners and other user code
// run outside every lock, and may use the hedge.
//
// Where hedging is possible every attempt runs on a goroutine of its own, the first
// one too. That costs a goroutine, a timer and a context per call: some 2.5 µs and 12
// allocations, where the bare necessities take 1.6 µs and 8, and a plain call 25 ns and
// none (go test -run='^$' -bench='Do|Goroutine' ./hedge). It buys that the call returns
// as soon as it is decided: with the first attempt on the caller's goroutine, a loser
// that ignores its context would hold the caller up, and that is the very case hedging
// is for. The function must therefore be safe to run in several goroutines at the same
// time, and should return soon after its context has ended. An attempt that does not is
// left behind. It holds a goroutine until it returns and is counted in
// [Snapshot].Abandoned; when there are too many of these, calls are made plainly
// ([Config.MaxAbandoned]).
//
// A panic in the function, or a runtime.Goexit, ends the call and goes on in the
// caller's goroutine, with the value of the panic. Once the call is decided a panic
// in an attempt left behind reaches nobody: it is swallowed. Either way it is counted,
// and a warning event has its stack.
//
// # Settling a loser
//
// A loser says little about the dependency, unless it took too long: a dependency
// that hangs on every second connection loses many races and fails none. So whatever
// judges single attempts, such as a breaker inside the hedge, should ask [Lost] when
// an attempt was cancelled, and settle a loser that had run longer than the slow-call
// duration as a slow success, and any other as ignored.
//
// # What it does not do
//
// It never waits before the first attempt, starts nothing in place of a failed attempt,
// and sets no limit on time: that is the caller's context, or a timeout inside.
package hedge
