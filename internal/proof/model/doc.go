// Package model is the breaker's specification written as a program: what a
// breaker must do, without a thought for what it costs.
//
// # Model
//
// A [Breaker] here is a plain value that is told what happens and at what time,
// one thing after another. It stores every outcome with its time and counts all
// of them again for each question. There is no lock, no clock, no timer (it can
// say when its timer is due, and be told that it is), no cell, no cache and no
// short cut, so that each method can be held against the text of its rule. The
// tests of the package above drive it and the real breaker through the same
// histories and compare whatever can be seen.
//
// It is written from docs/spec/state-machine.md and imports nothing of the
// product. Where the rules leave something open it takes the decision that the
// breaker documents; comments say where.
//
// # Contract
//
// Everything is deterministic: chance comes in as a list of numbers in the
// [Config]. A Breaker can be cloned, and two can be compared ([Breaker.Key]),
// which is what a search over the orders of a concurrent history needs. For the same
// reason a time may be a little older than the one before: an operation reads the clock,
// and another one overtakes it. Nothing is safe for concurrent use.
//
// # What it does not do
//
// It validates nothing and fills in no defaults. It classifies no errors: an outcome
// comes with its health decided (rules C1 are not about states).
package model
