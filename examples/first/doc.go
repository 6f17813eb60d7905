// Command first is the first snippet of the README, to copy and to run: one breaker
// in front of one call, and something to fall back on.
package main
