// Package sweep compares configurations over many seeds.
//
// One run shows what can happen; what usually happens takes thousands. [Run] makes
// the same runs of each [Point], a configuration with the settings that tell it from
// the others, and sums every figure up in a [Spread]: its mean, and the middle nine
// tenths of the runs. A [Table] has a row for each point.
//
// # Model
//
// All points run with the same seeds, so that they meet the same arrivals and the
// same latencies, and a difference between two rows is one between their settings.
// The figures are those of [sim.Figures], of the window that [sim.Config.Fault] finds.
// A scenario without faults, or without windows that meet them, has none: Reached,
// Share, Mean, P99 and Rounds are then those of the whole run, each trip is a false
// one, and nothing else exists.
//
// # Contract
//
// The table depends on the points and the seeds alone, not on the number of
// processors, all of which are used. Means are exact up to rounding, quantiles are
// those of all runs of the row. Memory: nine numbers a run for the rows in progress,
// of which there are about as many as processors at most, and no more than that of the
// others than is in the table.
//
// When its context ends, Run returns the rows that it has: a row in progress with
// the runs of its first seeds, up to the first that is missing, so that a sweep over
// so many seeds gives that very row. The same goes for a run that fails, in which
// case the rows of later points are left out.
//
// # What it does not do
//
// It reads no flags and no files, and makes no combinations of settings. It tells
// nothing about how the figures of one run go together: for that there is
// [sim.Many].
package sweep
