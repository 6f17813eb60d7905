// Package schedule makes concurrent code run one step at a time, in every order.
//
// # Model
//
// A step is one operation on something that several goroutines can reach: a load, a
// store or a compare-and-swap of an atomic variable, or the taking of a lock. What a
// goroutine does between two steps is its own business and cannot be seen by others, so
// the outcome of concurrent code is decided by the order of the steps alone.
//
// [Mutex], [Bool], [Int64], [Uint64] and [Pointer] take the places of the types of sync
// and sync/atomic. The code under test is compiled with them: the test that does so gives
// the go command an overlay of the code's own files in which only the imports differ.
// Before each step they ask which goroutine goes next.
//
// [Explore] answers in every possible way. It runs a [Program] of a few threads, each a
// coroutine, again and again, each time in another order, until no order is left whose
// outcome could be new. Two orders that differ only in that independent steps have
// changed places (two loads, or steps on different variables) have the same outcome. So
// Explore keeps for each thread a hash of all that has influenced it so far, and does not
// go on from a point whose hashes it has met before. That is exhaustive: what it leaves
// out is equivalent to something it has run.
//
// Three more orders are left out because each is equivalent to one that is run. A lock is
// released together with the step before. The first step under a lock is taken together
// with the lock. And a load under a lock is no step of its own if every store to the
// variable happens under the same lock; where a store is met that does not, the
// exploration begins again without this short cut for variables of that kind.
//
// # Contract
//
// A program must do the same when it gets the same schedule. Time, chance, the iteration
// of maps and addresses must not decide anything. One exploration can run at a time, and
// nothing else in the process may use the types meanwhile.
//
// Without an exploration the types are what they stand for, save that [Shake] can have
// something called before each step, such as runtime.Gosched.
//
// # What it does not do
//
// The order of steps is sequentially consistent, as the Go memory model promises for
// sync/atomic. Accesses that are not atomic are not steps; that they are ordered is for
// the race detector to say.
package schedule
