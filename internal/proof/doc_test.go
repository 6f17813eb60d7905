// Package proof holds the tests that need more than the standard library. It consists
// of tests. All of them run with
//
//	go test ./...
//
// in well under a minute, with -short in less; what each does in more time is below. With
// -v they say what they have looked at. A test that tests nothing must not pass, so they
// note what happened in their histories and fail if something that they are meant to
// exercise never did.
//
// # The model
//
// Package model is the specification written as a program: slow, sequential, and with
// nothing in common with the product. The proofs hold the breaker against it.
//
// # Random histories (*_property_test.go, *_regression_test.go)
//
// The real breaker, windows and evidence scores go through random histories, one thing
// after another, side by side with the naive ones, and everything that can be seen is
// compared: events, trip records, refusals, snapshots, counters, timers, what is saved.
// Reconfigurations that change nothing, and detours over another configuration and back,
// must leave no trace. A history that ends in a disagreement is shrunk to a short one; the
// regression tests keep those worth keeping.
//
//	go test -run Equals -v .                      # 100 histories of each theme
//	go test -run Equals -rapid.checks=5000 .      # more
//	go test -run Equals -rapid.seed=N .           # a failing one again
//
// # Linearizability (linear_*_test.go, stage_test.go)
//
// Several goroutines use one breaker at the same time: they acquire, settle, call through
// Do, move, reset, reconfigure, read, and let time pass, and timers fire among them. What
// each was told, and between which instants, is a concurrent history. Porcupine searches for
// an order of the operations, each at some instant between its beginning and its end, in
// which the model gives the same answers and makes the same transitions, event for event.
// Snapshots in between, and in the end, show counts that are lost, doubled or accepted too
// late. Histories are played on the breaker as it is, and then, in far greater number, on
// the instrumented one (below), where goroutines yield in the middle of operations and
// most operations meet others.
//
//	go test -run Linearizable -v .                     # 3,000 histories
//	go test -run Linearizable -linear.runs=5000 .      # 5,000 of each of the themes
//	go test -run Linearizable -linear.seed=N .         # the same scripts again
//
// The goroutines' scripts depend on the seed alone, the order in which they meet does not.
//
// # Every order (every_order_test.go, scenes_test.go)
//
// Chance seldom finds what needs three things to coincide. So small scenes of two or three
// goroutines are run in every order of their atomic steps: each load, store and
// compare-and-swap of an atomic variable, and each taking of a lock (see package schedule,
// which also says why what it leaves out is no loss). After each step the breaker's
// invariants are checked from inside, and each complete history is judged as above.
//
// It is the product's own source that runs. The go command is given an overlay in which
// sync and sync/atomic are replaced by package schedule, and the test runs itself once more
// in that build (instrument_test.go). There is no model of the steps that could part ways
// with the code: if the code changes, what is explored changes with it, and if it begins to
// use something that package schedule does not have, the build fails.
//
//	go test -run EveryOrder -v .                          # how many states and orders
//	go test -run EveryOrder/H8 -v .                       # only some scenes
//	go test -run EveryOrder -orders.more -v -timeout=1h . # large scenes too, 2 min
//	go test -run EveryOrder -orders.preemptions=2 .       # fewer orders
//
// A failure prints the history, and the steps that lead to it with their places in the
// source.
//
// # Mistakes (mistakes_test.go)
//
// The instrumented build can also be told to be wrong, in ways that only show when
// goroutines meet: a success that counts for a period that is over, cells sealed and not
// booked, or opened too early, a timer that acts after it was stopped, a slot that stays
// closed. For each there is a list of the tests above that must fail, and do. The command
// beside this package, variants, does the same for mistakes that show in one goroutine.
//
//	go test -run Mistakes -v .
//
// A mistake is a piece of the product's text and what stands there instead. If the text
// changes, the build says which mistake, or which other edit, has to follow.
package proof
