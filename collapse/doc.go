// Package collapse lets identical calls that are in flight at the same time share
// one execution: the first caller for a key starts it, those that come while it runs
// wait for its result, and all get the same.
//
// # Model
//
// A [Group] holds the executions under way, one for each key. A caller may leave
// before the end, because its context is done; the others do not notice. So the
// execution belongs to none of them: it runs in a goroutine of its own, with a
// context that keeps the values of the first caller's context but neither its
// cancellation nor its deadline.
//
//	caller 1  ├── starts ───── deadline, leaves
//	caller 2       ├── joins ───────────────────────── gets the result
//	execution ├──────────────────────────────────────┤
//
// When the last caller has left, the context of the execution is cancelled, with
// [ErrAbandoned] as its cause, and the key is free: who comes then starts another
// execution, even if the abandoned one is slow to notice. Beyond that the execution
// has no deadline of its own, unless [Config.Limit] gives it one.
//
// [Group.Do] waits. [Group.Join] is the same without waiting, for code that is told
// of the result by a callback.
//
// # Contract
//
//   - For each key at most one execution can be joined at any time.
//   - A result that is there wins over a context that is done.
//   - Errors are shared like values.
//   - A panic of the function reaches every caller that waits for it, with the same
//     value. If it calls runtime.Goexit, they get [ErrExited].
//   - The value is shared. If it holds a pointer, a map or a slice, nobody may change
//     what that refers to unless Do says that it was not shared. Things that only one
//     can use, such as a response body, are no values to share.
//   - Everything is safe for concurrent use. No lock is held while the function or a
//     callback runs.
//   - The number of keys is bounded. Beyond the bound calls run each for itself.
//
// The function sees the values of one caller's context while it works for several:
// a trace is attributed to the first of them. It must not ask its own group for its
// own key, since it would wait for itself. The context that it gets ends when it
// returns.
//
// # What it does not do
//
// It remembers nothing: a caller that comes after the end starts anew. For that there
// is package cache, and the two belong together, the cache outside:
//
//	item, meta, err := cache.Do(ctx, items, id, func(ctx context.Context) (Item, error) {
//		item, _, err := group.Do(ctx, id, fetch)
//		return item, err
//	})
//
// It does not wait for an execution that was abandoned, and cannot stop one that
// ignores its context.
package collapse
