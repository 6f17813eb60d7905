// Command bench measures what a protected call costs, beside other Go breakers
// and beside the primitives that nobody can do without.
//
// All subjects are measured in one run, in short slices taken in turn, and the
// median over the rounds counts: a busy machine then slows all of them alike. The
// figures to compare are the multiples of one uncontended atomic addition in the
// same run.
//
//	go run ./bench                 # a table
//	go run ./bench --json          # the same for machines
//	go run ./bench --rounds 21     # calmer medians
package main
