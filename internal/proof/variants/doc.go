// Command variants makes the product wrong on purpose, in one way after the other, and
// says which tests notice. A test suite that lets a mistake pass is missing a test.
//
//	go run ./internal/proof/variants              # all of them
//	go run ./internal/proof/variants T1 K06       # those with T1 or K06 in their names
//	go run ./internal/proof/variants -v T1        # with the change, and what the tests say
//
// # Model
//
// A variant is a mistake that somebody could make who writes a breaker: a boundary off
// by one, a counter counted twice, a slot lost, a stale outcome accepted. It is written
// down (table_*.go) as a piece of the source, what stands there instead, and the test that
// notices by name. Mutants made by a machine are many and mostly meaningless; these are
// few, and each breaks a rule of the specification or is a fault that breakers have had.
//
// # What counts as caught
//
// The named test must fail; no other is asked. It is run in the package that is wrong,
// with -short, against a build in which the wrong file takes the place of the right one
// (go test -overlay). Nothing in the tree is touched. Test files that it does not need are
// left out of the build, which makes it three times as fast. Before that, all named tests
// are run without any mistake and must pass, or a failure would mean nothing.
//
// The table has to keep up with the source. A variant whose text no longer stands there
// exactly once, that does not build, or whose test does not exist is an error. So is a
// test that does not end in time, except where the mistake is a deadlock.
//
// # What it does not do
//
// It makes no mistakes that only a rare order of goroutines would show: whether they are
// caught would be chance. Those are made and found, in every order, by the tests next
// door, in package proof.
package main
