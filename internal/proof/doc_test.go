// Package proof holds the tests that need more than the standard library. It consists
// of tests.
//
// The property tests (*_property_test.go) take the real breaker, windows and evidence
// scores through random histories together with the naive ones of package model, and
// compare everything that can be seen. A history that ends in a disagreement is shrunk
// to a short one. The regression tests do the same with chosen histories.
//
//	go test .                               # a few seconds
//	go test . -rapid.checks=5000            # more histories of each theme
//	go test . -rapid.seed=N                 # a failing one again
//	go test . -v                            # what happened in them, and how often
//
// The tests note what happened in their histories and fail if something that they are
// meant to exercise never did: a test that tests nothing must not pass.
package proof
